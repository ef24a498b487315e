// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "brpc/manual_thread.hpp"
#include "support/gate.hpp"
#include "support/scripted_clock.hpp"
#include "support/test.hpp"

using jtimer::Date;
using jtimer::brpc::TaskId;
using jtimer::brpc::TimerThread;
using jtimer::brpc::TimerThreadOptions;
using test::at;
using test::doNothing;
using test::ManualThread;

namespace {

TaskId scheduleAt(TimerThread& timer, std::int64_t millis) {
    return timer.schedule(doNothing, nullptr, at(millis));
}

}  // namespace

BOOST_FIXTURE_TEST_SUITE(signals, ManualThread)

BOOST_AUTO_TEST_CASE(b34_ascending_times_send_one_signal) {
    for (int i = 1; i <= 100; ++i) {
        scheduleAt(timer, i);
        clock->waitUntilIdle();
    }
    BOOST_TEST(timer.stats().signals == 1U);
    BOOST_TEST(timer.stats().wakeUps == 1U);
}

BOOST_AUTO_TEST_CASE(b34_descending_times_send_one_signal_each) {
    for (int i = 100; i >= 1; --i) {
        scheduleAt(timer, i);
        clock->waitUntilIdle();
    }
    BOOST_TEST(timer.stats().signals == 100U);
    BOOST_TEST(timer.stats().wakeUps == 100U);
}

BOOST_AUTO_TEST_CASE(b33_equal_times_from_several_threads_signal_once) {
    for (int i = 0; i < 10; ++i) {
        boost::thread([this] { scheduleAt(timer, 10); }).join();
        clock->waitUntilIdle();  // a thread that is awake is signalled for whatever comes
    }
    BOOST_TEST(timer.stats().signals == 1U);
}

BOOST_AUTO_TEST_CASE(b34_d13_after_the_nearest_is_removed_a_later_task_signals_nothing) {
    const TaskId nearest = scheduleAt(timer, 10);
    clock->waitUntilIdle();
    timer.unschedule(nearest);
    scheduleAt(timer, 20);
    clock->waitUntilIdle();
    BOOST_TEST(timer.stats().signals == 1U);
    BOOST_TEST(timer.stats().wakeUps == 1U);
    clock->advance(10);  // the thread wakes at the removed task's time, and looks
    BOOST_TEST(timer.stats().wakeUps == 2U);
    clock->advance(9);
    BOOST_TEST(timer.stats().triggered == 0U);
    clock->advance(1);
    BOOST_TEST(timer.stats().triggered == 1U);
    BOOST_TEST(timer.stats().wakeUps == 3U);
}

BOOST_AUTO_TEST_CASE(d13_a_thread_that_was_woken_does_not_sleep_for_a_removed_task) {
    const TaskId removed = scheduleAt(timer, 1000);
    clock->waitUntilIdle();
    scheduleAt(timer, 2000);
    clock->waitUntilIdle();
    timer.unschedule(removed);
    scheduleAt(timer, 500);
    clock->waitUntilIdle();
    BOOST_TEST(timer.stats().signals == 2U);
    BOOST_TEST(timer.stats().wakeUps == 2U);
    clock->advance(500);
    BOOST_TEST(timer.stats().wakeUps == 3U);
    clock->advance(1499);
    BOOST_TEST(timer.stats().wakeUps == 3U);
    clock->advance(1);
    BOOST_TEST(timer.stats().wakeUps == 4U);
    BOOST_TEST(timer.stats().triggered == 2U);
}

BOOST_AUTO_TEST_CASE(b39_a_removed_top_goes_whatever_its_time_when_the_thread_comes_by) {
    const TaskId top = scheduleAt(timer, 1000);
    clock->waitUntilIdle();
    timer.unschedule(top);
    BOOST_TEST(timer.stats().slots == 1U);
    scheduleAt(timer, 10);
    clock->advance(10);
    BOOST_TEST(timer.stats().slots == 0U);
    BOOST_TEST(!clock->advanceToNext());
}

