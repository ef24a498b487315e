// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "thread/monitor.hpp"

#include "support/gate.hpp"
#include "support/scripted_clock.hpp"
#include "support/system_threads.hpp"
#include "support/test.hpp"

#include <cerrno>
#include <cstring>
#include <sched.h>
#include <unistd.h>

using jtimer::detail::kNever;
using jtimer::detail::Lock;
using jtimer::detail::Monitor;
using jtimer::detail::Nanos;

namespace {

constexpr Nanos kMilli = 1'000'000;
constexpr Nanos kMicro = 1'000;
constexpr Nanos kStart = test::kStartMillis * kMilli;

/// A monitor whose thread waits again and again, until `deadline` or for a time.
struct WaitingThread {
    explicit WaitingThread(std::optional<Nanos> timerSlack = {}) : monitor(clock, timerSlack) {}

    const std::shared_ptr<test::ScriptedClock> clock = std::make_shared<test::ScriptedClock>();
    Monitor monitor;
    std::atomic<bool> over{false};
    boost::thread thread;

    template <class Wait>
    void startWith(const Wait& wait) {
        thread = boost::thread([this, wait] {
            Lock lock = monitor.enter();
            while (!over) wait(lock);
        });
        clock->awaitWait(1);
    }
    void start(Nanos deadline) {
        startWith([this, deadline](Lock& lock) {
            deadline == kNever ? monitor.wait(lock)
                               : monitor.waitUntil(lock, deadline, monitor.now());
        });
    }
    void startWaitingFor(Nanos time) {
        startWith([this, time](Lock& lock) {
            const Nanos now = monitor.now();
            monitor.waitUntil(lock, now + time, now);
        });
    }
    /// \returns when the first wait ends
    Nanos firstEnd(Nanos deadline, Nanos next) {
        clock->wakesLate = true;
        startWith([this, deadline, next](Lock& lock) {
            monitor.waitUntil(lock, deadline, monitor.now(), next);
        });
        return clock->awaitWait(1);
    }
    /// \returns when a second such wait ends, which begins at the same time
    Nanos secondEnd(Nanos deadline, Nanos next) {
        firstEnd(deadline, next);
        clock->endWait();
        return clock->awaitWait(2);
    }
    /// Returns when the thread has read the clock a few times more.
    void awaitSpin() {
        const int before = clock->readings;
        while (clock->readings < before + 3) boost::this_thread::yield();
    }
    void wake() {
        Lock lock = monitor.enter();
        monitor.leaveAndWake(lock);
    }
    /// \returns how many notifications it took
    int wakeFor(Nanos time) {
        const int before = clock->notifications();
        Lock lock = monitor.enter();
        monitor.leaveAndWakeFor(lock, time);
        return clock->notifications() - before;
    }
    ~WaitingThread() {
        over = true;
        clock->time = kNever;  // it may spin
        clock->holdNotified(false);
        clock->endWait();
        thread.join();
    }
};

}  // namespace

BOOST_AUTO_TEST_CASE(a_thread_that_waits_until_a_time_is_woken_only_for_an_earlier_one) {
    WaitingThread waiting;
    waiting.clock->canBeSetForward = false;
    waiting.start(kStart + 10 * kMilli);
    BOOST_TEST(waiting.wakeFor(kStart + 10 * kMilli) == 0);
    BOOST_TEST(waiting.wakeFor(kNever) == 0);
    BOOST_TEST(waiting.wakeFor(kStart + 10 * kMilli - 1) == 1);
    BOOST_TEST(waiting.clock->awaitWait(2) == kStart + 10 * kMilli);
}

BOOST_AUTO_TEST_CASE(on_a_clock_that_can_be_set_forward_a_thread_is_woken_for_any_time) {
    WaitingThread waiting;
    waiting.start(kStart + 10 * kMilli);
    BOOST_TEST(waiting.wakeFor(kStart + 20 * kMilli) == 1);
    waiting.clock->awaitWait(2);
}

BOOST_AUTO_TEST_CASE(a_thread_that_waits_without_a_limit_is_woken_for_every_time_but_never) {
    WaitingThread waiting;
    waiting.clock->canBeSetForward = false;
    waiting.start(kNever);
    BOOST_TEST(waiting.wakeFor(kNever) == 0);
    BOOST_TEST(waiting.wakeFor(kNever - 1) == 1);
    waiting.clock->awaitWait(2);
}

