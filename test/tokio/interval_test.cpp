// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "support/test.hpp"
#include "tokio/driver_fixture.hpp"
#include "tokio/missed_tick.hpp"

#include <initializer_list>

using namespace std::chrono_literals;
using jtimer::Date;
using jtimer::IllegalArgumentException;
using jtimer::tokio::Interval;
using jtimer::tokio::MissedTickBehavior;
using jtimer::tokio::detail::kMissedAfter;
using jtimer::tokio::detail::nextTick;

namespace {

constexpr std::int64_t kMilli = 1'000'000;
constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();

struct Intervals : test::PolledDriver {
    /// Polls at each of these times, until it is not ready: what it returned, "-" for nothing.
    std::string pollAt(Interval& interval, std::initializer_list<std::int64_t> times) {
        std::string text;
        for (const std::int64_t time : times) {
            turnAt(time);
            std::string ticks;
            while (const std::optional<Date> tick = interval.pollTick())
                ticks += (ticks.empty() ? "" : "+") + std::to_string(millis(*tick));
            text += (text.empty() ? "" : " ") + (ticks.empty() ? "-" : ticks);
        }
        return text;
    }
    Interval started(MissedTickBehavior behavior) {
        Interval interval = driver.intervalAt(at(0), 300);
        interval.setMissedTickBehavior(behavior);
        return interval;
    }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(tokio_interval, Intervals)

BOOST_AUTO_TEST_CASE(t42_a_period_of_0_or_less_is_refused) {
    const char* const text = "`period` must be non-zero.";
    CHECK_THROWS(driver.interval(0), IllegalArgumentException, text);
    CHECK_THROWS(driver.interval(-5), IllegalArgumentException, text);
    CHECK_THROWS(driver.intervalAt(at(5), 0ns), IllegalArgumentException, text);
    BOOST_TEST((driver.interval(1ns).period() == 1ns));
}

BOOST_AUTO_TEST_CASE(t42_the_first_tick_comes_at_the_start) {
    Interval now = driver.interval(10);
    BOOST_TEST(millis(now.pollTick().value()) == 0);
    Interval later = driver.intervalAt(at(25), 10);
    BOOST_TEST(pollAt(later, {24, 25, 35}) == "- 25 35");
    Interval past = driver.intervalAt(at(30), 10);
    BOOST_TEST(millis(past.pollTick().value()) == 30);
    BOOST_TEST((later.missedTickBehavior() == MissedTickBehavior::Burst));
}

BOOST_AUTO_TEST_CASE(t43_the_next_tick_as_a_function) {
    using Behavior = MissedTickBehavior;
    const auto next = [](Behavior behavior, std::int64_t scheduled, std::int64_t now) {
        return nextTick(behavior, scheduled * kMilli, 100 * kMilli, now * kMilli) / kMilli;
    };
    for (const Behavior behavior : {Behavior::Burst, Behavior::Delay, Behavior::Skip}) {
        BOOST_TEST(next(behavior, 1000, 1000) == 1100);
        BOOST_TEST(next(behavior, 1000, 1005) == 1100);  // 5 ms late is not missed
        BOOST_TEST(next(behavior, 1000, 900) == 1100);
    }
    BOOST_TEST(next(Behavior::Burst, 1000, 1006) == 1100);
    BOOST_TEST(next(Behavior::Delay, 1000, 1006) == 1106);
    BOOST_TEST(next(Behavior::Skip, 1000, 1006) == 1100);
    BOOST_TEST(next(Behavior::Burst, 1000, 1734) == 1100);
    BOOST_TEST(next(Behavior::Delay, 1000, 1734) == 1834);
    BOOST_TEST(next(Behavior::Skip, 1000, 1734) == 1800);
    BOOST_TEST(next(Behavior::Skip, 1000, 1800) == 1900);  // always after now
    BOOST_TEST(nextTick(Behavior::Delay, 0, 7, kMissedAfter) == 7);
    BOOST_TEST(nextTick(Behavior::Delay, 0, 7, kMissedAfter + 1) == kMissedAfter + 8);
}

BOOST_AUTO_TEST_CASE(t3_the_next_tick_saturates) {
    for (const auto behavior :
         {MissedTickBehavior::Burst, MissedTickBehavior::Delay, MissedTickBehavior::Skip}) {
        BOOST_TEST(nextTick(behavior, 5, kMax, 5) == kMax);
        BOOST_TEST(nextTick(behavior, kMax - 3, 100, kMax - 3) == kMax);
        BOOST_TEST(nextTick(behavior, kMax - 3, 100, kMax - 1) == kMax);
        // Not missed: the time by which it would be does not come.
        BOOST_TEST(nextTick(behavior, kMax - 3, 1, kMax - 1) == kMax - 2);
        BOOST_TEST(nextTick(behavior, 0, kMax, kMissedAfter + 1) == kMax);
    }
}

BOOST_AUTO_TEST_CASE(t3_t43_the_next_tick_on_a_clock_far_below_0) {
    constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min();
    const auto next = [](MissedTickBehavior behavior, std::int64_t scheduled, std::int64_t now) {
        return nextTick(behavior, scheduled, kMilli, now);
    };
    for (const auto behavior :
         {MissedTickBehavior::Burst, MissedTickBehavior::Delay, MissedTickBehavior::Skip}) {
        BOOST_TEST(next(behavior, kMin, kMin) == kMin + kMilli);
        BOOST_TEST(next(behavior, kMin, kMin + 4) == kMin + kMilli);
        BOOST_TEST(next(behavior, kMax - 1, kMin) == kMax);
    }
    const std::int64_t late = kMin + kMissedAfter + 1;
    BOOST_TEST(next(MissedTickBehavior::Burst, kMin, late) == kMin + kMilli);
    BOOST_TEST(next(MissedTickBehavior::Delay, kMin, late) == late + kMilli);
    BOOST_TEST(next(MissedTickBehavior::Skip, kMin, late) == kMin + kMissedAfter + kMilli);
    BOOST_TEST(next(MissedTickBehavior::Skip, kMin, 1) == 224'192);
}

BOOST_AUTO_TEST_CASE(t3_an_interval_with_the_longest_period_ticks_once) {
    for (const auto behavior :
         {MissedTickBehavior::Burst, MissedTickBehavior::Delay, MissedTickBehavior::Skip}) {
        Interval interval = driver.intervalAt(at(now()), std::chrono::nanoseconds::max());
        interval.setMissedTickBehavior(behavior);
        const std::int64_t first = now();
        turnAt(first + 7);
        BOOST_TEST(millis(interval.pollTick().value()) == first);
        BOOST_TEST(!interval.pollTick(waker("woken")));
        turnAt(first + std::chrono::milliseconds(24h * 365 * 50).count());
        BOOST_TEST(!interval.pollTick());
    }
    BOOST_TEST(take() == "");
}

BOOST_AUTO_TEST_CASE(t44_burst_catches_up) {
    Interval interval = started(MissedTickBehavior::Burst);
    BOOST_TEST(pollAt(interval, {1, 101, 301, 951, 1151, 1251, 1501, 1801}) ==
               "0 - 300 600+900 - 1200 1500 1800");
}

BOOST_AUTO_TEST_CASE(t44_skip_keeps_to_the_multiples) {
    Interval interval = started(MissedTickBehavior::Skip);
    BOOST_TEST(pollAt(interval, {1, 301, 951, 1151, 1201, 1501, 1801}) ==
               "0 300 600 - 1200 1500 1800");
}

BOOST_AUTO_TEST_CASE(t44_delay_counts_from_the_late_tick) {
    Interval interval = started(MissedTickBehavior::Delay);
    BOOST_TEST(pollAt(interval, {1, 301, 951, 1051, 1252, 1552}) == "0 300 600 - 1251 1551");
}

BOOST_AUTO_TEST_CASE(t45_the_five_resets) {
    const auto after = [&](auto reset, std::initializer_list<std::int64_t> polls) {
        const std::int64_t base = now();
        Interval interval = driver.intervalAt(at(base), 300);
        interval.setMissedTickBehavior(MissedTickBehavior::Skip);
        for (const std::int64_t first : {1, 301}) {
            turnAt(base + first);
            static_cast<void>(interval.pollTick());
        }
        turnAt(base + 401);
        static_cast<void>(interval.pollTick(waker("woken")));
        reset(interval, base);
        std::string ticks;
        for (const std::int64_t poll : polls) {
            turnAt(base + poll);
            const auto tick = interval.pollTick();
            ticks += (tick ? std::to_string(millis(*tick) - base) : "-") + ' ';
        }
        return ticks;
    };
    using Base = std::int64_t;
    BOOST_TEST(after([](Interval& i, Base) { i.reset(); }, {700, 701, 1000, 1001}) ==
               "- 701 - 1001 ");
    BOOST_TEST(after([](Interval& i, Base) { i.resetImmediately(); }, {401, 700, 701}) ==
               "401 - 701 ");
    BOOST_TEST(after([](Interval& i, Base) { i.resetAfter(20); }, {420, 421, 720, 721}) ==
               "- 421 - 721 ");
    BOOST_TEST(after([](Interval& i, Base b) { i.resetAt(at(b + 1401)); },
                     {1400, 1401, 1700, 1701}) == "- 1401 - 1701 ");
    take();
}

BOOST_AUTO_TEST_CASE(t45_a_reset_registers_at_once_and_keeps_the_waker) {
    Interval interval = driver.intervalAt(at(300), 300);
    static_cast<void>(interval.pollTick(waker("a")));
    interval.resetAfter(20);
    BOOST_TEST(next() == 20);
    turnAt(20);
    BOOST_TEST(take() == "a@20");
    BOOST_TEST(millis(interval.pollTick().value()) == 20);
    BOOST_TEST(driver.size() == 0U);
    interval.reset();
    BOOST_TEST(driver.size() == 1U);
    BOOST_TEST(millis(*driver.nextWake()) == 320);
}

BOOST_AUTO_TEST_CASE(t45_an_immediate_reset_wakes_in_the_next_turn) {
    Interval interval = driver.intervalAt(at(300), 300);
    static_cast<void>(interval.pollTick(waker("a")));
    interval.resetImmediately();
    BOOST_TEST(take() == "");
    BOOST_TEST(driver.turn() == 1U);
    BOOST_TEST(take() == "a@0");
    BOOST_TEST(millis(interval.pollTick().value()) == 0);
}

BOOST_AUTO_TEST_CASE(t46_a_tick_that_is_taken_before_the_turn_does_not_wake) {
    Interval interval = driver.intervalAt(at(300), 300);
    static_cast<void>(interval.pollTick(waker("a")));
    interval.resetImmediately();
    BOOST_TEST(millis(interval.tick()) == 0);
    BOOST_TEST(driver.size() == 0U);
    static_cast<void>(interval.pollTick(waker("b")));
    interval.resetImmediately();
    BOOST_TEST(millis(interval.pollTick().value()) == 0);
    BOOST_TEST(driver.size() == 0U);
    BOOST_TEST(driver.turn() == 0U);
    BOOST_TEST(take() == "");
}

BOOST_AUTO_TEST_CASE(t45_a_reset_into_the_past_is_a_missed_tick) {
    turnAt(1000);
    Interval interval = driver.intervalAt(at(2000), 300);
    interval.setMissedTickBehavior(MissedTickBehavior::Skip);
    static_cast<void>(interval.pollTick());
    interval.resetAt(at(350));
    BOOST_TEST(millis(interval.pollTick().value()) == 350);
    BOOST_TEST(pollAt(interval, {1249, 1250}) == "- 1250");
}

BOOST_AUTO_TEST_CASE(t37_a_reset_after_a_negative_duration_is_refused) {
    Interval interval = driver.interval(300);
    CHECK_THROWS(interval.resetAfter(-1), IllegalArgumentException, "Negative duration.");
}

BOOST_AUTO_TEST_CASE(t46_between_a_tick_and_the_next_poll_nothing_is_registered) {
    Interval interval = driver.intervalAt(at(10), 10);
    const auto held = std::make_shared<int>();
    static_cast<void>(interval.pollTick([this, held] { note("woken"); }));
    turnAt(10);
    BOOST_TEST(take() == "woken");
    const auto ready = std::make_shared<int>();
    BOOST_TEST(interval.pollTick([this, ready] { note("stale"); }).has_value());
    BOOST_TEST(ready.use_count() == 1);
    BOOST_TEST(driver.size() == 0U);
    turnAt(100);
    BOOST_TEST(take() == "");
}

BOOST_AUTO_TEST_CASE(t47_the_longest_period_ticks_once) {
    Interval interval = driver.interval(std::chrono::nanoseconds::max());
    BOOST_TEST(millis(interval.pollTick().value()) == 0);
    BOOST_TEST(!interval.pollTick().has_value());
    BOOST_TEST(driver.turn(Date::max()) == 0U);
    BOOST_TEST(!interval.pollTick().has_value());
}

BOOST_AUTO_TEST_CASE(t42_an_interval_moves_and_outlives_nothing_that_it_needs) {
    Interval interval = driver.intervalAt(at(10), 10);
    static_cast<void>(interval.pollTick(waker("a")));
    Interval moved(std::move(interval));
    turnAt(10);
    BOOST_TEST(take() == "a@10");
    interval = std::move(moved);
    BOOST_TEST(millis(interval.pollTick().value()) == 10);
}

BOOST_AUTO_TEST_SUITE_END()
