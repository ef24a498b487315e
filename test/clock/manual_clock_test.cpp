// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "support/abilities.hpp"
#include "support/gate.hpp"
#include "support/manual_timer.hpp"
#include "support/posix_thread.hpp"
#include "support/test.hpp"
#include "support/throws.hpp"

#include "clock/waiter.hpp"

using namespace std::chrono_literals;
using jtimer::ManualClock;
using jtimer::Timer;
using jtimer::TimerTask;
using test::at;
using test::kStart;

namespace {

/// A second timer on the same clock, and a log for each: timers may run at the same time.
struct TwoTimers : test::ManualTimer {
    Timer other{test::onClock(clock)};
    test::Log log{clock}, otherLog{clock};

    ~TwoTimers() { clock->check(); }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(manual_clock, TwoTimers)

BOOST_AUTO_TEST_CASE(the_time_stands_still_until_it_is_moved) {
    BOOST_TEST((clock->now() == kStart));
    clock->advance(250us);
    BOOST_TEST((clock->now() == kStart + 250us));
    clock->advance(2);  // milliseconds, as everywhere
    BOOST_TEST((clock->now() == kStart + 2250us));
    clock->advanceTo(at(1000));
    BOOST_TEST(now() == 1000);
    clock->advance(0);
    clock->advanceTo(at(1000));
    clock->waitUntilIdle();
    BOOST_TEST(now() == 1000);
    BOOST_TEST((ManualClock().now() == jtimer::Date{}));
}

BOOST_AUTO_TEST_CASE(a_manual_clock_cannot_go_back) {
    CHECK_THROWS(clock->advance(-5), jtimer::IllegalArgumentException,
                 "ManualClock::advance(-5 ms): a manual clock cannot go back.");
    CHECK_THROWS(clock->advanceTo(kStart - 1ms), jtimer::IllegalArgumentException,
                 "ManualClock::advanceTo(999999999999000000 ns since 1970): a manual clock cannot "
                 "go back, and it shows 1000000000000000000 ns already.");
    BOOST_TEST(now() == 0);
}

BOOST_AUTO_TEST_CASE(each_task_sees_its_own_deadline_as_the_present_time_across_timers) {
    for (const int delay : {40, 20}) timer.schedule(log.entry("a"), delay);
    for (const int delay : {10, 30, 50}) other.schedule(log.entry("b"), delay);
    clock->advance(45);
    BOOST_TEST(log.take() == "b@10 a@20 b@30 a@40");
    BOOST_TEST(now() == 45);
    clock->advance(5);
    BOOST_TEST(log.take() == "b@50");
}

// As fine as a Date counts: in nanoseconds by libstdc++, in microseconds by libc++.
BOOST_AUTO_TEST_CASE(deadlines_between_two_milliseconds_are_kept_to_the_nanosecond) {
    using Ticks = jtimer::Date::duration;
    std::vector<jtimer::Date> seen;
    for (const Ticks delay : {Ticks(1500), Ticks(1), Ticks(250'001)}) {
        timer.schedule([&] { seen.push_back(clock->now()); }, delay);
    }
    clock->advance(251);
    BOOST_TEST((seen == std::vector<jtimer::Date>{kStart + Ticks(1), kStart + Ticks(1500),
                                                  kStart + Ticks(250'001)}));
}

BOOST_AUTO_TEST_CASE(a_day_of_seconds_passes_at_once) {
    int runs = 0;
    timer.schedule([&] { ++runs; }, 0, 1000);
    clock->advance(24h);
    BOOST_TEST(runs == 86'401);
}

BOOST_AUTO_TEST_CASE(advance_to_next_stops_at_each_time_that_some_timer_waits_for) {
    BOOST_TEST(!clock->advanceToNext());
    timer.schedule(log.entry("a"), 10);
    other.schedule(log.entry("b"), 20);
    const auto cancelled = timer.schedule(log.entry("c"), 30);
    BOOST_TEST(clock->advanceToNext());
    BOOST_TEST(log.take() == "a@10");
    BOOST_TEST(clock->advanceToNext());
    BOOST_TEST(log.take() == "b@20");
    cancelled->cancel();
    BOOST_TEST(clock->advanceToNext());  // j13: the timer waits for a cancelled task, too
    BOOST_TEST(now() == 30);
    BOOST_TEST(!clock->advanceToNext());
    BOOST_TEST(now() == 30);
    BOOST_TEST(log.take() == "");
}

BOOST_AUTO_TEST_CASE(wait_until_idle_runs_what_is_due_and_no_more) {
    timer.schedule(log.entry("due"), 0);
    timer.schedule(log.entry("past"), at(-5));
    timer.schedule(log.entry("later"), 1);
    clock->waitUntilIdle();
    const std::string ran = log.take();
    BOOST_TEST((ran == "past@0 due@0" ||
                ran == "due@0 past@0"));  // the thread may be faster than this one
    BOOST_TEST(now() == 0);
}

BOOST_AUTO_TEST_CASE(a_timer_that_has_been_woken_is_busy_at_once) {
    ManualClock manual;
    const auto waiter = jtimer::detail::makeWaiter(manual);
    jtimer::detail::Mutex monitor;
    bool waits = false;
    bool hasRun = false;
    boost::thread timers([&] {
        waiter->begin();
        jtimer::detail::Lock lock(monitor);
        waits = true;
        waiter->waitUntil(lock, jtimer::detail::kNever, 0);
        hasRun = true;
        waiter->end();
    });
    manual.waitUntilIdle();
    {
        const jtimer::detail::Lock lock(monitor);
        BOOST_REQUIRE(waits);
        waiter->announce();
    }
    // Here the thread that wakes the timer is held up, before it notifies.
    boost::thread mover([&] {
        manual.advance(1);
        BOOST_TEST(hasRun);
    });
    BOOST_TEST(!mover.try_join_for(boost::chrono::milliseconds(20)));
    waiter->notify();
    mover.join();
    timers.join();
}

BOOST_AUTO_TEST_CASE(tasks_due_at_the_same_moment_on_two_timers_run_side_by_side) {
    test::Gate first, second;
    timer.schedule([&] { first.open(), second.wait(), log.write("a"); }, 10);
    other.schedule([&] { second.open(), first.wait(), otherLog.write("b"); }, 10);
    clock->advance(10);
    BOOST_TEST(log.take() == "a@10");
    BOOST_TEST(otherLog.take() == "b@10");
}

BOOST_AUTO_TEST_CASE(a_timer_made_just_now_is_waited_for) {
    for (int i = 0; i < 100; ++i) {
        bool ran = false;
        Timer young(test::onClock(clock));
        young.schedule([&] { ran = true; }, 1);
        clock->advance(1);
        BOOST_TEST(ran);
    }
}

BOOST_AUTO_TEST_CASE(tasks_may_schedule_cancel_and_purge_while_the_time_moves) {
    const auto doomed = timer.schedule(log.entry("doomed"), 30);
    timer.schedule(
        [&] {
            log.write("a");
            timer.schedule([&] { log.write("nested"); }, 5);
            other.schedule([&] { log.write("elsewhere"); }, 7);
            doomed->cancel();
            BOOST_TEST(timer.purge() == 1);
        },
        10);
    timer.schedule([&] { log.write("last"), timer.cancel(); }, 40);
    timer.schedule(log.entry("discarded"), 41);
    timer.schedule(log.entry("discarded"), 50);
    clock->advance(100);
    const std::string ran = log.take();
    BOOST_TEST(ran == "a@10 nested@15 elsewhere@17 last@40");
    BOOST_TEST(now() == 100);
}

BOOST_AUTO_TEST_CASE(a_task_may_destroy_its_own_timer_while_the_time_moves) {
    auto owned = std::make_shared<std::optional<Timer>>();
    owned->emplace(test::onClock(clock, false));
    (*owned)->schedule([this, owned] { owned->reset(), log.write("destroyer"); }, 10);
    (*owned)->schedule(log.entry("outstanding"), 20);
    owned.reset();
    clock->advance(30);
    BOOST_TEST(log.take() == "destroyer@10 outstanding@20");
    BOOST_TEST(!clock->advanceToNext());
}

BOOST_AUTO_TEST_CASE(an_exception_that_ends_a_timer_does_not_hold_up_the_time) {
    auto options = test::onClock(clock);
    options.uncaughtExceptionHandler = [&](const std::string&, std::exception_ptr) {
        log.write("handler");
    };
    Timer doomed(options);
    doomed.schedule([] { throw 1; }, 10);
    doomed.schedule(log.entry("never"), 20);
    clock->advance(30);
    BOOST_TEST(log.take() == "handler@10");
}

// Time that passes inside of a task.

BOOST_AUTO_TEST_CASE(a_stall_makes_the_tasks_of_its_own_timer_late_and_of_no_other) {
    timer.schedule(log.entry("late"), 20);
    other.schedule(otherLog.entry("in time"), 20);
    timer.schedule([&] { log.write("begin"), clock->advance(100), log.write("end"); }, 10);
    clock->advance(50);
    BOOST_TEST(log.take() == "begin@10 end@110 late@110");
    BOOST_TEST(otherLog.take() == "in time@20");
    BOOST_TEST(now() == 110);  // the stall has taken the time along
}

BOOST_AUTO_TEST_CASE(stalls_of_two_timers_overlap) {
    timer.schedule([&] { clock->advance(520), log.write("a"); }, 10);
    other.schedule(
        [&] { clock->advance(100), otherLog.write("b"), clock->advance(100), otherLog.write("c"); },
        10);
    other.schedule(otherLog.entry("d"), 300);
    clock->advance(20);
    BOOST_TEST(log.take() == "a@530");
    BOOST_TEST(otherLog.take() == "b@110 c@210 d@300");
    BOOST_TEST(now() == 530);
}

BOOST_AUTO_TEST_CASE(a_task_that_waits_until_all_is_idle_waits_for_the_other_timers) {
    other.schedule([&] { log.write("other"); }, 10);
    timer.schedule([&] { clock->advance(10), clock->waitUntilIdle(), log.write("self"); }, 0);
    clock->waitUntilIdle();
    BOOST_TEST(log.take() == "other@10 self@10");
}

BOOST_AUTO_TEST_CASE(a_task_may_move_to_the_next_time_of_another_timer) {
    other.schedule([&] { log.write("other"); }, 10);
    timer.schedule(log.entry("own"), 5);  // its own timer waits for nothing while it runs
    timer.schedule(
        [&] {
            BOOST_TEST(clock->advanceToNext());
            log.write("self");
            BOOST_TEST(!clock->advanceToNext());
        },
        0);
    clock->waitUntilIdle();
    BOOST_TEST(log.take() == "other@10 self@10 own@10");
}

BOOST_AUTO_TEST_CASE(moves_from_several_threads_at_once_all_arrive) {
    int runs = 0;
    timer.scheduleAtFixedRate([&] { ++runs; }, 1, 1);
    boost::thread_group threads;
    for (int i = 1; i <= 8; ++i) {
        threads.create_thread([this, i] {
            for (int step = 0; step < 100; ++step) clock->advance(i);
        });
    }
    threads.join_all();
    // They count from the time at which each was called, so overlapping ones share the way.
    BOOST_TEST(now() >= 800);
    BOOST_TEST(now() <= 3600);
    BOOST_TEST(runs == now());
}

// Against a simulation.

BOOST_AUTO_TEST_CASE(a_move_is_completed_though_its_thread_is_cancelled_meanwhile) {
    test::needCancellation();
    test::Gate entered, released;
    timer.schedule([&] { entered.open(), released.wait(); }, 10);
    test::PosixThread moving([this] { clock->advance(20); });
    entered.wait();
    moving.cancel();
    released.open();
    BOOST_TEST(moving.join());
    BOOST_TEST(now() == 20);
    clock->check();
    clock->advance(10);
    BOOST_TEST(now() == 30);
}

/// A task of the test below.
struct Expected {
    std::int64_t first;
    int period;
    std::shared_ptr<TimerTask> task;
    std::int64_t cancelled = std::numeric_limits<std::int64_t>::max();

    std::vector<std::int64_t> runsUntil(std::int64_t now) const {
        std::vector<std::int64_t> times;
        for (std::int64_t t = first; t <= std::min(cancelled, now); t += period) {
            times.push_back(t);
            if (period == 0) break;
        }
        return times;
    }
};

BOOST_AUTO_TEST_CASE(whatever_is_scheduled_on_three_timers_runs_exactly_when_it_should) {
    std::mt19937 random(20261121);
    const auto below = [&random](int n) {
        return static_cast<int>(random() % static_cast<unsigned>(n));
    };
    Timer third{test::onClock(clock)};
    Timer* const timers[] = {&timer, &other, &third};
    std::map<int, std::vector<std::int64_t>> ran;  // by task; each is written by one thread
    std::vector<Expected> expected;

    for (int step = 0; step < 2000; ++step) {
        const int id = static_cast<int>(expected.size());
        std::vector<std::int64_t>& runs = ran[id];
        const auto run = [this, &runs] { runs.push_back(now()); };
        const int delay = 1 + below(50), period = 1 + below(20);
        Timer& chosen = *timers[below(3)];
        switch (below(4)) {
        case 0:
            expected.push_back({now() + delay, 0, chosen.schedule(run, delay)});
            break;
        case 1:
            expected.push_back({now() + delay, period, chosen.schedule(run, delay, period)});
            break;
        case 2:
            expected.push_back(
                {now() + delay, period, chosen.scheduleAtFixedRate(run, delay, period)});
            break;
        default: {
            if (expected.empty()) break;
            Expected& chosenTask = expected[static_cast<std::size_t>(below(id))];
            if (chosenTask.task->cancel()) chosenTask.cancelled = now();
        }
        }
        if (below(3) == 0) clock->advance(below(30));
        if (below(3) == 0) clock->advanceToNext();
        clock->check();
        if (step % 100 == 0) {
            for (Timer* t : timers) t->purge();
        }
        if (step % 200 == 199) {  // repeating tasks add up
            for (Expected& e : expected) {
                if (e.period != 0 && e.task->cancel()) e.cancelled = now();
            }
        }
    }
    for (std::size_t id = 0; id < expected.size(); ++id) {
        BOOST_TEST(ran[static_cast<int>(id)] == expected[id].runsUntil(now()),
                   boost::test_tools::per_element());
    }
}

BOOST_AUTO_TEST_CASE(a_comparison_with_more_than_the_period_skips_every_second_run) {
    int more = 0, atLeast = 0;
    auto lastOfMore = clock->now(), lastOfAtLeast = clock->now();
    timer.schedule(
        [&] {
            const auto now = timer.clock()->now();
            if (now - lastOfMore > 1s) {
                lastOfMore = now;
                ++more;
            }
            if (now - lastOfAtLeast >= 1s) {
                lastOfAtLeast = now;
                ++atLeast;
            }
        },
        1000, 1000);
    clock->advance(10s);
    BOOST_TEST(more == 5);
    BOOST_TEST(atLeast == 10);
}

// The ends of time.

BOOST_AUTO_TEST_CASE(the_end_of_time_comes_before_never) {
    using Millis = std::chrono::milliseconds;
    const auto never = std::chrono::time_point<std::chrono::system_clock, Millis>(Millis::max());
    timer.schedule(log.entry("never"), never);
    timer.schedule(log.entry("never again"), never, 1);
    timer.scheduleAtFixedRate(otherLog.entry("once"), 1, std::chrono::hours::max());
    clock->advance(std::chrono::hours::max());
    BOOST_TEST(clock->nanos() == jtimer::detail::kNever - 1);
    clock->advanceTo(jtimer::Date::max());
    clock->advance(1h);
    BOOST_TEST(clock->nanos() == jtimer::detail::kNever - 1);
    BOOST_TEST(log.take() == "");
    BOOST_TEST(otherLog.take() == "once@1");
    BOOST_TEST(!clock->advanceToNext());
}

BOOST_AUTO_TEST_CASE(a_clock_without_timers_can_be_moved) {
    ManualClock lone(kStart);
    lone.advance(1s);
    lone.waitUntilIdle();
    BOOST_TEST(!lone.advanceToNext());
    BOOST_TEST((lone.now() == kStart + 1s));
}

BOOST_AUTO_TEST_SUITE_END()
