// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
//
// What Netty's own tests of HashedWheelTimer ask, case by case, in our words and on a clock that
// stands still.
#include "support/gate.hpp"
#include "support/manual_wheel.hpp"
#include "support/test.hpp"
#include "support/throws.hpp"

using namespace std::chrono_literals;
using jtimer::IllegalStateException;
using jtimer::RejectedExecutionException;
using jtimer::netty::HashedWheelTimer;
using test::Handle;

BOOST_FIXTURE_TEST_SUITE(original_suite, test::ManualWheel)

BOOST_AUTO_TEST_CASE(a_timeout_does_not_run_before_its_delay) {
    const Handle timeout = add("a", 10s);
    advanceTo(10'000);
    BOOST_TEST(!timeout->isExpired());
    BOOST_TEST(log.take() == "");
    timer.stop();
}

BOOST_AUTO_TEST_CASE(a_timeout_runs_after_its_delay) {
    const Handle timeout = add("a", 2s);
    advanceTo(2'100);
    BOOST_TEST(timeout->isExpired());
    BOOST_TEST(log.take() == "a@2100");
    BOOST_TEST(timer.stop().empty());
}

BOOST_AUTO_TEST_CASE(stop_returns_what_is_unprocessed_and_nothing_where_all_is_processed) {
    HashedWheelTimer processed(test::wheelOn(clock)), unprocessed(test::wheelOn(clock));
    for (int i = 0; i < 3; ++i) processed.newTimeout(log.entry("a"), 1);
    for (int i = 0; i < 5; ++i) unprocessed.newTimeout([] {}, 5s);
    advanceTo(1'000);
    BOOST_TEST(log.take() == "a@100 a@100 a@100");
    BOOST_TEST(processed.stop().empty());
    BOOST_TEST(unprocessed.stop().size() == 5U);
}

BOOST_AUTO_TEST_CASE(stop_cancels_what_is_pending) {
    std::vector<Handle> all;
    for (int i = 0; i < 5; ++i) all.push_back(timer.newTimeout([] {}, 5s));
    advanceTo(1'000);
    for (const Handle& timeout : timer.stop()) BOOST_TEST(timeout->isCancelled());
    for (const Handle& timeout : all) BOOST_TEST(timeout->isCancelled());
}

BOOST_AUTO_TEST_CASE(a_stopped_timer_refuses_new_timeouts) {
    for (int i = 0; i < 3; ++i) add("a", 1);
    advanceTo(1'000);
    timer.stop();
    CHECK_THROWS(add("b", 1), IllegalStateException, "cannot be started once stopped");
}

BOOST_AUTO_TEST_CASE(delays_beyond_the_length_of_the_wheel_come_true) {
    HashedWheelTimer small(test::wheelOn(clock, 32));
    std::vector<int> runs(3, 0);
    for (std::size_t i = 0; i < 3; ++i) {
        small.newTimeout(
            [&runs, i](const Handle& timeout) {
                ++runs[i];
                timeout->timer()->newTimeout(timeout->task(), 100);
            },
            100);
    }
    clock->advance(100 * 200);
    const std::vector<int> expected{100, 100, 100};
    BOOST_TEST(runs == expected, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(every_run_is_on_time) {
    HashedWheelTimer fine(test::wheelOn(clock, 512, 200ms));
    int runs = 0;
    for (int i = 0; i < 20'000; ++i) {
        const std::int64_t begin = now();
        const std::int64_t delay = 125 + i % 50;
        fine.newTimeout(
            [&, begin, delay] {
                ++runs;
                if (now() <= begin + delay || now() > begin + delay + 200)
                    BOOST_ERROR("not on time");
            },
            delay);
        if (i % 100 == 0) clock->advance(7);
    }
    clock->advance(1000);
    BOOST_TEST(runs == 20'000);
}

BOOST_AUTO_TEST_CASE(tasks_run_on_the_executor_that_was_given) {
    boost::thread::id runner;
    std::vector<boost::thread> pool;
    auto options = test::wheelOn(clock);
    options.taskExecutor = [&](std::function<void()> run) { pool.emplace_back(std::move(run)); };
    HashedWheelTimer timer2(options);
    timer2.newTimeout([&] { runner = boost::this_thread::get_id(); }, 1);
    advanceTo(100);
    BOOST_TEST(pool.size() == 1U);
    const boost::thread::id expected = pool.front().get_id();
    pool.front().join();
    BOOST_TEST((runner == expected));
}

BOOST_AUTO_TEST_CASE(too_many_timeouts_back_to_back_are_rejected) {
    auto options = test::wheelOn(clock, 32);
    options.maxPendingTimeouts = 2;
    HashedWheelTimer limited(options);
    limited.newTimeout([] {}, 5s);
    limited.newTimeout([] {}, 5s);
    BOOST_CHECK_THROW(limited.newTimeout([] {}, 1), RejectedExecutionException);
}

BOOST_AUTO_TEST_CASE(a_full_timer_accepts_a_timeout_after_a_cancellation) {
    auto options = test::wheelOn(clock, 4);
    options.maxPendingTimeouts = 2;
    HashedWheelTimer limited(options);
    limited.newTimeout([] {}, 5s);
    limited.newTimeout([] {}, 5s)->cancel();
    advanceTo(200);  // two ticks
    BOOST_TEST(limited.newTimeout([] {}, 1)->cancel());
}

BOOST_AUTO_TEST_CASE(a_full_timer_accepts_a_timeout_after_a_run) {
    auto options = test::wheelOn(clock, 4);
    options.maxPendingTimeouts = 2;
    HashedWheelTimer limited(options);
    limited.newTimeout([] {}, 5s);
    limited.newTimeout(log.entry("a"), 90);
    advanceTo(100);
    BOOST_TEST(log.take() == "a@100");
    BOOST_TEST(limited.newTimeout([] {}, 1)->cancel());
}

BOOST_AUTO_TEST_CASE(the_pending_timeouts_are_reported) {
    add("near", 500);
    add("far", 2s);
    add("cancelled", 1s)->cancel();
    BOOST_TEST(timer.pendingTimeouts() == 3);
    advanceTo(100);
    BOOST_TEST(timer.pendingTimeouts() == 2);
    advanceTo(600);
    BOOST_TEST(timer.pendingTimeouts() == 1);
    advanceTo(2'100);
    BOOST_TEST(timer.pendingTimeouts() == 0);
}

BOOST_AUTO_TEST_CASE(the_longest_delay_overflows_nothing) {
    const Handle timeout = add("never", std::numeric_limits<std::int64_t>::max());
    clock->advance(1s);
    BOOST_TEST(log.take() == "");
    BOOST_TEST(timeout->cancel());
    timer.stop();
}

BOOST_AUTO_TEST_CASE(a_timeout_cancelled_within_its_tick_is_counted_down_once) {
    test::Gate running, cancelled;
    Handle victim;
    at(0, [&] {
        running.open();
        cancelled.wait();
    });
    victim = add("victim", 90);
    boost::thread other([&] {
        running.wait();
        victim->cancel();
        cancelled.open();
    });
    advanceTo(100);
    other.join();
    BOOST_TEST(timer.pendingTimeouts() == 0);
    BOOST_TEST(log.take() == "-victim@100");
}

BOOST_AUTO_TEST_CASE(a_cancelled_timeout_calls_back_and_one_that_runs_does_not) {
    const Handle cancelled = add("cancelled", 100);
    add("ran", 100);
    BOOST_TEST(cancelled->cancel());
    advanceTo(200);
    BOOST_TEST(log.take() == "-cancelled@100 ran@200");
}

BOOST_AUTO_TEST_SUITE_END()
