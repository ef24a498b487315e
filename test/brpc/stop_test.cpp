// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "brpc/manual_thread.hpp"
#include "brpc/stress.hpp"
#include "support/gate.hpp"
#include "support/race.hpp"
#include "support/test.hpp"

#include <cerrno>

using jtimer::Date;
using jtimer::brpc::kInvalidTaskId;
using jtimer::brpc::TaskId;
using jtimer::brpc::TimerThread;
using test::at;
using test::countUp;
using test::doNothing;
using test::Gate;
using test::ManualThread;

namespace {

/// Returns when the timer takes no more tasks: a stop has begun. A task calls it to run meanwhile.
void awaitStop(TimerThread& timer) {
    while (const TaskId id = timer.schedule(doNothing, nullptr, Date::max())) {
        timer.unschedule(id);
        boost::this_thread::yield();
    }
}

/// Gives another thread every chance to return too early.
void dawdle() {
    for (int i = 0; i < 50; ++i) boost::this_thread::yield();
}

/// A task that stops its own timer, says so, and takes its time to end.
auto stoppingItself(TimerThread& timer, Gate& stopped, bool& ended) {
    return [&timer, &stopped, &ended] {
        timer.stopAndJoin();
        stopped.open();
        dawdle();
        ended = true;
    };
}

}  // namespace

BOOST_FIXTURE_TEST_SUITE(stop, ManualThread)

BOOST_AUTO_TEST_CASE(b49_the_running_task_ends_normally_and_no_other_begins) {
    Gate running;
    int runs = 0;
    timer.schedule(
        [&] {
            running.open();
            awaitStop(timer);
            log.write("ends");
        },
        Date{});
    timer.schedule(countUp, &runs, at(0));
    running.wait();
    timer.stopAndJoin();
    BOOST_TEST(log.take() == "ends@0");
    BOOST_TEST(runs == 0);
    BOOST_TEST(timer.schedule(countUp, &runs, at(0)) == kInvalidTaskId);
    BOOST_TEST(timer.stats().triggered == 1U);
}

BOOST_AUTO_TEST_CASE(b49_d1_tasks_of_time_0_and_minus_1_do_not_begin_after_a_stop) {
    int runs = 0;
    Gate running;
    timer.schedule(
        [&] {
            for (int i = 0; i < 10; ++i) {
                timer.schedule(countUp, &runs, Date{});
                timer.schedule(countUp, &runs, Date{Date::duration(-1)});
            }
            // So that these are in the heap behind the next task, which is earlier.
            timer.schedule(
                [&] {
                    running.open();
                    awaitStop(timer);
                },
                Date::min());
        },
        Date{});
    running.wait();
    timer.stopAndJoin();
    BOOST_TEST(runs == 0);
    BOOST_TEST(timer.stats().pending == 20U);
    BOOST_TEST(timer.stats().triggered == 2U);
}

BOOST_AUTO_TEST_CASE(b50_d3_none_of_several_stops_returns_before_the_running_task_has_ended) {
    Gate running;
    bool ended = false;  // not atomic: stopAndJoin makes it visible
    timer.schedule(
        [&] {
            running.open();
            awaitStop(timer);
            dawdle();
            ended = true;
        },
        Date{});
    running.wait();
    boost::thread_group threads;
    std::atomic<int> right{0};
    for (int i = 0; i < 3; ++i) {
        threads.create_thread([&] {
            timer.stopAndJoin();
            right += ended ? 1 : 0;
        });
    }
    timer.stopAndJoin();
    BOOST_TEST(ended);
    threads.join_all();
    BOOST_TEST(right == 3);
    timer.stopAndJoin();
}

BOOST_AUTO_TEST_CASE(b51_inside_a_task_a_stop_returns_at_once_and_that_run_is_the_last) {
    int runs = 0;
    timer.schedule(
        [&] {
            timer.stopAndJoin();
            timer.stopAndJoin();
            BOOST_TEST(timer.schedule(countUp, &runs, Date{}) == kInvalidTaskId);
            log.write("goes on");
        },
        at(10));
    timer.schedule(countUp, &runs, at(10) + Date::duration(1));
    clock->advance(20);
    timer.stopAndJoin();
    BOOST_TEST(log.take() == "goes on@10");
    BOOST_TEST(runs == 0);
}

BOOST_AUTO_TEST_CASE(b51_a_later_stop_from_outside_joins) {
    Gate stopped;
    bool ended = false;
    timer.schedule(stoppingItself(timer, stopped, ended), Date{});
    stopped.wait();
    timer.stopAndJoin();
    BOOST_TEST(ended);
}

BOOST_AUTO_TEST_CASE(b52_an_idle_timer_stops_without_the_clock_moving) {
    timer.schedule(doNothing, nullptr, at(10));
    clock->waitUntilIdle();
    timer.stopAndJoin();
    BOOST_TEST(now() == 0);
}

BOOST_AUTO_TEST_CASE(b52_tasks_that_reschedule_themselves_for_ever_do_not_delay_a_stop) {
    Gate running;
    std::function<void()> again = [&] {
        running.open();
        timer.schedule(std::ref(again), Date{});
    };
    timer.schedule(std::ref(again), Date{});
    running.wait();
    timer.stopAndJoin();
    BOOST_TEST(timer.stats().triggered >= 1U);
    BOOST_TEST(timer.stats().pending <= 1U);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_CASE(b52_before_start_a_stop_ends_the_timer) {
    TimerThread timer;
    timer.stopAndJoin();
    timer.stopAndJoin();
    BOOST_TEST(timer.start() == ECANCELED);
    BOOST_TEST(timer.takePending().empty());
}

BOOST_AUTO_TEST_CASE(d2_after_a_self_stop_the_destructor_returns_only_when_the_task_has_ended) {
    bool ended = false;
    {
        Gate stopped;
        TimerThread timer;
        BOOST_TEST(timer.start() == 0);
        timer.schedule(stoppingItself(timer, stopped, ended), Date{});
        stopped.wait();
    }
    BOOST_TEST(ended);
}

BOOST_AUTO_TEST_CASE(b53_a_schedule_that_races_a_stop_answers_0_or_leaves_its_task_pending) {
    constexpr int rounds = 100;
    std::optional<ManualThread> thread(std::in_place);
    std::atomic<int> runs{0};
    TaskId id = kInvalidTaskId;
    const auto schedule = [&](int) {
        id = thread->timer.schedule([&runs] { ++runs; }, ManualThread::far());
    };
    const auto stopAndJoin = [&](int) { thread->timer.stopAndJoin(); };
    test::race(rounds, {schedule, stopAndJoin}, [&](int) {
        if (id != kInvalidTaskId) BOOST_REQUIRE_EQUAL(thread->timer.unschedule(id), 0);
        BOOST_REQUIRE_EQUAL(thread->timer.unschedule(id), -1);
        thread.emplace();
    });
    BOOST_TEST(runs == 0);
}

BOOST_AUTO_TEST_CASE(d11_cycles_of_start_schedule_and_stop_with_a_racing_schedule_do_not_hang) {
    test::checkCycles(500);  // slow/stress_test has 10,000
}