BOOST_AUTO_TEST_CASE(each_wait_is_ended_by_one_notification_at_most) {
    WaitingThread waiting;
    waiting.start(kNever);
    waiting.clock->holdNotified(true);
    for (int i = 0; i < 10; ++i) waiting.wake();
    BOOST_TEST(waiting.clock->notifications() == 1);
    waiting.clock->holdNotified(false);
    waiting.clock->endWait();
    waiting.clock->awaitWait(2);
    waiting.wake();
    BOOST_TEST(waiting.clock->notifications() == 2);
    waiting.clock->awaitWait(3);
}

BOOST_AUTO_TEST_CASE(a_long_wait_ends_before_its_deadline_by_what_wake_ups_take) {
    WaitingThread waiting;
    waiting.clock->wakesLate = true;
    waiting.startWaitingFor(kMilli);
    BOOST_TEST(waiting.clock->awaitWait(1) == kStart + kMilli);
    waiting.clock->endWaitAt(kStart + kMilli + 80 * kMicro);
    BOOST_TEST(waiting.clock->awaitWait(2) == kStart + 2 * kMilli + 75 * kMicro);
    waiting.clock->endWaitAt(kStart + 2 * kMilli + 78 * kMicro);  // after 3 us
    waiting.awaitSpin();
    {
        const Lock lock = waiting.monitor.tryEnter();
        BOOST_TEST(lock.owns_lock());
    }
    waiting.clock->time = kStart + 2 * kMilli + 80 * kMicro - 1;
    waiting.awaitSpin();
    waiting.clock->time = kStart + 2 * kMilli + 80 * kMicro;
    BOOST_TEST(waiting.clock->awaitWait(3) == kStart + 3 * kMilli + 77 * kMicro);
}

BOOST_AUTO_TEST_CASE(after_a_wait_that_ended_early_a_thread_is_woken_only_for_an_earlier_time) {
    WaitingThread waiting;
    waiting.clock->wakesLate = true;
    waiting.clock->canBeSetForward = false;
    waiting.startWaitingFor(kMilli);
    waiting.clock->endWaitAt(kStart + kMilli + 80 * kMicro);
    const Nanos deadline = waiting.clock->awaitWait(2) + 5 * kMicro;
    BOOST_TEST(waiting.wakeFor(deadline) == 0);
    BOOST_TEST(waiting.wakeFor(deadline - 1) == 1);
    const Nanos end = waiting.clock->awaitWait(3);
    BOOST_TEST(end == deadline - 5 * kMicro);

    // Nor does the spin end sooner for a notification, but what happened is looked at afterwards.
    waiting.clock->endWaitAt(end + 1);
    waiting.awaitSpin();
    BOOST_TEST(waiting.wakeFor(deadline - 1) == 1);
    BOOST_TEST(waiting.wakeFor(deadline - 2) == 0);
    waiting.awaitSpin();
    waiting.clock->time = deadline;
    BOOST_TEST(waiting.clock->awaitWait(4) == deadline + kMilli - 1);
}

BOOST_AUTO_TEST_CASE(a_wait_between_two_notifications_and_the_deadline_ends_at_its_own_time) {
    WaitingThread waiting;
    waiting.clock->wakesLate = true;
    waiting.startWaitingFor(10 * kMilli);
    waiting.clock->endWaitAt(kStart + 10 * kMilli + 80 * kMicro);
    const Nanos now = kStart + 10 * kMilli + 80 * kMicro;
    BOOST_TEST(waiting.clock->awaitWait(2) == now + 10 * kMilli - 5 * kMicro);
    waiting.clock->settlingTime = kMilli;
    waiting.wake();
    BOOST_TEST(waiting.clock->awaitWait(3) == now + kMilli);
}

BOOST_AUTO_TEST_CASE(a_clock_that_is_set_back_ends_the_spin) {
    WaitingThread waiting;
    waiting.clock->wakesLate = true;
    waiting.startWaitingFor(kMilli);
    waiting.clock->endWaitAt(kStart + kMilli + 80 * kMicro);
    const Nanos end = waiting.clock->awaitWait(2);
    waiting.clock->endWaitAt(end);
    waiting.awaitSpin();
    waiting.clock->time = end - 1;
    BOOST_TEST(waiting.clock->awaitWait(3) == end - 1 + kMilli);
    waiting.clock->endWaitAt(end - 2);  // not over, and no reason to spin
    BOOST_TEST(waiting.clock->awaitWait(4) == end - 2 + kMilli);
}