BOOST_AUTO_TEST_CASE(b32_during_a_round_a_signal_needs_to_be_earlier_than_those_of_that_round) {
    test::Gate running;
    test::Gate go;
    scheduleAt(timer, 5);
    clock->waitUntilIdle();
    timer.schedule(
        [&] {
            running.open();
            go.wait();
        },
        Date{});
    running.wait();
    const auto before = timer.stats().signals;
    scheduleAt(timer, 30);  // nearest begins the round as never
    scheduleAt(timer, 40);
    scheduleAt(timer, 20);
    scheduleAt(timer, 20);
    BOOST_TEST(timer.stats().signals == before + 2);
    go.open();
    clock->waitUntilIdle();
    BOOST_TEST(timer.stats().wakeUps == before);
}

BOOST_AUTO_TEST_CASE(b38_an_idle_timer_never_wakes) {
    clock->advance(std::chrono::hours(24));
    BOOST_TEST(timer.stats().wakeUps == 0U);
    BOOST_TEST(!clock->advanceToNext());
    scheduleAt(timer, 24 * 3'600'000 + 10);
    clock->advance(10);
    BOOST_TEST(timer.stats().wakeUps == 2U);
    clock->advance(std::chrono::hours(24));
    BOOST_TEST(timer.stats().wakeUps == 2U);
}

BOOST_AUTO_TEST_CASE(b36_the_heaps_size_is_published_at_the_end_of_a_round) {
    for (int i = 0; i < 10; ++i) scheduleAt(timer, 1000 + i);
    pull();
    BOOST_TEST(timer.stats().heapSize == 10U);
    scheduleAt(timer, 2000);
    BOOST_TEST(timer.stats().heapSize == 10U);
    clock->advance(1004);
    BOOST_TEST(timer.stats().heapSize == 6U);
}

BOOST_AUTO_TEST_SUITE_END()

namespace {

/// A TimerThread whose waits the test sees and ends.
struct ScriptedThread {
    const std::shared_ptr<test::ScriptedClock> clock = std::make_shared<test::ScriptedClock>();
    TimerThread timer;

    ScriptedThread() {
        TimerThreadOptions options;
        options.clock = clock;
        BOOST_REQUIRE_EQUAL(timer.start(options), 0);
        BOOST_TEST(clock->awaitWait(1) == jtimer::detail::kNever);
    }
    static jtimer::detail::Nanos nanosAt(std::int64_t millis) {
        return (test::kStartMillis + millis) * 1'000'000;
    }
};

}  // namespace

BOOST_FIXTURE_TEST_CASE(b36_the_thread_sleeps_without_limit_or_until_the_least_time,
                        ScriptedThread) {
    scheduleAt(timer, 20);
    BOOST_TEST(clock->awaitWait(2) == nanosAt(20));
    scheduleAt(timer, 10);
    BOOST_TEST(clock->awaitWait(3) == nanosAt(10));
    clock->endWait();  // for no reason: it looks, and sleeps on
    BOOST_TEST(clock->awaitWait(4) == nanosAt(10));
    clock->time = nanosAt(30);
    clock->endWait();
    BOOST_TEST(clock->awaitWait(5) == jtimer::detail::kNever);
    BOOST_TEST(timer.stats().triggered == 2U);
    BOOST_TEST(timer.stats().wakeUps == 4U);
}

BOOST_FIXTURE_TEST_CASE(b33_the_thread_is_notified_only_if_it_sleeps, ScriptedThread) {
    test::Gate running;
    test::Gate go;
    timer.schedule(
        [&] {
            running.open();
            go.wait();
        },
        Date{});
    running.wait();
    BOOST_TEST(clock->notifications() == 1);
    scheduleAt(timer, 10);
    scheduleAt(timer, 5);
    BOOST_TEST(clock->notifications() == 1);
    BOOST_TEST(timer.stats().signals == 3U);
    go.open();
    BOOST_TEST(clock->awaitWait(2) == nanosAt(5));
    scheduleAt(timer, 1);
    BOOST_TEST(clock->awaitWait(3) == nanosAt(1));
    BOOST_TEST(clock->notifications() == 2);
}

BOOST_FIXTURE_TEST_CASE(b35_b52_a_stop_ends_a_sleep_by_one_notification, ScriptedThread) {
    scheduleAt(timer, 10);
    clock->awaitWait(2);
    timer.stopAndJoin();
    BOOST_TEST(clock->notifications() == 2);
    timer.stopAndJoin();
    BOOST_TEST(clock->notifications() == 2);
}
