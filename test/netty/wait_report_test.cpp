// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "support/abilities.hpp"
#include "support/wait_reports.hpp"

#include <jtimer/netty.hpp>

#include <boost/test/unit_test.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

using jtimer::netty::HashedWheelTimer;
using jtimer::netty::HashedWheelTimerOptions;
using jtimer::netty::ScopedTimeout;
using test::HeldRun;
using test::WaitReports;

namespace {

std::string waitedForRun(const char* call) {
    return std::string("HashedWheelTimer \"wheel\": ") + call +
           " has waited five seconds for a task to end its run. " + test::kAdviceOfRun;
}

std::string waitedForExecutor(const char* call) {
    return std::string("HashedWheelTimer \"wheel\": ") + call +
           " has waited five seconds for its executor to end a run. " + test::kAdviceOfExecutor;
}

HashedWheelTimerOptions optionsFor(jtimer::Executor executor = {}) {
    HashedWheelTimerOptions options;
    options.name = "wheel";
    options.tickDuration = 1;
    options.executor = std::move(executor);
    return options;
}

struct Fixture {
    HeldRun run;
    std::optional<HashedWheelTimer> timer{std::in_place, optionsFor()};
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(wait_report, Fixture)

BOOST_AUTO_TEST_CASE(a31_cancelAndWait_reports_the_run_that_it_waits_for) {
    const auto timeout = timer->newTimeout(run.body(), 0);
    const WaitReports reports = run.reportsOf([&] { timeout->cancelAndWait(); });
    BOOST_TEST(reports == WaitReports{waitedForRun("cancelAndWait()")},
               boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a31_stop_reports_the_run_that_it_waits_for) {
    timer->newTimeout(run.body(), 0);
    const WaitReports reports = run.reportsOf([&] { timer->stop(); });
    BOOST_TEST(reports == WaitReports{waitedForRun("stop()")}, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a31_the_destructor_reports_the_run_that_it_waits_for) {
    timer->newTimeout(run.body(), 0);
    const WaitReports reports = run.reportsOf([&] { timer.reset(); });
    BOOST_TEST(reports == WaitReports{waitedForRun("its destructor")},
               boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a31_a_ScopedTimeout_reports_its_cancelAndWait) {
    {
        auto scoped = std::make_unique<ScopedTimeout>(timer->newTimeout(run.body(), 0));
        const WaitReports reports = run.reportsOf([&] { scoped.reset(); });
        BOOST_TEST(reports == WaitReports{waitedForRun("cancelAndWait()")},
                   boost::test_tools::per_element());
    }
    HeldRun second;
    ScopedTimeout scoped(timer->newTimeout(second.body(), 0));
    const WaitReports reports = second.reportsOf([&] { scoped = ScopedTimeout(); });
    BOOST_TEST(reports == WaitReports{waitedForRun("cancelAndWait()")},
               boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a34_a_run_that_an_executor_keeps_uncalled_is_reported) {
    test::Gate given;
    std::function<void()> kept;
    HashedWheelTimer pooled(optionsFor([&](std::function<void()> function) {
        kept = std::move(function);
        given.open();
    }));
    const auto timeout = pooled.newTimeout([] {}, 0);
    given.wait();
    const WaitReports reports = test::reportsOf([&] { timeout->cancelAndWait(); }, [&] { kept(); });
    BOOST_TEST(reports == WaitReports{waitedForExecutor("cancelAndWait()")},
               boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a34_an_executor_that_blocks_the_timer_is_reported) {
    timer.emplace(optionsFor([this](const std::function<void()>&) { run.body()(); }));
    timer->newTimeout([] {}, 0);
    const WaitReports reports = run.reportsOf([&] { timer->stop(); });
    BOOST_TEST(reports == WaitReports{waitedForExecutor("stop()")},
               boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a41_a_forked_child_waits_for_no_run_of_its_parent_and_reports_none) {
    test::needFork();
    const auto timeout = timer->newTimeout(run.body(), 0);
    BOOST_TEST(run.isQuietInForkedChild([&] {
        timeout->cancelAndWait();
        timer->stop();
        timer.reset();
    }));
}

BOOST_AUTO_TEST_SUITE_END()
