// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "support/manual_timer.hpp"

#include <boost/test/unit_test.hpp>

#include <limits>
#include <string>
#include <vector>

using namespace std::chrono_literals;
using jtimer::TimerTask;
using test::at;

namespace {

constexpr auto kDay = 24h;

/// Writes each run down as "name@now", or "name@now(scheduled)" where the two differ.
struct Fixture : test::ManualTimer {
    std::string text;

    std::string take() { return std::exchange(text, {}); }

    /// A task whose first run takes `stall` milliseconds.
    std::shared_ptr<TimerTask> task(const std::string& name, std::int64_t stall = 0) {
        return make(
            name, [stall](int run) { return run == 1 ? stall : 0; }, -1);
    }
    /// A task whose every run takes `length` milliseconds, and which cancels itself in run number
    /// `lives`, if that comes.
    std::shared_ptr<TimerTask> slowTask(const std::string& name, std::int64_t length, int lives) {
        return make(
            name, [length](int) { return length; }, lives);
    }

  private:
    class Recorder : public TimerTask {
      public:
        Recorder(Fixture& fixture, std::string name, std::function<std::int64_t(int)> length,
                 int lives)
            : fixture_(fixture), name_(std::move(name)), length_(std::move(length)), lives_(lives) {
        }

        void run() override {
            const std::int64_t began = fixture_.now(), due = scheduled(*this);
            fixture_.text +=
                (fixture_.text.empty() ? "" : " ") + name_ + '@' + std::to_string(began);
            if (due != began) fixture_.text += '(' + std::to_string(due) + ')';
            if (const std::int64_t length = length_(++runs_)) fixture_.clock->advance(length);
            if (runs_ == lives_) cancel();
        }

      private:
        Fixture& fixture_;
        const std::string name_;
        const std::function<std::int64_t(int)> length_;
        const int lives_;
        int runs_ = 0;
    };

