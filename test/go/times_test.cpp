// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "support/clocks.hpp"
#include "support/counter.hpp"
#include "support/manual_timers.hpp"
#include "support/test.hpp"

#include <csignal>
#include <pthread.h>

using namespace std::chrono_literals;
using test::millis;

// While the thread that fires has a reading of the clock from before it was set back.
BOOST_AUTO_TEST_CASE(g2_a_timer_that_is_started_after_the_clock_was_set_back_is_not_early) {
    const auto clock = std::make_shared<test::SetClock>();
    jtimer::go::Timers timers(test::goInline(clock));
    test::Counter ended;
    std::int64_t started = 0, ran = 0;
    timers.afterFunc(1ms, [&] {
        clock->offset = -std::chrono::nanoseconds(1h).count();
        started = clock->nanos();
        timers.afterFunc(5ms, [&] {
            ran = clock->nanos();
            ended.up();
        });
    });
    BOOST_TEST(ended.reaches(1));
    BOOST_TEST(ran - started >= 5'000'000);
}

BOOST_FIXTURE_TEST_SUITE(go_times, test::ManualTimers)

BOOST_AUTO_TEST_CASE(g1_a_timer_is_due_after_its_time_and_at_once_if_that_is_not_positive) {
    for (const auto& [d, when] : {std::pair(70, 70), {1, 1}, {0, 0}, {-1, 0}, {-5000, 0}}) {
        const auto timer = timers.newTimer(d);
        const auto start = now();
        clock->advance(100);
        BOOST_TEST(millis(timer.C().tryReceive()) - start == when);
    }
}

BOOST_AUTO_TEST_CASE(g1_what_is_beyond_the_range_runs_as_any_other_but_is_never_due) {
    auto timer = timers.newTimer(std::numeric_limits<std::int64_t>::max());
    const auto after = timers.after(std::chrono::hours(24) * 365 * 280);
    BOOST_TEST(timers.stats().pending == 2U);
    BOOST_TEST(!clock->advanceToNext());
    clock->advance(std::chrono::hours(24) * 365 * 290);
    BOOST_TEST(!timer.C().tryReceive());
    BOOST_TEST(!after.tryReceive());
    BOOST_TEST(timer.stop());
    BOOST_TEST(timers.stats().pending == 1U);
}

BOOST_AUTO_TEST_CASE(g2_nothing_is_early) {
    const auto timer = timers.newTimer(10);
    timers.afterFunc(10, entry("f"));
    timers.afterFunc(0, [this] {
        timers.sleep(10);
        write("sleep");
    });
    timers.afterFunc(0, [this] {
        timers.newTimer(20).C().receiveFor(10);
        write("time-out");
    });
    clock->advance(9999us);
    BOOST_TEST(take() == "");
    BOOST_TEST(!timer.C().tryReceive());
    clock->advance(1us);
    BOOST_TEST(millis(timer.C().tryReceive()) == 10);
    const std::string log = take();
    for (const char* what : {"f@10", "sleep@10", "time-out@10"}) {
        BOOST_TEST(log.find(what) != std::string::npos, log);
    }
}

BOOST_AUTO_TEST_CASE(g3_a_timer_of_zero_has_a_value_at_once) {
    for (int i = 0; i < 1000; ++i) {
        auto timer = timers.newTimer(0);
        BOOST_REQUIRE(timer.C().tryReceive());
        timer.reset(0);
        BOOST_REQUIRE(timer.C().tryReceive());
        BOOST_REQUIRE(!timer.C().tryReceive());
    }
}

BOOST_AUTO_TEST_CASE(g3_a_due_value_is_received_though_the_poller_is_held_up) {
    test::ManualTimers held(test::goInline(nullptr));
    const auto due = held.timers.newTimer(20);
    std::int64_t received = -1;
    held.timers.afterFunc(10, [&] {
        held.clock->advance(15);
        received = millis(due.C().tryReceive());
    });
    held.clock->advance(10);
    BOOST_TEST(received == 20);
    BOOST_TEST(held.now() == 25);
}

BOOST_AUTO_TEST_CASE(g4_the_value_is_the_time_for_which_it_was_due_however_late_it_is_received) {
    const auto timer = timers.newTimer(10);
    clock->advance(1h);
    BOOST_TEST(millis(timer.C().tryReceive()) == 10);
}

BOOST_AUTO_TEST_CASE(g4_a_value_is_exact_to_the_nanosecond) {
    constexpr jtimer::Date::duration delay(1234567);  // microseconds with libc++
    const auto timer = timers.newTimer(delay);
    clock->advance(1235);
    BOOST_TEST(((timer.C().tryReceive().value() - test::kStart) == delay));
}

BOOST_AUTO_TEST_CASE(g5_a_sleep_of_zero_or_less_returns_at_once) {
    timers.sleep(0);
    timers.sleep(-5);
    timers.sleep(std::numeric_limits<std::int64_t>::min());
    BOOST_TEST(now() == 0);
    BOOST_TEST(timers.stats().pending == 0U);
}

BOOST_AUTO_TEST_CASE(g5_a_sleep_blocks_the_caller_for_its_time) {
    timers.afterFunc(5, [this] {
        timers.sleep(10);
        write("a");
        timers.sleep(3ms);
        write("b");
    });
    clock->advance(100);
    BOOST_TEST(take() == "a@15 b@18");
}

#if !defined(_WIN32)
BOOST_AUTO_TEST_CASE(g5_signals_do_not_shorten_a_sleep) {
    struct sigaction action {};
    struct sigaction before {};
    action.sa_handler = [](int) {};
    sigaction(SIGUSR1, &action, &before);
    std::atomic<bool> slept{false};
    boost::thread sleeper([&] {
        timers.sleep(10);
        slept = true;
    });
    while (timers.stats().pending == 0) boost::this_thread::yield();
    for (int i = 0; i < 100; ++i) pthread_kill(sleeper.native_handle(), SIGUSR1);
    BOOST_TEST(!slept);
    BOOST_TEST(timers.stats().pending == 1U);
    clock->advance(10);
    sleeper.join();
    BOOST_TEST(slept);
    sigaction(SIGUSR1, &before, nullptr);
}
#endif

BOOST_AUTO_TEST_CASE(g5_the_longest_sleep_does_not_end) {
    std::string error;
    {
        test::ManualTimers other;
        other.inFunctionThread([&] {
            error = test::stateError(
                [&] { other.timers.sleep(std::numeric_limits<std::int64_t>::max()); });
        });
        other.clock->advance(std::chrono::hours(24) * 365 * 290);
        BOOST_TEST(error == "");
        BOOST_TEST(other.timers.stats().pending == 1U);
    }
    BOOST_TEST(error == "time: Timers destroyed");
}

BOOST_AUTO_TEST_CASE(g6_a_sleep_and_a_time_out_are_entries_of_a_heap) {
    inFunctionThread([this] { timers.sleep(10); });
    BOOST_TEST(timers.stats().pending == 1U);
    const auto timer = timers.newTimer(50);
    inFunctionThread([&timer] { timer.C().receiveFor(20); });
    BOOST_TEST(timers.stats().pending == 3U);
    timers.check();
    clock->advance(10);
    BOOST_TEST(timers.stats().pending == 2U);
    clock->advance(10);
    BOOST_TEST(timers.stats().pending == 1U);
}

BOOST_AUTO_TEST_SUITE_END()
