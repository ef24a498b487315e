// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "support/captured_cerr.hpp"
#include "support/manual_timer.hpp"
#include "support/test.hpp"
#include "support/thread_start.hpp"
#include "support/throws.hpp"

using jtimer::Timer;
using jtimer::TimerTask;
using namespace std::chrono_literals;

namespace {

/// See support/thread_start.hpp.
class StartedByConstructor {
  public:
    static constexpr const char* kOptions = "TimerOptions";

    StartedByConstructor(std::shared_ptr<jtimer::ManualClock> clock,
                         std::function<void()> onThreadStart)
        : clock_(std::move(clock)), onThreadStart_(std::move(onThreadStart)) {}
    void start() {
        auto options = test::onClock(clock_);
        options.onThreadStart = onThreadStart_;
        timer_.emplace(options);
    }
    bool runsATask() {
        int runs = 0;
        timer_->schedule([&] { ++runs; }, 1);
        clock_->advance(1000);
        return runs == 1;
    }

  private:
    const std::shared_ptr<jtimer::ManualClock> clock_;
    const std::function<void()> onThreadStart_;
    std::optional<Timer> timer_;
};

struct Fixture {
    const std::shared_ptr<jtimer::ManualClock> clock =
        std::make_shared<jtimer::ManualClock>(test::kStart);
    std::string told;

    jtimer::TimerOptions slowerThan(jtimer::TimeSpan threshold) {
        auto options = test::onClock(clock);
        options.slowTaskThreshold = threshold;
        options.onSlowTask = [this](const TimerTask& task, std::chrono::nanoseconds duration) {
            told += task.name() + ' ' + std::to_string(duration.count()) + '\n';
        };
        return options;
    }
    std::shared_ptr<TimerTask> taking(std::chrono::nanoseconds duration, const std::string& name) {
        auto task = jtimer::makeTask([this, duration] { clock->advance(duration); });
        task->setName(name);
        return task;
    }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(thread_options, Fixture)

BOOST_AUTO_TEST_CASE(a_run_longer_than_the_threshold_is_told_with_task_and_duration) {
    Timer timer(slowerThan(10));
    timer.schedule(taking(10ms, "in time"), 0);
    clock->waitUntilIdle();
    timer.schedule(taking(10ms + 1ns, "slow"), 0);
    clock->waitUntilIdle();
    timer.schedule([] {}, 0);
    clock->waitUntilIdle();
    BOOST_TEST(told == "slow 10000001\n");
}

BOOST_AUTO_TEST_CASE(a_slow_run_that_throws_is_told_before_its_exception) {
    auto options = slowerThan(0);
    options.uncaughtExceptionHandler = [this](const std::string&, const std::exception_ptr&) {
        told += "exception\n";
    };
    Timer timer(options);
    timer.schedule([this] { clock->advance(5), throw std::runtime_error("boom"); }, 0);
    BOOST_TEST(timer.awaitTermination(1h));
    BOOST_TEST(told == " 5000000\nexception\n");
}

BOOST_AUTO_TEST_CASE(without_on_slow_task_it_is_printed) {
    test::CapturedCerr cerr;
    auto options = slowerThan(1);
    options.onSlowTask = nullptr;
    Timer timer(options);
    timer.schedule(taking(1234us + 5678ns, "poll"), 0);
    clock->waitUntilIdle();
    timer.schedule(taking(12s, ""), 0);
    clock->waitUntilIdle();
    BOOST_TEST(cerr.text() == "Timer \"test\": task \"poll\" took 1.239 ms.\n"
                              "Timer \"test\": an unnamed task took 12000.000 ms.\n");
}

BOOST_AUTO_TEST_CASE(what_on_slow_task_throws_is_printed_and_changes_nothing) {
    test::CapturedCerr cerr;
    auto options = slowerThan(0);
    options.onSlowTask = [](const TimerTask&, std::chrono::nanoseconds) {
        throw std::runtime_error("again");
    };
    Timer timer(options);
    timer.schedule(taking(1ms, ""), 0);
    clock->waitUntilIdle();
    timer.schedule([] {}, 0);
    BOOST_TEST(cerr.text() ==
               "Exception in thread \"test\" in onSlowTask std::runtime_error: again\n");
}

BOOST_AUTO_TEST_CASE(without_a_threshold_nothing_is_slow_and_a_negative_one_is_refused) {
    auto options = slowerThan(0);
    options.slowTaskThreshold.reset();
    Timer timer(options);
    timer.schedule(taking(1h, "hour"), 0);
    clock->waitUntilIdle();
    BOOST_TEST(told == "");
    CHECK_THROWS(Timer(slowerThan(-1)), jtimer::IllegalArgumentException,
                 "TimerOptions::slowTaskThreshold is -1000000 ns, and must not be negative.");
}

BOOST_AUTO_TEST_CASE(a80_the_constructor_waits_for_on_thread_start_and_throws_what_it_throws) {
    test::ThreadStart<StartedByConstructor>::check();
}

BOOST_AUTO_TEST_SUITE_END()
