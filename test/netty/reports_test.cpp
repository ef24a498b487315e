// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
//
// Exceptions that are reported on a thread that has no memory any more.
// A program of its own, for it replaces operator new.
#include "support/manual_wheel.hpp"
#include "support/reports_without_memory.hpp"
#include "support/test.hpp"

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

BOOST_AUTO_TEST_CASE(n53_a_run_that_cannot_be_handed_over_is_reported_and_the_timer_goes_on) {
    const auto clock = std::make_shared<jtimer::ManualClock>(test::kStart);
    test::FixedLog log;
    auto options = test::wheelOn(clock);
    options.taskExecutor = [](const std::function<void()>& run) { run(); };
    options.uncaughtExceptionHandler = [&log](const std::string&, const std::exception_ptr&) {
        log.write('!');
    };
    jtimer::netty::HashedWheelTimer timer(options);
    const auto lost = timer.newTimeout([&log] { log.write('x'); }, 100);
    timer.newTimeout([&log] { log.write('o'); }, 300);
    clock->waitUntilIdle();
    {
        const test::NoMemoryElsewhere none;
        clock->advance(200);
    }
    BOOST_TEST(lost->isExpired());
    BOOST_TEST(!lost->cancelAndWait());  // waits for no run
    clock->advance(200);
    BOOST_TEST(log.take() == "!o");
    BOOST_TEST(timer.pendingTimeouts() == 0);
}
