// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "support/abilities.hpp"
#include "support/wait_reports.hpp"

#include <jtimer/go.hpp>

#include <boost/test/unit_test.hpp>

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

using jtimer::go::ScopedTimer;
using jtimer::go::Timers;
using jtimer::go::TimersOptions;
using test::HeldRun;
using test::WaitReports;

namespace {

std::string waitedForRun(const char* call) {
    return std::string("Timers \"pool\": ") + call +
           " has waited five seconds for a task to end its run. " + test::kAdviceOfRun;
}

std::string waitedForExecutor(const char* call) {
    return std::string("Timers \"pool\": ") + call +
           " has waited five seconds for its executor to end a run. " + test::kAdviceOfExecutor;
}

TimersOptions optionsFor(jtimer::Executor executor = {}) {
    TimersOptions options;
    options.name = "pool";
    options.executor = std::move(executor);
    return options;
}

struct Fixture {
    HeldRun run;
    std::optional<Timers> timers{std::in_place, optionsFor()};
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(wait_report, Fixture)

BOOST_AUTO_TEST_CASE(a31_stopAndWait_reports_the_run_that_it_waits_for) {
    auto timer = timers->afterFunc(0, run.body());
    const WaitReports reports = run.reportsOf([&] { timer.stopAndWait(); });
    BOOST_TEST(reports == WaitReports{waitedForRun("stopAndWait()")},
               boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a31_the_destructor_reports_once_the_runs_that_it_waits_for) {
    HeldRun second;
    timers->afterFunc(0, second.body());
    timers->afterFunc(0, run.body());
    second.running.wait();
    run.running.wait();
    const WaitReports reports = test::reportsOf([&] { timers.reset(); },
                                                [&] {
                                                    run.released.open();
                                                    second.released.open();
                                                });
    BOOST_TEST(reports == WaitReports{waitedForRun("its destructor")},
               boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a31_a_ScopedTimer_reports_its_stopAndWait) {
    {
        auto scoped = std::make_unique<ScopedTimer>(timers->afterFunc(0, run.body()));
        const WaitReports reports = run.reportsOf([&] { scoped.reset(); });
        BOOST_TEST(reports == WaitReports{waitedForRun("stopAndWait()")},
                   boost::test_tools::per_element());
    }
    HeldRun second;
    ScopedTimer scoped(timers->afterFunc(0, second.body()));
    const WaitReports reports = second.reportsOf([&] { scoped = ScopedTimer(); });
    BOOST_TEST(reports == WaitReports{waitedForRun("stopAndWait()")},
               boost::test_tools::per_element());
}

// Two functions of a runtime that wait for each other.
BOOST_AUTO_TEST_CASE(a39_a_function_of_the_same_runtime_is_not_another_timer) {
    auto timer = timers->afterFunc(0, run.body());
    run.running.wait();
    test::ShortSteps shortSteps;
    WaitReports reports;
    jtimer::setWaitReportHandler([&](const std::string& report) {
        shortSteps.end();
        reports.push_back(report);
        run.released.open();
    });
    test::Gate stopped;
    timers->afterFunc(0, [&] {
        timer.stopAndWait();
        stopped.open();
    });
    stopped.wait();
    BOOST_TEST(reports == WaitReports{waitedForRun("stopAndWait()")},
               boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a34_a_run_that_an_executor_keeps_uncalled_is_reported) {
    test::Gate given;
    std::function<void()> kept;
    timers.emplace(optionsFor([&](std::function<void()> function) {
        kept = std::move(function);
        given.open();
    }));
    auto timer = timers->afterFunc(0, [] {});
    given.wait();
    const WaitReports reports = test::reportsOf([&] { timer.stopAndWait(); }, [&] { kept(); });
    BOOST_TEST(reports == WaitReports{waitedForExecutor("stopAndWait()")},
               boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a34_an_executor_that_blocks_the_poller_is_reported) {
    timers.emplace(optionsFor([this](const std::function<void()>&) { run.body()(); }));
    timers->afterFunc(0, [] {});
    const WaitReports reports = run.reportsOf([&] { timers.reset(); });
    BOOST_TEST(reports == WaitReports{waitedForExecutor("its destructor")},
               boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a41_a_forked_child_waits_for_no_run_of_its_parent_and_reports_none) {
    test::needFork();
    auto timer = timers->afterFunc(0, run.body());
    BOOST_TEST(run.isQuietInForkedChild([&] {
        timer.stopAndWait();
        timers.reset();
    }));
}

BOOST_AUTO_TEST_SUITE_END()
