// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "support/manual_timers.hpp"
#include "support/test.hpp"
#include "support/throws.hpp"

using jtimer::IllegalStateException;
using jtimer::go::Channel;
using jtimer::go::Ticker;
using test::millis;

BOOST_FIXTURE_TEST_SUITE(go_ticker, test::ManualTimers)

BOOST_AUTO_TEST_CASE(g22_ticks_are_due_at_the_multiples_of_the_period) {
    const Ticker ticker = timers.newTicker(10);
    std::vector<std::int64_t> ticks;
    for (int i = 0; i < 50; ++i) {
        clock->advance(1);
        if (const auto tick = ticker.C().tryReceive()) ticks.push_back(millis(tick));
    }
    BOOST_TEST(ticks == (std::vector<std::int64_t>{10, 20, 30, 40, 50}),
               boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(g22_a_blocked_receiver_gets_each_tick_at_its_time) {
    const Ticker ticker = timers.newTicker(10);
    timers.afterFunc(0, [&] {
        for (int i = 0; i < 4; ++i) write(std::to_string(millis(ticker.C().receive())));
    });
    clock->advance(100);
    BOOST_TEST(take() == "10@10 20@20 30@30 40@40");
}

BOOST_AUTO_TEST_CASE(g22_tick_is_a_ticker_without_a_handle_and_nil_for_no_period) {
    const Channel ticks = timers.tick(10);
    clock->advance(10);
    BOOST_TEST(millis(ticks.tryReceive()) == 10);
    clock->advance(10);
    BOOST_TEST(millis(ticks.receive()) == 20);
    BOOST_TEST(!timers.tick(0));
    BOOST_TEST(!timers.tick(-1));
}

BOOST_AUTO_TEST_CASE(g23_missed_periods_are_skipped_and_the_phase_is_kept) {
    const Ticker ticker = timers.newTicker(10);
    clock->advance(35);
    BOOST_TEST(millis(ticker.C().tryReceive()) == 10);
    BOOST_TEST(!ticker.C().tryReceive());  // never a burst
    clock->advance(4);
    BOOST_TEST(!ticker.C().tryReceive());
    clock->advance(1);
    BOOST_TEST(millis(ticker.C().tryReceive()) == 40);
}

BOOST_AUTO_TEST_CASE(g23_a_tick_received_exactly_on_the_grid_is_followed_by_the_one_after_it) {
    const Ticker ticker = timers.newTicker(10);
    clock->advance(40);
    BOOST_TEST(millis(ticker.C().tryReceive()) == 10);
    BOOST_TEST(!ticker.C().tryReceive());
    clock->advance(9);
    BOOST_TEST(!ticker.C().tryReceive());
    clock->advance(1);
    BOOST_TEST(millis(ticker.C().tryReceive()) == 50);
}

BOOST_AUTO_TEST_CASE(g23_a_waiter_that_is_served_late_gets_the_old_tick_and_the_phase_is_kept) {
    test::ManualTimers t(test::goInline(nullptr));
    const Ticker ticker = t.timers.newTicker(10);
    std::int64_t received = 0;
    boost::thread waiter([&] { received = millis(ticker.C().receiveFor(1000)); });
    while (t.timers.stats().pending < 2) boost::this_thread::yield();
    t.timers.afterFunc(5, [&] { t.clock->advance(30); });  // the poller comes by at 35
    t.clock->advance(5);
    waiter.join();
    BOOST_TEST(received == 10);
    t.clock->advanceTo(test::at(39));
    BOOST_TEST(!ticker.C().tryReceive());
    t.clock->advance(1);
    BOOST_TEST(millis(ticker.C().tryReceive()) == 40);
}

BOOST_AUTO_TEST_CASE(g23_a_period_beyond_the_range_never_ticks) {
    const Ticker ticker = timers.newTicker(std::numeric_limits<std::int64_t>::max());
    BOOST_TEST(timers.stats().pending == 1U);
    BOOST_TEST(!clock->advanceToNext());
    const Ticker once = timers.newTicker(std::chrono::hours(24) * 365 * 200);
    clock->advance(std::chrono::hours(24) * 365 * 200);
    BOOST_TEST(once.C().tryReceive().has_value());
    BOOST_TEST(timers.stats().pending == 2U);
    BOOST_TEST(!clock->advanceToNext());
}

BOOST_AUTO_TEST_CASE(g24_a_ticker_that_nobody_reads_leaves_its_heap) {
    const Ticker ticker = timers.newTicker(10);
    BOOST_TEST(timers.stats().pending == 1U);
    clock->advance(10);
    BOOST_TEST(timers.stats().pending == 0U);
    BOOST_TEST(!clock->advanceToNext());
    ticker.C().tryReceive();
    BOOST_TEST(timers.stats().pending == 1U);
    BOOST_TEST(clock->advanceToNext());
    BOOST_TEST(now() == 20);
}

BOOST_AUTO_TEST_CASE(g25_after_stop_there_are_no_ticks) {
    Ticker ticker = timers.newTicker(10);
    ticker.stop();
    BOOST_TEST(timers.stats().pending == 0U);
    clock->advance(50);
    BOOST_TEST(!ticker.C().tryReceive());
    ticker.stop();
    Ticker unread = timers.newTicker(10);
    clock->advance(10);
    unread.stop();
    BOOST_TEST(!unread.C().tryReceive());
}

BOOST_AUTO_TEST_CASE(g25_reset_gives_a_new_period_from_now_on) {
    Ticker ticker = timers.newTicker(10);
    const auto next = [&](std::int64_t due) {
        const auto before = due - now() - 1;
        clock->advance(before);
        BOOST_TEST(!ticker.C().tryReceive());
        clock->advance(1);
        BOOST_TEST(millis(ticker.C().tryReceive()) == due);
    };
    clock->advance(3);
    ticker.reset(20);
    next(23);
    next(43);
    ticker.stop();
    clock->advance(7);
    ticker.reset(5);  // of a stopped one
    next(55);
    clock->advance(5);
    ticker.reset(30);  // of an unread one: that tick is gone
    BOOST_TEST(!ticker.C().tryReceive());
    next(90);
    next(120);
}

BOOST_AUTO_TEST_CASE(g26_an_uninitialised_ticker_can_be_stopped_but_not_reset) {
    Ticker never;
    Ticker from = timers.newTicker(10);
    const Ticker to = std::move(from);
    for (Ticker* const ticker : {&never, &from}) {
        BOOST_TEST(!ticker->C());
        ticker->stop();
        CHECK_THROWS(ticker->reset(5), IllegalStateException,
                     "time: Reset called on uninitialized Ticker");
    }
    clock->advance(10);
    BOOST_TEST(millis(to.C().tryReceive()) == 10);
}

BOOST_AUTO_TEST_SUITE_END()
