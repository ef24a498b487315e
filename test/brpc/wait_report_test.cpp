// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "support/abilities.hpp"
#include "support/wait_reports.hpp"

#include <jtimer/brpc.hpp>

#include <boost/test/unit_test.hpp>

#include <memory>
#include <optional>
#include <string>
#include <utility>

using jtimer::brpc::ScopedTimerTask;
using jtimer::brpc::TaskId;
using jtimer::brpc::TimerThread;
using test::HeldRun;
using test::WaitReports;

namespace {

std::string waited(const char* call) {
    return std::string("TimerThread \"rpc\": ") + call +
           " has waited five seconds for a task to end its run. " + test::kAdviceOfRun;
}

struct Fixture {
    HeldRun run;
    std::optional<TimerThread> timer{std::in_place};

    Fixture() {
        jtimer::brpc::TimerThreadOptions options;
        options.name = "rpc";
        timer->start(options);
    }
    TaskId startRun(HeldRun& held) { return timer->schedule(held.body(), timer->clock()->now()); }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(wait_report, Fixture)

BOOST_AUTO_TEST_CASE(a31_unscheduleAndWait_reports_the_run_that_it_waits_for) {
    const TaskId id = startRun(run);
    const WaitReports reports = run.reportsOf([&] { timer->unscheduleAndWait(id); });
    BOOST_TEST(reports == WaitReports{waited("unscheduleAndWait()")},
               boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a31_stopAndJoin_reports_the_run_that_it_waits_for) {
    startRun(run);
    const WaitReports reports = run.reportsOf([&] { timer->stopAndJoin(); });
    BOOST_TEST(reports == WaitReports{waited("stopAndJoin()")}, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a31_the_destructor_reports_the_run_that_it_waits_for) {
    startRun(run);
    const WaitReports reports = run.reportsOf([&] { timer.reset(); });
    BOOST_TEST(reports == WaitReports{waited("its destructor")}, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a31_a_ScopedTimerTask_reports_its_unscheduleAndWait) {
    {
        auto scoped = std::make_unique<ScopedTimerTask>(*timer, startRun(run));
        const WaitReports reports = run.reportsOf([&] { scoped.reset(); });
        BOOST_TEST(reports == WaitReports{waited("unscheduleAndWait()")},
                   boost::test_tools::per_element());
    }
    HeldRun second;
    ScopedTimerTask scoped(*timer, startRun(second));
    const WaitReports reports = second.reportsOf([&] { scoped = ScopedTimerTask(); });
    BOOST_TEST(reports == WaitReports{waited("unscheduleAndWait()")},
               boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a41_a_forked_child_waits_for_no_run_of_its_parent_and_reports_none) {
    test::needFork();
    const TaskId id = startRun(run);
    BOOST_TEST(run.isQuietInForkedChild([&] {
        timer->unscheduleAndWait(id);
        timer->stopAndJoin();
        timer.reset();
    }));
}

BOOST_AUTO_TEST_SUITE_END()
