// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
//
// A user's clock that throws.
#include "brpc/manual_thread.hpp"
#include "support/clocks.hpp"
#include "support/counter.hpp"
#include "support/test.hpp"
#include "support/throws.hpp"

#include <jtimer/brpc/timer_thread.hpp>
#include <jtimer/clock.hpp>

#include <cerrno>

BOOST_AUTO_TEST_CASE(a_clock_that_throws_ends_the_timer_and_is_reported) {
    const auto clock = std::make_shared<test::BrokenClock>();
    const auto captured = std::make_shared<int>();
    test::Counter reported;
    jtimer::brpc::TimerThreadOptions options;
    options.name = "broken";
    options.clock = clock;
    // Boost.Test is for one thread: the handler notes what the test looks at once it has been
    // called.
    std::string name;
    std::exception_ptr exception;
    jtimer::brpc::TaskId idAfterTheEnd = 1;
    jtimer::brpc::TimerThread timer;
    options.uncaughtExceptionHandler = [&](const std::string& timerName,
                                           const std::exception_ptr& thrown) {
        name = timerName;
        exception = thrown;
        // The timer has ended before the handler is called.
        idAfterTheEnd = timer.schedule(test::doNothing, nullptr, jtimer::Date());
        reported.up();
    };
    BOOST_REQUIRE_EQUAL(timer.start(options), 0);
    const jtimer::Date later = std::chrono::system_clock::now() + std::chrono::hours(1);
    clock->isBroken = true;
    const auto id = timer.schedule([captured] {}, later);  // wakes the thread
    BOOST_TEST(id != jtimer::brpc::kInvalidTaskId);
    BOOST_TEST(reported.reaches(1));
    BOOST_TEST(name == "broken");
    CHECK_THROWS(std::rethrow_exception(exception), std::runtime_error, "the clock is broken");
    BOOST_TEST(idAfterTheEnd == jtimer::brpc::kInvalidTaskId);
    BOOST_TEST(timer.start(options) == ECANCELED);
    BOOST_TEST(timer.unschedule(id) == jtimer::brpc::kRemoved);
    BOOST_TEST(captured.use_count() == 1);
}
