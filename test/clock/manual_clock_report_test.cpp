// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "support/forked_child.hpp"
#include "support/manual_timer.hpp"
#include "support/wait_reports.hpp"

#include <jtimer/brpc.hpp>
#include <jtimer/go.hpp>
#include <jtimer/netty.hpp>
#include <jtimer/tokio.hpp>

#include <boost/test/unit_test.hpp>

#include <atomic>
#include <chrono>
#include <csignal>
#include <functional>
#include <memory>
#include <string>
#include <sys/time.h>
#include <unistd.h>

using jtimer::Timer;
using std::chrono::milliseconds;
using test::HeldRun;
using test::WaitReports;

namespace {

const std::string kStartText = "2001-09-09T01:46:40Z";

struct Fixture : test::LoggedClock {
    HeldRun run;

    /// What a move of the clock reports that waits for the run, which it starts.
    WaitReports ofMove(const std::function<void()>& move) {
        return test::reportsOf(move, [this] { run.released.open(); });
    }
    void checkMove(const std::string& timer, jtimer::TimeSpan span = 10) {
        const WaitReports reports = ofMove([&] { clock->advance(span); });
        BOOST_TEST(reports ==
                       WaitReports{"ManualClock: advance() has waited five seconds for " + timer +
                                   ", which is running a task. " + test::kAdviceOfRun},
                   boost::test_tools::per_element());
    }
    void checkEndless(const std::string& timer, std::atomic<bool>& ended) {
        // In longer steps: even on a busy machine a run begins in the last one.
        const WaitReports reports = test::reportsOf([&] { clock->waitUntilIdle(); },
                                                    [&] { ended = true; }, milliseconds(250));
        BOOST_TEST(reports ==
                       WaitReports{"ManualClock: waitUntilIdle() has waited five seconds for " +
                                   timer + ", which always has something due at " + kStartText +
                                   ". A task or waker makes more due at the same time."},
                   boost::test_tools::per_element());
    }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(manual_clock_report, Fixture)

BOOST_AUTO_TEST_CASE(a31_a38_each_call_names_the_timer_and_the_task_that_it_waits_for) {
    const auto next = clock->now() + milliseconds(10);
    const std::pair<const char*, std::function<void()>> calls[] = {
        {"advance()", [&] { clock->advance(10); }},
        {"advanceTo()", [&] { clock->advanceTo(next); }},
        {"advanceToNext()", [&] { clock->advanceToNext(); }},
        {"waitUntilIdle()", [&] { clock->waitUntilIdle(); }},
    };
    for (const auto& [name, call] : calls) {
        HeldRun held;
        Timer timer(test::onClock(clock));
        const auto task = test::makeTask(held.body());
        task->setName("stuck");
        timer.schedule(task, 0);
        const WaitReports reports = test::reportsOf(call, [&held = held] { held.released.open(); });
        BOOST_TEST(reports == WaitReports{std::string("ManualClock: ") + name +
                                          " has waited five seconds for Timer \"test\", which is "
                                          "running task \"stuck\". " +
                                          test::kAdviceOfRun},
                   boost::test_tools::per_element());
    }
}

BOOST_AUTO_TEST_CASE(a38_it_names_the_timer_that_hangs_and_not_one_that_waits) {
    Timer idle(test::onClock(clock));
    jtimer::TimerOptions options = test::onClock(clock);
    options.name = "busy";
    Timer busy(options);
    busy.schedule(run.body(), 10);
    const WaitReports reports = ofMove([&] { clock->advance(10); });
    BOOST_TEST(reports ==
                   WaitReports{"ManualClock: advance() has waited five seconds for Timer \"busy\", "
                               "which is running an unnamed task. " +
                               test::kAdviceOfRun},
               boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a38_the_thread_of_netty_is_named) {
    jtimer::netty::HashedWheelTimerOptions options;
    options.name = "wheel";
    options.clock = clock;
    jtimer::netty::HashedWheelTimer timer(options);
    timer.newTimeout(run.body(), 0);
    checkMove("HashedWheelTimer \"wheel\"", 100);
}

BOOST_AUTO_TEST_CASE(a38_the_thread_of_brpc_is_named) {
    jtimer::brpc::TimerThread timer;
    jtimer::brpc::TimerThreadOptions options;
    options.clock = clock;
    timer.start(options);
    timer.schedule(run.body(), clock->now());
    checkMove("TimerThread \"brpc_timer\"");
}

BOOST_AUTO_TEST_CASE(a38_a_thread_of_go_that_runs_a_function_is_named) {
    jtimer::go::TimersOptions options;
    options.clock = clock;
    jtimer::go::Timers timers(options);
    timers.afterFunc(0, run.body());
    checkMove("Timers \"timerproc\"");
}

BOOST_AUTO_TEST_CASE(a38_the_thread_of_tokio_is_named) {
    jtimer::tokio::TimeDriverOptions options;
    options.clock = clock;
    jtimer::tokio::TimeDriver driver(options);
    auto sleep = driver.sleep(5);
    sleep.poll(run.body());
    checkMove("TimeDriver \"TimeDriver\"");
}

BOOST_AUTO_TEST_CASE(a39_a_task_that_moves_the_clock_is_named_too) {
    jtimer::TimerOptions options = test::onClock(clock);
    options.name = "hangs";
    Timer hangs(options);
    options.name = "moves";
    Timer moves(options);
    hangs.schedule(run.body(), 0);
    run.running.wait();
    test::ShortSteps shortSteps;
    WaitReports reports;
    test::Gate moved;
    jtimer::setWaitReportHandler([&](const std::string& report) {
        shortSteps.end();
        reports.push_back(report);
        run.released.open();
    });
    moves.schedule(
        [&] {
            clock->advance(5);
            moved.open();
        },
        0);
    moved.wait();
    BOOST_TEST(
        reports ==
            WaitReports{"ManualClock: advance() has waited five seconds for Timer \"hangs\", "
                        "which is running an unnamed task. " +
                        test::kAdviceOfRun +
                        " This thread is running a task of Timer \"moves\", which waits too."},
        boost::test_tools::per_element());
}

// The thread that it waits for does not exist there, so it never returns.
#if !defined(_WIN32)
BOOST_AUTO_TEST_CASE(a41_a_move_in_a_forked_child_is_not_reported) {
    Timer timer(test::onClock(clock));
    timer.schedule(run.body(), 0);
    run.running.wait();
    const test::ShortSteps shortSteps;
    const int exitCode = test::inForkedChild([&] {
        jtimer::setWaitReportHandler([](const std::string&) { _exit(1); });
        const itimerval soon{{0, 0}, {0, 100'000}};  // ends the child after 25 steps
        setitimer(ITIMER_REAL, &soon, nullptr);
        clock->advance(10);
        return 0;
    });
    run.released.open();
    BOOST_TEST(exitCode == -SIGALRM);
}
#endif

BOOST_AUTO_TEST_CASE(a43_a_task_that_schedules_another_one_at_once_is_named) {
    std::atomic<bool> ended{false};
    Timer timer(test::onClock(clock));
    std::function<void()> again = [&] {
        if (!ended) timer.schedule([&] { again(); }, 0);
    };
    again();
    checkEndless("Timer \"test\"", ended);
}

BOOST_AUTO_TEST_CASE(a43_a_brpc_task_that_schedules_another_one_at_once_is_named) {
    std::atomic<bool> ended{false};
    jtimer::brpc::TimerThread timer;
    jtimer::brpc::TimerThreadOptions options;
    options.clock = clock;
    timer.start(options);
    std::function<void()> again = [&] {
        if (!ended) timer.schedule([&] { again(); }, clock->now());
    };
    again();
    checkEndless("TimerThread \"brpc_timer\"", ended);
}

BOOST_AUTO_TEST_CASE(a43_a_function_of_go_that_resets_its_timer_to_now_is_named) {
    for (const bool isInline : {false, true}) {
        std::atomic<bool> ended{false};
        jtimer::go::TimersOptions options;
        options.clock = clock;
        if (isInline) options.executor = [](const std::function<void()>& function) { function(); };
        jtimer::go::Timers timers(options);
        std::function<void()> again = [&] {
            if (!ended) timers.afterFunc(0, [&] { again(); });
        };
        again();
        checkEndless("Timers \"timerproc\"", ended);
    }
}

BOOST_AUTO_TEST_CASE(a43_a_waker_of_tokio_that_notifies_itself_is_named) {
    std::atomic<bool> ended{false};
    jtimer::tokio::TimeDriverOptions options;
    options.clock = clock;
    jtimer::tokio::TimeDriver driver(options);
    std::function<void()> waker;
    jtimer::tokio::Notify notify(driver);
    auto notified = notify.notified();
    waker = [&] {
        if (ended || !notified.poll()) return;
        notified = notify.notified();
        notified.poll(waker);
        notify.notifyOne();
    };
    notified.poll(waker);
    notify.notifyOne();
    checkEndless("TimeDriver \"TimeDriver\"", ended);
}

BOOST_AUTO_TEST_SUITE_END()
