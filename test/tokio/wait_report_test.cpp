// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "support/abilities.hpp"
#include "support/wait_reports.hpp"
#include "tokio/driver_fixture.hpp"

#include <jtimer/tokio.hpp>

#include <boost/test/unit_test.hpp>
#include <boost/thread/thread.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

using jtimer::tokio::Completion;
using jtimer::tokio::DelayQueue;
using jtimer::tokio::Notify;
using jtimer::tokio::TimeDriver;
using jtimer::tokio::TimeDriverOptions;
using test::HeldRun;
using test::WaitReports;

namespace {

std::string waitedForRun(const char* call) {
    return std::string("TimeDriver \"test\": ") + call +
           " has waited five seconds for a task to end its run. " + test::kAdviceOfRun;
}

std::string unturned(const char* call) {
    return std::string("TimeDriver \"test\": ") + call +
           " has waited five seconds, and no thread has turned this polled driver. Call turn() or "
           "advance() on another thread.";
}

/// A driver with a thread, in whose waker that thread is.
struct Running {
    HeldRun run;
    std::optional<TimeDriver> driver;
    std::optional<jtimer::tokio::Sleep> sleep;

    Running() {
        TimeDriverOptions options;
        options.name = "test";
        driver.emplace(options);
        sleep.emplace(driver->sleep(1));
        while (sleep->poll(run.body())) sleep->resetAfter(1);
    }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(wait_report, test::PolledDriver)

BOOST_AUTO_TEST_CASE(a31_shutdown_reports_the_waker_that_it_waits_for) {
    Running running;
    const WaitReports reports = running.run.reportsOf([&] { running.driver->shutdown(); });
    BOOST_TEST(reports == WaitReports{waitedForRun("shutdown()")},
               boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a31_the_destructor_reports_the_waker_that_it_waits_for) {
    Running running;
    const WaitReports reports = running.run.reportsOf([&] { running.driver.reset(); });
    BOOST_TEST(reports == WaitReports{waitedForRun("its destructor")},
               boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a40_each_wait_on_a_polled_driver_that_nobody_turns_is_reported) {
    const Notify notify(driver);
    DelayQueue<int> queue(driver);
    queue.insert(1, 86'400'000);
    const std::pair<const char*, std::function<void()>> calls[] = {
        {"Sleep::wait()", [&] { driver.sleep(10).wait(); }},
        {"Interval::tick()", [&] { driver.intervalAt(at(now() + 10), 10).tick(); }},
        {"Notified::wait()", [&] { notify.notified().wait(); }},
        {"Timeout::get()",
         [&] {
             auto timeout = jtimer::tokio::timeout(driver, 10, Completion<int>());
             BOOST_CHECK_THROW(timeout.get(), jtimer::tokio::Elapsed);
         }},
        {"DelayQueue::next()",
         [&] {
             queue.insert(2, 10);
             BOOST_TEST(queue.next()->value == 2);
         }},
        {"blockOn()", [&] { jtimer::tokio::blockOn(driver, driver.sleep(10)); }},
    };
    for (const auto& [name, call] : calls) {
        const WaitReports reports = test::reportsOf(call, [this, &notify] {
            clock->advance(20);
            notify.notifyWaiters();
            driver.turn();
        });
        BOOST_TEST(reports == WaitReports{unturned(name)}, boost::test_tools::per_element());
    }
}

BOOST_AUTO_TEST_CASE(a40_a_polled_driver_on_a_real_clock_is_reported_when_something_is_due) {
    TimeDriverOptions options;
    options.name = "test";
    options.polled = true;
    TimeDriver real(options);
    // Due after the wait has begun, also on a slow machine, and before its steps are over.
    auto due = real.sleep(100);
    const WaitReports reports =
        test::reportsOf([&] { due.wait(); }, [&] { real.turn(); }, std::chrono::milliseconds(100));
    BOOST_TEST(reports == WaitReports{unturned("Sleep::wait()")}, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a41_what_is_to_come_is_waited_for_without_a_report) {
    const test::ShortSteps shortSteps;
    TimeDriverOptions options;
    TimeDriver threaded(options);
    threaded.sleep(100).wait();

    options.polled = true;
    TimeDriver polled(options);  // nothing is due for as long as the steps take
    auto later = polled.sleep(60'000);
    test::Gate waits;
    boost::thread waiter([&] {
        waits.open();
        BOOST_CHECK_THROW(later.wait(), jtimer::tokio::DriverShutdown);
    });
    waits.wait();
    boost::this_thread::sleep_for(boost::chrono::milliseconds(100));
    polled.shutdown();
    waiter.join();
}

BOOST_AUTO_TEST_CASE(a41_a_forked_child_waits_for_no_run_of_its_parent_and_reports_none) {
    test::needFork();
    Running running;
    BOOST_TEST(running.run.isQuietInForkedChild([&] {
        try {
            running.driver->shutdown();
        } catch (const jtimer::tokio::DriverShutdown&) {
        }
        running.driver.reset();
    }));
}

BOOST_AUTO_TEST_SUITE_END()
