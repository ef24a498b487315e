// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "support/forked_child.hpp"
#include "support/gate.hpp"
#include "sync/wait_report.hpp"

#include <jtimer/wait_report.hpp>

#include <boost/test/unit_test.hpp>
#include <boost/thread/thread.hpp>

#include <chrono>
#include <functional>
#include <string>
#include <unistd.h>
#include <utility>
#include <vector>

namespace test {

/// From now on a report fails the test, as it does from the beginning. In no_wait_reports.cpp.
void forbidWaitReports();

/// While it exists, five steps of a wait take 20 ms instead of five seconds. To be made, and
/// destroyed, while nothing waits for a run.
class ShortSteps {
  public:
    explicit ShortSteps(std::chrono::milliseconds step = std::chrono::milliseconds(4))
        : before_(std::exchange(jtimer::detail::WaitReport::step, step)) {}
    ShortSteps(const ShortSteps&) = delete;
    ShortSteps& operator=(const ShortSteps&) = delete;
    ~ShortSteps() {
        end();
        forbidWaitReports();
    }
    /// For the thread that has made the report: its further waits take as long as usual.
    void end() { jtimer::detail::WaitReport::step = before_; }

  private:
    const std::chrono::milliseconds before_;
};

using WaitReports = std::vector<std::string>;

/// Makes a call that waits until `release` has been called, which the handler of the report calls:
/// on the thread that waits, and with no lock held, as `release` may use the timer.
/// \returns what has been reported
inline WaitReports reportsOf(const std::function<void()>& call,
                             const std::function<void()>& release,
                             std::chrono::milliseconds step = std::chrono::milliseconds(4)) {
    ShortSteps shortSteps(step);
    WaitReports reports;
    const auto waiting = boost::this_thread::get_id();
    jtimer::setWaitReportHandler([&](const std::string& report) {
        BOOST_TEST((boost::this_thread::get_id() == waiting));
        shortSteps.end();
        reports.push_back(report);
        release();
    });
    call();
    return reports;
}

/// Makes a call in a forked child. \returns whether it returns there and makes no report
inline bool isQuietInForkedChild(const std::function<void()>& call) {
    const ShortSteps shortSteps;
    return inForkedChild([&] {
               jtimer::setWaitReportHandler([](const std::string&) { _exit(1); });
               call();
               return 0;
           }) == 0;
}

/// The body of a task that runs until it is released.
struct HeldRun {
    Gate running;
    Gate released;

    auto body() {
        return [this] {
            running.open();
            released.wait();
        };
    }
    /// What is reported by a call that waits for the run.
    WaitReports reportsOf(const std::function<void()>& call) {
        running.wait();
        return test::reportsOf(call, [this] { released.open(); });
    }
    /// As isQuietInForkedChild(), while the parent is in the run.
    bool isQuietInForkedChild(const std::function<void()>& call) {
        running.wait();
        const bool isQuiet = test::isQuietInForkedChild(call);
        released.open();
        return isQuiet;
    }
};

/// The end of a report of a run.
inline const std::string kAdviceOfRun =
    "The run may be waiting for a lock that this thread holds, or for this thread.";
inline const std::string kAdviceOfExecutor =
    "The executor may have no free thread, or have kept the function uncalled.";

}  // namespace test
