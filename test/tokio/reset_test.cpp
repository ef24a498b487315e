// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "support/race.hpp"
#include "support/test.hpp"
#include "tokio/driver_fixture.hpp"

using namespace std::chrono_literals;
using jtimer::IllegalStateException;
using jtimer::tokio::Sleep;

// Resets of a Sleep: which of them touch the wheel, and when it fires after that.

BOOST_FIXTURE_TEST_SUITE(tokio_reset, test::PolledDriver)

BOOST_AUTO_TEST_CASE(t16_the_deadline_is_the_true_one_while_the_wheel_has_the_registered_one) {
    Sleep sleep = driver.sleep(10);
    sleep.poll();
    sleep.reset(at(50));
    BOOST_TEST((sleep.deadline() == at(50)));
    BOOST_TEST(next() == 10);
}

BOOST_AUTO_TEST_CASE(t17_an_extension_leaves_the_wheel_and_the_next_wake_alone) {
    Sleep sleep = driver.sleep(10);
    sleep.poll(waker("a"));
    unparked = 0;
    for (int i = 11; i <= 50; ++i) sleep.reset(at(i));
    sleep.reset(at(50));
    sleep.reset(at(49) + jtimer::Date::duration(1));  // the same tick, so no earlier one
    BOOST_TEST(next() == 10);
    BOOST_TEST(unparked == 0);
    BOOST_TEST(turnAt(10) == 0U);
    BOOST_TEST(next() == 50);
    BOOST_TEST(turnAt(49) == 0U);
    BOOST_TEST(turnAt(50) == 1U);
    BOOST_TEST(take() == "a@50");
}

BOOST_AUTO_TEST_CASE(t17_an_extension_to_a_time_that_has_passed_waits_for_the_overdue_turn) {
    Sleep sleep = driver.sleep(10);
    sleep.poll(waker("a"));
    clock->advance(100ms);
    sleep.reset(at(50));
    BOOST_TEST(!sleep.isElapsed());
    BOOST_TEST(take() == "");
    BOOST_TEST(driver.turn() == 1U);
    BOOST_TEST(take() == "a@100");
}

BOOST_AUTO_TEST_CASE(t18_an_earlier_time_is_registered_at_once_and_keeps_the_waker) {
    Sleep sleep = driver.sleep(5000);
    sleep.poll(waker("a"));
    unparked = 0;
    sleep.reset(at(20));
    driver.check();
    BOOST_TEST(next() == 20);
    BOOST_TEST(unparked == 1);
    BOOST_TEST(turnAt(20) == 1U);
    BOOST_TEST(take() == "a@20");
}

BOOST_AUTO_TEST_CASE(t18_earlier_than_the_last_extension_is_registered_at_once) {
    Sleep sleep = driver.sleep(10);
    sleep.poll();
    sleep.reset(at(100));
    sleep.reset(at(60));
    BOOST_TEST(next() == 60);
    BOOST_TEST(turnAt(59) == 0U);
    BOOST_TEST(turnAt(60) == 1U);
}

BOOST_AUTO_TEST_CASE(t18_a_sleep_that_was_never_polled_is_registered_by_a_reset) {
    Sleep sleep = driver.sleep(10);
    sleep.reset(at(30));
    BOOST_TEST(driver.size() == 1U);
    BOOST_TEST(next() == 30);
    BOOST_TEST(unparked == 1);
    BOOST_TEST(!sleep.poll(waker("a")));
    BOOST_TEST(turnAt(30) == 1U);
    BOOST_TEST(take() == "a@30");
}

BOOST_AUTO_TEST_CASE(t19_a_reset_to_what_is_due_fires_and_leaves_the_waker_to_the_next_turn) {
    clock->advance(50ms);
    driver.turn();
    Sleep sleep = driver.sleepUntil(at(500));
    sleep.poll(waker("a"));
    unparked = 0;
    sleep.reset(at(50));
    BOOST_TEST(sleep.isElapsed());
    BOOST_TEST(unparked == 1);
    BOOST_TEST(next() == 50);
    BOOST_TEST(driver.size() == 1U);  // so a loop that ends at 0 does not end yet
    BOOST_TEST(take() == "");
    BOOST_TEST(driver.turn() == 1U);
    BOOST_TEST(take() == "a@50");
    BOOST_TEST(sleep.isElapsed());
    BOOST_TEST(driver.size() == 0U);
    sleep.reset(at(3));
    BOOST_TEST(sleep.isElapsed());
    BOOST_TEST(take() == "");
    Sleep fresh = driver.sleep(10);
    fresh.reset(at(0));
    BOOST_TEST(fresh.isElapsed());
}

BOOST_AUTO_TEST_CASE(t19_the_waker_of_a_reset_may_destroy_the_sleep) {
    std::optional<Sleep> sleep = driver.sleep(100);
    sleep->poll([&] { sleep.reset(); });
    sleep->reset(at(0));
    driver.turn();
    BOOST_TEST(!sleep.has_value());
}

