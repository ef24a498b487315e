// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "cluster/alarm.hpp"

#include <jtimer/manual_clock.hpp>
#include <jtimer/timer.hpp>

#include <boost/test/unit_test.hpp>

#include <chrono>
#include <memory>

namespace {

struct Fixture {
    const std::shared_ptr<jtimer::ManualClock> clock = std::make_shared<jtimer::ManualClock>();
    jtimer::Timer timer{"alarms", true, clock};
    int calls = 0;
    jtimer::cluster::detail::Alarm alarm{timer, [this] { ++calls; }};
};

}  // namespace

BOOST_FIXTURE_TEST_CASE(an_alarm_that_is_set_again_comes_once_at_its_last_time, Fixture) {
    alarm.setIn(1'000'000);
    alarm.setIn(2'000'000);
    clock->advance(std::chrono::milliseconds(1999));
    BOOST_TEST(calls == 0);
    clock->advance(std::chrono::milliseconds(1));
    BOOST_TEST(calls == 1);
    alarm.setIn(-1);
    clock->advance(std::chrono::milliseconds(0));
    BOOST_TEST(calls == 2);
    clock->advance(std::chrono::hours(1));
    BOOST_TEST(calls == 2);
}

BOOST_FIXTURE_TEST_CASE(an_alarm_that_cannot_be_set_comes_at_once, Fixture) {
    timer.cancel();
    alarm.setIn(1'000'000);
    BOOST_TEST(calls == 1);
}
