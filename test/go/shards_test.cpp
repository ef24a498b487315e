// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "support/counter.hpp"
#include "support/manual_timers.hpp"
#include "support/test.hpp"
#include "support/thread_state.hpp"

#include <ctime>

using jtimer::go::Channel;
using jtimer::go::Ticker;
using jtimer::go::Timer;
using test::millis;

namespace {

/// Calls `f` on a thread of its own, which has another shard than its neighbours.
template <class F>
void onAnotherThread(const F& f) {
    boost::thread(f).join();
}

}  // namespace

BOOST_FIXTURE_TEST_SUITE(go_shards, test::ManualTimers)

BOOST_AUTO_TEST_CASE(g37_there_are_as_many_shards_as_asked_for) {
    for (const unsigned shards : {1U, 2U, 64U, 1024U}) {
        const jtimer::go::Timers t(test::goOnClock(clock, shards));
        BOOST_TEST(t.shards() == shards);
    }
    const jtimer::go::Timers t(test::goOnClock(clock, 0));
    BOOST_TEST(t.shards() == std::clamp(boost::thread::hardware_concurrency(), 1U, 1024U));
}

BOOST_AUTO_TEST_CASE(g37_timers_of_many_threads_and_shards_fire_in_the_order_of_time) {
    for (const unsigned shards : {1U, 2U, 3U, 64U}) {
        auto options = test::goInline(nullptr);
        options.shards = shards;
        test::ManualTimers t(options);
        std::vector<int> expected;
        std::vector<int> order;
        std::vector<int> times(60);
        for (int i = 0; i < 60; ++i) times[static_cast<std::size_t>(i)] = i;
        std::shuffle(times.begin(), times.end(), std::minstd_rand(shards));
        for (int thread = 0; thread < 6; ++thread) {
            onAnotherThread([&] {
                for (int i = 0; i < 10; ++i) {
                    const int time = times[static_cast<std::size_t>(10 * thread + i)];
                    t.timers.afterFunc(time, [&order, time] { order.push_back(time); });
                }
            });
        }
        for (int i = 0; i < 60; ++i) expected.push_back(i);
        t.timers.check();
        t.clock->advance(100);
        BOOST_TEST(order == expected, boost::test_tools::per_element());
    }
}

BOOST_AUTO_TEST_CASE(g37_a_reset_by_another_thread_moves_the_timer_to_that_ones_shard) {
    test::ManualTimers t(64);
    Timer timer = t.timers.newTimer(10);
    Timer function = t.timers.afterFunc(10, t.entry("f"));
    for (int i = 0; i < 5; ++i) {
        onAnotherThread([&] {
            BOOST_TEST(timer.reset(20));
            BOOST_TEST(function.reset(20));
            BOOST_TEST(t.timers.stats().pending == 2U);
            t.timers.check();
        });
    }
    t.clock->advance(19);
    BOOST_TEST(t.take() == "");
    t.clock->advance(1);
    BOOST_TEST(t.take() == "f@20");
    BOOST_TEST(millis(timer.C().tryReceive()) == 20);
}

BOOST_AUTO_TEST_CASE(g37_many_shards_do_not_make_a_fire_dear) {
    const auto timeWith = [](unsigned shards) {
        auto options = test::goInline(nullptr);
        options.shards = shards;
        test::ManualTimers t(options);
        constexpr int many = 5000;
        int ran = 0;
        for (int i = 1; i <= many; ++i) t.timers.afterFunc(i, [&ran] { ++ran; });
        const std::clock_t begin = std::clock();  // of the processor
        t.clock->advance(many);
        const std::clock_t time = std::clock() - begin;
        BOOST_TEST(ran == many);
        return time;
    };
    std::clock_t one = timeWith(1), most = timeWith(1024);
    for (int i = 0; i < 4; ++i) {
        one = std::min(one, timeWith(1));
        most = std::min(most, timeWith(1024));
    }
    BOOST_TEST(most < 4 * one);
}

BOOST_AUTO_TEST_CASE(g38_a_function_sees_fired_what_is_earlier_and_pending_what_is_later) {
    test::ManualTimers t(test::goInline(nullptr));
    constexpr int many = 100;
    std::vector<Ticker> tickers;
    std::vector<std::size_t> pending;
    std::vector<Timer> functions;
    for (int i = 0; i < many; ++i) {
        tickers.push_back(t.timers.newTicker(1000 + 2 * i));
        if (i % 25 == 24) {
            functions.push_back(t.timers.afterFunc(
                1001 + 2 * i, [&] { pending.push_back(t.timers.stats().pending); }));
        }
    }
    t.clock->advance(2000 - 1);
    // Unread tickers are not pending, nor are functions that have been handed over.
    BOOST_TEST(pending == (std::vector<std::size_t>{78, 52, 26, 0}),
               boost::test_tools::per_element());
    t.timers.check();
    for (int i = 0; i < many; ++i) {
        BOOST_TEST(millis(tickers[static_cast<std::size_t>(i)].C().tryReceive()) == 1000 + 2 * i);
    }
    BOOST_TEST(t.timers.stats().pending == std::size_t{many});
}

BOOST_AUTO_TEST_CASE(g38_a_function_that_another_stops_first_does_not_run) {
    test::ManualTimers t(test::goInline(nullptr));
    Timer second = t.timers.afterFunc(20, t.entry("second"));
    t.timers.afterFunc(10, [&] {
        t.clock->advance(30);
        BOOST_TEST(second.stop());  // due, but not handed over
        t.write("first");
    });
    t.timers.afterFunc(25, t.entry("third"));
    t.clock->advance(10);
    t.clock->waitUntilIdle();
    BOOST_TEST(t.take() == "first@40 third@40");
}

