// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "support/manual_timers.hpp"
#include "support/test.hpp"

using jtimer::go::Timer;
using test::millis;

BOOST_FIXTURE_TEST_SUITE(go_fake_time, test::ManualTimers)

BOOST_AUTO_TEST_CASE(g43_every_entry_is_a_deadline_of_the_clock) {
    const auto timer = timers.newTimer(10);
    const auto after = timers.after(20);
    timers.afterFunc(30, [] {});
    const auto ticker = timers.newTicker(40);
    inFunctionThread([&] { timers.sleep(50); });
    const auto late = timers.newTimer(1000);
    inFunctionThread([&] { late.C().receiveFor(60); });
    std::vector<std::int64_t> times;
    while (clock->advanceToNext()) times.push_back(now());
    BOOST_TEST(times == (std::vector<std::int64_t>{10, 20, 30, 40, 50, 60, 1000}),
               boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(g44_advance_returns_when_functions_have_run_or_wait_on_the_clock) {
    const auto never = timers.newTimer(100000);
    timers.afterFunc(10, [&] {
        write("a");
        timers.sleep(5);
        write("b");
        never.C().receiveFor(5);
        write("c");
        jtimer::go::select({never.C()}, 5);
        write("d");
        timers.after(5).receive();
        write("e");
    });
    for (const char* what : {"a@10", "b@15", "c@20", "d@25", "e@30"}) {
        clock->advance(what == std::string("a@10") ? 10 : 5);
        BOOST_TEST(take() == what);
    }
}

BOOST_AUTO_TEST_CASE(g44_one_advance_goes_through_all_sleeps_of_a_function) {
    timers.afterFunc(10, [&] {
        for (int i = 0; i < 5; ++i) {
            write("f");
            timers.sleep(7);
        }
    });
    clock->advance(1000);
    BOOST_TEST(take() == "f@10 f@17 f@24 f@31 f@38");
}

BOOST_AUTO_TEST_CASE(g44_a_function_thread_is_busy_from_the_moment_it_is_woken) {
    // Would the time move on before the woken thread runs, it would see a later one.
    for (int i = 0; i < 200; ++i) {
        test::ManualTimers t(2);
        t.timers.afterFunc(1, [&] {
            t.timers.after(1).receive();
            t.write("f");
        });
        t.timers.afterFunc(1, [&] {
            t.timers.sleep(2);
            t.write("g");
        });
        t.clock->advance(10);
        BOOST_REQUIRE_EQUAL(t.take(), "f@2 g@3");
    }
}

BOOST_AUTO_TEST_CASE(g44_other_threads_are_not_waited_for_but_what_they_get_is_decided) {
    const auto timer = timers.newTimer(10);
    std::int64_t value = 0;
    boost::thread waiter([&] { value = millis(timer.C().receiveFor(20)); });
    while (timers.stats().pending < 2) boost::this_thread::yield();
    clock->advance(15);
    BOOST_TEST(!timer.C().tryReceive());
    waiter.join();
    BOOST_TEST(value == 10);
}

BOOST_AUTO_TEST_CASE(g44_time_moved_inside_a_function_passes_during_it_and_the_others_fire) {
    timers.afterFunc(10, [&] {
        clock->advance(30);
        write("mover");
    });
    timers.afterFunc(20, entry("other"));
    clock->advance(10);
    BOOST_TEST(take() == "other@20 mover@40");
}

BOOST_AUTO_TEST_CASE(g44_an_inline_executor_holds_the_poller_up_and_the_rest_follows_in_order) {
    test::ManualTimers t(test::goInline(nullptr));
    t.timers.afterFunc(10, [&] {
        t.clock->advance(30);
        t.write("mover");
    });
    t.timers.afterFunc(30, t.entry("late"));
    t.timers.afterFunc(20, t.entry("other"));
    t.clock->advance(10);
    BOOST_TEST(t.take() == "mover@40 other@40 late@40");
}

BOOST_AUTO_TEST_CASE(g44_function_threads_of_several_runtimes_take_part_in_one_clock) {
    jtimer::go::Timers other(test::goOnClock(clock));
    const auto theirs = other.newTimer(20);
    timers.afterFunc(10, [&] {
        theirs.C().receive();
        write("received");
        other.sleep(5);
        write("slept");
    });
    clock->advance(100);
    BOOST_TEST(take() == "received@20 slept@25");
}

BOOST_AUTO_TEST_SUITE_END()
