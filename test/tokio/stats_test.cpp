// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "support/counts.hpp"
#include "support/race.hpp"
#include "support/test.hpp"
#include "tokio/driver_fixture.hpp"

#include <jtimer/tokio/timeout.hpp>

using namespace std::chrono_literals;
using jtimer::tokio::TimeDriver;
using test::counts;

BOOST_FIXTURE_TEST_SUITE(tokio_stats, test::PolledDriver)

BOOST_AUTO_TEST_CASE(sleeps_are_pending_until_they_fire_or_are_deregistered) {
    BOOST_TEST(counts(driver.stats()) == "pending 0 executed 0 cancelled 0 failed 0 latest 0");
    auto first = driver.sleep(10), second = driver.sleep(20);
    std::optional dropped(driver.sleep(20));
    auto never = driver.sleep(30), past = driver.sleep(0);
    first.poll();
    second.poll();
    dropped->poll();
    BOOST_TEST(past.poll());
    BOOST_TEST(counts(driver.stats()) == "pending 3 executed 1 cancelled 0 failed 0 latest 0");
    dropped.reset();
    BOOST_TEST(counts(driver.stats()) == "pending 2 executed 1 cancelled 1 failed 0 latest 0");
    turnAt(10);
    BOOST_TEST(counts(driver.stats()) == "pending 1 executed 2 cancelled 1 failed 0 latest 0");
    driver.shutdown();
    BOOST_TEST(counts(driver.stats()) == "pending 0 executed 2 cancelled 2 failed 0 latest 0");
}

BOOST_AUTO_TEST_CASE(a_reset_counts_as_nothing_unless_it_fires) {
    auto sleep = driver.sleep(10);
    sleep.poll();
    sleep.reset(at(500));
    sleep.reset(at(40));
    sleep.reset(at(50));
    BOOST_TEST(counts(driver.stats()) == "pending 1 executed 0 cancelled 0 failed 0 latest 0");
    turnAt(49);
    BOOST_TEST(counts(driver.stats()) == "pending 1 executed 0 cancelled 0 failed 0 latest 0");
    turnAt(53);
    BOOST_TEST(counts(driver.stats()) == "pending 0 executed 1 cancelled 0 failed 0 latest 3000");
    sleep.reset(at(46));
    BOOST_TEST(counts(driver.stats()) == "pending 0 executed 2 cancelled 0 failed 0 latest 7000");
}

BOOST_AUTO_TEST_CASE(the_lateness_counts_from_the_tick_of_the_deadline) {
    auto sleep = driver.sleep(1500us), other = driver.sleep(500);
    sleep.poll();
    other.poll();
    clock->advance(2700us);
    driver.turn();
    BOOST_TEST(counts(driver.stats()) == "pending 1 executed 1 cancelled 0 failed 0 latest 700");
    turnAt(700);
    BOOST_TEST(counts(driver.stats()) == "pending 0 executed 2 cancelled 0 failed 0 latest 200000");
    BOOST_TEST(sleep.poll());
    sleep = driver.sleepUntil(at(-300));
    BOOST_TEST(sleep.poll());
    BOOST_TEST(counts(driver.stats()) ==
               "pending 0 executed 3 cancelled 0 failed 0 latest 1000000");
}

BOOST_AUTO_TEST_CASE(a_turn_for_a_given_time_counts_by_that_time) {
    auto sleep = driver.sleep(10), other = driver.sleep(5);
    sleep.poll();
    driver.turn(at(20));
    BOOST_TEST(other.poll());
    BOOST_TEST(counts(driver.stats()) == "pending 0 executed 2 cancelled 0 failed 0 latest 10000");
}

BOOST_AUTO_TEST_CASE(wakers_and_unpark_calls_that_throw_have_failed) {
    auto sleep = driver.sleep(10);
    sleep.poll([] { throw std::runtime_error("a"); });
    turnAt(10);
    BOOST_TEST(counts(driver.stats()) == "pending 0 executed 1 cancelled 0 failed 1 latest 0");
    auto unparking = options();
    unparking.unpark = [] { throw std::runtime_error("b"); };
    TimeDriver other(unparking);
    auto waiting = other.sleep(10);
    waiting.poll();
    BOOST_TEST(counts(other.stats()) == "pending 1 executed 0 cancelled 0 failed 1 latest 0");
}

BOOST_AUTO_TEST_CASE(a_time_out_that_is_met_in_time_is_cancelled) {
    jtimer::tokio::Completion<int> answer;
    auto guarded = jtimer::tokio::timeout(driver, 10, answer);
    guarded.poll();
    BOOST_TEST(counts(driver.stats()) == "pending 1 executed 0 cancelled 0 failed 0 latest 0");
    answer.set(1);
    guarded.poll();
    BOOST_TEST(counts(driver.stats()) == "pending 0 executed 0 cancelled 1 failed 0 latest 0");
}

BOOST_AUTO_TEST_CASE(a_slow_waker_makes_the_next_one_late) {
    auto threaded = options();
    threaded.polled = false;
    TimeDriver own(threaded);
    auto slow = own.sleep(10), next = own.sleep(10), later = own.sleep(12);
    for (auto* const sleep : {&slow, &next}) sleep->poll([this] { clock->advance(5); });
    later.poll();
    clock->advance(10);
    clock->waitUntilIdle();
    BOOST_TEST(counts(own.stats()) == "pending 0 executed 3 cancelled 0 failed 0 latest 8000");
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_CASE(tokio_stats_may_be_read_while_the_driver_works) {
    TimeDriver driver;
    const auto producer = [&](int) {
        auto fires = driver.sleep(1), dropped = driver.sleep(1h);
        dropped.poll();
        fires.poll();
        dropped.resetAfter(2h);
        fires.wait();
    };
    const auto reader = [&](int) { static_cast<void>(driver.stats()); };
    test::race(100, {producer, producer, reader});
    BOOST_TEST(counts(driver.stats()).find("pending 0 executed 200 cancelled 200 failed 0") == 0U);
}
