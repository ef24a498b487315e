// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "support/clocks.hpp"
#include "support/gate.hpp"
#include "support/manual_timer.hpp"
#include "support/test.hpp"

using jtimer::Timer;
using jtimer::TimerTask;
using test::at;
using test::Gate;
using test::makeTask;
using TaskPointer = std::shared_ptr<TimerTask>;

namespace {

struct Fixture : test::ManualTimer {
    test::Log log{clock};

    /// A task that stays in run() until it is released.
    struct Running {
        Gate entered;
        Gate released;
        std::atomic<int> completed{0};

        auto callable() {
            return [this] {
                entered.open();
                released.wait();
                ++completed;
            };
        }
    };
};

/// The two kinds of repetition, for what both have in common.
using Repeat = std::function<TaskPointer(Timer&, TaskPointer, std::int64_t, std::int64_t)>;

const std::vector<Repeat>& repeats() {
    static const std::vector<Repeat> repeats{
        [](Timer& timer, TaskPointer task, std::int64_t delay, std::int64_t period) {
            return timer.schedule(std::move(task), delay, period);
        },
        [](Timer& timer, TaskPointer task, std::int64_t delay, std::int64_t period) {
            return timer.scheduleAtFixedRate(std::move(task), delay, period);
        }};
    return repeats;
}

}  // namespace

BOOST_FIXTURE_TEST_SUITE(task_cancel, Fixture)

BOOST_AUTO_TEST_CASE(j37_a_task_that_was_never_scheduled_answers_false_and_is_cancelled) {
    const auto task = makeTask();
    BOOST_TEST(!task->cancel());
    BOOST_TEST(!task->cancel());
    BOOST_CHECK_THROW(timer.schedule(task, 0), jtimer::IllegalStateException);
}

BOOST_AUTO_TEST_CASE(j38_a_pending_one_shot_answers_true_then_false_and_never_runs) {
    const auto task = timer.schedule(log.entry("a"), 10);
    timer.schedule(log.entry("b"), 10);
    clock->advance(9);
    BOOST_TEST(task->cancel());
    BOOST_TEST(!task->cancel());
    clock->advance(1000);
    BOOST_TEST(log.take() == "b@10");
    BOOST_TEST(!task->cancel());
}

BOOST_AUTO_TEST_CASE(j39_a_running_one_shot_answers_false_from_outside_and_completes) {
    Running running;
    const auto task = timer.schedule(running.callable(), 0);
    running.entered.wait();
    BOOST_TEST(!task->cancel());
    BOOST_TEST(!task->cancel());
    BOOST_TEST(running.completed == 0);
    running.released.open();
    clock->waitUntilIdle();
    BOOST_TEST(running.completed == 1);
    BOOST_TEST(!task->cancel());
}

BOOST_AUTO_TEST_CASE(j39_a_one_shot_answers_false_in_its_own_run) {
    TaskPointer task;
    std::vector<bool> answers;
    task = makeTask([&] {
        answers.push_back(task->cancel());
        answers.push_back(task->cancel());
        log.write("completed");
    });
    timer.schedule(task, 10);
    clock->advance(100);
    BOOST_TEST(answers == std::vector<bool>({false, false}), boost::test_tools::per_element());
    BOOST_TEST(log.take() == "completed@10");
}

BOOST_AUTO_TEST_CASE(j40_an_executed_one_shot_answers_false) {
    const auto task = timer.schedule(log.entry("a"), 10);
    clock->advance(10);
    BOOST_TEST(!task->cancel());
    BOOST_TEST(!task->cancel());
    BOOST_TEST(log.take() == "a@10");
}

BOOST_AUTO_TEST_CASE(j41_a_repeating_task_before_its_first_run_answers_true_then_false) {
    for (const auto& repeat : repeats()) {
        const auto task = repeat(timer, makeTask(log.entry("a")), 10, 10);
        clock->waitUntilIdle();
        BOOST_TEST(task->cancel());
        BOOST_TEST(!task->cancel());
        clock->advance(100);
        BOOST_TEST(log.take() == "");
    }
}

BOOST_AUTO_TEST_CASE(j42_a_repeating_task_between_runs_answers_true_then_false_and_runs_no_more) {
    for (const auto& repeat : repeats()) {
        const std::int64_t start = now();
        const auto task = repeat(timer, makeTask(log.entry("a")), 10, 10);
        clock->advance(25);
        BOOST_TEST(log.take() ==
                   "a@" + std::to_string(start + 10) + " a@" + std::to_string(start + 20));
        BOOST_TEST(task->cancel());
        BOOST_TEST(!task->cancel());
        clock->advance(100);
        BOOST_TEST(log.take() == "");
    }
}

BOOST_AUTO_TEST_CASE(j43_a_repeating_task_cancelled_from_outside_while_it_runs_completes_that_run) {
    for (const auto& repeat : repeats()) {
        Running running;
        const auto task = repeat(timer, makeTask(running.callable()), 0, 10);
        running.entered.wait();
        BOOST_TEST(task->cancel());
        BOOST_TEST(!task->cancel());
        BOOST_TEST(running.completed == 0);
        running.released.open();
        clock->advance(100);
        BOOST_TEST(running.completed == 1);
    }
}