    std::shared_ptr<TimerTask> make(const std::string& name,
                                    std::function<std::int64_t(int)> length, int lives) {
        return std::make_shared<Recorder>(*this, name, std::move(length), lives);
    }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(timing, Fixture)

BOOST_AUTO_TEST_CASE(j102_a_task_runs_when_its_time_has_come_to_the_nanosecond_and_not_before) {
    timer.schedule(task("a"), 10);
    clock->advance(10ms - 1ns);
    BOOST_TEST(take() == "");
    clock->advance(1ns);
    BOOST_TEST(take() == "a@10");

    timer.schedule(task("b"), 1ns);
    timer.schedule(task("c"), 0);
    clock->waitUntilIdle();
    BOOST_TEST(take() == "c@10");
    clock->advance(1ns);
    BOOST_TEST(take() == "b@10");
}

BOOST_AUTO_TEST_CASE(j103_a_one_shot_with_a_date_in_the_past_runs_once_and_at_once) {
    timer.schedule(task("a"), at(-1050));
    clock->waitUntilIdle();
    timer.schedule(task("b"), jtimer::Date{});
    clock->waitUntilIdle();
    BOOST_TEST(take() == "a@0(-1050) b@0(-1000000000000)");
    clock->advance(5000);
    BOOST_TEST(take() == "");
}

BOOST_AUTO_TEST_CASE(
    j104_fixed_delay_with_a_date_in_the_past_runs_once_and_then_every_period_from_now) {
    timer.schedule(task("a"), at(-1050), 100);
    clock->waitUntilIdle();
    BOOST_TEST(take() == "a@0");
    clock->advance(299);
    BOOST_TEST(take() == "a@100 a@200");
}

BOOST_AUTO_TEST_CASE(
    j105_fixed_rate_with_a_date_in_the_past_makes_up_for_the_missed_runs_then_keeps_the_grid) {
    timer.scheduleAtFixedRate(task("a"), at(-1050), 100);
    clock->waitUntilIdle();
    BOOST_TEST(take() == "a@0(-1050) a@0(-950) a@0(-850) a@0(-750) a@0(-650) a@0(-550) a@0(-450) "
                         "a@0(-350) a@0(-250) a@0(-150) a@0(-50)");
    clock->advance(299);
    BOOST_TEST(take() == "a@50 a@150 a@250");
}

BOOST_AUTO_TEST_CASE(j106_a_fixed_rate_run_that_is_due_this_moment_counts_as_missed) {
    timer.scheduleAtFixedRate(task("a"), at(-100), 100);
    clock->waitUntilIdle();
    BOOST_TEST(take() == "a@0(-100) a@0");
    timer.cancel();

    for (const int first : {-1, 0}) {
        Fixture f;
        f.timer.scheduleAtFixedRate(f.task("b"), at(first), 100);
        f.clock->waitUntilIdle();
        BOOST_TEST(f.take() == (first == 0 ? "b@0" : "b@0(-1)"));
        f.clock->advance(99);
        BOOST_TEST(f.take() == (first == 0 ? "" : "b@99"));
    }
}

BOOST_AUTO_TEST_CASE(j106_fixed_rate_from_1970_on_with_a_period_of_365_days_runs_57_times_in_2026) {
    const auto in2026 = std::make_shared<jtimer::ManualClock>(jtimer::Date(20600 * kDay));
    jtimer::Timer later(test::onClock(in2026));
    std::vector<std::int64_t> days, expected;
    std::shared_ptr<TimerTask> yearly =
        test::makeTask([&] { days.push_back(yearly->scheduledExecutionTime() / 86'400'000); });
    later.scheduleAtFixedRate(yearly, jtimer::Date{}, 365 * kDay);
    in2026->waitUntilIdle();
    for (std::int64_t k = 0; k <= 56; ++k) expected.push_back(k * 365);
    BOOST_TEST(days == expected, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(j106_all_of_5000_missed_runs_are_made_up_for) {
    std::int64_t runs = 0;
    timer.scheduleAtFixedRate([&] { ++runs; }, at(-4999), 1);
    clock->waitUntilIdle();
    BOOST_TEST(runs == 5000);
    clock->advance(5000);
    BOOST_TEST(runs == 10000);
}

BOOST_AUTO_TEST_CASE(j107_after_a_stall_fixed_rate_makes_up_for_every_run_and_returns_to_its_grid) {
    timer.scheduleAtFixedRate(task("a", 520), 0, 100);
    clock->waitUntilIdle();
    BOOST_TEST(now() == 520);
    BOOST_TEST(take() == "a@0 a@520(100) a@520(200) a@520(300) a@520(400) a@520(500)");
    clock->advance(200);
    BOOST_TEST(take() == "a@600 a@700");
}

BOOST_AUTO_TEST_CASE(j107_a_fixed_rate_task_whose_first_run_takes_400_has_run_10_times_after_900) {
    timer.scheduleAtFixedRate(task("a", 400), 0, 100);
    clock->waitUntilIdle();
    clock->advanceTo(at(900));
    BOOST_TEST(take() ==
               "a@0 a@400(100) a@400(200) a@400(300) a@400 a@500 a@600 a@700 a@800 a@900");
}

BOOST_AUTO_TEST_CASE(j108_after_a_stall_fixed_delay_runs_once_and_every_period_from_there) {
    timer.schedule(task("a", 520), 0, 100);
    clock->waitUntilIdle();
    BOOST_TEST(take() == "a@0 a@520");
    clock->advance(200);
    BOOST_TEST(take() == "a@620 a@720");
}

BOOST_AUTO_TEST_CASE(j109_the_delay_of_fixed_delay_counts_from_the_start_of_a_run) {
    timer.schedule(slowTask("a", 60, -1), 0, 100);
    clock->advanceTo(at(360));
    BOOST_TEST(take() == "a@0 a@100 a@200 a@300");
}

BOOST_AUTO_TEST_CASE(
    j110_a_fixed_rate_task_slower_than_its_period_runs_without_a_pause_ever_later) {
    timer.scheduleAtFixedRate(slowTask("a", 80, 5), 0, 50);
    clock->waitUntilIdle();
    BOOST_TEST(take() == "a@0 a@80(50) a@160(100) a@240(150) a@320(200)");
    BOOST_TEST(now() == 400);
}

BOOST_AUTO_TEST_CASE(j110_a_fixed_delay_task_slower_than_its_period_runs_without_a_pause) {
    timer.schedule(slowTask("a", 80, 5), 0, 50);
    clock->waitUntilIdle();
    BOOST_TEST(take() == "a@0 a@80 a@160 a@240 a@320");
    BOOST_TEST(now() == 400);
}

BOOST_AUTO_TEST_CASE(j111_fixed_rate_tasks_that_catch_up_together_are_merged_by_their_times) {
    const auto a = task("a"), b = task("b");
    const auto scheduleBoth = [&] {
        timer.scheduleAtFixedRate(a, at(-100), 20);
        timer.scheduleAtFixedRate(b, at(-90), 30);
    };
    timer.schedule(scheduleBoth, 0);
    clock->waitUntilIdle();
    BOOST_TEST(take() == "a@0(-100) b@0(-90) a@0(-80) a@0(-60) b@0(-60) a@0(-40) b@0(-30) a@0(-20) "
                         "a@0 b@0");
}

BOOST_AUTO_TEST_CASE(j111_an_overdue_one_shot_is_merged_with_fixed_rate_tasks_that_catch_up) {
    const auto a = task("a"), b = task("b"), once = task("once");
    const auto scheduleAll = [&] {
        timer.scheduleAtFixedRate(a, at(-100), 20);
        timer.scheduleAtFixedRate(b, at(-90), 30);
        timer.schedule(once, at(-45));
    };
    timer.schedule(scheduleAll, 0);
    clock->waitUntilIdle();
    BOOST_TEST(take() ==
               "a@0(-100) b@0(-90) a@0(-80) a@0(-60) b@0(-60) once@0(-45) a@0(-40) b@0(-30) "
               "a@0(-20) a@0 b@0");
}

BOOST_AUTO_TEST_CASE(j112_a_stall_of_another_task_has_the_same_effect_as_ones_own) {
    timer.scheduleAtFixedRate(task("rate"), 10, 100);
    timer.schedule(task("delay"), 20, 100);
    timer.schedule(task("stall", 320), 30);
    clock->advanceTo(at(460));
    BOOST_TEST(take() ==
               "rate@10 delay@20 stall@30 rate@350(110) delay@350 rate@350(210) rate@350(310) "
               "rate@410 delay@450");
}

BOOST_AUTO_TEST_CASE(j113_a_task_scheduled_during_a_wait_for_an_earlier_time_runs_on_time) {
    timer.schedule(task("later"), 1000);
    clock->advance(100);
    timer.schedule(task("earlier"), 100);
    clock->advance(99);
    BOOST_TEST(take() == "");
    clock->advance(1);
    BOOST_TEST(take() == "earlier@200");
    clock->advance(1000);
    BOOST_TEST(take() == "later@1000");
}

BOOST_AUTO_TEST_CASE(j114_a_huge_period_never_comes_round_and_disturbs_no_other_task) {
    constexpr std::int64_t max = std::numeric_limits<std::int64_t>::max();
    for (const std::int64_t period : {max, max - 1, max / 2 + 1, max / 2, max / 1'000'000}) {
        timer.schedule(task("delay"), 0, period);
        clock->waitUntilIdle();
        timer.scheduleAtFixedRate(task("rate"), 0, period);
        clock->waitUntilIdle();
        BOOST_TEST(take() == "delay@0 rate@0");
    }
    timer.scheduleAtFixedRate(task("nanos"), 0, std::chrono::nanoseconds::max());
    clock->waitUntilIdle();
    BOOST_TEST(take() == "nanos@0");

    timer.schedule(task("a"), 10);
    clock->advance(200 * 365 * kDay);
    BOOST_TEST(take() == "a@10");
    BOOST_TEST(!clock->advanceToNext());
}

BOOST_AUTO_TEST_CASE(j114_a_period_of_9_years_comes_round_to_the_nanosecond_a_longer_one_to_64) {
    constexpr std::int64_t longest = std::int64_t{1} << 58;
    for (const std::int64_t more : {-1, 0, 1, 63, 64, 65}) {
        const std::chrono::nanoseconds given(longest + more);
        const std::chrono::nanoseconds period(longest + (more <= 0 ? more : (more + 63) / 64 * 64));
        test::ManualTimer own;
        std::vector<std::int64_t> runs;
        const auto run = [&, begin = own.clock->nanos()] {
            runs.push_back(own.clock->nanos() - begin);
        };
        own.timer.scheduleAtFixedRate(run, at(-1), given);
        own.clock->advance(period);
        BOOST_TEST(runs == (std::vector<std::int64_t>{0, period.count() - 1'000'000}),
                   boost::test_tools::per_element());
    }
}

BOOST_AUTO_TEST_CASE(j114_a_period_of_decades_comes_round_while_nanoseconds_last) {
    constexpr std::int64_t year = 365 * 24 * 3'600'000LL;
    for (const std::int64_t years : {18, 19, 40, 130}) {
        test::ManualTimer own;
        std::vector<std::int64_t> runs;
        const auto run = [&] { runs.push_back(own.now() / year); };
        const auto rate = own.timer.scheduleAtFixedRate(run, 0, years * year);
        own.clock->advance(years * 2 * year);
        BOOST_TEST(runs == (std::vector<std::int64_t>{0, years, 2 * years}),
                   boost::test_tools::per_element());
        BOOST_TEST(rate->cancel());
        BOOST_TEST(!rate->cancel());
        const auto delay = own.timer.schedule(run, 0, years * year);
        own.clock->waitUntilIdle();
        BOOST_TEST(runs.size() == 4U);
        BOOST_TEST(test::ManualTimer::scheduled(*delay) == own.now());
        own.timer.cancel();
        BOOST_TEST(delay->cancel());
        BOOST_TEST(!delay->cancel());
    }
    const auto discarded = timer.schedule([] {}, 0, 19 * year);
    clock->waitUntilIdle();
    timer.cancel();
    BOOST_TEST(discarded.use_count() == 1);
}

BOOST_AUTO_TEST_CASE(j115_a_task_with_the_longest_period_runs_once_and_can_be_cancelled) {
    constexpr std::int64_t max = std::numeric_limits<std::int64_t>::max();
    const auto tasks = {timer.schedule(task("1"), 10, max), timer.schedule(task("2"), at(11), max),
                        timer.scheduleAtFixedRate(task("3"), 12, max),
                        timer.scheduleAtFixedRate(task("4"), at(13), max)};
    clock->advance(100 * 365 * kDay);
    BOOST_TEST(take() == "1@10 2@11 3@12 4@13");
    for (const auto& once : tasks) {
        BOOST_TEST(once->cancel());
        BOOST_TEST(!once->cancel());
    }
    BOOST_TEST(timer.purge() == 4);
}

BOOST_AUTO_TEST_SUITE_END()
