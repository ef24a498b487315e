// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
//
// Exceptions that are reported on a thread that has no memory any more.
// A program of its own, for it replaces operator new.
#include "support/manual_timers.hpp"
#include "support/reports_without_memory.hpp"
#include "support/test.hpp"

using test::Throwing;

BOOST_AUTO_TEST_CASE(g21_what_a_function_throws_is_reported_without_memory_and_all_goes_on) {
    test::checkReportsWithoutMemory([](const auto& handler, const Throwing& throwing) {
        jtimer::go::TimersOptions options;
        options.name = test::kLongName;
        options.uncaughtExceptionHandler = handler;
        test::ManualTimers t(options);
        const auto first = t.timers.afterFunc(10, [=] { throwing.first(); });
        const auto second = t.timers.afterFunc(20, [=] { throwing.second(); });
        const auto third = t.timers.afterFunc(30, [=] { throwing.third(); });
        t.clock->advance(30);
        BOOST_TEST(t.timers.stats().pending == 0U);
    });
}
