// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
//
// A TimerThread and other processes: forked children, and programs that its tasks start.
#include "brpc/manual_thread.hpp"
#include "support/abilities.hpp"
#include "support/counter.hpp"
#include "support/forked_child.hpp"
#include "support/signalled_program.hpp"
#include "support/test.hpp"

#include <cerrno>
#include <csignal>

using jtimer::Date;
using jtimer::brpc::getGlobalTimerThread;
using jtimer::brpc::getOrCreateGlobalTimerThread;
using jtimer::brpc::kInvalidTaskId;
using jtimer::brpc::TimerThread;
using test::doNothing;
using test::ManualThread;

namespace {

[[maybe_unused]] bool runsATask(TimerThread& timer) {
    test::Counter ran;
    return timer.schedule([&ran] { ran.up(); }, Date{}) != kInvalidTaskId && ran.reaches(1);
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_program_that_a_task_starts_gets_the_usual_signals) {
    test::needSignals();
    TimerThread timer;
    BOOST_TEST(timer.start() == 0);
    std::atomic<int> end{0};
    test::Counter ended;
    timer.schedule(
        [&] {
            end = test::endOfSignalledProgram();
            ended.up();
        },
        Date{});
    BOOST_TEST(ended.reaches(1));
    timer.stopAndJoin();
    BOOST_TEST(end == -SIGTERM);
}

#if !defined(__SANITIZE_THREAD__)
BOOST_AUTO_TEST_CASE(c8_in_a_forked_child_a_timer_is_over_and_can_be_emptied_and_destroyed) {
    test::needFork();
    auto thread = std::make_unique<ManualThread>();
    int argument = 0;
    const auto removed = thread->timer.schedule(doNothing, nullptr, ManualThread::far());
    thread->timer.schedule(doNothing, &argument, ManualThread::far());
    thread->clock->waitUntilIdle();
    const int exitCode = test::inForkedChild([&] {
        int step = 0, failed = 0;
        const auto require = [&](bool holds) {
            ++step;
            if (!holds && failed == 0) failed = step;
        };
        TimerThread& timer = thread->timer;
        require(timer.schedule(doNothing, nullptr, Date{}) == kInvalidTaskId);
        require(timer.schedule([] {}, Date{}) == kInvalidTaskId);
        require(timer.start() == ECANCELED);
        require(timer.unschedule(removed) == 0);
        require(timer.stats().pending == 1 && timer.stats().scheduled == 2);
        const auto left = timer.takePending();
        require(left.size() == 1 && left.front().arg == &argument);
        timer.stopAndJoin();
        thread.reset();
        return failed;
    });
    BOOST_TEST(exitCode == 0);
    BOOST_TEST(thread->timer.stats().pending == 2U);
}

BOOST_AUTO_TEST_CASE(b58_a_forked_child_gets_a_global_timer_of_its_own) {
    test::needThreadInForkedChild();
    const int exitCode = test::inForkedChild([] {  // so that this process has none afterwards
        TimerThread& parents = getOrCreateGlobalTimerThread();
        if (!runsATask(parents)) return 1;
        const int grandchild = test::inForkedChild([&parents] {
            if (getGlobalTimerThread() != nullptr) return 2;
            TimerThread& own = getOrCreateGlobalTimerThread();
            if (&own == &parents || &own != &getOrCreateGlobalTimerThread()) return 3;
            if (!runsATask(own)) return 4;
            // Whoever has kept a reference finds a timer that is over.
            return parents.schedule(doNothing, nullptr, Date{}) == kInvalidTaskId ? 0 : 5;
        });
        if (grandchild != 0) return grandchild;
        return getGlobalTimerThread() == &parents && runsATask(parents) ? 0 : 6;
    });
    BOOST_TEST(exitCode == 0);
}
#endif
