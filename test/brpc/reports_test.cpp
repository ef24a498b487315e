// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
//
// Exceptions that are reported on a thread that has no memory any more.
// A program of its own, for it replaces operator new.
#include "brpc/manual_thread.hpp"
#include "support/reports_without_memory.hpp"
#include "support/test.hpp"

using test::at;
using test::Throwing;

BOOST_AUTO_TEST_CASE(b45_an_exception_is_reported_without_memory_and_the_timer_goes_on) {
    test::checkReportsWithoutMemory([](const auto& handler, const Throwing& throwing) {
        jtimer::brpc::TimerThreadOptions options;
        options.name = test::kLongName;
        options.uncaughtExceptionHandler = handler;
        test::ManualThread thread(options);
        thread.timer.schedule([=] { throwing.first(); }, at(10));
        thread.timer.schedule([=] { throwing.second(); }, at(20));
        thread.timer.schedule([=] { throwing.third(); }, at(30));
        thread.clock->advance(30);
        BOOST_TEST(thread.timer.stats().slots == 0U);
    });
}
