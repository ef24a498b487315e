// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "brpc/manual_thread.hpp"
#include "support/abilities.hpp"
#include "support/counter.hpp"
#include "support/forked_child.hpp"
#include "support/gate.hpp"
#include "support/race.hpp"
#include "support/system_threads.hpp"
#include "support/test.hpp"
#include "support/thread_start.hpp"

#include <cerrno>

using jtimer::Date;
using jtimer::ManualClock;
using jtimer::brpc::kInvalidTaskId;
using jtimer::brpc::TimerThread;
using jtimer::brpc::TimerThreadOptions;
using test::at;
using test::countUp;
using namespace std::chrono_literals;

namespace {

TimerThreadOptions onClock(std::shared_ptr<jtimer::Clock> clock) {
    TimerThreadOptions options;
    options.clock = std::move(clock);
    return options;
}

TimerThreadOptions withBuckets(std::size_t numBuckets) {
    TimerThreadOptions options;
    options.numBuckets = numBuckets;
    return options;
}

/// What the thread of a timer with these options is called.
std::string threadName(TimerThreadOptions options) {
    const auto clock = std::make_shared<ManualClock>();
    options.clock = clock;
    TimerThread timer;
    BOOST_REQUIRE_EQUAL(timer.start(options), 0);
    std::string name;
    timer.schedule([&name] { name = test::currentThreadName(); }, Date{});
    clock->waitUntilIdle();
    return name;
}

/// What start() of a new timer returns.
int errorOf(const TimerThreadOptions& options) {
    TimerThread timer;
    return timer.start(options);
}

/// See support/thread_start.hpp.
class Started {
  public:
    static constexpr const char* kOptions = "TimerThreadOptions";

    Started(std::shared_ptr<ManualClock> clock, std::function<void()> onThreadStart)
        : clock_(std::move(clock)), options_(onClock(clock_)) {
        options_.name = "test";
        options_.onThreadStart = std::move(onThreadStart);
    }
    void start() {
        try {
            BOOST_TEST(timer_.start(options_) == 0);
        } catch (...) {
            BOOST_TEST(timer_.clock() == nullptr);
            throw;
        }
    }
    bool runsATask() {
        int runs = 0;
        timer_.schedule(countUp, &runs, clock_->now());
        clock_->advance(1000);
        return runs == 1;
    }

  private:
    const std::shared_ptr<ManualClock> clock_;
    TimerThreadOptions options_;
    TimerThread timer_;
};

/// Whether a task runs on it.
bool works(TimerThread& timer) {
    test::Counter ran;
    return timer.schedule([&ran] { ran.up(); }, Date{}) != kInvalidTaskId && ran.reaches(1);
}

}  // namespace

BOOST_AUTO_TEST_CASE(b1_the_defaults_are_those_of_the_original_on_the_wall_clock) {
    const TimerThreadOptions options;
    BOOST_TEST(options.numBuckets == 13U);
    BOOST_TEST(options.name == "");
    BOOST_TEST(options.clock == nullptr);
    BOOST_TEST(options.sweepMinSize == 4096U);
    BOOST_TEST(options.maxWakeupInterval.value().millis == 0);
    BOOST_TEST(!options.uncaughtExceptionHandler);

    TimerThread timer;
    BOOST_TEST(timer.start() == 0);
    test::Counter ran;
    const Date due = std::chrono::system_clock::now() + 2ms;
    Date shown;
    timer.schedule(
        [&] {
            shown = std::chrono::system_clock::now();
            ran.up();
        },
        due);
    BOOST_TEST(ran.reaches(1));
    BOOST_TEST((shown >= due));
}

BOOST_AUTO_TEST_CASE(b1_the_os_thread_carries_the_names_first_15_bytes) {
    TimerThreadOptions options;
    BOOST_TEST(threadName(options) == "brpc_timer");
    options.name = "a_name_of_more_than_15";
    BOOST_TEST(threadName(options) == "a_name_of_more_");
}

BOOST_AUTO_TEST_CASE(a_timer_tells_its_clock_from_its_start_on) {
    const auto clock = std::make_shared<ManualClock>();
    TimerThread timer;
    BOOST_TEST(timer.clock() == nullptr);
    TimerThreadOptions wrong = onClock(clock);
    wrong.numBuckets = 0;
    BOOST_TEST(timer.start(wrong) == EINVAL);
    BOOST_TEST(timer.clock() == nullptr);
    const TimerThreadOptions right = onClock(clock);
    BOOST_TEST(timer.start(&right) == 0);
    BOOST_TEST(timer.clock() == clock);
    BOOST_TEST(timer.start() == 0);  // ignores its options
    BOOST_TEST(timer.clock() == clock);
    timer.stopAndJoin();
    BOOST_TEST(timer.clock() == clock);

    TimerThread byDefault;
    BOOST_TEST(byDefault.start() == 0);
    BOOST_TEST((dynamic_cast<jtimer::WallClock*>(byDefault.clock().get()) != nullptr));
}

BOOST_AUTO_TEST_CASE(b2_from_its_start_on_the_thread_takes_part_in_the_clock) {
    for (int i = 0; i < 100; ++i) {
        const auto clock = std::make_shared<ManualClock>();
        TimerThread timer;
        BOOST_TEST(timer.start(onClock(clock)) == 0);
        int runs = 0;
        timer.schedule(countUp, &runs, Date{5s});
        clock->advance(5000);
        BOOST_TEST(runs == 1);
    }
}

