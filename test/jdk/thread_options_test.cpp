// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "support/captured_cerr.hpp"
#include "support/manual_timer.hpp"
#include "support/system_threads.hpp"
#include "support/throws.hpp"

#include <boost/test/unit_test.hpp>
#include <boost/thread/thread.hpp>

#include <memory>
#include <pthread.h>
#include <stdexcept>
#include <string>

using jtimer::Timer;
using jtimer::TimerTask;
using namespace std::chrono_literals;

namespace {

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

BOOST_AUTO_TEST_CASE(on_thread_start_has_run_on_the_timers_thread_when_the_constructor_returns) {
    std::string thread;
    auto options = test::onClock(clock);
    options.onThreadStart = [&] { thread = test::currentThreadName(); };
    Timer timer(options);
    BOOST_TEST(thread == "test");
    int runs = 0;
    timer.schedule([&] { ++runs; }, 1);
    clock->advance(1);
    BOOST_TEST(runs == 1);
}

BOOST_AUTO_TEST_CASE(what_on_thread_start_throws_the_constructor_throws_and_nothing_is_left) {
    const auto threads = test::numberOfThreads();
    auto options = test::onClock(clock);
    const auto captured = std::make_shared<int>();
    options.onThreadStart = [captured] { throw std::runtime_error("no such priority"); };
    CHECK_THROWS(Timer(options), std::runtime_error, "no such priority");
    BOOST_TEST(test::numberOfThreads() == threads);
    options = {};
    BOOST_TEST(captured.use_count() == 1);
    clock->advance(1);  // does not wait for the thread that is not there
    Timer next("next", true, clock);
}

BOOST_AUTO_TEST_CASE(an_on_thread_start_that_ends_the_thread_lets_the_constructor_throw) {
    auto options = test::onClock(clock);
    options.onThreadStart = [] { pthread_exit(nullptr); };
    CHECK_THROWS(Timer(options), jtimer::IllegalStateException,
                 "TimerOptions::onThreadStart ended the thread.");
    clock->advance(1);
    Timer next("next", true, clock);
}

BOOST_AUTO_TEST_SUITE_END()