BOOST_AUTO_TEST_CASE(j44_a_repeating_task_that_cancels_itself_has_had_its_last_run) {
    for (const auto& repeat : repeats()) {
        int runs = 0;
        std::vector<bool> answers;
        TaskPointer task;
        task = makeTask([&] {
            if (++runs < 3) return;
            answers.push_back(task->cancel());
            answers.push_back(task->cancel());
        });
        repeat(timer, task, 10, 10);
        clock->advance(1000);
        BOOST_TEST(runs == 3);
        BOOST_TEST(answers == std::vector<bool>({true, false}), boost::test_tools::per_element());
        BOOST_TEST(!task->cancel());
    }
}

BOOST_AUTO_TEST_CASE(j44_not_even_missed_runs_follow_a_self_cancelled_one) {
    int runs = 0;
    TaskPointer task;
    task = makeTask([&] {
        ++runs;
        task->cancel();
    });
    timer.scheduleAtFixedRate(task, at(-1000), 10);
    clock->advance(100);
    BOOST_TEST(runs == 1);
}

BOOST_AUTO_TEST_CASE(j45_tasks_discarded_by_timer_cancel_answer_true_then_false) {
    const auto once = timer.schedule(log.entry("a"), 10);
    const auto fixedDelay = timer.schedule(log.entry("b"), 10, 10);
    const auto fixedRate = timer.scheduleAtFixedRate(log.entry("c"), 0, 10);
    const auto executed = timer.schedule(log.entry("d"), 0);
    clock->waitUntilIdle();
    timer.cancel();
    BOOST_TEST(timer.purge() == 0);
    for (const auto& task : {once, fixedDelay, fixedRate}) {
        BOOST_TEST(task->cancel());
        BOOST_TEST(!task->cancel());
    }
    BOOST_TEST(!executed->cancel());
}

BOOST_AUTO_TEST_CASE(j46_after_the_thread_died_only_the_one_shot_that_threw_answers_false) {
    for (const bool repeats : {false, true}) {
        jtimer::TimerOptions options = test::onClock(clock);
        options.uncaughtExceptionHandler = [](const std::string&, const std::exception_ptr&) {};
        Timer dying(options);
        const auto pending = dying.schedule([] {}, 10);
        const auto pendingRepeating = dying.schedule([] {}, 10, 10);
        const auto throwing = makeTask([] { throw std::runtime_error("j46"); });
        repeats ? dying.schedule(throwing, 0, 10) : dying.schedule(throwing, 0);
        clock->waitUntilIdle();
        BOOST_TEST(throwing->cancel() == repeats);
        BOOST_TEST(!throwing->cancel());
        for (const auto& task : {pending, pendingRepeating}) {
            BOOST_TEST(task->cancel());
            BOOST_TEST(!task->cancel());
        }
    }
}

BOOST_AUTO_TEST_CASE(j49_cancel_leaves_the_task_in_the_queue_and_the_thread_asleep) {
    const auto task = timer.schedule(log.entry("a"), 10);
    clock->waitUntilIdle();
    BOOST_TEST(task->cancel());
    // A thread that was woken would drop the head, and wait without a limit.
    BOOST_TEST(clock->advanceToNext());
    BOOST_TEST(now() == 10);
    BOOST_TEST(timer.purge() == 0);

    const auto another = timer.schedule(log.entry("b"), 10);
    clock->waitUntilIdle();
    BOOST_TEST(another->cancel());
    clock->waitUntilIdle();
    BOOST_TEST(timer.purge() == 1);
    clock->advance(100);
    BOOST_TEST(log.take() == "");
}

BOOST_AUTO_TEST_CASE(j50_no_timer_calls_what_a_task_overrides_besides_run) {
    struct Overriding : TimerTask {
        std::atomic<int> runs{0};
        std::atomic<int> cancels{0};
        mutable std::atomic<int> questions{0};
        void run() override { ++runs; }
        bool cancel() override {
            ++cancels;
            return true;
        }
        std::int64_t scheduledExecutionTime() const override {
            ++questions;
            return 0;
        }
    };
    const auto once = std::make_shared<Overriding>();
    const auto repeating = std::make_shared<Overriding>();
    const auto discarded = std::make_shared<Overriding>();
    {
        Timer other(test::onClock(clock));
        other.schedule(once, 10);
        other.scheduleAtFixedRate(repeating, 10, 10);
        other.schedule(discarded, 1000);
        BOOST_TEST(
            repeating->cancel());  // does not call TimerTask::cancel, so nothing is cancelled
        clock->advance(100);
        BOOST_TEST(other.purge() == 0);
        other.cancel();
    }
    BOOST_TEST(once->runs == 1);
    BOOST_TEST(repeating->runs == 10);
    BOOST_TEST(repeating->cancels == 1);
    for (const auto& task : {once, discarded}) BOOST_TEST(task->cancels == 0);
    for (const auto& task : {once, repeating, discarded}) BOOST_TEST(task->questions == 0);
}