BOOST_AUTO_TEST_CASE(b3_a_running_timer_is_started_already_whatever_the_options) {
    test::ManualThread running;
    BOOST_TEST(running.timer.start() == 0);
    BOOST_TEST(running.timer.start(nullptr) == 0);
    BOOST_TEST(running.timer.start(withBuckets(0)) == 0);
    int runs = 0;
    running.timer.schedule(countUp, &runs, at(10));
    running.clock->advance(10);
    BOOST_TEST(runs == 1);  // still on its clock
}

BOOST_AUTO_TEST_CASE(b4_there_are_1_to_1024_buckets_and_no_negative_cap) {
    for (const std::size_t wrong : {std::size_t{0}, std::size_t{1025}, ~std::size_t{0}})
        BOOST_TEST(errorOf(withBuckets(wrong)) == EINVAL);
    for (const std::size_t right : {1U, 1024U}) {
        TimerThread timer;
        BOOST_TEST(timer.start(withBuckets(right)) == 0);
        BOOST_TEST(works(timer));
    }
    TimerThreadOptions options;
    options.maxWakeupInterval = -1ns;
    BOOST_TEST(errorOf(options) == EINVAL);
}

BOOST_AUTO_TEST_CASE(b5_d5_after_an_error_the_timer_is_as_before_and_a_later_good_start_works) {
    TimerThread timer;
    BOOST_TEST(timer.start(withBuckets(0)) == EINVAL);
    BOOST_TEST(timer.schedule(countUp, nullptr, Date{}) == kInvalidTaskId);
    BOOST_TEST(timer.start(nullptr) == 0);
    BOOST_TEST(works(timer));
}

BOOST_AUTO_TEST_CASE(b5_d5_without_a_thread_the_system_s_error_is_returned) {
    test::needThreadLimit();
    const auto clock = std::make_shared<ManualClock>();
    TimerThread timer;
    const auto threads = test::numberOfThreads();
    {
        const test::NoMoreThreads noMoreThreads;
        BOOST_TEST(timer.start(onClock(clock)) == EAGAIN);
    }
    BOOST_TEST(test::numberOfThreads() == threads);
    BOOST_TEST(!clock->advanceToNext());  // nobody is left who takes part
    BOOST_TEST(timer.start(onClock(clock)) == 0);
    BOOST_TEST(works(timer));
}

BOOST_AUTO_TEST_CASE(b6_a_timer_that_was_stopped_cannot_be_started) {
    TimerThread fresh;
    fresh.stopAndJoin();
    BOOST_TEST(fresh.start() == ECANCELED);
    BOOST_TEST(fresh.start(withBuckets(0)) == ECANCELED);
    BOOST_TEST(fresh.schedule(countUp, nullptr, Date{}) == kInvalidTaskId);

    test::ManualThread run;
    run.timer.stopAndJoin();
    BOOST_TEST(run.timer.start() == ECANCELED);
    BOOST_TEST(run.timer.schedule(countUp, nullptr, Date{}) == kInvalidTaskId);
}

BOOST_AUTO_TEST_CASE(d4_a_start_after_the_stop_leaves_no_thread) {
    const auto threads = test::numberOfThreads();
    {
        TimerThread timer;
        BOOST_TEST(timer.start() == 0);
        BOOST_TEST(test::numberOfThreads() == threads + 1);
        timer.stopAndJoin();
        BOOST_TEST(test::numberOfThreads() == threads);
        BOOST_TEST(timer.start() == ECANCELED);
        BOOST_TEST(test::numberOfThreads() == threads);
    }
    BOOST_TEST(test::numberOfThreads() == threads);
}

BOOST_AUTO_TEST_CASE(b7_starts_that_race_start_one_thread) {
    constexpr int rounds = 50;
    std::optional<TimerThread> timer(std::in_place);
    std::array<int, 3> results{};
    const auto start = [&](std::size_t i) { return [&, i](int) { results[i] = timer->start(); }; };
    const auto threads = test::numberOfThreads() + 3;  // the racers
    test::race(rounds, {start(0), start(1), start(2)}, [&](int round) {
        BOOST_TEST((results == std::array<int, 3>{}));
        // After the last round the racers end.
        if (round + 1 < rounds) BOOST_TEST(test::numberOfThreads() == threads + 1);
        timer.emplace();
    });
}

BOOST_AUTO_TEST_CASE(a80_start_waits_for_on_thread_start_and_throws_what_it_throws) {
    test::ThreadStart<Started>::check();
}

BOOST_AUTO_TEST_CASE(a80_until_on_thread_start_has_returned_the_timer_is_not_started) {
    TimerThread timer;
    TimerThreadOptions options;
    options.onThreadStart = [&] {
        BOOST_TEST(timer.schedule(countUp, nullptr, Date{}) == kInvalidTaskId);
        BOOST_TEST(timer.stats().pending == 0U);
        BOOST_TEST(timer.clock() == nullptr);
    };
    BOOST_TEST(timer.start(options) == 0);
    BOOST_TEST(works(timer));
}

BOOST_AUTO_TEST_CASE(a80_a_child_forked_during_on_thread_start_cannot_start_the_timer) {
    test::needFork();
    TimerThread timer;
    test::Gate running, done;
    TimerThreadOptions options;
    options.onThreadStart = [&] {
        running.open();
        done.wait();
    };
    boost::thread starting([&] { BOOST_TEST(timer.start(options) == 0); });
    running.wait();
    const int exitCode = test::inForkedChild([&] {
        timer.stopAndJoin();
        return timer.start() == ECANCELED ? 0 : 1;
    });
    done.open();
    starting.join();
    BOOST_TEST(exitCode == 0);
}
