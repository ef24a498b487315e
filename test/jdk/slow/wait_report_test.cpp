// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "support/gate.hpp"
#include "support/wait_reports.hpp"

#include <jtimer/timer.hpp>

#include <boost/test/unit_test.hpp>
#include <boost/thread/thread.hpp>

#include <chrono>
#include <memory>
#include <mutex>
#include <string>

// Ported word for word, `synchronized (lock) { timer.cancel(); timer = null; }` waits here for
// ever.
BOOST_AUTO_TEST_CASE(c2_a30_a_destructor_reports_once_after_five_seconds_of_real_time) {
    using Clock = std::chrono::steady_clock;
    std::mutex mutex;
    test::Gate running;
    auto timer = std::make_unique<jtimer::Timer>("evictor");
    auto task = jtimer::makeTask([&] {
        running.open();
        const std::lock_guard<std::mutex> inTask(mutex);
    });
    task->setName("evict");
    std::unique_lock<std::mutex> lock(mutex);
    timer->schedule(task, 0);
    running.wait();

    test::WaitReports reports;
    Clock::time_point reported;
    test::Gate hasReported;
    jtimer::setWaitReportHandler([&](const std::string& report) {
        reports.push_back(report);
        reported = Clock::now();
        hasReported.open();
    });
    const Clock::time_point begin = Clock::now();
    boost::thread destructor([&] { timer.reset(); });
    hasReported.wait();
    BOOST_TEST((reported - begin >= std::chrono::seconds(5)));
    boost::this_thread::sleep_for(boost::chrono::milliseconds(5500));  // time for another report
    lock.unlock();
    destructor.join();
    test::forbidWaitReports();
    BOOST_TEST(reports ==
                   test::WaitReports{
                       "Timer \"evictor\": its destructor has waited five seconds for "
                       "task \"evict\" to end its run. " +
                       test::kAdviceOfRun + " After detach(), the destructor does not wait."},
               boost::test_tools::per_element());
}