BOOST_AUTO_TEST_CASE(g39_only_an_earlier_time_wakes_the_poller) {
    clock->waitUntilIdle();
    const auto signalsOf = [this](const std::function<void()>& call) {
        clock->waitUntilIdle();
        const auto before = timers.stats().signals;
        call();
        return timers.stats().signals - before;
    };
    Timer timer;
    Timer other;
    BOOST_TEST(signalsOf([&] { timer = timers.newTimer(100); }) == 1U);
    BOOST_TEST(signalsOf([&] { other = timers.newTimer(100); }) == 0U);
    BOOST_TEST(signalsOf([&] { other.reset(200); }) == 0U);
    BOOST_TEST(signalsOf([&] { other.stop(); }) == 0U);
    BOOST_TEST(signalsOf([&] { timer.reset(150); }) == 0U);
    BOOST_TEST(signalsOf([&] { other.reset(120); }) == 0U);  // it sleeps until 100 still
    BOOST_TEST(signalsOf([&] { other.reset(99); }) == 1U);
    BOOST_TEST(signalsOf([&] { other.reset(98); }) == 1U);
}

BOOST_AUTO_TEST_CASE(g39_the_poller_may_wake_for_a_timer_that_was_stopped_and_finds_nothing) {
    Timer timer = timers.newTimer(10);
    clock->waitUntilIdle();
    timer.stop();
    BOOST_TEST(clock->advanceToNext());
    BOOST_TEST(now() == 10);
    BOOST_TEST(!clock->advanceToNext());
}

BOOST_AUTO_TEST_CASE(g39_with_nothing_pending_the_poller_sleeps_without_a_limit) {
    BOOST_TEST(!clock->advanceToNext());
    inFunctionThread([] {});
    BOOST_TEST(!clock->advanceToNext());
    static_cast<void>(timers.newTimer(5).C());
    clock->advance(10);
    BOOST_TEST(!clock->advanceToNext());
}

BOOST_AUTO_TEST_CASE(g40_each_call_takes_its_entries_out_at_once) {
    const auto pending = [this] { return timers.stats().pending; };
    Timer timer = timers.newTimer(10);
    Ticker ticker = timers.newTicker(10);
    Channel after = timers.after(10);
    Timer function = timers.afterFunc(10, [] {});
    BOOST_TEST(pending() == 4U);
    timer.stop();
    BOOST_TEST(pending() == 3U);
    timer.reset(5);
    BOOST_TEST(pending() == 4U);
    timer.reset(15);
    BOOST_TEST(pending() == 4U);
    function.stop();
    BOOST_TEST(pending() == 3U);
    after = Channel();
    BOOST_TEST(pending() == 2U);
    inFunctionThread([&] { timer.C().receiveFor(12); });
    inFunctionThread([&] { timers.sleep(11); });
    BOOST_TEST(pending() == 4U);
    clock->advance(10);
    BOOST_TEST(pending() == 3U);  // the ticker is unread
    ticker.C().tryReceive();
    BOOST_TEST(pending() == 4U);
    ticker = Ticker();
    BOOST_TEST(pending() == 3U);
    clock->advance(5);
    BOOST_TEST(pending() == 0U);
}

BOOST_AUTO_TEST_CASE(g40_a_receive_takes_a_due_timer_out_before_the_poller_comes_by) {
    test::ManualTimers t(test::goInline(nullptr));
    const Timer timer = t.timers.newTimer(20);
    const Ticker ticker = t.timers.newTicker(20);
    std::vector<std::size_t> pending;
    t.timers.afterFunc(10, [&] {
        t.clock->advance(15);
        pending.push_back(t.timers.stats().pending);
        timer.C().tryReceive();
        pending.push_back(t.timers.stats().pending);
        BOOST_TEST(millis(ticker.C().tryReceive()) == 20);
        pending.push_back(t.timers.stats().pending);
        t.timers.check();
    });
    t.clock->advance(10);
    BOOST_TEST(pending == (std::vector<std::size_t>{2, 1, 1}), boost::test_tools::per_element());
    t.clock->advance(15);
    BOOST_TEST(millis(ticker.C().tryReceive()) == 40);
}

BOOST_AUTO_TEST_CASE(g41_ties_come_in_the_order_of_the_heap) {
    test::ManualTimers t(test::goInline(nullptr));
    std::string order;
    for (int i = 1; i <= 6; ++i) {
        t.timers.afterFunc(10, [&order, i] { order += std::to_string(i); });
    }
    t.clock->advance(10);
    BOOST_TEST(order == "165432");
}

BOOST_AUTO_TEST_CASE(g42_check_looks_at_every_heap_after_random_operations) {
    test::ManualTimers t(3);
    std::minstd_rand random(42);
    std::vector<Timer> handles(40);
    for (int step = 0; step < 2000; ++step) {
        Timer& timer = handles[random() % handles.size()];
        const int d = static_cast<int>(random() % 50);
        switch (random() % 6) {
        case 0:
            timer = t.timers.newTimer(d);
            break;
        case 1:
            timer = t.timers.afterFunc(d, [] {});
            break;
        case 2:
            timer.C().tryReceive();
            break;
        case 3:
            t.clock->advance(static_cast<int>(random() % 10));
            break;
        default:
            if (timer.C()) random() % 2 == 0 ? timer.stop() : timer.reset(d);
        }
        t.timers.check();
    }
    handles.clear();
    t.clock->advance(100);
    BOOST_TEST(t.timers.stats().pending == 0U);
}

BOOST_AUTO_TEST_SUITE_END()
