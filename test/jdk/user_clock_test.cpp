// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "support/clocks.hpp"
#include "support/counter.hpp"
#include "support/gate.hpp"
#include "support/manual_timer.hpp"
#include "support/scripted_clock.hpp"
#include "support/test.hpp"

using namespace std::chrono_literals;
using jtimer::Date;
using jtimer::Timer;
using jtimer::TimerTask;
using test::at;
using test::kStartMillis;

// Clocks that are set while tasks are due, that throw, and that show absurd times.

namespace {

constexpr std::int64_t kMilli = 1'000'000;

/// Shows what it is told, and may be told to throw. It waits as WallClock does.
class OddClock final : public jtimer::WallClock {
  public:
    std::atomic<std::int64_t> time{kStartMillis * kMilli};
    std::atomic<bool> broken{false};

    std::int64_t nanos() const override {
        if (broken) throw std::runtime_error("the clock is broken");
        return time;
    }
};

/// Keeps what ended the timer.
struct Report {
    std::string text;
    test::Gate told;

    jtimer::TimerOptions options(std::shared_ptr<jtimer::Clock> clock) {
        jtimer::TimerOptions options = test::onClock(std::move(clock));
        options.uncaughtExceptionHandler = [this](const std::string&, const std::exception_ptr& e) {
            try {
                std::rethrow_exception(e);
            } catch (const std::exception& exception) {
                text = exception.what();
            }
            told.open();
        };
        return options;
    }
};

}  // namespace

BOOST_AUTO_TEST_SUITE(user_clock)

BOOST_AUTO_TEST_CASE(j116_of_four_due_tasks_none_runs_after_the_first_has_set_the_clock_back) {
    const auto clock = std::make_shared<test::SetClock>();
    Timer timer(test::onClock(clock));
    test::Counter runs, last;
    const Date due = clock->now() - 1s;
    std::vector<std::int64_t> earliness;
    const auto run = [&](TimerTask& task) {
        earliness.push_back(task.scheduledExecutionTime() - clock->nanos() / kMilli);
        runs.up();
    };
    test::Gate scheduled;
    timer.schedule([&] { scheduled.wait(); }, Date{});
    timer.schedule([&] { clock->offset = -std::chrono::nanoseconds(1h).count(), runs.up(); }, due);
    std::vector<std::shared_ptr<TimerTask>> tasks(3);
    for (auto& task : tasks) {
        task = test::makeTask([&] { run(*task); });
        timer.schedule(task, due + 1ms);
    }
    scheduled.open();
    BOOST_TEST(runs.reaches(1));
    timer.schedule([&] { last.up(); }, Date{});  // always due
    BOOST_TEST(last.reaches(1));
    BOOST_TEST(runs.get() == 1);
    clock->offset = 0;
    timer.schedule([] {}, Date{});  // a new first task, so the thread notices it
    BOOST_TEST(runs.reaches(4));
    for (const std::int64_t early : earliness) BOOST_TEST(early <= 0);
}

BOOST_AUTO_TEST_CASE(j84_a_fixed_delay_never_reports_a_time_before_its_first) {
    const auto clock = std::make_shared<test::ScriptedClock>();
    Timer timer(test::onClock(clock));
    clock->awaitWait(1);
    test::Gate running, go;
    timer.schedule([&] { running.open(), go.wait(); }, at(-1000));
    running.wait();
    const auto delay = timer.schedule([] {}, at(0), 1000);
    clock->time = (kStartMillis - 1) * kMilli;
    go.open();
    BOOST_TEST(clock->awaitWait(2) == kStartMillis * kMilli);
    BOOST_TEST(delay->scheduledExecutionTime() == kStartMillis - 1000);  // not yet
    clock->time = kStartMillis * kMilli;
    clock->endWait();
    BOOST_TEST(clock->awaitWait(3) == (kStartMillis + 1000) * kMilli);
    BOOST_TEST(delay->scheduledExecutionTime() == kStartMillis);
}

