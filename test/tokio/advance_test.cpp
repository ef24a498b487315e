// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "support/test.hpp"
#include "support/throws.hpp"
#include "tokio/threaded_driver.hpp"

#include <jtimer/tokio.hpp>

using jtimer::IllegalArgumentException;
using jtimer::IllegalStateException;
using jtimer::tokio::Sleep;
using jtimer::tokio::TimeDriver;
using namespace std::chrono_literals;

BOOST_FIXTURE_TEST_SUITE(tokio_advance, test::ThreadedDriver)

BOOST_AUTO_TEST_CASE(a22_advance_stops_at_each_deadline_and_returns_the_sum_of_the_turns) {
    Sleep first = driver.sleep(10), second = driver.sleep(20), later = driver.sleep(21);
    first.poll(waker("first"));
    second.poll(waker("second"));
    later.poll(waker("later"));
    BOOST_TEST(driver.advance(20) == 2U);
    BOOST_TEST(take() == "first@10 second@20");
    BOOST_TEST(now() == 20);
    BOOST_TEST(driver.advance(0) == 0U);
    BOOST_TEST(driver.advance(1h) == 1U);
    BOOST_TEST(take() == "later@21");
    BOOST_TEST(now() == 20 + 3'600'000);
    BOOST_TEST(driver.elapsed().count() == now());
}

BOOST_AUTO_TEST_CASE(a22_what_is_due_already_is_taken_first) {
    Sleep sleep = driver.sleep(10);
    sleep.poll(waker("past"));
    clock->advance(30);
    Sleep soon = driver.sleep(0);
    soon.poll(waker("kept"));
    soon.resetAfter(5);
    BOOST_TEST(driver.advance(0) == 1U);
    BOOST_TEST(take() == "past@30");
    BOOST_TEST(now() == 30);
}

BOOST_AUTO_TEST_CASE(a22_it_turns_again_while_something_is_due) {
    int left = 3;
    Sleep sleep = driver.sleep(10);
    std::function<void()> again = [&] {
        note(std::to_string(now()));
        if (--left == 0) return;
        sleep = driver.sleep(1h);
        sleep.poll(again);
        sleep.resetAfter(0);
    };
    sleep.poll(again);
    BOOST_TEST(driver.advance(15) == 3U);
    BOOST_TEST(take() == "10 10 10");
    BOOST_TEST(now() == 15);
    BOOST_TEST(driver.size() == 0U);
}

BOOST_AUTO_TEST_CASE(a22_what_wakers_set_on_the_way_comes_at_its_time) {
    Sleep second = driver.sleep(1h);
    Sleep first = driver.sleep(10);
    second.poll(waker("second"));
    first.poll([&] { second.resetAfter(5); });
    BOOST_TEST(driver.advance(20) == 2U);
    BOOST_TEST(take() == "second@15");
}

BOOST_AUTO_TEST_CASE(a22_the_clock_may_be_moved_and_the_driver_destroyed_on_the_way) {
    Sleep first = driver.sleep(10);
    first.poll([&] { clock->advance(10); });
    BOOST_TEST(driver.advance(15) == 1U);
    BOOST_TEST(now() == 20);
    Sleep last = driver.sleep(10);
    last.poll([&] { owned.reset(); });
    BOOST_TEST(driver.advance(20) == 1U);
    BOOST_TEST(now() == 40);
}

BOOST_AUTO_TEST_CASE(a22_the_longest_span_ends) {
    Sleep sleep = driver.sleep(10);
    sleep.poll(waker("w"));
    BOOST_TEST(driver.advance(std::chrono::nanoseconds::max()) == 1U);
    BOOST_TEST(take() == "w@10");
    BOOST_TEST(driver.advance(1) == 0U);
}

BOOST_AUTO_TEST_CASE(a22_after_a_shutdown_only_the_clock_moves) {
    driver.shutdown();
    BOOST_TEST(driver.advance(10) == 0U);
    BOOST_TEST(now() == 10);
}

BOOST_AUTO_TEST_CASE(a22_where_it_is_refused_nothing_has_changed) {
    CHECK_THROWS(driver.advance(-1), IllegalArgumentException, "Negative duration.");
    CHECK_THROWS(threaded->advance(-1), IllegalArgumentException, "Negative duration.");
    CHECK_THROWS(threaded->advance(1), IllegalStateException,
                 "TimeDriver.advance() cannot be called on a driver with a thread.");
    TimeDriver real(optionsOn(std::make_shared<jtimer::SteadyClock>()));
    CHECK_THROWS(real.advance(1), IllegalStateException,
                 "TimeDriver.advance() needs a ManualClock.");
    Sleep sleep = driver.sleep(10);
    sleep.poll([&] {
        CHECK_THROWS(driver.advance(1), IllegalStateException,
                     "TimeDriver.advance() cannot be called from a waker.");
        note("refused");
    });
    BOOST_TEST(now() == 0);
    BOOST_TEST(driver.advance(10) == 1U);
    BOOST_TEST(take() == "refused");
    BOOST_TEST(now() == 10);
}

BOOST_AUTO_TEST_SUITE_END()
