// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
//
// Exceptions that are reported on a thread that has no memory any more.
#include "support/manual_wheel.hpp"
#include "support/reports_without_memory.hpp"

#include <boost/test/unit_test.hpp>

#include <memory>

using test::Throwing;

BOOST_AUTO_TEST_CASE(n53_what_run_throws_is_reported_without_memory_and_the_timer_goes_on) {
    test::checkReportsWithoutMemory([](const auto& handler, const Throwing& throwing) {
        const auto clock = std::make_shared<jtimer::ManualClock>(test::kStart);
        auto options = test::wheelOn(clock);
        options.name = test::kLongName;
        options.uncaughtExceptionHandler = handler;
        jtimer::netty::HashedWheelTimer timer(options);
        timer.newTimeout([=] { throwing.first(); }, 100);
        timer.newTimeout([=] { throwing.second(); }, 200);
        timer.newTimeout([=] { throwing.third(); }, 300);
        clock->advance(1000);
        BOOST_TEST(timer.pendingTimeouts() == 0);
    });
}