BOOST_AUTO_TEST_CASE(short_waits_end_at_their_deadline_and_those_with_a_slack_that_was_asked_for) {
    const auto firstEnds = [](WaitingThread& waiting, Nanos time) {
        waiting.clock->wakesLate = true;
        waiting.startWaitingFor(time);
        waiting.clock->endWaitAt(kStart + time + 80 * kMicro);
        return waiting.clock->awaitWait(2) - (kStart + 2 * time + 80 * kMicro);
    };
    WaitingThread shortWaits, longWaits, withSlack(0);
    BOOST_TEST(firstEnds(shortWaits, 100 * kMicro - 1) == 0);
    BOOST_TEST(firstEnds(longWaits, 100 * kMicro) == -5 * kMicro);
    BOOST_TEST(firstEnds(withSlack, kMilli) == 0);
}

BOOST_AUTO_TEST_CASE(a_short_wait_after_another_is_50_us_longer_if_the_next_deadline_is_as_near) {
    const Nanos deadline = kStart + 100 * kMicro - 1;
    WaitingThread first, same, near, notSoNear, unknown;
    BOOST_TEST(first.firstEnd(deadline, deadline) == deadline);
    BOOST_TEST(same.secondEnd(deadline, deadline) == deadline + 50 * kMicro);
    BOOST_TEST(near.secondEnd(deadline, deadline + 50 * kMicro) == deadline + 50 * kMicro);
    BOOST_TEST(notSoNear.secondEnd(deadline, deadline + 50 * kMicro + 1) == deadline);
    BOOST_TEST(unknown.secondEnd(deadline, kNever) == deadline);
}

BOOST_AUTO_TEST_CASE(a_short_wait_after_one_without_a_limit_is_the_first_of_its_kind) {
    bool limited = true;
    WaitingThread waiting;
    waiting.clock->wakesLate = true;
    waiting.startWith([&](Lock& lock) {
        limited = !limited;
        if (!limited) return waiting.monitor.wait(lock);
        waiting.monitor.waitUntil(lock, kStart + kMicro, kStart, kStart + kMicro);
    });
    for (std::size_t n = 2; n <= 4; n += 2) {
        waiting.clock->endWait();
        BOOST_TEST(waiting.clock->awaitWait(n) == kStart + kMicro);
        waiting.clock->endWait();
        BOOST_TEST(waiting.clock->awaitWait(n + 1) == kNever);
    }
}

BOOST_AUTO_TEST_CASE(no_other_wait_lasts_longer_for_the_next_deadline) {
    WaitingThread afterNotified, longAfterShort, withSlack(0), unlimited, almostUnlimited;
    afterNotified.firstEnd(kStart + kMicro, kStart + kMicro);
    afterNotified.wake();
    BOOST_TEST(afterNotified.clock->awaitWait(2) == kStart + kMicro);
    longAfterShort.clock->time = kStart + kMilli - kMicro;
    BOOST_TEST(longAfterShort.firstEnd(kStart + kMilli, kStart + kMilli) == kStart + kMilli);
    longAfterShort.clock->endWaitAt(kStart);
    BOOST_TEST(longAfterShort.clock->awaitWait(2) == kStart + kMilli);
    BOOST_TEST(withSlack.secondEnd(kStart + kMicro, kStart + kMicro) == kStart + kMicro);
    BOOST_TEST(unlimited.secondEnd(kNever, kNever) == kNever);
    almostUnlimited.clock->time = kNever - 2;
    BOOST_TEST(almostUnlimited.secondEnd(kNever - 1, kNever - 1) == kNever - 1);

    WaitingThread onTestClock;
    onTestClock.startWith([&](Lock& lock) {
        onTestClock.monitor.waitUntil(lock, kStart + kMicro, kStart, kStart + kMicro);
    });
    onTestClock.clock->endWait();
    BOOST_TEST(onTestClock.clock->awaitWait(2) == kStart + kMicro);
}

