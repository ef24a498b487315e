// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "brpc/manual_thread.hpp"
#include "support/abilities.hpp"
#include "support/forked_child.hpp"
#include "support/long_run.hpp"
#include "support/race.hpp"
#include "support/test.hpp"
#include "support/wait_reports.hpp"

#include <jtimer/brpc/scoped_timer_task.hpp>

#include <pthread.h>

using jtimer::brpc::kInvalidTaskId;
using jtimer::brpc::kNoSuchTask;
using jtimer::brpc::kRemoved;
using jtimer::brpc::kRunning;
using jtimer::brpc::ScopedTimerTask;
using jtimer::brpc::TaskId;
using jtimer::brpc::TimerThread;
using test::at;
using test::countUp;

namespace {

/// Sets a flag when it is destroyed, slowly: the last step of a run.
struct SlowToDestroy {
    std::atomic<bool>& over;
    explicit SlowToDestroy(std::atomic<bool>& flag) : over(flag) {}
    SlowToDestroy(const SlowToDestroy&) = delete;
    SlowToDestroy& operator=(const SlowToDestroy&) = delete;
    ~SlowToDestroy() {
        test::yieldForAWhile();
        over = true;
    }
};

struct Fixture : test::ManualThread, test::LongRun {
    Fixture() = default;
    Fixture(const Fixture&) = delete;
    Fixture& operator=(const Fixture&) = delete;
    ~Fixture() { timer.stopAndJoin(); }  // before the gates that a run uses are destroyed

    /// A run that lasts until `released` is opened.
    TaskId scheduleRun() {
        return timer.schedule(
            [this, last = std::make_unique<SlowToDestroy>(over)] {
                running.open();
                released.wait();
            },
            jtimer::Date{});
    }

