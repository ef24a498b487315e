// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "support/manual_wheel.hpp"
#include "support/test.hpp"

using namespace std::chrono_literals;
using test::Handle;
using test::ManualWheel;

BOOST_FIXTURE_TEST_SUITE(tick, ManualWheel)

// What happens in one.

BOOST_AUTO_TEST_CASE(n31_n32_in_a_tick_every_run_comes_before_every_cancelled_call) {
    const Handle first = add("first", 10), second = add("second", 500);
    add("a", 0);
    add("b", 50);
    first->cancel();
    second->cancel();
    advanceTo(100);
    BOOST_TEST(log.take() == "a@100 b@100 -first@100 -second@100");
}

BOOST_AUTO_TEST_CASE(n32_a_cancellation_inside_a_run_is_completed_in_that_tick) {
    const Handle victim = add("victim", 550);
    at(0, [&] {
        log.write("run");
        BOOST_TEST(victim->cancel());
        BOOST_TEST(timer.pendingTimeouts() == 2);
    });
    add("beside", 0);
    advanceTo(100);
    BOOST_TEST(log.take() == "run@100 beside@100 -victim@100");
    BOOST_TEST(timer.pendingTimeouts() == 0);
}

BOOST_AUTO_TEST_CASE(n32_a_cancellation_between_two_ticks_is_completed_at_the_end_of_the_next) {
    const Handle near = add("near", 250), far = add("far", 1h);
    advanceTo(130);
    BOOST_TEST(near->cancel());
    advanceTo(199);
    BOOST_TEST(far->cancel());
    BOOST_TEST(log.take() == "");
    BOOST_TEST(timer.pendingTimeouts() == 2);
    advanceTo(200);
    BOOST_TEST(log.take() == "-near@200 -far@200");
    BOOST_TEST(timer.pendingTimeouts() == 0);
}

BOOST_AUTO_TEST_CASE(n32_a_cancellation_inside_a_cancelled_call_is_completed_in_that_tick) {
    const Handle third = add("third", 1h);
    const auto task = std::make_shared<test::WheelTask>([](const Handle&) {},
                                                        [&](const Handle&) {
                                                            log.write("-second");
                                                            third->cancel();
                                                        });
    const Handle second = timer.newTimeout(task, 1h);
    at(0, [&] { second->cancel(); });
    advanceTo(100);
    BOOST_TEST(log.take() == "-second@100 -third@100");
}

BOOST_AUTO_TEST_CASE(n32_a_chain_of_cancelled_calls_that_add_and_cancel_ends_with_its_tick) {
    // Each cancelled() adds a timeout and cancels it: a worker that finished all of them would
    // never come to the next tick. It finishes as many as were pending.
    int calls = 0;
    std::shared_ptr<test::WheelTask> task;  // which refers to itself by this variable
    task = std::make_shared<test::WheelTask>([](const Handle&) {},
                                             [&](const Handle&) {
                                                 if (++calls < 10)
                                                     timer.newTimeout(task, 1h)->cancel();
                                             });
    timer.newTimeout(task, 1h)->cancel();
    advanceTo(100);
    BOOST_TEST(calls == 1);
    add("a", 50);
    advanceTo(200);
    BOOST_TEST(calls == 2);
    BOOST_TEST(log.take() == "a@200");
    advanceTo(2000);
    BOOST_TEST(calls == 10);
    BOOST_TEST(timer.pendingTimeouts() == 0);
}

BOOST_AUTO_TEST_CASE(n33_what_is_cancelled_before_its_transfer_is_not_placed) {
    add("before", 0);
    const Handle cancelled = add("cancelled", 0);
    add("after", 0);
    BOOST_TEST(cancelled->cancel());
    advanceTo(100);
    BOOST_TEST(log.take() == "before@100 after@100 -cancelled@100");
    advanceTo(2000);
    BOOST_TEST(log.take() == "");
}

BOOST_AUTO_TEST_CASE(n33_what_is_added_and_cancelled_inside_a_run_is_completed_in_that_tick) {
    at(0, [&] {
        BOOST_TEST(add("inside", 0)->cancel());
        add("left", 0);
        log.write("run");
    });
    advanceTo(100);
    BOOST_TEST(log.take() == "run@100 -inside@100");
    BOOST_TEST(timer.pendingTimeouts() == 1);
    advanceTo(1000);
    BOOST_TEST(log.take() == "left@200");
}