BOOST_AUTO_TEST_CASE(a_wait_that_lasts_longer_is_ended_for_what_is_due_before_it_ends) {
    WaitingThread waiting;
    waiting.clock->canBeSetForward = false;
    const Nanos deadline = kStart + 99 * kMicro;
    const Nanos end = waiting.secondEnd(deadline, deadline + 1);
    BOOST_TEST(end == deadline + 50 * kMicro);
    BOOST_TEST(waiting.wakeFor(end) == 0);
    BOOST_TEST(waiting.wakeFor(end - 1) == 1);
    waiting.clock->awaitWait(3);
}

BOOST_AUTO_TEST_CASE(the_present_time_is_before_never_whatever_the_clock_shows) {
    const auto clock = std::make_shared<test::ScriptedClock>();
    const Monitor monitor(clock);
    clock->time = std::numeric_limits<Nanos>::max();
    BOOST_TEST(monitor.now() == kNever - 1);
    clock->time = std::numeric_limits<Nanos>::min();
    BOOST_TEST(monitor.now() == std::numeric_limits<Nanos>::min());
}

BOOST_AUTO_TEST_CASE(a_monitor_without_a_thread_takes_no_part_in_its_clock_before_it_is_told_to) {
    const auto clock = std::make_shared<jtimer::ManualClock>(test::kStart);
    Monitor monitor(clock, Monitor::WithoutThread{});
    clock->advance(1);  // would wait for a participant that is busy

    Lock lock = monitor.enter();
    monitor.takePart(lock);
    monitor.takeNoPart(lock);
    clock->advance(1);

    monitor.takePart(lock);
    boost::thread thread([&monitor] {
        Lock threadsLock = monitor.enter();
        monitor.begin();
        monitor.waitUntil(threadsLock, kStart + 12 * kMilli, monitor.now());
        monitor.end();
    });
    lock.unlock();
    clock->advance(10);
    thread.join();
    BOOST_TEST(clock->nanos() == kStart + 12 * kMilli);
}

#if defined(__linux__)
BOOST_AUTO_TEST_CASE(a_thread_with_a_long_job_lets_one_in_that_sleeps_until_the_mutex_is_free) {
    Monitor monitor(std::make_shared<test::ScriptedClock>());
    for (int round = 0; round < 20; ++round) {
        bool entered = false;
        std::atomic<pid_t> id{0};
        Lock lock = monitor.enter();
        boost::thread other([&] {
            id = test::idOfThisThread();
            const Lock othersLock = monitor.enter();
            entered = true;
        });
        test::awaitSleep(id);
        int releases = 0;
        while (!entered) {
            monitor.letOthersIn(lock);
            ++releases;
        }
        lock.unlock();
        other.join();
        // One, unless others keep the processors busy. Who only releases the mutex and takes it
        // again does so some 100,000 times.
        BOOST_TEST(releases < 1000);
    }
}

/// Of real-time priority, and on one processor with the other thread, which can run only while this
/// one sleeps.
BOOST_AUTO_TEST_CASE(a_thread_with_a_long_job_lets_one_in_that_can_run_only_while_it_sleeps) {
    const sched_param lowest{1};
    if (sched_setscheduler(0, SCHED_FIFO, &lowest) != 0) {
        BOOST_TEST_MESSAGE("no real-time priority: " << std::strerror(errno));
        return;
    }
    const sched_param none{};
    sched_setscheduler(0, SCHED_OTHER, &none);
    cpu_set_t usual, one;
    sched_getaffinity(0, sizeof usual, &usual);
    CPU_ZERO(&one);
    CPU_SET(sched_getcpu(), &one);
    sched_setaffinity(0, sizeof one, &one);
    Monitor monitor(std::make_shared<test::ScriptedClock>());
    std::atomic<bool> entered{false};
    std::atomic<pid_t> id{0};
    Lock lock = monitor.enter();
    boost::thread other([&] {  // inherits the processor
        id = test::idOfThisThread();
        const Lock othersLock = monitor.enter();
        entered = true;
    });
    test::awaitSleep(id);
    sched_setscheduler(0, SCHED_FIFO, &lowest);
    int releases = 0;
    while (!entered) {
        monitor.letOthersIn(lock);
        ++releases;
    }
    lock.unlock();
    sched_setscheduler(0, SCHED_OTHER, &none);
    other.join();
    sched_setaffinity(0, sizeof usual, &usual);
    // One, unless others keep the processor busy. With yields alone it takes until the kernel takes
    // the processor away from threads of real-time priority, after a second.
    BOOST_TEST(releases < 100);
}
#endif
