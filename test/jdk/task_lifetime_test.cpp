// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "support/gate.hpp"
#include "support/manual_timer.hpp"
#include "support/test.hpp"
#include "support/thread_state.hpp"

using jtimer::Timer;
using jtimer::TimerTask;
using test::at;
using test::Gate;
using test::makeTask;

namespace {

using Watched = std::weak_ptr<TimerTask>;

/// Tasks that nobody but the timer owns.
struct Fixture : test::ManualTimer {
    test::Log log{clock};

    static jtimer::TimerOptions dying(const std::shared_ptr<jtimer::Clock>& clock,
                                      jtimer::UncaughtExceptionHandler handler) {
        jtimer::TimerOptions options = test::onClock(clock);
        options.uncaughtExceptionHandler = std::move(handler);
        return options;
    }
};

/// Calls `function` when its last copy is destroyed. A callable that captures it is a task that
/// does so.
using Farewell = std::shared_ptr<void>;

Farewell farewell(std::function<void()> function) {
    return {nullptr, [function = std::move(function)](void*) { function(); }};
}

}  // namespace

BOOST_FIXTURE_TEST_SUITE(task_lifetime, Fixture)

BOOST_AUTO_TEST_CASE(j140_a_one_shot_is_held_until_it_has_run) {
    const Watched task = timer.schedule([] {}, 10);
    BOOST_TEST(task.use_count() == 1);
    clock->advance(9);
    BOOST_TEST(task.use_count() == 1);
    clock->advance(1);
    BOOST_TEST(task.expired());
}

