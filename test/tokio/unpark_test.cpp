// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "support/test.hpp"
#include "tokio/driver_fixture.hpp"

using namespace std::chrono_literals;
using jtimer::tokio::Sleep;

// What a driver promises an event loop about its next wake, and when it unparks the loop.

BOOST_FIXTURE_TEST_SUITE(tokio_unpark, test::PolledDriver)

BOOST_AUTO_TEST_CASE(t23_a_driver_is_unparked_only_for_what_comes_before_the_promised_wake) {
    Sleep first = driver.sleep(234);
    first.poll();  // nothing was promised
    BOOST_TEST(unparked == 1);
    Sleep later = driver.sleep(1000);
    later.poll();
    BOOST_TEST(unparked == 1);
    Sleep covered = driver.sleep(200);  // the promise is 192
    covered.poll();
    BOOST_TEST(unparked == 1);
    Sleep equal = driver.sleep(192);
    equal.poll();
    BOOST_TEST(unparked == 1);
    Sleep before = driver.sleep(191);
    before.poll();  // the promise becomes 128
    BOOST_TEST(unparked == 2);
    Sleep between = driver.sleep(130);
    between.poll();
    BOOST_TEST(unparked == 2);
    Sleep soon = driver.sleep(3);
    soon.poll();
    BOOST_TEST(unparked == 3);
}

BOOST_AUTO_TEST_CASE(t23_the_promise_is_set_by_the_turn_and_not_by_drops) {
    Sleep near = driver.sleep(10);
    near.poll();
    driver.turn();  // promises 10
    unparked = 0;
    { const Sleep dropped = std::move(near); }
    Sleep later = driver.sleep(20);
    later.poll();  // the loop has not asked since, and comes at 10
    BOOST_TEST(unparked == 0);
    turnAt(10);  // promises 20
    Sleep before = driver.sleep(5);
    before.poll();
    BOOST_TEST(unparked == 1);
    turnAt(20);  // promises nothing
    Sleep any = driver.sleep(100'000);
    any.poll();
    BOOST_TEST(unparked == 2);
}

BOOST_AUTO_TEST_CASE(t23_an_answer_of_next_wake_is_a_promise) {
    {
        Sleep dropped = driver.sleep(50);
        dropped.poll();
        BOOST_TEST(unparked == 1);
    }
    BOOST_TEST(next() == -1);  // the loop sleeps without a limit
    Sleep later = driver.sleep(100);
    later.poll();
    BOOST_TEST(unparked == 2);
    BOOST_TEST(next() == 64);
    BOOST_TEST(turnAt(64) == 0U);
    BOOST_TEST(next() == 100);
    {
        Sleep dropped = driver.sleep(6);
        dropped.poll();
        BOOST_TEST(unparked == 3);
        BOOST_TEST(next() == 70);
    }
    BOOST_TEST(next() == 100);
    Sleep covered = driver.sleepUntil(at(100));
    covered.poll();
    BOOST_TEST(unparked == 3);
    Sleep before = driver.sleepUntil(at(99));
    before.poll();
    BOOST_TEST(unparked == 4);
}

BOOST_AUTO_TEST_CASE(t23_an_answer_of_next_wake_lowers_no_promise) {
    Sleep first = driver.sleep(10);
    first.poll();
    BOOST_TEST(next() == 10);
    first = driver.sleep(0);
    BOOST_TEST(next() == -1);  // asked by some other thread: the loop still sleeps until 10
    unparked = 0;
    Sleep before = driver.sleep(9);
    before.poll();
    BOOST_TEST(unparked == 1);
}

BOOST_AUTO_TEST_CASE(t23_an_answer_given_in_a_turn_holds_until_its_end) {
    Sleep dropped = driver.sleep(20), later = driver.sleep(0);
    Sleep first = driver.sleep(10);
    dropped.poll();
    first.poll([&] {
        dropped = driver.sleep(0);
        note(std::to_string(next()));
        later = driver.sleepUntil(at(30));
        later.poll();
    });
    unparked = 0;
    turnAt(10);
    BOOST_TEST(take() == "-1");
    BOOST_TEST(unparked == 0);
    Sleep covered = driver.sleepUntil(at(40));
    covered.poll();  // the turn has promised 30
    BOOST_TEST(unparked == 0);
}

BOOST_AUTO_TEST_CASE(t23_a_loop_that_asks_after_drops_misses_nothing) {
    // The loop asks at any time, and sleeps until the last answer or until it is unparked.
    std::vector<std::optional<Sleep>> sleeps(7);
    std::int64_t wakeUp = next();
    int late = 0;
    for (int i = 0; i < 2000; ++i) {
        const auto which = static_cast<std::size_t>(i * 31 % 7);
        sleeps[which].reset();
        if (i % 2 == 0) wakeUp = next();
        const std::int64_t span = (i * 7919) % 600 + 1;
        sleeps[which] = driver.sleep(span);
        unparked = 0;
        sleeps[which]->poll();
        if (unparked != 0) wakeUp = next();
        if (wakeUp < 0 || wakeUp > now() + span) ++late;
        if (i % 5 == 0) {
            turnAt(wakeUp);
            wakeUp = next();
        }
    }
    BOOST_TEST(late == 0);
}

BOOST_AUTO_TEST_CASE(t23_a_driver_is_unparked_neither_during_a_turn_nor_for_what_is_due) {
    Sleep due = driver.sleep(0);
    due.poll();
    BOOST_TEST(unparked == 0);
    Sleep registered = driver.sleep(50);
    Sleep first = driver.sleep(10);
    first.poll([&] { registered.poll(); });
    unparked = 0;
    turnAt(10);
    BOOST_TEST(unparked == 0);
    BOOST_TEST(next() == 50);
    Sleep covered = driver.sleepUntil(at(60));
    covered.poll();  // the turn has promised 50
    BOOST_TEST(unparked == 0);
}

BOOST_AUTO_TEST_CASE(t23_unpark_may_use_the_driver) {
    auto with = options();
    int size = -1;
    with.unpark = [&] { size = static_cast<int>(owned->size()); };
    owned.emplace(std::move(with));
    Sleep sleep = owned->sleep(5);
    sleep.poll();
    BOOST_TEST(size == 1);
}

BOOST_AUTO_TEST_CASE(t23_a_wait_for_the_promise_misses_nothing) {
    // The loop: it sleeps until the next wake, or until it is unparked.
    std::vector<Sleep> sleeps;
    int late = 0;
    std::int64_t wakeUp = -1;
    for (int i = 0; i < 500; ++i) {
        const std::int64_t span = (i * 7919) % 600 + 1;
        sleeps.push_back(driver.sleep(span));
        unparked = 0;
        sleeps.back().poll();
        if (unparked == 0 && (wakeUp < 0 || wakeUp > now() + span)) ++late;
        if (unparked != 0) wakeUp = next();
        if (i % 3 == 0 && wakeUp >= 0) {
            turnAt(wakeUp);
            wakeUp = next();
        }
    }
    BOOST_TEST(late == 0);
}

BOOST_AUTO_TEST_SUITE_END()
