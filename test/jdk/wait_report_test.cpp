// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "support/abilities.hpp"
#include "support/manual_timer.hpp"
#include "support/wait_reports.hpp"

#include <boost/test/unit_test.hpp>

#include <functional>
#include <memory>
#include <string>

using jtimer::ScopedTask;
using jtimer::Timer;
using jtimer::TimerTask;
using test::HeldRun;
using test::reportsOf;
using test::WaitReports;

namespace {

const std::string kCancelAndWait =
    "Timer \"evictor\": cancelAndWait() has waited five seconds for task \"evict\" to end its "
    "run. " +
    test::kAdviceOfRun;
const std::string kDetach = " After detach(), the destructor does not wait.";
const std::string kRepeats =
    ", which repeats, to be cancelled. Cancel it, make the timer a daemon, or call detach(), with "
    "which it goes on without its owner.";

/// A timer on a manual clock that stands still.
struct Fixture : test::LoggedClock {
    HeldRun run;
    std::unique_ptr<Timer> timer = make("evictor", true);

    std::unique_ptr<Timer> make(const char* name, bool isDaemon) const {
        jtimer::TimerOptions options = test::onClock(clock, isDaemon);
        options.name = name;
        return std::make_unique<Timer>(options);
    }
    /// A task of that name that has begun to run.
    std::shared_ptr<TimerTask> startRun(const char* name = "evict") {
        const auto task = test::makeTask(run.body());
        if (name != nullptr) task->setName(name);
        timer->schedule(task, 0);
        return task;
    }
    /// What ~Timer reports, while it waits until `release` is called.
    static WaitReports ofDestructor(std::unique_ptr<Timer> dying,
                                    const std::function<void()>& release) {
        return reportsOf([&] { dying.reset(); }, release);
    }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(wait_report, Fixture)

BOOST_AUTO_TEST_CASE(a33_cancelAndWait_names_the_task_in_whose_run_it_hangs) {
    const auto task = startRun();
    const WaitReports reports = run.reportsOf([&] { task->cancelAndWait(); });
    BOOST_TEST(reports == WaitReports{kCancelAndWait}, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a31_the_destructor_of_a_ScopedTask_reports_its_cancelAndWait) {
    auto scoped = std::make_unique<ScopedTask>(startRun());
    const WaitReports reports = run.reportsOf([&] { scoped.reset(); });
    BOOST_TEST(reports == WaitReports{kCancelAndWait}, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a31_a_move_onto_a_ScopedTask_reports_its_cancelAndWait) {
    ScopedTask scoped(startRun());
    const WaitReports reports = run.reportsOf([&] { scoped = ScopedTask(); });
    BOOST_TEST(reports == WaitReports{kCancelAndWait}, boost::test_tools::per_element());
}

// Ported word for word, `synchronized (lock) { timer.cancel(); timer = null; }` waits here for
// ever.
BOOST_AUTO_TEST_CASE(a35_the_destructor_names_the_task_in_whose_run_it_hangs) {
    startRun();
    const WaitReports reports = run.reportsOf([&] { timer.reset(); });
    BOOST_TEST(reports ==
                   WaitReports{"Timer \"evictor\": its destructor has waited five seconds for "
                               "task \"evict\" to end its run. " +
                               test::kAdviceOfRun + kDetach},
               boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a35_a_task_without_a_name_is_an_unnamed_task) {
    startRun(nullptr);
    const WaitReports reports = run.reportsOf([&] { timer.reset(); });
    BOOST_TEST(reports ==
                   WaitReports{"Timer \"evictor\": its destructor has waited five seconds for "
                               "an unnamed task to end its run. " +
                               test::kAdviceOfRun + kDetach},
               boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a36_the_destructor_names_a_repeating_task_that_nobody_cancels) {
    auto dying = make("poller", false);
    const auto task = test::makeTask();
    task->setName("poll");
    dying->schedule([] {}, 5);
    dying->schedule(task, 10, 10);
    const WaitReports reports = ofDestructor(std::move(dying), [&] {
        task->cancel();
        clock->advance(10);
    });
    BOOST_TEST(reports ==
                   WaitReports{"Timer \"poller\": its destructor has waited five seconds for task "
                               "\"poll\"" +
                               kRepeats},
               boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a37_the_destructor_says_that_its_manual_clock_stands_still) {
    auto dying = make("later", false);
    const auto cancelled = dying->schedule([] {}, 2000);
    dying->schedule([] {}, 1500);
    const WaitReports one = [&] {
        cancelled->cancel();
        return ofDestructor(std::move(dying), [&] { clock->advance(1500); });
    }();
    dying = make("later", false);
    dying->schedule([] {}, 2000);
    dying->schedule([] {}, 1000);
    dying->schedule([] {}, 3000);
    const WaitReports several = ofDestructor(std::move(dying), [&] { clock->advance(3000); });

    const std::string begin = "Timer \"later\": its destructor has waited five seconds for ";
    const std::string still = "The clock stands still at 2001-09-09T01:46:4";
    const std::string advice =
        ": move it on another thread, cancel the tasks, or make the timer a daemon.";
    BOOST_TEST(one == WaitReports{begin + "1 task, due at 2001-09-09T01:46:41.5Z. " + still + "0Z" +
                                  advice},
               boost::test_tools::per_element());
    BOOST_TEST(several == WaitReports{begin + "3 tasks, the next due at 2001-09-09T01:46:42.5Z. " +
                                      still + "1.5Z" + advice},
               boost::test_tools::per_element());
}

// A daemon would end the job of the inner timer, which goes on after detach().
BOOST_AUTO_TEST_CASE(a39_a_task_that_owns_a_timer_is_named_by_the_destructor_that_waits_in_it) {
    const test::ShortSteps shortSteps;
    WaitReports reports;
    std::shared_ptr<TimerTask> poll;
    jtimer::setWaitReportHandler([&](const std::string& report) {
        reports.push_back(report);
        poll->cancel();
    });
    Timer outer("outer");
    outer.schedule(
        [&] {
            Timer inner("inner");
            poll = inner.schedule([] {}, 86'400'000, 10);
            outer.cancel();
        },
        0);
    BOOST_TEST(outer.awaitTermination(60'000));
    BOOST_TEST(
        reports ==
            WaitReports{"Timer \"inner\": its destructor has waited five seconds for an unnamed "
                        "task" +
                        kRepeats +
                        " This thread is running a task of Timer \"outer\", which waits too."},
        boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a41_one_shots_on_a_real_clock_and_waits_with_a_limit_are_not_reported) {
    const test::ShortSteps shortSteps;
    {
        Timer plain("plain");
        plain.schedule([] {}, 300);
        BOOST_TEST(!plain.awaitTermination(50));
    }
    startRun();
    run.running.wait();
    BOOST_TEST(!timer->awaitTermination(50));
    run.released.open();
}

BOOST_AUTO_TEST_CASE(a41_a_forked_child_waits_for_no_run_of_its_parent_and_reports_none) {
    test::needFork();
    const auto task = startRun();
    auto poller = make("poller", false);
    const auto poll = poller->schedule([] {}, 10, 10);
    BOOST_TEST(run.isQuietInForkedChild([&] {
        task->cancelAndWait();
        timer.reset();
        poller.reset();
    }));
    poll->cancel();
    clock->advance(10);  // for ~Timer of the poller
}

BOOST_AUTO_TEST_CASE(a42_the_handler_may_use_the_timer_and_the_task) {
    const auto task = startRun();
    run.running.wait();
    const WaitReports reports = reportsOf([&] { task->cancelAndWait(); },
                                          [&] {
                                              timer->purge();
                                              BOOST_TEST(timer->stats().pending == 0U);
                                              BOOST_TEST(task->name() == "evict");
                                              run.released.open();
                                          });
    BOOST_TEST(reports.size() == 1U);
}

BOOST_AUTO_TEST_SUITE_END()
