// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "support/manual_wheel.hpp"
#include "support/scripted_clock.hpp"
#include "support/test.hpp"
#include "support/throws.hpp"

using namespace std::chrono_literals;
using jtimer::IllegalStateException;
using jtimer::NullPointerException;
using jtimer::RejectedExecutionException;
using jtimer::netty::HashedWheelTimer;
using jtimer::netty::TimerTask;

BOOST_FIXTURE_TEST_SUITE(new_timeout, test::ManualWheel)

BOOST_AUTO_TEST_CASE(n15_a_null_task_is_refused_first_then_a_stopped_timer_then_one_that_is_full) {
    auto options = test::wheelOn(clock);
    options.maxPendingTimeouts = 1;
    HashedWheelTimer limited(options);
    const std::shared_ptr<TimerTask> null;
    CHECK_THROWS(limited.newTimeout(null, 0), NullPointerException, "task");
    limited.newTimeout([] {}, 100);
    CHECK_THROWS(limited.newTimeout(null, 0), NullPointerException, "task");
    BOOST_CHECK_THROW(limited.newTimeout([] {}, 0), RejectedExecutionException);
    BOOST_TEST(limited.stop().size() == 1U);
    CHECK_THROWS(limited.newTimeout(null, 0), NullPointerException, "task");
    CHECK_THROWS(limited.newTimeout([] {}, 0), IllegalStateException,
                 "cannot be started once stopped");
}

BOOST_AUTO_TEST_CASE(n16_the_refusal_of_a_full_timer_names_both_numbers) {
    for (const int max : {1, 2, 10}) {
        auto options = test::wheelOn(clock);
        options.maxPendingTimeouts = max;
        HashedWheelTimer limited(options);
        for (int i = 0; i < max; ++i) limited.newTimeout([] {}, 1h);
        for (int i = 0; i < 3; ++i) {
            CHECK_THROWS(limited.newTimeout([] {}, 0), RejectedExecutionException,
                         "Number of pending timeouts (" + std::to_string(max + 1) +
                             ") is greater than or equal to maximum allowed pending timeouts (" +
                             std::to_string(max) + ')');
        }
        BOOST_TEST(limited.pendingTimeouts() == max);
    }
}

BOOST_AUTO_TEST_CASE(n17_the_delay_counts_from_the_call_and_not_from_the_tick) {
    advanceTo(150);
    add("a", 49);
    add("b", 50);
    add("c", 50ms - 1ns);
    advanceTo(1000);
    BOOST_TEST(log.take() == "a@200 c@200 b@300");
}

BOOST_AUTO_TEST_CASE(n17_the_time_is_read_in_the_call_of_newTimeout) {
    at(0, [this] {
        clock->advance(130);  // now it is 230
        add("a", 30);
        clock->advance(30);
        add("b", 30);
        add("c", 50);
    });
    advanceTo(1000);
    BOOST_TEST(log.take() == "a@300 b@300 c@400");
}

BOOST_AUTO_TEST_CASE(n17_the_longest_delay_never_fires_and_disturbs_nothing) {
    advanceTo(50);
    const auto nanos = add("never", std::chrono::nanoseconds::max());
    const auto millis = add("never", std::numeric_limits<std::int64_t>::max());
    const auto hours = add("never", std::chrono::hours::max());
    add("a", 150);
    clock->advance(1h);
    add("b", 0);
    clock->advance(100);
    BOOST_TEST(log.take() == "a@300 b@3600100");
    BOOST_TEST(nanos->cancel());
    BOOST_TEST(millis->cancel());
    clock->advance(100);
    BOOST_TEST(log.take() == "-never@3600200 -never@3600200");
    BOOST_TEST(timer.pendingTimeouts() == 1);
    BOOST_TEST(timer.stop().front() == hours);
}

BOOST_AUTO_TEST_CASE(n18_delays_of_0_and_less_run_at_the_end_of_the_present_tick) {
    for (const std::int64_t delay :
         {std::int64_t{0}, std::int64_t{-1}, std::int64_t{-100}, std::int64_t{-12345},
          std::numeric_limits<std::int64_t>::min()}) {
        const std::int64_t begin = now();
        add("a", delay);
        clock->advance(50);
        add("b", delay);
        clock->advance(50);
        const std::string end = '@' + std::to_string(begin + 100);
        BOOST_TEST(log.take() == "a" + end + " b" + end);
    }
}