BOOST_AUTO_TEST_CASE(what_the_clock_throws_in_a_call_goes_to_the_caller_and_changes_nothing) {
    const auto clock = std::make_shared<OddClock>();
    Timer timer(test::onClock(clock));
    const auto task = test::makeTask();
    clock->broken = true;
    BOOST_CHECK_THROW(timer.schedule(task, 0), std::runtime_error);
    clock->broken = false;
    test::Counter runs;
    timer.schedule([&] { runs.up(); }, 0);
    BOOST_TEST(runs.reaches(1));
    BOOST_TEST(timer.schedule(task, 60'000) == task);
}

BOOST_AUTO_TEST_CASE(what_the_clock_throws_on_the_timers_thread_ends_the_timer_as_a_task_would) {
    for (const std::int64_t period : {0, 1000, -1000}) {
        const auto clock = std::make_shared<OddClock>();
        Report report;
        Timer timer(report.options(clock));
        test::Gate running, go;
        timer.schedule([&] { running.open(), go.wait(); }, Date{});
        running.wait();
        std::shared_ptr<TimerTask> task;
        if (period == 0) task = timer.schedule([] {}, at(0));
        if (period > 0) task = timer.scheduleAtFixedRate([] {}, at(0), period);
        if (period < 0) task = timer.schedule([] {}, at(0), -period);
        clock->broken = true;
        go.open();
        report.told.wait();
        BOOST_TEST(report.text == "the clock is broken");
        BOOST_CHECK_THROW(timer.schedule([] {}, Date{}), jtimer::IllegalStateException);
        BOOST_TEST(task->cancel());  // it had not begun
    }
}

BOOST_AUTO_TEST_CASE(what_the_clock_throws_when_a_run_is_timed_ends_the_timer_and_blames_no_task) {
    /// Throws in its reading after so many good ones.
    class FailingClock final : public jtimer::WallClock {
      public:
        explicit FailingClock(int goodReadings) : goodReadings_(goodReadings) {}
        std::int64_t nanos() const override {
            if (goodReadings_-- == 0) throw std::runtime_error("the clock is broken");
            return kStartMillis * kMilli;
        }

      private:
        mutable std::atomic<int> goodReadings_;
    };
    for (const bool isTaskRun : {false, true}) {
        // The loop's, and the one before the run.
        const auto clock = std::make_shared<FailingClock>(isTaskRun ? 2 : 1);
        Report report;
        jtimer::TimerOptions options = report.options(clock);
        std::string blamed;
        options.onException = jtimer::OnException::ContinueTask;
        options.taskExceptionHandler = [&](const jtimer::TaskException&) { blamed += "task "; };
        options.slowTaskThreshold = 0;
        Timer timer(options);
        bool hasRun = false;
        timer.schedule(
            [&] {
                hasRun = true;
                throw std::runtime_error("boom");
            },
            at(0));
        report.told.wait();
        BOOST_TEST(timer.awaitTermination(1h));
        BOOST_TEST(report.text == "the clock is broken");
        BOOST_TEST(hasRun == isTaskRun);
        BOOST_TEST(blamed == (isTaskRun ? "task " : ""));
    }
}

BOOST_AUTO_TEST_CASE(a_clock_at_the_ends_of_time_neither_spins_nor_keeps_the_monitor) {
    constexpr std::int64_t min = std::numeric_limits<std::int64_t>::min();
    constexpr std::int64_t max = std::numeric_limits<std::int64_t>::max();
    for (const std::int64_t time : {min, min + 1, std::int64_t{-1}, max - 1, max}) {
        const auto clock = std::make_shared<OddClock>();
        clock->time = time;
        Timer timer(test::onClock(clock));
        test::Counter runs;
        timer.schedule([&] { runs.up(); }, Date::max());  // never due
        timer.schedule([&] { runs.up(); }, jtimer::detail::toDate<Date>(max - 1));
        timer.schedule([&] { runs.up(); }, Date{});
        BOOST_TEST(runs.reaches(time < 0 ? 0 : time < max - 1 ? 1 : 2));
        BOOST_TEST(timer.purge() == 0);
        BOOST_TEST(runs.get() == (time < 0 ? 0 : 2));
    }
}

BOOST_AUTO_TEST_CASE(before_1970_a_delay_is_refused_unless_it_leads_beyond) {
    const auto clock = std::make_shared<OddClock>();
    clock->time = std::numeric_limits<std::int64_t>::min();
    Timer timer(test::onClock(clock));
    BOOST_CHECK_THROW(timer.schedule([] {}, 1000), jtimer::IllegalArgumentException);
    clock->time = -1'500'000;
    BOOST_CHECK_THROW(timer.schedule([] {}, 1), jtimer::IllegalArgumentException);
    const auto task = timer.schedule([] {}, 2);
    BOOST_TEST(task->scheduledExecutionTime() == 0);
}

BOOST_AUTO_TEST_SUITE_END()

#if defined(__linux__)
BOOST_AUTO_TEST_CASE(
    what_the_wall_and_the_steady_clock_have_reached_is_never_after_what_they_show) {
    const auto neverAfter = [](const auto& clock) {
        const auto waiter = jtimer::detail::makeWaiter(clock);
        const std::int64_t first = waiter->reached();
        BOOST_TEST(first > clock.nanos() - 1'000'000'000);
        std::int64_t reached = first;
        for (long i = 0; reached == first || i < 100'000; ++i) {  // at least one tick
            reached = waiter->reached();
            const std::int64_t now = clock.nanos();
            if (reached > now) BOOST_TEST(reached <= now);
        }
    };
    neverAfter(jtimer::WallClock());
    neverAfter(jtimer::SteadyClock());
    const auto derived = jtimer::detail::makeWaiter(test::SetClock());
    BOOST_TEST(derived->reached() == jtimer::detail::kLongAgo);
}
#endif