BOOST_AUTO_TEST_CASE(j140_a_one_shot_is_held_during_its_run_and_gone_before_the_next_task) {
    Watched first;
    std::vector<bool> expired;
    first = timer.schedule([&] { expired.push_back(first.expired()); }, 10);
    timer.schedule([&] { expired.push_back(first.expired()); }, 11);
    clock->advance(20);
    BOOST_TEST(expired == std::vector<bool>({false, true}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(j140_a_repeating_task_is_held_between_its_runs) {
    const Watched task = timer.schedule([] {}, 10, 10);
    clock->advance(1000);
    BOOST_TEST(task.use_count() == 1);
}

BOOST_AUTO_TEST_CASE(j140_a_cancelled_task_is_held_until_it_is_purged) {
    const Watched task = timer.schedule([] {}, 10);
    const Watched other = timer.schedule([] {}, 10);
    clock->waitUntilIdle();
    task.lock()->cancel();
    clock->advance(5);
    BOOST_TEST(task.use_count() == 1);
    BOOST_TEST(timer.purge() == 1);
    BOOST_TEST(task.expired());
    BOOST_TEST(other.use_count() == 1);
}

BOOST_AUTO_TEST_CASE(j140_a_cancelled_task_is_held_until_its_time_comes) {
    const Watched once = timer.schedule([] {}, 10);
    const Watched repeating = timer.scheduleAtFixedRate([] {}, 10, 5);
    clock->waitUntilIdle();
    once.lock()->cancel();
    repeating.lock()->cancel();
    clock->advance(9);
    BOOST_TEST(!once.expired());
    BOOST_TEST(!repeating.expired());
    clock->advance(1);
    BOOST_TEST(once.expired());
    BOOST_TEST(repeating.expired());
}

BOOST_AUTO_TEST_CASE(j140_a_repeating_task_that_cancels_itself_goes_when_its_run_returns) {
    Watched task;
    bool heldInRun = false;
    task = timer.schedule(
        [&] {
            task.lock()->cancel();
            heldInRun = !task.expired();
        },
        10, 10);
    clock->advance(10);
    BOOST_TEST(heldInRun);
    BOOST_TEST(task.expired());
}

BOOST_AUTO_TEST_CASE(j140_a_running_repeating_task_that_is_purged_is_held_until_its_run_returns) {
    Watched task;
    std::vector<int> answers;
    bool heldInRun = false;
    task = timer.schedule(
        [&] {
            task.lock()->cancel();
            answers = {timer.purge(), timer.purge()};
            heldInRun = !task.expired();
        },
        10, 10);
    clock->advance(10);
    BOOST_TEST(answers == std::vector<int>({1, 0}), boost::test_tools::per_element());
    BOOST_TEST(heldInRun);
    BOOST_TEST(task.expired());
}

BOOST_AUTO_TEST_CASE(j140_a_repeating_task_that_others_purge_in_its_run_goes_when_that_returns) {
    Gate entered;
    Gate released;
    std::vector<std::string> events;
    const Watched task = timer.schedule(
        [&, dropped = farewell([&] { events.push_back("dropped"); })] {
            entered.open();
            released.wait();
            events.push_back("returns");
        },
        0, 10);
    entered.wait();
    task.lock()->cancel();
    BOOST_TEST(timer.purge() == 1);
    BOOST_TEST(task.use_count() == 1);
    released.open();
    clock->waitUntilIdle();
    BOOST_TEST(task.expired());
    BOOST_TEST(events == std::vector<std::string>({"returns", "dropped"}),
               boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(j140_a_repeating_task_that_throws_is_held_until_it_leaves_the_queue) {
    jtimer::TimerOptions options = dying(clock, [](auto&&...) {});
    options.onException = jtimer::OnException::CancelTask;
    Timer surviving(options);
    surviving.schedule([] {}, 5);  // stays at the head
    const Watched task = surviving.schedule([] { throw std::runtime_error("no"); }, 0, 10);
    clock->waitUntilIdle();
    BOOST_TEST(task.use_count() == 1);
    BOOST_TEST(surviving.purge() == 1);
    BOOST_TEST(task.expired());
}

BOOST_AUTO_TEST_CASE(j140_timer_cancel_drops_all_queued_tasks_on_the_calling_thread) {
    std::vector<boost::thread::id> droppedOn;
    std::vector<Watched> tasks{timer.schedule([] {}, 10), timer.schedule([] {}, 20, 10),
                               timer.scheduleAtFixedRate([] {}, 30, 10), timer.schedule([] {}, 40)};
    clock->waitUntilIdle();
    tasks.back().lock()->cancel();
    timer.schedule(
        [dropped = farewell([&] { droppedOn.push_back(boost::this_thread::get_id()); })] {}, 50);
    timer.cancel();
    for (const auto& task : tasks) BOOST_TEST(task.expired());
    BOOST_REQUIRE(droppedOn.size() == 1U);
    BOOST_TEST((droppedOn.front() == boost::this_thread::get_id()));
}

BOOST_AUTO_TEST_CASE(j140_timer_cancel_drops_a_running_task_when_its_run_returns) {
    for (const bool repeats : {false, true}) {
        Timer cancelled(test::onClock(clock));
        Gate entered;
        Gate released;
        const auto run = [&] {
            entered.open();
            released.wait();
        };
        const Watched task = repeats ? cancelled.schedule(run, 0, 10) : cancelled.schedule(run, 0);
        entered.wait();
        cancelled.cancel();
        BOOST_TEST(task.use_count() == 1);
        released.open();
        clock->waitUntilIdle();
        BOOST_TEST(task.expired());
    }
}

BOOST_AUTO_TEST_CASE(j140_the_death_of_the_thread_drops_all_tasks_before_the_handler_is_called) {
    for (const bool repeats : {false, true}) {
        std::vector<Watched> tasks;
        std::vector<bool> expired;
        Timer mortal(dying(clock, [&](const std::string&, const std::exception_ptr&) {
            for (const auto& task : tasks) expired.push_back(task.expired());
        }));
        tasks = {mortal.schedule([] {}, 20), mortal.schedule([] {}, 20, 10)};
        const auto fails = [] { throw std::runtime_error("j140"); };
        tasks.push_back(repeats ? mortal.schedule(fails, 10, 10) : mortal.schedule(fails, 10));
        clock->advance(10);
        BOOST_TEST(expired == std::vector<bool>(3, true), boost::test_tools::per_element());
    }
}

BOOST_AUTO_TEST_CASE(
    j140_a_one_shot_that_throws_is_dropped_before_the_handler_is_called_if_the_timer_goes_on) {
    for (const auto policy : {jtimer::OnException::CancelTask, jtimer::OnException::ContinueTask}) {
        Watched task;
        bool expired = false;
        auto options = dying(clock, [&](const std::string&, const std::exception_ptr&) {
            expired = task.expired();
        });
        options.onException = policy;
        Timer goesOn(options);
        task = goesOn.schedule([] { throw std::runtime_error("j140"); }, 10);
        clock->advance(10);
        BOOST_TEST(expired);
    }
}

BOOST_AUTO_TEST_CASE(j140_the_destructor_of_a_daemon_drops_all_tasks) {
    std::optional<Timer> destroyed(std::in_place, test::onClock(clock));
    const Watched once = destroyed->schedule([] {}, 10);
    const Watched repeating = destroyed->schedule([] {}, 10, 10);
    destroyed.reset();
    BOOST_TEST(once.expired());
    BOOST_TEST(repeating.expired());
}

BOOST_AUTO_TEST_CASE(c1_who_holds_a_task_keeps_it_beyond_its_timer) {
    std::shared_ptr<TimerTask> executed;
    std::shared_ptr<TimerTask> discarded;
    {
        Timer destroyed(test::onClock(clock));
        executed = destroyed.schedule([] {}, 10);
        discarded = destroyed.schedule([] {}, 20);
        clock->advance(10);
    }
    BOOST_TEST(executed.use_count() == 1);
    BOOST_TEST(discarded.use_count() == 1);
    BOOST_TEST(scheduled(*executed) == 10);
    BOOST_TEST(discarded->cancel());
}

BOOST_AUTO_TEST_CASE(c1_a_refused_callable_is_destroyed_with_no_lock_held) {
    int farewells = 0;
    const auto task = [&] { return [last = farewell([&] { farewells += 1 + timer.purge(); })] {}; };
    BOOST_CHECK_THROW(timer.schedule(task(), -1), jtimer::IllegalArgumentException);
    timer.cancel();
    BOOST_CHECK_THROW(timer.schedule(task(), 0), jtimer::IllegalStateException);
    BOOST_TEST(farewells == 2);
}

namespace {

/// What a task's destructor may do to its timer: everything.
void useTimer(Timer& timer, test::Log& log) {
    log.write("gone");
    timer.purge();
    try {
        timer.schedule(log.entry("new"), 5);
    } catch (const jtimer::IllegalStateException&) {
        log.write("refused");
    }
    static_cast<void>(timer.name());
}

}  // namespace

BOOST_AUTO_TEST_CASE(c1_the_destructor_of_a_one_shot_that_has_run_may_use_the_timer) {
    timer.schedule([last = farewell([&] { useTimer(timer, log); })] {}, 10);
    clock->advance(100);
    BOOST_TEST(log.take() == "gone@10 new@15");
}

BOOST_AUTO_TEST_CASE(c1_the_destructor_of_a_cancelled_head_may_use_the_timer) {
    timer.schedule([last = farewell([&] { useTimer(timer, log); })] {}, 10);
    const Watched task =
        timer.schedule([last = farewell([&] { useTimer(timer, log); })] {}, 20, 10);
    clock->advance(15);
    task.lock()->cancel();
    clock->advance(100);
    BOOST_TEST(log.take() == "gone@10 new@15 gone@20 new@25");
}

BOOST_AUTO_TEST_CASE(c1_the_destructors_of_purged_tasks_may_use_the_timer) {
    std::vector<std::shared_ptr<TimerTask>> tasks;
    for (int i = 0; i < 3; ++i) {
        tasks.push_back(timer.schedule([last = farewell([&] { useTimer(timer, log); })] {}, 100));
    }
    clock->waitUntilIdle();
    for (const auto& task : tasks) task->cancel();
    tasks.clear();
    BOOST_TEST(timer.purge() == 3);
    BOOST_TEST(log.take() == "gone@0 gone@0 gone@0");
    clock->advance(5);
    BOOST_TEST(log.take() == "new@5 new@5 new@5");
}

BOOST_AUTO_TEST_CASE(c1_the_destructors_of_discarded_tasks_may_use_the_timer) {
    for (int i = 0; i < 3; ++i) {
        timer.schedule([last = farewell([&] {
                            useTimer(timer, log);
                            timer.cancel();
                        })] {},
                       100, i + 1);
    }
    timer.cancel();
    BOOST_TEST(log.take() == "gone@0 refused@0 gone@0 refused@0 gone@0 refused@0");
}

BOOST_AUTO_TEST_CASE(c1_the_destructors_of_tasks_on_a_timer_that_dies_or_closes_may_use_the_timer) {
    {
        Timer mortal(dying(clock, [](const std::string&, const std::exception_ptr&) {}));
        mortal.schedule([last = farewell([&] { useTimer(mortal, log); })] {}, 100);
        mortal.schedule([last = farewell([&] { useTimer(mortal, log); })] { throw 1; }, 10);
        clock->advance(10);  // not before the handles that schedule returned are gone
    }
    // No destructor finds the timer alive (J124), not that of the task that has thrown either.
    BOOST_TEST(log.take() == "gone@10 refused@10 gone@10 refused@10");
    {
        Timer closed(test::onClock(clock));
        closed.schedule([last = farewell([&] { useTimer(closed, log); })] {}, 100);
    }
    BOOST_TEST(log.take() == "gone@10 refused@10");
}

BOOST_AUTO_TEST_CASE(c1_a_hundred_thousand_cancelled_tasks_are_dropped_without_deep_recursion) {
    for (const bool purges : {true, false}) {
        std::vector<std::shared_ptr<TimerTask>> tasks;
        for (int i = 0; i < 100'000; ++i) tasks.push_back(timer.schedule([] {}, 10));
        clock->waitUntilIdle();
        for (const auto& task : tasks) task->cancel();
        const std::weak_ptr<TimerTask> last = tasks.back();
        tasks.clear();
        if (purges) {
            BOOST_TEST(timer.purge() == 100'000);
        } else {
            clock->advance(10);  // and the thread finds them at the head of its queue
        }
        BOOST_TEST(last.expired());
        BOOST_TEST(timer.purge() == 0);
    }
}

BOOST_AUTO_TEST_SUITE_END()