BOOST_AUTO_TEST_CASE(t19_without_a_waker_nothing_is_left_to_a_turn) {
    Sleep sleep = driver.sleep(100);
    sleep.poll();
    unparked = 0;
    sleep.reset(at(0));
    BOOST_TEST(sleep.isElapsed());
    BOOST_TEST(unparked == 0);
    BOOST_TEST(driver.size() == 0U);
}

BOOST_AUTO_TEST_CASE(t19_before_the_turn_a_poll_takes_the_waker_and_a_reset_postpones_it) {
    const auto held = std::make_shared<int>();
    Sleep sleep = driver.sleep(100);
    sleep.poll([held] {});
    sleep.reset(at(0));
    BOOST_TEST(held.use_count() == 2);
    BOOST_TEST(sleep.poll(waker("none")));
    BOOST_TEST(held.use_count() == 1);
    BOOST_TEST(sleep.isElapsed());
    BOOST_TEST(driver.size() == 0U);
    sleep.reset(at(100));
    sleep.poll(waker("a"));
    sleep.reset(at(0));
    sleep.reset(at(0));
    BOOST_TEST(driver.size() == 1U);
    sleep.reset(at(20));
    BOOST_TEST(!sleep.isElapsed());
    BOOST_TEST(driver.turn() == 0U);
    driver.check();
    BOOST_TEST(turnAt(20) == 1U);
    BOOST_TEST(take() == "a@20");
}

BOOST_AUTO_TEST_CASE(t19_a_sleep_that_goes_away_before_the_turn_does_not_wake) {
    const auto held = std::make_shared<int>();
    std::optional<Sleep> sleep = driver.sleep(100);
    sleep->poll([held] {});
    sleep->reset(at(0));
    sleep.reset();
    BOOST_TEST(held.use_count() == 1);
    BOOST_TEST(driver.size() == 0U);
    BOOST_TEST(driver.stats().cancelled == 0U);
    BOOST_TEST(driver.stats().executed == 1U);
    BOOST_TEST(driver.turn() == 0U);
}

BOOST_AUTO_TEST_CASE(t19_wakers_that_wait_for_a_turn_are_called_first_in_the_order_of_the_resets) {
    Sleep sleeps[] = {driver.sleep(10), driver.sleep(20), driver.sleep(30)};
    for (std::size_t i = 0; i < 3; ++i) sleeps[i].poll(waker(std::to_string(i)));
    clock->advanceTo(at(10));
    sleeps[2].reset(at(5));
    sleeps[1].reset(at(10));
    BOOST_TEST(driver.turn() == 3U);
    BOOST_TEST(take() == "2@10 1@10 0@10");
}

BOOST_AUTO_TEST_CASE(t19_in_a_turn_a_reset_to_what_is_due_is_for_the_next_turn) {
    Sleep first = driver.sleep(10), second = driver.sleep(20);
    first.poll([&] {
        second.reset(at(10));
        note("reset");
    });
    second.poll(waker("second"));
    unparked = 0;
    BOOST_TEST(turnAt(10) == 1U);
    BOOST_TEST(take() == "reset");
    BOOST_TEST(unparked == 0);
    BOOST_TEST(next() == 10);
    BOOST_TEST(turnAt(10) == 1U);
    BOOST_TEST(take() == "second@10");
}

BOOST_AUTO_TEST_CASE(t19_t22_a_turn_is_due_at_once_also_if_the_driver_is_ahead_of_the_clock) {
    Sleep sleep = driver.sleep(1000);
    sleep.poll(waker("a"));
    driver.turn(at(500));
    sleep.reset(at(400));
    BOOST_TEST(sleep.isElapsed());
    BOOST_TEST(next() == 0);
    BOOST_TEST(driver.turn() == 1U);
    BOOST_TEST(take() == "a@0");
}

BOOST_AUTO_TEST_CASE(t19_t27_a_waker_that_waits_for_a_turn_is_called_by_a_shutdown) {
    Sleep sleep = driver.sleep(100);
    sleep.poll(waker("a"));
    sleep.reset(at(0));
    driver.shutdown();
    BOOST_TEST(take() == "a@0");
    BOOST_TEST(sleep.isElapsed());
    BOOST_TEST(sleep.poll());
    BOOST_TEST(driver.stats().cancelled == 0U);
    BOOST_TEST(driver.size() == 0U);
}

BOOST_AUTO_TEST_CASE(t19_the_waker_of_a_reset_may_destroy_the_driver) {
    Sleep sleep = driver.sleep(100);
    sleep.poll([&] { owned.reset(); });
    sleep.reset(at(0));
    driver.turn();
    BOOST_TEST(sleep.isElapsed());
    CHECK_THROWS(sleep.reset(at(0)), IllegalStateException, test::kShutDown);
}

