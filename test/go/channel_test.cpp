// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "support/counter.hpp"
#include "support/manual_timers.hpp"
#include "support/test.hpp"

using jtimer::go::Channel;
using jtimer::go::Timer;
using test::millis;
using test::stateError;

namespace {

const std::string kHopeless = "time: receive on a Channel that nothing can send to";
const std::string kNil = "time: receive on a nil Channel";

}  // namespace

BOOST_FIXTURE_TEST_SUITE(go_channel, test::ManualTimers)

BOOST_AUTO_TEST_CASE(g7_a_channel_has_no_length_in_any_state) {
    auto timer = timers.newTimer(10);
    const Channel c = timer.C();
    const auto isEmpty = [&c] { return c.len() == 0 && c.cap() == 0; };
    BOOST_TEST(isEmpty());
    clock->advance(10);
    BOOST_TEST(isEmpty());
    c.tryReceive();
    BOOST_TEST(isEmpty());
    timer.stop();
    BOOST_TEST(isEmpty());
    BOOST_TEST(Channel().len() == 0U);
    BOOST_TEST(Channel().cap() == 0U);
}

BOOST_AUTO_TEST_CASE(g7_channels_are_equal_if_they_are_of_the_same_timer) {
    const auto a = timers.newTimer(10);
    const auto b = timers.newTimer(10);
    const Channel copy = a.C();
    BOOST_TEST((a.C() == a.C()));
    BOOST_TEST((copy == a.C()));
    BOOST_TEST((a.C() != b.C()));
    BOOST_TEST((Channel() == Channel()));
    BOOST_TEST((Channel() != a.C()));
    BOOST_TEST(!Channel());
    BOOST_TEST(static_cast<bool>(copy));
}

BOOST_AUTO_TEST_CASE(g8_without_a_waiter_the_first_receive_takes_the_value) {
    const auto timer = timers.newTimer(10);
    const Channel c = timer.C();
    clock->advance(15);
    BOOST_TEST(millis(timer.C().tryReceive()) == 10);
    BOOST_TEST(!c.tryReceive());
    BOOST_TEST(!timer.C().tryReceive());
}

BOOST_AUTO_TEST_CASE(g8_the_value_goes_to_the_call_that_blocked_first) {
    auto timer = timers.newTimer(10);
    for (int i = 1; i <= 3; ++i) {
        inFunctionThread([&, i] {
            timer.C().receive();
            write("waiter" + std::to_string(i));
        });
    }
    clock->advance(10);
    BOOST_TEST(take() == "waiter1@10");
    timer.reset(10);
    clock->advance(10);
    BOOST_TEST(take() == "waiter2@20");
    timer.reset(0);
    clock->advance(0);
    BOOST_TEST(take() == "waiter3@20");
    timer.reset(5);
    clock->advance(5);
    BOOST_TEST(millis(timer.C().tryReceive()) == 25);
}

BOOST_AUTO_TEST_CASE(g8_a_value_that_a_waiter_was_given_is_received_before_its_thread_runs) {
    auto timer = timers.newTimer(10);
    std::optional<jtimer::Date> value;
    boost::thread waiter([&] { value = timer.C().receiveFor(1000); });
    while (timers.stats().pending < 2) boost::this_thread::yield();
    clock->advance(10);
    // Whether or not that thread has run by now.
    BOOST_TEST(!timer.C().tryReceive());
    BOOST_TEST(!timer.stop());
    waiter.join();
    BOOST_TEST(millis(value) == 10);
}

BOOST_AUTO_TEST_CASE(g9_stop_does_not_end_a_receive_and_a_later_reset_does) {
    auto timer = timers.newTimer(10);
    inFunctionThread([&] {
        timer.C().receive();
        write("received");
    });
    BOOST_TEST(timer.stop());
    clock->advance(100);
    BOOST_TEST(take() == "");
    BOOST_TEST(!timer.reset(5));
    clock->advance(5);
    BOOST_TEST(take() == "received@105");
}

BOOST_AUTO_TEST_CASE(g10_receive_for_answers_nothing_after_its_time) {
    const auto timer = timers.newTimer(100);
    std::optional<jtimer::Date> value = clock->now();
    inFunctionThread([&] {
        value = timer.C().receiveFor(30);
        write("back");
    });
    BOOST_TEST(timers.stats().pending == 2U);
    clock->advance(29);
    BOOST_TEST(take() == "");
    clock->advance(1);
    BOOST_TEST(take() == "back@30");
    BOOST_TEST(!value);
    BOOST_TEST(timers.stats().pending == 1U);
}

BOOST_AUTO_TEST_CASE(g10_receive_for_answers_a_value_that_comes_in_time) {
    const auto timer = timers.newTimer(20);
    std::optional<jtimer::Date> value;
    inFunctionThread([&] { value = timer.C().receiveFor(30); });
    clock->advance(20);
    BOOST_TEST(millis(value) == 20);
    // The entry of the time-out has gone with the call.
    BOOST_TEST(timers.stats().pending == 0U);
}

BOOST_AUTO_TEST_CASE(g10_receive_for_zero_or_less_does_not_block) {
    const auto timer = timers.newTimer(20);
    BOOST_TEST(!timer.C().receiveFor(0));
    BOOST_TEST(!timer.C().receiveFor(-10));
    clock->advance(20);
    BOOST_TEST(millis(timer.C().receiveFor(-10)) == 20);
    BOOST_TEST(!timer.C().receiveFor(0));
}

