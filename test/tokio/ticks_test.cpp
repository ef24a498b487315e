// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "support/test.hpp"
#include "tokio/ticks.hpp"

#include <jtimer/manual_clock.hpp>
#include <jtimer/tokio/delay_queue.hpp>
#include <jtimer/tokio/time_driver.hpp>

using namespace std::chrono_literals;
using jtimer::Date;
using jtimer::ManualClock;
using jtimer::detail::kNever;
using jtimer::tokio::DelayQueue;
using jtimer::tokio::Sleep;
using jtimer::tokio::TimeDriver;
using jtimer::tokio::TimeDriverOptions;
using jtimer::tokio::detail::Nanos;
using jtimer::tokio::detail::Tick;
using jtimer::tokio::detail::Ticks;

namespace {

constexpr Nanos kLeast = std::numeric_limits<Nanos>::min() + 1;
constexpr Nanos kYear1700 = Nanos{-270} * 8766 * 3'600'000'000'000;

/// A clock that starts before 1970, so that kNever is more than 292 years after its start.
struct Before1970 {
    const std::shared_ptr<ManualClock> clock =
        std::make_shared<ManualClock>(jtimer::detail::toDate<Date>(kYear1700));

    TimeDriverOptions options(bool polled) const {
        TimeDriverOptions options;
        options.clock = clock;
        options.polled = polled;
        return options;
    }
    Date end() const {
        return clock->now() +
               std::chrono::duration_cast<Date::duration>(std::chrono::nanoseconds(kNever));
    }
};

}  // namespace

BOOST_AUTO_TEST_SUITE(tokio_ticks)

BOOST_AUTO_TEST_CASE(t3_the_tick_of_a_saturated_deadline_never_comes_whatever_the_start) {
    for (const Nanos start : {kLeast, kYear1700, Nanos{-1}, Nanos{0}, Nanos{1}, Nanos{1} << 60}) {
        const Ticks ticks(start);
        const Tick never = ticks.dueBy(kNever);
        BOOST_TEST(ticks.at(kNever - 1) < never);
        BOOST_TEST(ticks.timeOf(never) == kNever);
        BOOST_TEST(ticks.timeOf(never + 1) == kNever);
    }
}

BOOST_AUTO_TEST_CASE(t1_a_tick_has_come_when_its_time_has_whatever_the_start) {
    constexpr Tick last = std::numeric_limits<Nanos>::max() / 1'000'000;
    for (const Nanos start : {kLeast, kYear1700, Nanos{-1}, Nanos{0}, Nanos{1}, Nanos{1} << 60}) {
        const Ticks ticks(start);
        for (const Tick tick : {Tick{0}, Tick{1}, Tick{64}, Tick{1} << 40, last - 1, last}) {
            const Nanos time = ticks.timeOf(tick);
            if (time == kNever) continue;
            BOOST_TEST(ticks.at(time) == tick);
            BOOST_TEST(ticks.dueBy(time) == tick);
            if (tick != 0) BOOST_TEST(ticks.at(time - 1) == tick - 1);
        }
    }
}

BOOST_FIXTURE_TEST_CASE(t3_a_driver_with_a_thread_waits_for_what_never_comes, Before1970) {
    const Date end = this->end();
    TimeDriver driver(options(false));
    Sleep never = driver.sleepUntil(Date::max());
    Sleep far = driver.sleepUntil(end - 1h);
    bool woken = false;
    BOOST_TEST(!never.poll());
    BOOST_TEST(!far.poll([&] { woken = true; }));
    clock->advanceTo(end);  // returns when the thread waits
    BOOST_TEST(woken);
    BOOST_TEST(!never.isElapsed());
    BOOST_TEST((driver.nextWake() == Date::max()));
}

BOOST_FIXTURE_TEST_CASE(t3_a_loop_is_never_sent_round_for_what_never_comes, Before1970) {
    TimeDriver driver(options(true));
    Sleep never = driver.sleepUntil(Date::max());
    never.poll();
    int turns = 0;
    while (driver.nextWake() != Date::max()) {
        BOOST_REQUIRE(++turns < 1000);
        clock->advanceTo(*driver.nextWake());
        BOOST_REQUIRE(driver.turn() == 0U);
    }
    driver.check();
}

BOOST_FIXTURE_TEST_CASE(t53_a_queue_waits_for_what_never_comes, Before1970) {
    TimeDriver driver(options(true));
    DelayQueue<int> queue(driver);
    queue.insertAt(1, Date::max());
    clock->advanceTo(end());
    driver.turn();
    BOOST_TEST(!queue.pollExpired([] {}).has_value());
    BOOST_TEST(driver.turn() == 0U);
    BOOST_TEST((driver.nextWake() == Date::max()));
}

BOOST_AUTO_TEST_SUITE_END()
