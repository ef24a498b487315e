// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "base/monitor.hpp"

#include "support/gate.hpp"
#include "support/scripted_clock.hpp"

#include <boost/test/unit_test.hpp>
#include <boost/thread/thread.hpp>

#include <atomic>
#include <fstream>
#include <limits>
#include <memory>
#include <string>
#include <unistd.h>

using jtimer::detail::kNever;
using jtimer::detail::Lock;
using jtimer::detail::Monitor;
using jtimer::detail::Nanos;

namespace {

constexpr Nanos kMilli = 1'000'000;
constexpr Nanos kStart = test::kStartMillis * kMilli;

/// A monitor whose thread waits again and again until `deadline`.
struct WaitingThread {
    const std::shared_ptr<test::ScriptedClock> clock = std::make_shared<test::ScriptedClock>();
    Monitor monitor{clock};
    std::atomic<bool> over{false};
    boost::thread thread;

    void start(Nanos deadline) {
        thread = boost::thread([this, deadline] {
            Lock lock = monitor.enter();
            while (!over) {
                deadline == kNever ? monitor.wait(lock)
                                   : monitor.waitUntil(lock, deadline, monitor.now());
            }
        });
        clock->awaitWait(1);
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
        clock->holdNotified(false);
        clock->endWait();
        thread.join();
    }
};

#if defined(__linux__)
bool isAsleep(pid_t thread) {
    std::ifstream stat("/proc/self/task/" + std::to_string(thread) + "/stat");
    std::string line;
    std::getline(stat, line);
    return line.find(") S ") != std::string::npos;
}
#endif

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

BOOST_AUTO_TEST_CASE(on_a_clock_that_can_be_set_forward_it_is_woken_for_any_time) {
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
            id = gettid();
            const Lock othersLock = monitor.enter();
            entered = true;
        });
        while (id == 0 || !isAsleep(id)) boost::this_thread::yield();
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
#endif
