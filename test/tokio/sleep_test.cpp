// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "support/race.hpp"
#include "support/test.hpp"
#include "tokio/driver_fixture.hpp"

using namespace std::chrono_literals;
using jtimer::Date;
using jtimer::IllegalArgumentException;
using jtimer::IllegalStateException;
using jtimer::tokio::Sleep;
using jtimer::tokio::Waker;

// Ticks, the Sleep, and what it keeps of its polls.

BOOST_FIXTURE_TEST_SUITE(tokio_sleep, test::PolledDriver)

BOOST_AUTO_TEST_CASE(t1_tick_0_is_the_construction_and_a_moment_is_rounded_down) {
    BOOST_TEST((driver.start() == kOrigin));
    BOOST_TEST(driver.elapsed().count() == 0);
    driver.turn(at(6) - Date::duration(1));
    BOOST_TEST(driver.elapsed().count() == 5);
    driver.turn(at(-7));
    BOOST_TEST(driver.elapsed().count() == 5);
}

BOOST_AUTO_TEST_CASE(t1_a_moment_before_the_start_is_tick_0) {
    driver.turn(Date::min());
    BOOST_TEST(driver.elapsed().count() == 0);
    Sleep past = driver.sleepUntil(at(-1));
    BOOST_TEST(past.poll());
}

BOOST_AUTO_TEST_CASE(t2_a_deadline_is_rounded_up_to_its_tick) {
    Sleep sleep = driver.sleep(1ms + 1ns);
    BOOST_TEST(!sleep.poll(waker("a")));
    clock->advance(1ms + 1ns);
    BOOST_TEST(driver.turn() == 0U);
    BOOST_TEST(next() == 2);
    BOOST_TEST(turnAt(2) == 1U);
    BOOST_TEST(take() == "a@2");
    BOOST_TEST(sleep.poll());
}

BOOST_AUTO_TEST_CASE(t3_the_end_of_time_never_comes) {
    Sleep longest = driver.sleep(std::chrono::nanoseconds::max());
    Sleep hours = driver.sleep(std::chrono::hours::max());
    Sleep last = driver.sleepUntil(Date::max());
    BOOST_TEST((longest.deadline() == Date::max()));
    BOOST_TEST((hours.deadline() == Date::max()));
    for (Sleep* sleep : {&longest, &hours, &last}) BOOST_TEST(!sleep->poll(waker("never")));
    longest.resetAfter(std::chrono::hours::max());
    BOOST_TEST((longest.deadline() == Date::max()));
    BOOST_TEST(driver.turn(Date::max()) == 0U);
    driver.check();
    BOOST_TEST((driver.nextWake().value() <= Date::max()));
    BOOST_TEST(driver.size() == 3U);
    BOOST_TEST(take() == "");
}

BOOST_AUTO_TEST_CASE(t4_what_is_not_after_now_is_due_at_once_to_the_nanosecond) {
    clock->advance(300us);
    Sleep zero = driver.sleep(0);
    BOOST_TEST(zero.poll(waker("zero")));
    Sleep now = driver.sleepUntil(kOrigin + 300us);
    BOOST_TEST(now.poll());
    Sleep next = driver.sleepUntil(kOrigin + 300us + Date::duration(1));
    BOOST_TEST(!next.poll());
    BOOST_TEST(driver.size() == 1U);
    BOOST_TEST(take() == "");
}

BOOST_AUTO_TEST_CASE(t30_nothing_is_registered_before_the_first_poll_wait_or_reset) {
    Sleep polled = driver.sleep(10);
    Sleep reset = driver.sleep(10);
    BOOST_TEST(driver.size() == 0U);
    BOOST_TEST(next() == -1);
    clock->advance(20ms);
    BOOST_TEST(driver.turn() == 0U);
    BOOST_TEST(!polled.isElapsed());
    BOOST_TEST(polled.poll());
    BOOST_TEST(polled.isElapsed());
    reset.reset(at(30));
    BOOST_TEST(driver.size() == 1U);
    BOOST_TEST(!reset.isElapsed());
    BOOST_TEST(turnAt(30) == 1U);
    BOOST_TEST(reset.isElapsed());
}