BOOST_AUTO_TEST_CASE(j51_a_task_can_prevent_another_one_of_its_timer) {
    const auto sameTime = timer.schedule(log.entry("same"), 10);
    const auto later = timer.schedule(log.entry("later"), 20);
    const auto repeating = timer.schedule(log.entry("repeating"), 15, 10);
    std::vector<bool> answers;
    timer.schedule(
        [&] {
            for (const auto& task : {sameTime, later, repeating}) answers.push_back(task->cancel());
        },
        9);
    clock->advance(100);
    BOOST_TEST(answers == std::vector<bool>(3, true), boost::test_tools::per_element());
    BOOST_TEST(log.take() == "");
}

BOOST_AUTO_TEST_CASE(a_task_is_scheduled_until_its_only_run_begins_or_it_is_cancelled) {
    const auto states = [](const TaskPointer& task) {
        return std::string(task->isScheduled() ? "scheduled " : "") +
               (task->isCancelled() ? "cancelled" : "");
    };
    std::string inRun;
    const TaskPointer once = makeTask([&] { inRun += states(once) + '|'; });
    const TaskPointer rate = makeTask([&] { inRun += states(rate) + '|'; });
    BOOST_TEST(states(once) == "");
    timer.schedule(once, 1);
    timer.scheduleAtFixedRate(rate, 2, 1);
    BOOST_TEST(states(once) == "scheduled ");
    clock->advance(2);
    BOOST_TEST(inRun == "|scheduled |");
    BOOST_TEST(states(once) == "");
    BOOST_TEST(states(rate) == "scheduled ");
    once->cancel();
    rate->cancel();
    BOOST_TEST(states(once) == "cancelled");
    BOOST_TEST(states(rate) == "cancelled");

    const TaskPointer never = makeTask(), decades = makeTask(), discarded = makeTask();
    never->cancel();
    BOOST_TEST(states(never) == "cancelled");
    timer.schedule(decades, 1, std::chrono::hours(24 * 365 * 100));
    BOOST_TEST(states(decades) == "scheduled ");
    decades->cancel();
    BOOST_TEST(states(decades) == "cancelled");
    discarded->setName("discarded");
    BOOST_TEST(states(discarded) == "");
    timer.schedule(discarded, 1);
    timer.cancel();
    BOOST_TEST(states(discarded) == "scheduled ");
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_CASE(j49_cancel_takes_no_lock_of_the_timer) {
    const auto clock = std::make_shared<test::HangingClock>();
    bool answer = false;
    {
        Timer timer(test::onClock(clock));
        const auto task = timer.schedule([] {}, 3'600'000);
        timer.schedule([&] { clock->armed = true; }, 0);
        clock->hangs.wait();
        answer = task->cancel();  // would wait for ever for the monitor
        clock->release();
    }
    BOOST_TEST(answer);
}

BOOST_AUTO_TEST_CASE(j47_a_one_shot_either_runs_or_was_cancelled_in_3000_races) {
    constexpr int kRounds = 3000;
    std::vector<std::atomic<int>> runs(kRounds);
    std::vector<int> cancelled(kRounds);
    {
        Timer timer("j47");
        for (std::size_t i = 0; i < kRounds; ++i) {
            std::atomic<bool> due{false};
            timer.schedule([&due] { due = true; }, 0);
            // The thread takes this one next, as soon as it has let us go.
            const auto task = timer.schedule([&count = runs[i]] { ++count; }, 0);
            while (!due) boost::this_thread::yield();
            for (std::size_t spin = i % 64; spin > 0; --spin) (void)due.load();
            if (task->cancel()) ++cancelled[i];
            if (task->cancel()) ++cancelled[i];
        }
    }
    for (std::size_t i = 0; i < kRounds; ++i) BOOST_TEST(runs[i] + cancelled[i] == 1);
}

BOOST_AUTO_TEST_CASE(j48_at_most_one_run_of_a_repeating_task_begins_after_an_outside_cancel) {
    int total = 0;
    for (int round = 0; round < 300; ++round) {
        std::atomic<bool> cancelled{false};
        std::atomic<int> runs{0};
        int late = 0;
        {
            Timer timer("j48");
            const auto task = timer.scheduleAtFixedRate(
                [&] {
                    if (cancelled) ++late;
                    ++runs;
                },
                jtimer::Date{}, 1);  // far behind, so it runs without a pause
            while (runs < round % 8) boost::this_thread::yield();
            const bool answer = task->cancel();
            cancelled = true;
            if (!answer) late = 1000;
        }
        BOOST_TEST(late <= 1);
        total += runs;
    }
    BOOST_TEST(total >= 1042);  // what the rounds have waited for
}
