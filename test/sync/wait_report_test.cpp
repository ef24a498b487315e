// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "support/captured_cerr.hpp"
#include "support/forked_child.hpp"
#include "support/wait_reports.hpp"
#include "sync/reported_wait.hpp"

#include <boost/test/unit_test.hpp>
#include <boost/thread/thread.hpp>

#include <chrono>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <streambuf>
#include <string>
#include <utility>
#include <vector>
#if !defined(_WIN32)
#include <csignal>
#include <sys/wait.h>
#include <unistd.h>
#endif

using jtimer::detail::Condition;
using jtimer::detail::Lock;
using jtimer::detail::Mutex;
using jtimer::detail::OnThreadOf;
using jtimer::detail::RunReport;
using jtimer::detail::TimerTitle;
using jtimer::detail::WaitReport;
using jtimer::detail::WaitReportOf;
using std::chrono::milliseconds;

namespace {

/// Sets a handler that collects the reports, until it is destroyed.
struct Collected {
    test::WaitReports reports;

    Collected() {
        jtimer::setWaitReportHandler(
            [this](const std::string& report) { reports.push_back(report); });
    }
    Collected(const Collected&) = delete;
    Collected& operator=(const Collected&) = delete;
    ~Collected() { test::forbidWaitReports(); }
};

/// Its waits take no time, and are over after the given number of steps.
struct Steps {
    int left;
    std::vector<milliseconds> asked;

    auto waitFor() {
        return [this](milliseconds span) {
            asked.push_back(span);
            return --left == 0;
        };
    }
};

const TimerTitle kTitle("Timer", "evictor");

using Clock = std::chrono::steady_clock;

#if !defined(_WIN32)
/// Times that a forked child sends to this process.
class Times {
  public:
    Times() { BOOST_REQUIRE(pipe(ends_) == 0); }
    Times(const Times&) = delete;
    Times& operator=(const Times&) = delete;
    ~Times() {
        close(ends_[0]);
        close(ends_[1]);
    }
    void sendNow() const {
        const Clock::rep now = Clock::now().time_since_epoch().count();
        if (write(ends_[1], &now, sizeof now) < 0) _exit(2);
    }
    Clock::time_point receive() const {
        Clock::rep time = 0;
        BOOST_REQUIRE(read(ends_[0], &time, sizeof time) == ssize_t{sizeof time});
        return Clock::time_point(Clock::duration(time));
    }

  private:
    int ends_[2];
};
#endif

}  // namespace

BOOST_AUTO_TEST_SUITE(wait_report)

BOOST_AUTO_TEST_CASE(a30_a_wait_that_ends_in_its_fifth_second_is_not_reported) {
    const Collected collected;
    RunReport report(kTitle, "cancelAndWait()");
    Lock none;
    Steps steps{5, {}};
    BOOST_TEST(waitOrReport(report, none, steps.waitFor()));
    BOOST_TEST((steps.asked == std::vector<milliseconds>(5, std::chrono::seconds(1))));
    BOOST_TEST(collected.reports.empty());
}

BOOST_AUTO_TEST_CASE(a30_a_wait_of_five_seconds_is_reported_and_goes_on_without_steps) {
    const Collected collected;
    RunReport report(kTitle, "cancelAndWait()");
    Lock none;
    Steps steps{6, {}};
    BOOST_TEST(!waitOrReport(report, none, steps.waitFor()));
    BOOST_TEST(collected.reports.size() == 1U);
    BOOST_TEST(!waitOrReport(report, none, steps.waitFor()));  // another wait of the same call
    BOOST_TEST(steps.asked.size() == 5U);
    BOOST_TEST(collected.reports.size() == 1U);
}