BOOST_AUTO_TEST_CASE(t31_poll_is_true_once_fired_and_ever_after_until_a_reset) {
    Sleep sleep = driver.sleep(10);
    BOOST_TEST(!sleep.poll());
    BOOST_TEST(!sleep.poll());
    BOOST_TEST(driver.size() == 1U);
    clock->advance(15ms);
    BOOST_TEST(!sleep.poll());  // due, and nobody has turned
    BOOST_TEST(driver.turn() == 1U);
    BOOST_TEST(sleep.poll());
    BOOST_TEST(sleep.poll());
    sleep.reset(at(20));
    BOOST_TEST(!sleep.poll());
}

BOOST_AUTO_TEST_CASE(t31_polling_again_while_pending_touches_no_wheel) {
    Sleep sleep = driver.sleep(10'000);
    BOOST_TEST(!sleep.poll());
    const auto wake = next();
    unparked = 0;
    for (int i = 0; i < 100; ++i) BOOST_TEST(!sleep.poll(waker("a")));
    BOOST_TEST(next() == wake);
    BOOST_TEST(driver.size() == 1U);
    BOOST_TEST(unparked == 0);
}

BOOST_AUTO_TEST_CASE(t32_only_the_last_waker_is_called_and_once) {
    Sleep sleep = driver.sleep(10);
    sleep.poll(waker("first"));
    sleep.poll(waker("second"));
    sleep.poll();
    BOOST_TEST(turnAt(10) == 1U);
    BOOST_TEST(take() == "second@10");
    BOOST_TEST(turnAt(20) == 0U);
    BOOST_TEST(take() == "");
}

BOOST_AUTO_TEST_CASE(t32_a_poll_that_returns_true_keeps_no_waker) {
    Sleep sleep = driver.sleep(10);
    sleep.poll();
    turnAt(10);
    const auto held = std::make_shared<int>();
    BOOST_TEST(sleep.poll([held] {}));
    BOOST_TEST(held.use_count() == 1);
    sleep.reset(at(20));
    turnAt(20);
    BOOST_TEST(take() == "");
}

BOOST_AUTO_TEST_CASE(t32_a_waker_that_was_called_or_replaced_is_destroyed) {
    const auto first = std::make_shared<int>();
    const auto second = std::make_shared<int>();
    Sleep sleep = driver.sleep(10);
    sleep.poll([first] {});
    sleep.poll([second] {});
    BOOST_TEST(first.use_count() == 1);
    BOOST_TEST(second.use_count() == 2);
    turnAt(10);
    BOOST_TEST(second.use_count() == 1);
}

BOOST_AUTO_TEST_CASE(t33_the_destructor_deregisters_now_and_does_not_unpark) {
    std::optional<Sleep> sleep = driver.sleep(10);
    sleep->poll(waker("a"));
    unparked = 0;
    sleep.reset();
    driver.check();
    BOOST_TEST(driver.size() == 0U);
    BOOST_TEST(next() == -1);
    BOOST_TEST(unparked == 0);
    BOOST_TEST(turnAt(10) == 0U);
    BOOST_TEST(take() == "");
}

BOOST_AUTO_TEST_CASE(t33_moving_onto_a_sleep_deregisters_it) {
    Sleep kept = driver.sleep(10);
    Sleep other = driver.sleep(20);
    kept.poll(waker("kept"));
    other.poll(waker("other"));
    kept = std::move(other);
    BOOST_TEST(driver.size() == 1U);
    BOOST_TEST(next() == 20);
    BOOST_TEST((kept.deadline() == at(20)));
    Sleep last(std::move(kept));
    BOOST_TEST(turnAt(20) == 1U);
    BOOST_TEST(take() == "other@20");
    BOOST_TEST(last.isElapsed());
    kept = driver.sleep(5);
    BOOST_TEST(!kept.poll());
    Sleep& itself = kept;
    kept = std::move(itself);
    BOOST_TEST(driver.size() == 1U);
}

BOOST_AUTO_TEST_CASE(t36_many_years_are_slept_to_the_millisecond) {
    constexpr std::int64_t year = std::int64_t{365} * 86'400'000;
    Sleep five = driver.sleep(5 * year);
    Sleep ten = driver.sleep(10 * year);
    five.poll(waker("five"));
    ten.poll(waker("ten"));
    std::int64_t time = 0;
    for (int i = 0; i < 5; ++i) {
        Sleep one = driver.sleep(year);
        one.poll(waker("one"));
        time += year;
        turnAt(time - 1);
        BOOST_TEST(!one.isElapsed());
        turnAt(time);
        BOOST_TEST(one.isElapsed());
        const std::string expected = "one@" + std::to_string(time);
        const std::string taken = take();
        BOOST_TEST(taken.find(expected) != std::string::npos);
        BOOST_TEST(five.isElapsed() == (i == 4));
    }
    turnAt(10 * year - 1);
    BOOST_TEST(!ten.isElapsed());
    turnAt(10 * year);
    BOOST_TEST(take() == "ten@" + std::to_string(10 * year));
}

BOOST_AUTO_TEST_CASE(t37_negative_durations_are_refused) {
    CHECK_THROWS(driver.sleep(-1), IllegalArgumentException, "Negative duration.");
    CHECK_THROWS(driver.sleep(-1ns), IllegalArgumentException, "Negative duration.");
    Sleep sleep = driver.sleep(10);
    CHECK_THROWS(sleep.resetAfter(-1), IllegalArgumentException, "Negative duration.");
    BOOST_TEST((sleep.deadline() == at(10)));
    BOOST_TEST(driver.size() == 0U);
}

BOOST_AUTO_TEST_CASE(t58_every_sleep_in_its_own_time_with_automatic_advance) {
    Sleep sleep = driver.sleep(299'008);
    std::string turns;
    while (!sleep.poll()) {
        clock->advanceTo(*driver.nextWake());
        turns += std::to_string(now()) + ' ';
        driver.turn();
    }
    BOOST_TEST(turns == "262144 299008 ");
}

BOOST_AUTO_TEST_CASE(t59_a_sleep_of_a_millisecond_in_steps_of_250_us) {
    Sleep sleep = driver.sleep(1);
    for (int i = 0; i < 4; ++i) {
        BOOST_TEST(!sleep.poll());
        clock->advance(250us);
        driver.turn();
    }
    BOOST_TEST(sleep.poll());
    BOOST_TEST((driver.now() == at(1)));
}

BOOST_AUTO_TEST_CASE(t58_a_jump_of_the_clock_fires_all_it_has_passed_in_one_turn) {
    Sleep a = driver.sleep(100), b = driver.sleep(5), c = driver.sleep(70'000);
    for (Sleep* sleep : {&a, &b, &c}) BOOST_TEST(!sleep->poll());
    BOOST_TEST(turnAt(60'000) == 2U);
    BOOST_TEST(a.isElapsed());
    BOOST_TEST(b.isElapsed());
    BOOST_TEST(!c.isElapsed());
    BOOST_TEST(turnAt(70'000) == 1U);
}

BOOST_AUTO_TEST_CASE(d9_each_deadline_has_its_own_drivers_ticks) {
    clock->advance(12345us);
    jtimer::tokio::TimeDriver later(options());
    Sleep here = driver.sleepUntil(at(20));
    Sleep there = later.sleepUntil(at(20));
    here.poll();
    there.poll();
    BOOST_TEST((driver.nextWake() == at(20)));
    BOOST_TEST((later.nextWake() == kOrigin + 12345us + 8ms));
    here = std::move(there);  // of the other driver from now on
    BOOST_TEST(driver.size() == 0U);
    BOOST_TEST(later.turn(at(20)) == 0U);
    BOOST_TEST(later.turn(at(21)) == 1U);
    BOOST_TEST(here.isElapsed());
}

BOOST_AUTO_TEST_SUITE_END()