    TaskId startRun() {
        const TaskId id = scheduleRun();
        running.wait();
        return id;
    }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(unschedule_and_wait, Fixture)

BOOST_AUTO_TEST_CASE(c10_it_returns_when_the_run_is_over_and_its_callable_destroyed) {
    const TaskId id = startRun();
    duringRun([&] {
        BOOST_TEST(timer.unscheduleAndWait(id) == kRunning);
        BOOST_TEST(over.load());
    });
    BOOST_TEST(timer.unscheduleAndWait(id) == kNoSuchTask);
}

BOOST_AUTO_TEST_CASE(c10_without_a_run_in_progress_it_is_unschedule) {
    int runs = 0;
    const TaskId pending = timer.schedule(countUp, &runs, at(10));
    const TaskId runsFirst = timer.schedule(countUp, &runs, at(5));
    BOOST_TEST(timer.unscheduleAndWait(pending) == kRemoved);
    BOOST_TEST(timer.unscheduleAndWait(pending) == kNoSuchTask);
    clock->advance(20);
    BOOST_TEST(runs == 1);
    BOOST_TEST(timer.unscheduleAndWait(runsFirst) == kNoSuchTask);
    BOOST_TEST(timer.unscheduleAndWait(kInvalidTaskId) == kNoSuchTask);
    BOOST_TEST(TimerThread().unscheduleAndWait(pending) == kNoSuchTask);
}

BOOST_AUTO_TEST_CASE(c10_it_does_not_wait_for_the_run_of_another_task) {
    startRun();
    int runs = 0;
    const TaskId other = timer.schedule(countUp, &runs, at(10));
    BOOST_TEST(timer.unscheduleAndWait(other) == kRemoved);
    BOOST_TEST(!over.load());
    released.open();
}

BOOST_AUTO_TEST_CASE(c10_it_does_not_wait_for_the_run_that_follows) {
    TaskId id = kInvalidTaskId;
    test::Gate waited;
    // Scheduled during a run, both are found in one round.
    const auto scheduleBoth = [&] {
        id = scheduleRun();
        timer.schedule([&] { waited.wait(); }, at(0));
    };
    timer.schedule(scheduleBoth, jtimer::Date{});
    running.wait();
    // Its report proves that it waits.
    const auto wait = [&] {
        BOOST_TEST(timer.unscheduleAndWait(id) == kRunning);
        waited.open();
    };
    BOOST_TEST(test::reportsOf(wait, [&] { released.open(); }).size() == 1U);
    timer.stopAndJoin();
}

BOOST_AUTO_TEST_CASE(c10_inside_the_run_it_does_not_wait) {
    TaskId id = kInvalidTaskId;
    int answer = 0;
    id = timer.schedule([&] { answer = timer.unscheduleAndWait(id); }, at(10));
    clock->advance(10);
    BOOST_TEST(answer == kRunning);
}

BOOST_AUTO_TEST_CASE(c10_it_returns_when_the_run_was_the_last_before_a_stop) {
    const TaskId id = startRun();
    boost::thread stopper([&] { timer.stopAndJoin(); });
    while (timer.schedule(countUp, nullptr, far()) != kInvalidTaskId) boost::this_thread::yield();
    duringRun([&] {
        BOOST_TEST(timer.unscheduleAndWait(id) == kRunning);
        BOOST_TEST(over.load());
    });
    stopper.join();
}

BOOST_AUTO_TEST_CASE(c10_it_returns_when_the_run_has_exited_its_thread) {
    test::needThreadExit();
    const TaskId id = timer.schedule(
        [this] {
            running.open();
            released.wait();
            pthread_exit(nullptr);
        },
        jtimer::Date{});
    running.wait();
    duringRun([&] { BOOST_TEST(timer.unscheduleAndWait(id) == kRunning); });
}

BOOST_AUTO_TEST_CASE(c10_it_returns_when_a_run_that_throws_has_been_reported) {
    jtimer::brpc::TimerThreadOptions options;
    std::atomic<bool> reported{false};
    options.uncaughtExceptionHandler = [&](const std::string&, const std::exception_ptr&) {
        test::yieldForAWhile();
        reported = true;
    };
    TimerThread throwing;
    BOOST_REQUIRE_EQUAL(throwing.start(options), 0);
    const TaskId id = throwing.schedule(
        [&] {
            running.open();
            released.wait();
            throw 1;
        },
        jtimer::Date{});
    running.wait();
    duringRun([&] {
        BOOST_TEST(throwing.unscheduleAndWait(id) == kRunning);
        BOOST_TEST(reported.load());
    });
}

BOOST_AUTO_TEST_CASE(c10_an_interruption_does_not_end_the_wait) {
    test::needInterruption();
    const TaskId id = startRun();
    interruptDuringRun([&] { timer.unscheduleAndWait(id); });
}

BOOST_AUTO_TEST_CASE(c10_in_a_forked_child_it_does_not_wait) {
    test::needFork();
    const TaskId id = startRun();
    BOOST_TEST(test::inForkedChild([&] { return timer.unscheduleAndWait(id); }) == kRunning);
    released.open();
}

BOOST_AUTO_TEST_CASE(c10_a_scoped_task_unschedules_and_waits_in_its_destructor) {
    int runs = 0;
    { const ScopedTimerTask task(timer, timer.schedule(countUp, &runs, at(10))); }
    clock->advance(10);
    BOOST_TEST(runs == 0);
    const TaskId id = startRun();
    duringRun([&] {
        { const ScopedTimerTask task(timer, id); }
        BOOST_TEST(over.load());
    });
}

BOOST_AUTO_TEST_CASE(c10_a_scoped_task_can_be_moved_and_an_assignment_unschedules_the_former_task) {
    static_assert(!std::is_copy_constructible_v<ScopedTimerTask>);
    static_assert(std::is_nothrow_move_constructible_v<ScopedTimerTask>);
    int first = 0;
    int second = 0;
    ScopedTimerTask owner;
    BOOST_TEST(owner.id() == kInvalidTaskId);
    owner = ScopedTimerTask(timer, timer.schedule(countUp, &first, at(10)));
    ScopedTimerTask moved(std::move(owner));
    BOOST_TEST(moved.id() != kInvalidTaskId);
    const TaskId former = moved.id();
    const int afterwards =
        (moved = ScopedTimerTask(timer, timer.schedule(countUp, &second, at(10))),
         timer.unschedule(former));
    BOOST_TEST(afterwards == jtimer::brpc::kNoSuchTask);
    auto& itself = moved;
    moved = std::move(itself);
    clock->advance(10);
    BOOST_TEST(first == 0);
    BOOST_TEST(second == 1);
}

BOOST_AUTO_TEST_SUITE_END()

// Whatever races, no run is in progress after the call, and none begins.
BOOST_AUTO_TEST_CASE(c10_after_unscheduleAndWait_no_run_is_in_progress_whatever_races) {
    struct Shared {
        int runs = 0;  // not atomic: a run beside the last read of it would be a data race
    };
    TimerThread timer;
    BOOST_REQUIRE_EQUAL(timer.start(), 0);
    auto shared = std::make_unique<Shared>();
    TaskId id = kInvalidTaskId;
    const auto prepare = [&](int) {
        shared = std::make_unique<Shared>();
        id = timer.schedule(
            [s = shared.get()] {
                ++s->runs;
                boost::this_thread::yield();
                ++s->runs;
            },
            jtimer::Date{});
    };
    prepare(0);
    std::atomic<int> halves{0};
    const auto wait = [&](int) {
        timer.unscheduleAndWait(id);
        halves += shared->runs % 2;
    };
    const auto other = [&](int) { timer.schedule([] {}, jtimer::Date{}); };
    test::race(1500, {wait, wait, other}, prepare);
    timer.stopAndJoin();
    BOOST_TEST(halves.load() == 0);
}