BOOST_AUTO_TEST_CASE(t21_a_fired_sleep_fires_again_and_wakes_if_polled_since) {
    Sleep sleep = driver.sleep(10);
    sleep.poll(waker("a"));
    turnAt(10);
    sleep.reset(at(20));
    BOOST_TEST(!sleep.isElapsed());
    BOOST_TEST(turnAt(20) == 1U);
    BOOST_TEST(take() == "a@10");
    sleep.reset(at(30));
    BOOST_TEST(!sleep.poll(waker("b")));
    BOOST_TEST(turnAt(30) == 1U);
    BOOST_TEST(take() == "b@30");
}

BOOST_AUTO_TEST_CASE(t21_reset_around_the_old_slot_before_and_after_a_turn) {
    // Each old and each new deadline in turn lies below, in, beside and above a slot boundary.
    const std::int64_t spans[] = {1, 62, 63, 64, 65, 127, 128, 129, 4095, 4096, 4097, 300'000};
    std::int64_t origin = 1000;
    for (const std::int64_t before : spans) {
        for (const std::int64_t after : spans) {
            for (const std::int64_t pause : {0, 1, 64}) {
                turnAt(origin);
                Sleep sleep = driver.sleep(before);
                sleep.poll(waker("a"));
                turnAt(origin + pause);
                take();
                sleep.reset(at(origin + pause + after));
                sleep.poll(waker("b"));
                driver.check();
                turnAt(origin + pause + after - 1);
                BOOST_TEST(!sleep.isElapsed());
                turnAt(origin + pause + after);
                BOOST_TEST(sleep.isElapsed());
                BOOST_TEST(take() == "b@" + std::to_string(origin + pause + after));
                origin += pause + after + before + 17;
            }
        }
    }
}

BOOST_AUTO_TEST_CASE(t21_20000_random_resets_end_at_the_last_deadline) {
    std::mt19937_64 random(7);
    std::vector<Sleep> sleeps;
    std::vector<std::int64_t> due(100, 0);
    for (std::size_t i = 0; i < due.size(); ++i) sleeps.push_back(driver.sleep(0));
    int wrong = 0;
    for (int round = 0; round < 1000; ++round) {
        for (int i = 0; i < 20; ++i) {
            const auto which = static_cast<std::size_t>(random() % due.size());
            due[which] = now() + 1 + static_cast<std::int64_t>(random() % (1U << (random() % 16)));
            sleeps[which].reset(at(due[which]));
        }
        turnAt(now() + static_cast<std::int64_t>(random() % 50));
        for (std::size_t i = 0; i < due.size(); ++i) {
            if (sleeps[i].isElapsed() != (due[i] != 0 && due[i] <= now())) ++wrong;
        }
    }
    BOOST_TEST(wrong == 0);
}

BOOST_AUTO_TEST_CASE(t20_an_extension_that_races_with_the_firing_is_never_lost) {
    constexpr int rounds = 2000;
    std::optional<Sleep> sleep;
    std::int64_t base = 0;
    int wrong = 0;
    const auto prepare = [&] {
        base += 10;
        sleep = driver.sleepUntil(at(base));
        sleep->poll();
    };
    prepare();
    test::race(rounds,
               {[&](int) { sleep->reset(at(base + 5)); }, [&](int) { driver.turn(at(base)); }},
               [&](int) {
                   // Either way it is registered now, and fires at the new deadline.
                   if (sleep->isElapsed() || driver.size() != 1) ++wrong;
                   driver.check();
                   if (driver.turn(at(base + 4)) != 0) ++wrong;
                   if (driver.turn(at(base + 5)) != 1 || !sleep->isElapsed()) ++wrong;
                   prepare();
               });
    BOOST_TEST(wrong == 0);
}

BOOST_AUTO_TEST_CASE(t20_the_waker_of_an_extension_may_destroy_the_sleep_before_reset_returns) {
    // The turn at `base` fires the Sleep, or has seen the extension. Only in the second case does
    // the turn after it call the waker that destroys the Sleep, while reset() may not have returned
    // yet. ThreadSanitizer reports it if reset() touches the Sleep after it has extended the entry.
    constexpr int rounds = 2000;
    std::unique_ptr<Sleep> owner;
    Sleep* sleep = nullptr;
    std::int64_t base = 0, turned = 0;
    int wrong = 0;
    const auto prepare = [&] {
        base += 10;
        owner = std::make_unique<Sleep>(driver.sleepUntil(at(base)));
        sleep = owner.get();
        sleep->poll([&] {
            if (turned == base + 5) owner.reset();
        });
    };
    prepare();
    test::race(rounds,
               {[&](int) { sleep->reset(at(base + 5)); },
                [&](int) {
                    for (turned = base; turned <= base + 5; turned += 5) driver.turn(at(turned));
                }},
               [&](int) {
                   if (owner != nullptr && !owner->isElapsed()) ++wrong;
                   if (driver.size() != 0) ++wrong;
                   prepare();
               });
    BOOST_TEST(wrong == 0);
}

BOOST_AUTO_TEST_SUITE_END()
