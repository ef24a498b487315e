// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "support/manual_timer.hpp"
#include "support/test.hpp"
#include "support/throws.hpp"

#include <boost/thread/barrier.hpp>

using jtimer::IllegalStateException;
using jtimer::Timer;
using jtimer::TimerTask;
using test::at;
using test::makeTask;
using TaskPointer = std::shared_ptr<TimerTask>;

namespace {

struct Fixture : test::ManualTimer {
    Timer other{test::onClock(clock)};
    test::Log log{clock};

    TaskPointer logging(std::string name) { return makeTask(log.entry(std::move(name))); }

    /// Checks that no overload of either timer takes the task.
    void checkRefused(const TaskPointer& task) {
        const char* const text = "Task already scheduled or cancelled";
        for (Timer* t : {&timer, &other}) {
            for (const jtimer::When& when : {jtimer::When(10), jtimer::When(at(0))}) {
                BOOST_TEST(refusal([&] { t->schedule(task, when); }) == text);
                BOOST_TEST(refusal([&] { t->schedule(task, when, 10); }) == text);
                BOOST_TEST(refusal([&] { t->scheduleAtFixedRate(task, when, 10); }) == text);
            }
        }
    }

    static std::string refusal(const std::function<void()>& call) {
        try {
            call();
        } catch (const IllegalStateException& e) {
            return e.what();
        }
        return "accepted";
    }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(task_reuse, Fixture)

BOOST_AUTO_TEST_CASE(j30_a_scheduled_task_cannot_be_scheduled_again_on_any_timer) {
    for (const auto& schedule : std::vector<std::function<void(TaskPointer)>>{
             [this](TaskPointer task) { timer.schedule(task, 100); },
             [this](TaskPointer task) { timer.schedule(task, 100, 100); },
             [this](TaskPointer task) { timer.scheduleAtFixedRate(task, at(100), 100); }}) {
        const auto task = logging("a");
        schedule(task);
        const std::int64_t time = task->scheduledExecutionTime();
        checkRefused(task);
        BOOST_TEST(task->scheduledExecutionTime() == time);
        BOOST_TEST(task->cancel());
    }
    clock->advance(1000);
    BOOST_TEST(log.take() == "");
}

BOOST_AUTO_TEST_CASE(j30_a_refused_second_call_leaves_the_first_one_in_force) {
    const auto once = logging("once");
    const auto twice = logging("twice");
    timer.schedule(once, 100);
    timer.scheduleAtFixedRate(twice, 100, 50);
    checkRefused(once);
    checkRefused(twice);
    clock->advance(150);
    BOOST_TEST(log.take() == "once@100 twice@100 twice@150");
}

BOOST_AUTO_TEST_CASE(j30_an_executed_task_cannot_be_scheduled_again) {
    const auto task = logging("a");
    timer.schedule(task, 0);
    clock->waitUntilIdle();
    checkRefused(task);
    clock->advance(1000);
    BOOST_TEST(log.take() == "a@0");
}

BOOST_AUTO_TEST_CASE(j30_a_cancelled_task_cannot_be_scheduled_again_queued_or_purged) {
    const auto pending = logging("a");
    timer.schedule(pending, 10);
    clock->waitUntilIdle();
    pending->cancel();
    checkRefused(pending);
    BOOST_TEST(timer.purge() == 1);
    checkRefused(pending);

    const auto executed = timer.schedule(log.entry("b"), 0);
    clock->waitUntilIdle();
    executed->cancel();
    checkRefused(executed);

    const auto repeating = timer.schedule(log.entry("c"), 0, 10);
    clock->waitUntilIdle();
    repeating->cancel();
    checkRefused(repeating);
    clock->advance(1000);
    BOOST_TEST(log.take() == "b@0 c@0");
}

BOOST_AUTO_TEST_CASE(j31_a_task_cannot_schedule_itself_from_its_own_run) {
    std::vector<std::string> refusals;
    TaskPointer once;
    TaskPointer repeating;
    const auto reuse = [&](TaskPointer& self) {
        return makeTask([&] {
            refusals.push_back(refusal([&] { timer.schedule(self, 10); }));
            refusals.push_back(refusal([&] { timer.schedule(self, at(10), 10); }));
            refusals.push_back(refusal([&] { other.scheduleAtFixedRate(self, 10, 10); }));
        });
    };
    once = reuse(once);
    repeating = reuse(repeating);
    timer.schedule(once, 1);
    timer.scheduleAtFixedRate(repeating, 2, 100);
    clock->advance(50);
    BOOST_TEST(refusals == std::vector<std::string>(6, "Task already scheduled or cancelled"),
               boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(j32_a_task_cancelled_before_it_was_scheduled_never_can_be) {
    const auto task = logging("a");
    BOOST_TEST(!task->cancel());
    checkRefused(task);
    clock->advance(1000);
    BOOST_TEST(log.take() == "");
    BOOST_TEST(task->scheduledExecutionTime() == 0);
}

BOOST_AUTO_TEST_CASE(j33_a_task_discarded_by_timer_cancel_is_spent) {
    const auto once = logging("once");
    const auto repeating = logging("repeating");
    other.schedule(once, 10);
    other.schedule(repeating, 10, 10);
    other.cancel();
    for (const auto& task : {once, repeating}) {
        CHECK_THROWS(timer.schedule(task, 10), IllegalStateException,
                     "Task already scheduled or cancelled");
    }
    clock->advance(100);
    BOOST_TEST(log.take() == "");
}

BOOST_AUTO_TEST_CASE(j33_a_task_discarded_by_the_death_of_the_thread_is_spent) {
    jtimer::TimerOptions options = test::onClock(clock);
    options.uncaughtExceptionHandler = [](const std::string&, const std::exception_ptr&) {};
    for (const bool repeats : {false, true}) {
        Timer dying(options);
        const auto pending = dying.schedule(log.entry("pending"), 10);
        const auto throwing = makeTask([] { throw 1; });
        repeats ? dying.schedule(throwing, 0, 10) : dying.schedule(throwing, 0);
        clock->waitUntilIdle();
        checkRefused(pending);
        checkRefused(throwing);
    }
    clock->advance(100);
    BOOST_TEST(log.take() == "");
}

BOOST_AUTO_TEST_CASE(j34_a_task_refused_by_a_cancelled_timer_can_be_scheduled_on_another) {
    other.cancel();
    const auto task = logging("a");
    CHECK_THROWS(other.schedule(task, 10), IllegalStateException, "Timer already cancelled.");
    CHECK_THROWS(other.schedule(task, at(10), 5), IllegalStateException,
                 "Timer already cancelled.");
    CHECK_THROWS(other.scheduleAtFixedRate(task, 10, 5), IllegalStateException,
                 "Timer already cancelled.");
    timer.schedule(task, 10);
    clock->advance(10);
    BOOST_TEST(log.take() == "a@10");
}

BOOST_AUTO_TEST_CASE(j36_run_called_by_hand_changes_nothing) {
    const auto task = logging("a");
    task->run();
    BOOST_TEST(log.take() == "a@0");
    BOOST_TEST(task->scheduledExecutionTime() == 0);

    timer.schedule(task, 10);
    clock->waitUntilIdle();
    task->run();
    BOOST_TEST(log.take() == "a@0");
    clock->advance(10);
    BOOST_TEST(log.take() == "a@10");
    task->run();
    BOOST_TEST(log.take() == "a@10");
    BOOST_TEST(!task->cancel());
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_CASE(j35_a_task_raced_onto_two_timers_is_taken_by_exactly_one_and_runs_once) {
    constexpr int kRounds = 3000;
    std::vector<std::atomic<int>> runs(kRounds);
    std::vector<std::atomic<int>> accepted(kRounds);
    std::vector<TaskPointer> tasks;
    for (auto& count : runs) tasks.push_back(makeTask([&count] { ++count; }));
    {
        Timer a("a");
        Timer b("b");
        boost::barrier start(2);
        const auto schedule = [&](Timer& timer) {
            for (std::size_t i = 0; i < kRounds; ++i) {
                start.wait();
                try {
                    timer.schedule(tasks[i], 0);
                    ++accepted[i];
                } catch (const IllegalStateException&) {
                }
            }
        };
        boost::thread first([&] { schedule(a); });
        schedule(b);
        first.join();
    }
    for (std::size_t i = 0; i < kRounds; ++i) {
        BOOST_TEST(accepted[i] == 1);
        BOOST_TEST(runs[i] == 1);
    }
}
