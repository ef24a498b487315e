// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
//
// A HashedWheelTimer and other processes: forked children, and programs that its tasks start.
#include "support/abilities.hpp"
#include "support/clocks.hpp"
#include "support/counter.hpp"
#include "support/forked_child.hpp"
#include "support/manual_wheel.hpp"
#include "support/signalled_program.hpp"
#include "support/test.hpp"
#include "support/throws.hpp"

#include <csignal>

using namespace std::chrono_literals;
using jtimer::IllegalStateException;
using jtimer::netty::HashedWheelTimer;
using test::Handle;

BOOST_AUTO_TEST_CASE(a_program_that_a_task_starts_gets_the_usual_signals) {
    test::needSignals();
    std::atomic<int> afterRun{0}, afterCancelled{0};
    {
        HashedWheelTimer timer(test::wheelOn(std::make_shared<jtimer::SteadyClock>(), 8, 1));
        test::Counter ended;
        const auto task = std::make_shared<test::WheelTask>(
            [&](const Handle&) {
                afterRun = test::endOfSignalledProgram();
                ended.up();
            },
            [&](const Handle&) {
                afterCancelled = test::endOfSignalledProgram();
                ended.up();
            });
        timer.newTimeout(task, 0);
        timer.newTimeout(task, 1h)->cancel();
        BOOST_TEST(ended.reaches(2));
    }
    BOOST_TEST(afterRun == -SIGTERM);
    BOOST_TEST(afterCancelled == -SIGTERM);
}

#if !defined(__SANITIZE_THREAD__)
BOOST_AUTO_TEST_CASE(in_a_forked_child_no_call_waits_for_the_worker_or_what_it_holds) {
    test::needFork();
    const auto clock = std::make_shared<test::HangingClock>();
    auto timer = std::make_unique<HashedWheelTimer>(test::wheelOn(clock, 8, 1));
    Handle timeout = timer->newTimeout([] {}, 1h);
    clock->armed = true;
    clock->hangs.wait();  // the worker holds the monitor now
    const int exitCode = test::inForkedChild([&] {
        constexpr auto forked = "cannot be used in a forked child once started";
        int step = 0, failed = 0;
        const auto require = [&](bool holds) {
            ++step;
            if (!holds && failed == 0) failed = step;
        };
        const auto isRefused = [&](const auto& call) {
            try {
                call();
                return false;
            } catch (const IllegalStateException& e) {
                return e.what() == std::string(forked);
            }
        };
        require(timer->pendingTimeouts() == 1);
        require(isRefused([&] { timer->newTimeout([] {}, 1h); }));
        require(isRefused([&] { timer->start(); }));
        require(timeout->cancel());
        require(timer->stop().empty());
        timer.reset();
        require(timeout->timer() == nullptr);
        timeout.reset();
        return failed;
    });
    clock->release();
    BOOST_TEST(exitCode == 0);
    BOOST_TEST(timer->stop().size() == 1U);
}

/// Which another thread holds nearly all the time, and so in most of the children for ever.
BOOST_AUTO_TEST_CASE(a_forked_child_destroys_a_stopped_timer_without_the_mutex_of_its_clock) {
    test::needFork();
    const auto clock = std::make_shared<jtimer::ManualClock>();
    auto timer = std::make_unique<HashedWheelTimer>(test::wheelOn(clock, 8, 1));
    timer->start();
    timer->stop();
    std::atomic<bool> isOver{false};
    boost::thread checking([&] {
        while (!isOver) clock->check();
    });
    int good = 0;
    for (int i = 0; i < 30 && good == i; ++i) {
        const int exitCode = test::inForkedChild([&] {
            timer.reset();
            return 7;
        });
        if (exitCode == 7) ++good;
    }
    isOver = true;
    checking.join();
    BOOST_TEST(good == 30);
}

BOOST_AUTO_TEST_CASE(a_timer_that_was_not_started_can_be_used_in_a_forked_child) {
    test::needFork();
    HashedWheelTimer timer(test::wheelOn(std::make_shared<jtimer::SteadyClock>(), 8, 1));
    const int exitCode = test::inForkedChild([&] {
        test::Counter ran;
        timer.newTimeout([&ran] { ran.up(); }, 0);
        const bool runs = ran.reaches(1);
        return runs && timer.stop().empty() ? 0 : 1;
    });
    BOOST_TEST(exitCode == 0);
    timer.newTimeout([] {}, 1h);
    BOOST_TEST(timer.stop().size() == 1U);
}
#endif
