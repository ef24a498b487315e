// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "support/abilities.hpp"
#include "support/manual_timers.hpp"
#include "support/system_threads.hpp"
#include "support/test.hpp"
#include "support/throws.hpp"

#include <system_error>

using jtimer::IllegalArgumentException;
using jtimer::IllegalStateException;
using jtimer::go::Ticker;
using jtimer::go::Timer;
using jtimer::go::Timers;
using test::stateError;

// U8: copies do not compile.
static_assert(!std::is_copy_constructible_v<Timer> && !std::is_copy_assignable_v<Timer>);
static_assert(!std::is_copy_constructible_v<Ticker> && !std::is_copy_assignable_v<Ticker>);
static_assert(!std::is_copy_constructible_v<Timers> && !std::is_move_constructible_v<Timers>);
static_assert(std::is_nothrow_move_constructible_v<Timer>);
static_assert(std::is_nothrow_move_assignable_v<Timer>);
static_assert(std::is_nothrow_move_constructible_v<Ticker>);
static_assert(std::is_nothrow_move_assignable_v<Ticker>);
static_assert(std::is_nothrow_default_constructible_v<jtimer::go::Channel>);

BOOST_FIXTURE_TEST_SUITE(go_errors, test::ManualTimers)

BOOST_AUTO_TEST_CASE(g31_a_ticker_needs_a_positive_period) {
    for (const int d : {0, -1, -1000}) {
        CHECK_THROWS(timers.newTicker(d), IllegalArgumentException,
                     "non-positive interval for NewTicker");
        Ticker ticker = timers.newTicker(10);
        CHECK_THROWS(ticker.reset(d), IllegalArgumentException,
                     "non-positive interval for Ticker.Reset");
        // It goes on as if nothing had been asked.
        clock->advance(10);
        BOOST_TEST(ticker.C().tryReceive().has_value());
    }
    BOOST_TEST(timers.stats().pending == 0U);
}

BOOST_AUTO_TEST_CASE(g31_the_period_is_looked_at_before_the_handle) {
    Ticker none;
    CHECK_THROWS(none.reset(0), IllegalArgumentException, "non-positive interval for Ticker.Reset");
    CHECK_THROWS(none.reset(1), IllegalStateException,
                 "time: Reset called on uninitialized Ticker");
}

BOOST_AUTO_TEST_CASE(g31_the_exceptions_of_an_uninitialised_timer_have_gos_texts) {
    Timer none;
    CHECK_THROWS(none.stop(), IllegalStateException, "time: Stop called on uninitialized Timer");
    CHECK_THROWS(none.reset(1), IllegalStateException, "time: Reset called on uninitialized Timer");
}

BOOST_AUTO_TEST_CASE(g31_there_are_1024_shards_at_most) {
    Timers most(test::goOnClock(clock, 1024));
    BOOST_TEST(most.shards() == 1024U);
    CHECK_THROWS(Timers(test::goOnClock(clock, 1025)), IllegalArgumentException,
                 "shards: 1025 is more than 1024");
}

BOOST_AUTO_TEST_CASE(timers_whose_thread_cannot_be_started_throw_and_leave_the_clock_alone) {
    test::needThreadLimit();
    {
        const test::NoMoreThreads no;
        BOOST_CHECK_THROW(Timers(test::goOnClock(clock)), std::system_error);
    }
    clock->advance(10);  // would wait for a thread that takes part in the clock
    BOOST_TEST(now() == 10);
}

BOOST_AUTO_TEST_CASE(g32_nothing_blocks_the_poller) {
    test::ManualTimers t(test::goInline(nullptr));
    auto timer = t.timers.newTimer(100);
    const auto c = timer.C();
    std::vector<std::string> errors;
    t.timers.afterFunc(10, [&] {
        errors = {stateError([&] { t.timers.sleep(1); }), stateError([&] { c.receive(); }),
                  stateError([&] { c.receiveFor(1); }),
                  stateError([&] { jtimer::go::select({c}); }),
                  stateError([&] { jtimer::go::select({c}, 1); })};
        // What does not block is allowed.
        t.timers.sleep(0);
        BOOST_TEST(!c.receiveFor(0));
        BOOST_TEST(!jtimer::go::select({c}, 0));
        BOOST_TEST((t.timers.newTimer(0).C().receive() == t.timers.now()));
        t.write("f");
    });
    t.clock->advance(10);
    const std::vector<std::string> expected(5,
                                            "time: would block the thread that fires the timers");
    BOOST_TEST(errors == expected, boost::test_tools::per_element());
    BOOST_TEST(t.take() == "f@10");
    BOOST_TEST(t.timers.stats().pending == 1U);
}

BOOST_AUTO_TEST_SUITE_END()