BOOST_AUTO_TEST_CASE(g10_a_value_that_is_due_at_the_time_out_wins) {
    for (const unsigned shards : {1U, 3U}) {
        for (const bool timerFirst : {false, true}) {
            test::ManualTimers t(shards);
            Timer timer = t.timers.newTimer(timerFirst ? 30 : 1000);
            std::vector<std::int64_t> values;
            t.inFunctionThread([&] { values.push_back(millis(timer.C().receiveFor(30))); });
            if (!timerFirst) timer.reset(30);
            t.clock->advance(30);
            BOOST_TEST(values == std::vector<std::int64_t>{30}, boost::test_tools::per_element());
        }
    }
}

BOOST_AUTO_TEST_CASE(g10_the_clock_decides_though_the_poller_is_held_up) {
    for (const int timeout : {15, 25}) {
        test::ManualTimers t(test::goInline(nullptr));
        const auto timer = t.timers.newTimer(20);
        std::optional<jtimer::Date> value;
        boost::thread waiter([&] { value = timer.C().receiveFor(timeout); });
        while (t.timers.stats().pending < 2) boost::this_thread::yield();
        std::int64_t polled = 0;
        // Both come due while the poller is inside this function, which then polls.
        t.timers.afterFunc(10, [&] {
            t.clock->advance(30);
            polled = millis(timer.C().tryReceive());
        });
        t.clock->advance(10);
        waiter.join();
        BOOST_TEST(millis(value) == (timeout == 25 ? 20 : -1));
        BOOST_TEST(polled == (timeout == 25 ? -1 : 20));
    }
}

BOOST_AUTO_TEST_CASE(g11_a_nil_channel_has_nothing_and_cannot_be_waited_for) {
    const Timer ofFunction = timers.afterFunc(10, [] {});
    const std::vector<Channel> nils{Channel(),      ofFunction.C(),
                                    Timer().C(),    jtimer::go::Ticker().C(),
                                    timers.tick(0), timers.tick(-5)};
    for (const Channel& nil : nils) {
        BOOST_TEST(!nil);
        BOOST_TEST(!nil.tryReceive());
        BOOST_TEST(stateError([&] { nil.receive(); }) == kNil);
        BOOST_TEST(stateError([&] { nil.receiveFor(10); }) == kNil);
        BOOST_TEST(stateError([&] { nil.receiveFor(0); }) == kNil);
    }
}

BOOST_AUTO_TEST_CASE(g12_an_after_that_was_received_cannot_be_received_again) {
    const Channel c = timers.after(10);
    clock->advance(10);
    BOOST_TEST(millis(c.receive()) == 10);
    BOOST_TEST(stateError([&] { c.receive(); }) == kHopeless);
    BOOST_TEST(!c.tryReceive());
}

BOOST_AUTO_TEST_CASE(g12_a_stopped_timer_whose_handle_is_gone_cannot_be_received) {
    Channel c;
    {
        auto timer = timers.newTimer(10);
        c = timer.C();
        timer.stop();
    }
    BOOST_TEST(stateError([&] { c.receive(); }) == kHopeless);
    {
        auto ticker = timers.newTicker(10);
        c = ticker.C();
        ticker.stop();
    }
    BOOST_TEST(stateError([&] { c.receive(); }) == kHopeless);
}

BOOST_AUTO_TEST_CASE(g12_a_running_or_unread_timer_can_be_received_without_its_handle) {
    const Channel running = timers.newTimer(20).C();
    const Channel unread = timers.newTimer(10).C();
    clock->advance(10);
    BOOST_TEST(millis(unread.receive()) == 10);
    std::int64_t value = 0;
    inFunctionThread([&] { value = millis(running.receive()); });
    clock->advance(10);
    BOOST_TEST(value == 20);
}

BOOST_AUTO_TEST_CASE(g12_a_wait_ends_when_another_has_received_the_only_value) {
    const Channel c = timers.after(10);
    for (int i = 1; i <= 3; ++i) {
        inFunctionThread([&, i] {
            const std::string error = stateError([&] { c.receive(); });
            write(std::to_string(i) + (error.empty() ? "received" : "hopeless"));
        });
    }
    clock->advance(9);
    BOOST_TEST(take() == "");
    clock->advance(1);
    const std::string log = take();
    for (const char* what : {"1received@10", "2hopeless@10", "3hopeless@10"}) {
        BOOST_TEST(log.find(what) != std::string::npos, log);
    }
}

BOOST_AUTO_TEST_CASE(g12_a_wait_ends_when_the_handle_of_a_stopped_timer_goes) {
    auto timer = std::make_unique<Timer>(timers.newTimer(10));
    const Channel c = timer->C();
    inFunctionThread([&] { write(stateError([&] { c.receive(); })); });
    timer->stop();
    clock->advance(50);
    BOOST_TEST(take() == "");
    timer.reset();
    clock->waitUntilIdle();
    BOOST_TEST(take() == kHopeless + "@50");
}

BOOST_AUTO_TEST_CASE(g12_receive_for_waits_its_time_where_nothing_can_come) {
    const Channel c = timers.after(0);
    c.receive();
    inFunctionThread([&] {
        BOOST_TEST(!c.receiveFor(10));
        write("back");
    });
    clock->advance(10);
    BOOST_TEST(take() == "back@10");
}

BOOST_AUTO_TEST_SUITE_END()