BOOST_AUTO_TEST_CASE(a30_a_wait_with_nothing_to_report_is_looked_at_again_by_the_next_one) {
    const Collected collected;
    std::string text;
    WaitReportOf report([&] { return text; });
    Lock none;
    Steps steps{20, {}};
    BOOST_TEST(!waitOrReport(report, none, steps.waitFor()));
    BOOST_TEST(collected.reports.empty());
    text = "hangs";
    BOOST_TEST(!waitOrReport(report, none, steps.waitFor()));
    BOOST_TEST(collected.reports == test::WaitReports{"hangs"}, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a30_the_lock_is_free_during_the_report_and_held_after_the_wait) {
    Mutex mutex;
    Condition changed;
    bool isOver = false;
    Lock lock(mutex);
    RunReport report(kTitle, "cancelAndWait()");
    const test::WaitReports reports =
        test::reportsOf([&] { waitReported(report, changed, lock, [&] { return isOver; }); },
                        [&] {
                            BOOST_TEST(!lock.owns_lock());
                            const Lock own(mutex);
                            isOver = true;
                        });
    BOOST_TEST(lock.owns_lock());
    BOOST_TEST(reports.size() == 1U);
}

#if !defined(_WIN32)
// The child begins to wait, is stopped for as long as two reports would take, and goes on.
BOOST_AUTO_TEST_CASE(a30_a_stop_of_the_process_counts_as_one_step) {
    constexpr milliseconds step(50);
    const test::ShortSteps shortSteps(step);
    const Times fromChild;
    const pid_t child = fork();
    BOOST_REQUIRE(child >= 0);
    if (child == 0) {
        alarm(60);
        jtimer::setWaitReportHandler([&](const std::string&) {
            fromChild.sendNow();
            _exit(0);
        });
        Mutex mutex;
        Condition changed;
        Lock lock(mutex);
        RunReport report(kTitle, "cancelAndWait()");
        fromChild.sendNow();
        waitReported(report, changed, lock, [] { return false; });
        _exit(1);
    }
    const Clock::time_point begin = fromChild.receive();
    kill(child, SIGSTOP);
    int status = 0;
    BOOST_REQUIRE(waitpid(child, &status, WUNTRACED) == child);
    BOOST_TEST(WIFSTOPPED(status));
    const auto stepsBefore = (Clock::now() - begin) / step;
    boost::this_thread::sleep_for(boost::chrono::milliseconds(10 * step.count()));
    const Clock::time_point continued = Clock::now();
    kill(child, SIGCONT);
    // One step is cut short. On a busy machine, others may have ended before the stop.
    BOOST_TEST((fromChild.receive() - continued >= (4 - stepsBefore) * step));
    BOOST_TEST(test::exitCodeOf(child) == 0);
}
#endif

BOOST_AUTO_TEST_CASE(a32_a_report_names_the_timer_and_the_call_and_a_run) {
    const Collected collected;
    RunReport(kTitle, "cancelAndWait()").make();
    RunReport(kTitle, "its destructor", true).make();
    BOOST_TEST(
        collected.reports ==
            (test::WaitReports{
                "Timer \"evictor\": cancelAndWait() has waited five seconds for a task to end its "
                "run. " +
                    test::kAdviceOfRun,
                "Timer \"evictor\": its destructor has waited five seconds for its executor to "
                "end a run. " +
                    test::kAdviceOfExecutor}),
        boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a39_a_report_ends_with_the_timer_whose_task_waits_unless_it_is_the_same) {
    const TimerTitle other("TimerThread", "outer");
    {
        const OnThreadOf here(other);
        BOOST_TEST(WaitReport::sentence(&kTitle, "stop()", ".") ==
                   "Timer \"evictor\": stop() has waited five seconds. This thread is running a "
                   "task of TimerThread \"outer\", which waits too.");
        BOOST_TEST(WaitReport::sentence(&other, "stop()", ".") ==
                   "TimerThread \"outer\": stop() has waited five seconds.");
    }
    BOOST_TEST(WaitReport::sentence(nullptr, "advance()", ".") ==
               "ManualClock: advance() has waited five seconds.");
}

BOOST_AUTO_TEST_CASE(a42_without_a_handler_a_report_is_a_line_on_cerr) {
    const test::CapturedCerr cerr;
    jtimer::setWaitReportHandler({});
    WaitReportOf([] { return std::string("hangs"); }).make();
    test::forbidWaitReports();
    BOOST_TEST(cerr.text() == "hangs\n");
}

BOOST_AUTO_TEST_CASE(a42_what_cerr_throws_is_ignored) {
    struct Broken final : std::streambuf {
        std::streamsize xsputn(const char*, std::streamsize) override { return 0; }
    } broken;
    std::streambuf* const original = std::cerr.rdbuf(&broken);
    std::cerr.exceptions(std::ios::badbit);
    jtimer::setWaitReportHandler({});
    WaitReportOf report([] { return std::string("hangs"); });
    BOOST_CHECK_NO_THROW(report.make());
    test::forbidWaitReports();
    std::cerr.exceptions(std::ios::goodbit);
    std::cerr.clear();
    std::cerr.rdbuf(original);
}

BOOST_AUTO_TEST_CASE(a42_what_the_handler_throws_is_ignored) {
    jtimer::setWaitReportHandler([](const std::string&) { throw std::runtime_error("no"); });
    WaitReportOf report([] { return std::string("hangs"); });
    BOOST_CHECK_NO_THROW(report.make());
    test::forbidWaitReports();
    BOOST_TEST(report.isMade());
}

BOOST_AUTO_TEST_CASE(a42_the_handler_may_set_another_one_and_what_it_captured_is_freed_after_it) {
    const auto captured = std::make_shared<int>();
    std::weak_ptr<int> watch = captured;
    jtimer::setWaitReportHandler([captured, &watch](const std::string&) {
        jtimer::setWaitReportHandler({});
        BOOST_TEST(!watch.expired());
    });
    WaitReportOf([] { return std::string("hangs"); }).make();
    BOOST_TEST(captured.use_count() == 1);
    test::forbidWaitReports();
}

BOOST_AUTO_TEST_SUITE_END()
