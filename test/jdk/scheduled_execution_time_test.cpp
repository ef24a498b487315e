// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "support/manual_timer.hpp"
#include "support/test.hpp"

using namespace std::chrono_literals;
using jtimer::Date;
using jtimer::TimerTask;
using test::at;
using Times = std::vector<std::int64_t>;

namespace {

constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();

/// Keeps what it answers inside of each of its runs, in milliseconds from kStart.
class Witness : public TimerTask {
  public:
    explicit Witness(std::function<void()> duringRun = [] {}) : duringRun_(std::move(duringRun)) {}
    void run() override {
        times.push_back(test::ManualTimer::scheduled(*this));
        duringRun_();
    }
    Times times;

  private:
    const std::function<void()> duringRun_;
};

std::shared_ptr<Witness> witness(std::function<void()> duringRun = [] {}) {
    return std::make_shared<Witness>(std::move(duringRun));
}

struct Fixture : test::ManualTimer {
    /// Schedules with a fixed delay or at a fixed rate.
    void repeat(bool fixedRate, const std::shared_ptr<TimerTask>& task, jtimer::When first,
                jtimer::TimeSpan period) {
        fixedRate ? timer.scheduleAtFixedRate(task, first, period)
                  : timer.schedule(task, first, period);
    }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(scheduled_execution_time, Fixture)

BOOST_AUTO_TEST_CASE(j80_a_task_that_was_never_scheduled_answers_0_before_and_after_cancel) {
    const auto task = test::makeTask();
    BOOST_TEST(task->scheduledExecutionTime() == 0);
    task->cancel();
    BOOST_TEST(task->scheduledExecutionTime() == 0);
    BOOST_CHECK_THROW(timer.schedule(task, 10), jtimer::IllegalStateException);
    BOOST_CHECK_THROW(timer.schedule(task, 10, 10), jtimer::IllegalStateException);
    BOOST_TEST(task->scheduledExecutionTime() == 0);
}

BOOST_AUTO_TEST_CASE(j80_a_refused_call_does_not_change_the_answer_of_a_scheduled_task) {
    const auto task = timer.schedule([] {}, 10);
    BOOST_CHECK_THROW(timer.schedule(task, 20), jtimer::IllegalStateException);
    BOOST_CHECK_THROW(timer.scheduleAtFixedRate(task, at(30), 5), jtimer::IllegalStateException);
    BOOST_TEST(scheduled(*task) == 10);
}

BOOST_AUTO_TEST_CASE(
    j81_a_one_shot_answers_the_time_asked_for_pending_running_late_executed_and_cancelled) {
    const auto task = witness();
    timer.schedule([this] { clock->advance(520); }, 100);
    timer.schedule(task, at(300));
    BOOST_TEST(scheduled(*task) == 300);
    clock->advance(1000);
    BOOST_TEST(task->times == Times({300}), boost::test_tools::per_element());
    BOOST_TEST(scheduled(*task) == 300);
    task->cancel();
    BOOST_TEST(scheduled(*task) == 300);
}

BOOST_AUTO_TEST_CASE(j81_a_date_in_the_past_stays_what_it_was_and_is_not_moved_to_now) {
    const auto past = witness(), first = witness();
    timer.schedule(past, at(-1050));
    timer.schedule(first, Date{});
    clock->waitUntilIdle();
    BOOST_TEST(past->times == Times({-1050}), boost::test_tools::per_element());
    BOOST_TEST(scheduled(*past) == -1050);
    BOOST_TEST(first->times == Times({-test::kStartMillis}), boost::test_tools::per_element());
    BOOST_TEST(first->scheduledExecutionTime() == 0);
}

BOOST_AUTO_TEST_CASE(j81_what_is_finer_than_a_millisecond_is_rounded_down) {
    BOOST_TEST(scheduled(*timer.schedule([] {}, 1999us)) == 1);
    BOOST_TEST(scheduled(*timer.schedule([] {}, at(1) + 1us)) == 1);
    clock->advance(700us);
    BOOST_TEST(scheduled(*timer.schedule([] {}, 299us)) == 0);
    BOOST_TEST(scheduled(*timer.schedule([] {}, 300us)) == 1);

    const auto delayed = witness();
    timer.schedule(delayed, 0, 1ms);  // from 0.7 ms on
    clock->advance(2ms);
    BOOST_TEST(delayed->times == Times({0, 1, 2}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(j81_delays_of_about_a_century_count_from_the_nanosecond_of_the_call) {
    constexpr std::int64_t century = 100LL * 365 * 86'400'000;
    constexpr std::int64_t year2262 = kMax / 1'000'000;
    clock->advance(700us);
    for (const std::int64_t millis : {century - 1, century, century + 1, year2262, kMax / 2}) {
        BOOST_TEST(scheduled(*timer.schedule([] {}, millis)) == millis);
    }
    const auto finer = std::chrono::milliseconds(century) + 300us;
    BOOST_TEST(scheduled(*timer.schedule([] {}, finer)) == century + 1);
    const auto task = witness();
    timer.schedule(task, std::chrono::milliseconds(century));
    clock->advance(std::chrono::milliseconds(century) - 1ns);
    BOOST_TEST(task->times.empty());
    clock->advance(1ns);
    BOOST_TEST(task->times == Times({century}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(
    j82_a_repeating_task_that_has_not_run_answers_its_first_time_minus_the_period) {
    for (const bool fixedRate : {false, true}) {
        const auto byDelay = test::makeTask(), byDate = test::makeTask(), finer = test::makeTask();
        repeat(fixedRate, byDelay, 2000, 5000);
        repeat(fixedRate, byDate, at(7000), 5000);
        repeat(fixedRate, finer, at(5) + 200us, 500us);
        BOOST_TEST(scheduled(*byDelay) == -3000);
        BOOST_TEST(scheduled(*byDate) == 2000);
        BOOST_TEST(scheduled(*finer) == 4);  // 4.7 ms
        byDelay->cancel();
        BOOST_TEST(scheduled(*byDelay) == -3000);
    }
}

BOOST_AUTO_TEST_CASE(j83_a_fixed_rate_task_answers_first_plus_k_periods_however_late_it_runs) {
    const auto task = witness([this] {
        if (now() == 10) clock->advance(520);
    });
    timer.scheduleAtFixedRate(task, 10, 100);
    clock->advance(9);
    BOOST_TEST(scheduled(*task) == -90);
    clock->advance(692);
    BOOST_TEST(task->times == Times({10, 110, 210, 310, 410, 510, 610}),
               boost::test_tools::per_element());
    BOOST_TEST(scheduled(*task) == 610);

    const auto past = witness();
    timer.scheduleAtFixedRate(past, at(701 - 250), 100);
    clock->waitUntilIdle();
    BOOST_TEST(past->times == Times({451, 551, 651}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(j84_a_fixed_delay_task_answers_the_time_at_which_its_run_began) {
    const auto task = witness([this] {
        if (now() == 10) clock->advance(520);
    });
    timer.schedule(task, 10, 100);
    clock->advance(900);
    // Due at 110, begun at 530.
    BOOST_TEST(task->times == Times({10, 530, 630, 730, 830}), boost::test_tools::per_element());
    BOOST_TEST(scheduled(*task) == 830);

    const auto past = witness();
    timer.schedule(past, at(900 - 1050), 100);
    clock->waitUntilIdle();
    BOOST_TEST(scheduled(*past) == 900);
    clock->advance(100);
    BOOST_TEST(past->times == Times({900, 1000}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(j84_the_answer_stands_still_while_the_run_goes_on) {
    for (const bool fixedRate : {false, true}) {
        Times answers;
        std::shared_ptr<TimerTask> task = test::makeTask([&] {
            if (!answers.empty()) return;
            answers.push_back(scheduled(*task));
            clock->advance(50);
            answers.push_back(scheduled(*task));
        });
        const std::int64_t start = now();
        repeat(fixedRate, task, 10, 100);
        clock->advance(100);
        BOOST_TEST(answers == Times({start + 10, start + 10}), boost::test_tools::per_element());
        task->cancel();
    }
}

BOOST_AUTO_TEST_CASE(j85_cancelling_the_task_or_the_timer_does_not_change_the_answer) {
    const auto once = test::makeTask(), delay = test::makeTask(), rate = test::makeTask();
    const auto unrun = test::makeTask();
    timer.schedule(once, 500);
    timer.schedule(delay, at(-50), 200);
    timer.scheduleAtFixedRate(rate, at(-50), 200);
    timer.schedule(unrun, 500, 200);
    clock->waitUntilIdle();
    const auto check = [&] {
        BOOST_TEST(scheduled(*once) == 500);
        BOOST_TEST(scheduled(*delay) == 0);
        BOOST_TEST(scheduled(*rate) == -50);
        BOOST_TEST(scheduled(*unrun) == 300);
    };
    check();
    rate->cancel();
    check();
    timer.cancel();
    check();
    for (const auto& task : {once, delay, unrun}) task->cancel();
    clock->advance(1000);
    check();
}

BOOST_AUTO_TEST_CASE(j85_the_death_of_the_thread_does_not_change_the_answer) {
    auto options = test::onClock(clock);
    options.uncaughtExceptionHandler = [](const std::string&, const std::exception_ptr&) {};
    for (const bool fixedRate : {false, true}) {
        const std::int64_t start = now();
        jtimer::Timer dying(options);
        const auto once = dying.schedule([] {}, 1000);
        const auto unrun = dying.schedule([] {}, 1000, 200);
        const auto thrower = test::makeTask([] { throw std::runtime_error("die"); });
        fixedRate ? dying.scheduleAtFixedRate(thrower, 100, 300)
                  : dying.schedule(thrower, 100, 300);
        clock->advance(100);
        BOOST_TEST(scheduled(*once) == start + 1000);
        BOOST_TEST(scheduled(*unrun) == start + 800);
        BOOST_TEST(scheduled(*thrower) == start + 100);
    }
}

BOOST_AUTO_TEST_CASE(j86_none_of_200_one_shots_runs_before_the_time_it_answers) {
    std::mt19937 random(86);
    Times lateness;
    std::vector<std::shared_ptr<TimerTask>> tasks(200);
    for (auto& task : tasks) {
        task = test::makeTask([this, &task, &lateness, stall = random() % 10] {
            lateness.push_back(now() - scheduled(*task));
            clock->advance(stall);
        });
        timer.schedule(task, 1 + random() % 1000);
    }
    clock->advance(5000);
    BOOST_TEST(lateness.size() == 200U);
    BOOST_TEST(*std::min_element(lateness.begin(), lateness.end()) == 0);
    BOOST_TEST(*std::max_element(lateness.begin(), lateness.end()) > 0);
}

BOOST_AUTO_TEST_CASE(j87_a_one_shot_with_a_delay_answers_the_time_of_the_call_plus_the_delay) {
    clock->advance(123);
    BOOST_TEST(scheduled(*timer.schedule([] {}, 1000)) == 1123);
    BOOST_TEST(scheduled(*timer.schedule([] {}, 0)) == 123);

    jtimer::Timer real(true);
    const jtimer::WallClock wall;
    const auto millis = [&] { return wall.nanos() / 1'000'000; };
    for (int i = 0; i < 100; ++i) {
        const std::int64_t before = millis();
        const auto task = real.schedule([] {}, 5000);
        BOOST_TEST(task->scheduledExecutionTime() >= before + 5000);
        BOOST_TEST(task->scheduledExecutionTime() <= millis() + 5000);
    }
}

BOOST_AUTO_TEST_CASE(
    j114_of_a_period_beyond_half_of_the_range_half_is_subtracted_before_the_first_run) {
    const auto answers = [this](std::int64_t period) {
        const auto delay = timer.schedule([] {}, 1000, period);
        const auto rate = timer.scheduleAtFixedRate([] {}, at(1000), period);
        return Times({scheduled(*delay), scheduled(*rate)});
    };
    const auto both = boost::test_tools::per_element();
    BOOST_TEST(answers(kMax) == Times({1000 - 4611686018427387904, 1000 - 4611686018427387903}),
               both);
    BOOST_TEST(answers(kMax - 1) == Times({1000 - 4611686018427387903, 1000 - 4611686018427387903}),
               both);
    BOOST_TEST(answers(kMax / 2 + 1) ==
                   Times({1000 - 2305843009213693952, 1000 - 2305843009213693952}),
               both);
    BOOST_TEST(answers(kMax / 2) == Times({1000 - 4611686018427387903, 1000 - 4611686018427387903}),
               both);
}

BOOST_AUTO_TEST_CASE(
    j115_a_task_with_the_longest_period_runs_once_and_answers_the_time_of_that_run) {
    for (const bool fixedRate : {false, true}) {
        for (const bool byDate : {false, true}) {
            const std::int64_t start = now();
            const auto task = witness();
            repeat(fixedRate, task, byDate ? jtimer::When(at(start)) : jtimer::When(0), kMax);
            clock->waitUntilIdle();
            BOOST_TEST(task->times == Times({start}), boost::test_tools::per_element());
            BOOST_TEST(scheduled(*task) == start);
            clock->advance(24h * 365 * 20);
            BOOST_TEST(task->times.size() == 1U);
            BOOST_TEST(scheduled(*task) == start);
            BOOST_TEST(task->cancel());
            BOOST_TEST(scheduled(*task) == start);
        }
    }
}

BOOST_AUTO_TEST_SUITE_END()
