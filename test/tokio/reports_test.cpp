// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
//
// Exceptions that are reported on a thread that has no memory any more.
// A program of its own, for it replaces operator new.
#include "support/manual_timer.hpp"
#include "support/reports_without_memory.hpp"
#include "support/test.hpp"

#include <jtimer/manual_clock.hpp>
#include <jtimer/tokio/time_driver.hpp>

using jtimer::tokio::Sleep;
using test::Throwing;

BOOST_AUTO_TEST_CASE(t26_what_a_waker_throws_is_reported_without_memory_and_the_driver_goes_on) {
    test::checkReportsWithoutMemory([](const auto& handler, const Throwing& throwing) {
        const auto clock = std::make_shared<jtimer::ManualClock>(test::kStart);
        jtimer::tokio::TimeDriverOptions options;
        options.name = test::kLongName;
        options.clock = clock;
        options.uncaughtExceptionHandler = handler;
        jtimer::tokio::TimeDriver driver(options);
        Sleep first = driver.sleep(10), second = driver.sleep(20), third = driver.sleep(30);
        first.poll([=] { throwing.first(); });
        second.poll([=] { throwing.second(); });
        third.poll([=] { throwing.third(); });
        clock->advance(40);
        BOOST_TEST(driver.size() == 0U);
    });
}