BOOST_AUTO_TEST_CASE(n19_what_a_task_adds_runs_in_a_later_tick_whatever_its_delay) {
    for (const int slots : {1, 2, 8}) {
        ManualWheel wheel(slots);
        wheel.at(0, [&] {
            for (const int delay : {-1'000'000, -100, -1, 0, 1, 99})
                wheel.add(std::to_string(delay), delay);
            wheel.add("100", 100);
        });
        wheel.add("beside", 0);
        wheel.advanceTo(1000);
        BOOST_TEST(wheel.log.take() ==
                   "beside@100 -1000000@200 -100@200 -1@200 0@200 1@200 99@200 100@300");
    }
}

BOOST_AUTO_TEST_CASE(n19_a_task_that_adds_itself_without_a_delay_runs_once_a_tick) {
    int runs = 0;
    const auto task = std::make_shared<test::WheelTask>([&](const test::Handle& timeout) {
        log.write("a");
        if (++runs < 3) timeout->timer()->newTimeout(timeout->task(), -1000);
    });
    timer.newTimeout(task, 0);
    advanceTo(1000);
    BOOST_TEST(log.take() == "a@100 a@200 a@300");
}

BOOST_AUTO_TEST_CASE(n20_newTimeout_does_not_wake_a_worker_that_waits_for_the_end_of_a_tick) {
    const auto scripted = std::make_shared<test::ScriptedClock>();
    HashedWheelTimer other(test::wheelOn(scripted));
    other.newTimeout([] {}, 1h);
    const auto endOfTick = (test::kStartMillis + 100) * 1'000'000;
    std::size_t waits = 1;
    if (scripted->awaitWait(waits) != endOfTick) ++waits;  // it had begun to wait when it was added
    BOOST_TEST(scripted->awaitWait(waits) == endOfTick);
    const int before = scripted->notifications();
    for (const int delay : {-1, 0, 50, 1000, 50}) other.newTimeout([] {}, delay);
    other.newTimeout([] {}, 0)->cancel();
    BOOST_TEST(scripted->notifications() == before);
}

BOOST_AUTO_TEST_CASE(n21_a_timeout_runs_once) {
    add("a", 0);
    clock->advance(24h);
    BOOST_TEST(log.take() == "a@100");
}

BOOST_AUTO_TEST_CASE(n21_one_task_object_serves_any_number_of_timeouts_at_once) {
    const auto shared = task("s");
    const auto first = timer.newTimeout(shared, 0);
    const auto second = timer.newTimeout(shared, 100);
    const auto third = timer.newTimeout(shared, 100);
    const auto fourth = timer.newTimeout(shared, 200);
    BOOST_TEST(first != second);
    BOOST_TEST(third->cancel());
    advanceTo(200);
    BOOST_TEST(first->isExpired());
    BOOST_TEST(second->isExpired());
    BOOST_TEST(third->isCancelled());
    BOOST_TEST(!fourth->isExpired());
    advanceTo(1000);
    BOOST_TEST(log.take() == "s@100 -s@100 s@200 s@300");
}

BOOST_AUTO_TEST_CASE(n21_one_task_object_serves_several_timers) {
    HashedWheelTimer other(test::wheelOn(clock, 8, 30ms));
    other.start();
    const auto shared = task("s");
    timer.newTimeout(shared, 0);
    other.newTimeout(shared, 0);
    other.newTimeout(shared, 120);
    advanceTo(1000);
    BOOST_TEST(log.take() == "s@30 s@100 s@150");
}

BOOST_AUTO_TEST_CASE(n21_a_periodic_task_passes_itself_on) {
    timer.newTimeout(
        [this](const test::Handle& timeout) {
            log.write("tick");
            timeout->timer()->newTimeout(timeout->task(), 100);
        },
        100);
    advanceTo(1000);
    BOOST_TEST(log.take() == "tick@200 tick@400 tick@600 tick@800 tick@1000");
}

BOOST_AUTO_TEST_SUITE_END()