BOOST_AUTO_TEST_CASE(n34_a_run_finds_its_timeout_expired_and_counted_down) {
    const Handle pending = add("pending", 1h);
    int runs = 0;
    for (const int left : {3, 2, 1}) {
        timer.newTimeout(
            [&, left](const Handle& timeout) {
                BOOST_TEST(timeout->isExpired());
                BOOST_TEST(timer.pendingTimeouts() == left);
                ++runs;
            },
            0);
    }
    advanceTo(100);
    BOOST_TEST(runs == 3);
    BOOST_TEST(timer.pendingTimeouts() == 1);
}

BOOST_AUTO_TEST_CASE(n74_other_threads_add_and_cancel_while_the_worker_walks_the_wheel) {
    at(0, [this] {
        boost::thread([this] {
            std::vector<Handle> all;
            for (int i = 0; i < 1000; ++i) all.push_back(add("", i));
            for (const Handle& timeout : all) BOOST_TEST(timeout->cancel());
        }).join();
        BOOST_TEST(timer.pendingTimeouts() == 1001);
    });
    add("a", 0);
    advanceTo(100);
    BOOST_TEST(timer.pendingTimeouts() == 0);
}

// Catching up.

BOOST_AUTO_TEST_CASE(n35_missed_ticks_are_handled_back_to_back_in_order) {
    at(0, [this] { clock->advance(3050); });  // from 100 to 3150, over three revolutions of 8 ticks
    std::string caughtUp, later;
    for (int tick = 40; tick > 0; --tick) {
        add(std::to_string(tick), tick * 100);
    }
    for (int tick = 1; tick <= 40; ++tick) {
        const std::string name = std::to_string(tick);
        if (tick <= 30) {
            caughtUp += (tick == 1 ? "" : " ") + name + "@3150";
        } else {
            later += (tick == 31 ? "" : " ") + name + '@' + std::to_string((tick + 1) * 100);
        }
    }
    advanceTo(3150);
    BOOST_TEST(log.take() == caughtUp);
    advanceTo(5000);
    BOOST_TEST(log.take() == later);
}

BOOST_AUTO_TEST_CASE(n35_rounds_stay_right_for_every_number_of_slots) {
    for (const int slots : {1, 2, 4, 16, 512}) {
        for (const int stall : {100, 250, 1600, 2000}) {
            ManualWheel wheel(slots);
            wheel.at(0, [&] { wheel.clock->advance(stall); });
            std::string expected;
            for (const int tick : {3, 7, 8, 17, 24, 40}) {
                const std::string name = std::to_string(tick);
                wheel.add(name, tick * 100 + 1);
                const int end = std::max((tick + 1) * 100, 100 + stall);
                // What becomes due during the stall runs at its end.
                expected += (expected.empty() ? "" : " ") + name + '@' + std::to_string(end);
            }
            wheel.advanceTo(10000);
            BOOST_TEST_CONTEXT(slots << " slots, a stall of " << stall) {
                BOOST_TEST(wheel.log.take() == expected);
            }
        }
    }
}

BOOST_AUTO_TEST_CASE(n36_after_a_run_of_ten_ticks_these_follow_at_once_and_the_next_is_on_time) {
    at(0, [this] {
        clock->advance(1000);
        log.write("long");
    });
    for (const int tick : {1, 2, 10, 11, 12}) add(std::to_string(tick), tick * 100);
    advanceTo(1100);
    BOOST_TEST(log.take() == "long@1100 1@1100 2@1100 10@1100");
    advanceTo(2000);
    BOOST_TEST(log.take() == "11@1200 12@1300");
}

BOOST_AUTO_TEST_CASE(n37_what_was_added_and_cancelled_during_a_long_run) {
    const Handle victim = add("victim", 400);
    at(0, [&] {
        clock->advance(500);
        add("added", -1000);
        BOOST_TEST(victim->cancel());
        log.write("long");
    });
    add("second", 150);
    advanceTo(600);
    // The cancellation at the end of tick 0; "added" in the transfer of tick 1, after "second".
    BOOST_TEST(log.take() == "long@600 -victim@600 second@600 added@600");
}

BOOST_AUTO_TEST_SUITE_END()
