// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "support/manual_timer.hpp"
#include "support/test.hpp"

using namespace std::chrono_literals;
using jtimer::TimerTask;

namespace {

struct CancelsItself : TimerTask {
    void run() override { cancel(); }
};

struct PurgeFixture : test::ManualTimer {
    test::Log log{clock};

    std::shared_ptr<TimerTask> entry(const std::string& name, std::int64_t delay) {
        return timer.schedule(log.entry(name), delay);
    }

    /// Schedules a task and cancels it. The wait lets the thread see it alive first: a new head
    /// which is cancelled before the thread has looked is dropped (J69).
    std::weak_ptr<TimerTask> cancelled(std::int64_t delay) {
        const auto task = timer.schedule([this] { log.write("cancelled!"); }, delay);
        clock->waitUntilIdle();
        BOOST_TEST(task->cancel());
        return task;
    }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(purge, PurgeFixture)

BOOST_AUTO_TEST_CASE(j64_an_empty_queue_has_nothing_to_purge) {
    BOOST_TEST(timer.purge() == 0);
    entry("a", 0);
    clock->waitUntilIdle();
    BOOST_TEST(timer.purge() == 0);
    BOOST_TEST(log.take() == "a@0");
}

BOOST_AUTO_TEST_CASE(j64_where_nothing_is_cancelled_a_purge_keeps_even_the_order_of_ties) {
    for (const char* name : {"1", "2", "3", "4", "5"}) entry(name, 10);
    BOOST_TEST(timer.purge() == 0);
    clock->advance(10);
    BOOST_TEST(log.take() == "1@10 5@10 4@10 3@10 2@10");
}

BOOST_AUTO_TEST_CASE(
    j65_of_1000_tasks_hours_ahead_exactly_the_cancelled_ones_are_counted_and_removed) {
    std::mt19937 random(65);
    std::vector<std::shared_ptr<TimerTask>> tasks;
    for (int hour = 1; hour <= 1000; ++hour) {
        tasks.push_back(timer.schedule([] {}, std::chrono::hours(hour)));
    }
    clock->waitUntilIdle();
    int count = 0;
    std::vector<std::weak_ptr<TimerTask>> cancelled, pending;
    for (auto& task : tasks) {
        const bool cancel = random() % 2 == 0;
        if (cancel && task->cancel()) ++count;
        (cancel ? cancelled : pending).push_back(task);
    }
    tasks.clear();
    BOOST_TEST(timer.purge() == count);
    BOOST_TEST(timer.purge() == 0);
    const auto isGone = [](const auto& task) { return task.expired(); };
    BOOST_TEST(std::all_of(cancelled.begin(), cancelled.end(), isGone));
    BOOST_TEST(std::none_of(pending.begin(), pending.end(), isGone));
}

BOOST_AUTO_TEST_CASE(j65_a_task_cancelled_twice_counts_once) {
    const auto task = entry("a", 10);
    clock->waitUntilIdle();
    BOOST_TEST(task->cancel());
    BOOST_TEST(!task->cancel());
    BOOST_TEST(timer.purge() == 1);
    BOOST_TEST(timer.purge() == 0);
}

BOOST_AUTO_TEST_CASE(j66_a_cancelled_task_stays_in_the_queue_until_a_purge) {
    entry("a", 10);
    const auto task = cancelled(1000);
    clock->advance(500);
    BOOST_TEST(log.take() == "a@10");
    const auto later = cancelled(5000);
    entry("b", 100);
    BOOST_TEST(!later.expired());
    BOOST_TEST(timer.purge() == 1);
    BOOST_TEST(later.expired());
}

BOOST_AUTO_TEST_CASE(
    j67_after_a_run_all_leading_cancelled_tasks_are_dropped_and_none_behind_a_live_one) {
    entry("a", 10);
    const auto first = cancelled(20);
    const auto second = cancelled(30);
    entry("b", 40);
    const auto third = cancelled(50);
    clock->advance(10);
    BOOST_TEST(first.expired());
    BOOST_TEST(second.expired());
    BOOST_TEST(!third.expired());
    BOOST_TEST(timer.purge() == 1);
    clock->advance(30);
    BOOST_TEST(log.take() == "a@10 b@40");
}

BOOST_AUTO_TEST_CASE(j67_when_a_wait_ends_all_leading_cancelled_tasks_are_dropped) {
    const auto first = cancelled(10);
    const auto second = cancelled(20);
    entry("a", 30);
    clock->advance(9);
    BOOST_TEST(!first.expired());
    clock->advance(1);
    BOOST_TEST(first.expired());
    BOOST_TEST(second.expired());
    BOOST_TEST(timer.purge() == 0);
    clock->advance(20);
    BOOST_TEST(log.take() == "a@30");
}

BOOST_AUTO_TEST_CASE(j67_woken_by_a_new_live_head_the_thread_drops_nothing_behind_it) {
    const auto task = cancelled(20);
    entry("a", 10);
    clock->waitUntilIdle();
    BOOST_TEST(!task.expired());
    clock->advance(10);
    BOOST_TEST(log.take() == "a@10");
    BOOST_TEST(task.expired());
}

BOOST_AUTO_TEST_CASE(
    j68_a_cancelled_head_is_counted_while_the_thread_sleeps_and_is_dropped_at_its_time) {
    cancelled(10);
    BOOST_TEST(timer.purge() == 1);

    const auto repeating = timer.schedule([] {}, 10, 10);
    clock->advance(100);
    BOOST_TEST(repeating->cancel());
    clock->advance(500);
    BOOST_TEST(repeating.use_count() == 1);
    BOOST_TEST(timer.purge() == 0);
}

BOOST_AUTO_TEST_CASE(
    j69_a_new_head_cancelled_at_once_is_purged_or_dropped_but_never_both_and_never_lost) {
    const auto testThread = boost::this_thread::get_id();
    for (int round = 0; round < 2000; ++round) {
        int destroyedHere = 0, destroyedByTimer = 0;
        std::shared_ptr<void> sentinel(nullptr, [&](void*) {
            ++(boost::this_thread::get_id() == testThread ? destroyedHere : destroyedByTimer);
        });
        timer.schedule([sentinel = std::move(sentinel)] {}, 10)->cancel();
        const int purged = timer.purge();
        clock->waitUntilIdle();
        BOOST_REQUIRE(purged <= destroyedHere);  // dropped, it may die of the handle above
        BOOST_REQUIRE(destroyedHere + destroyedByTimer == 1);
    }
}

BOOST_AUTO_TEST_CASE(j70_a_running_one_shot_that_cancels_itself_is_not_in_the_queue) {
    std::vector<int> answers;
    std::shared_ptr<TimerTask> task = test::makeTask([&] {
        answers.push_back(task->cancel());
        answers.push_back(timer.purge());
    });
    timer.schedule(task, 10);
    clock->advance(10);
    BOOST_TEST(answers == std::vector<int>({0, 0}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(j71_a_running_repeating_task_that_cancels_itself_is_in_the_queue) {
    for (const bool fixedRate : {false, true}) {
        std::vector<int> answers;
        std::shared_ptr<TimerTask> task = test::makeTask([&] {
            answers.push_back(timer.purge());
            answers.push_back(task->cancel());
            answers.push_back(timer.purge());
            answers.push_back(timer.purge());
        });
        fixedRate ? timer.scheduleAtFixedRate(task, 10, 10) : timer.schedule(task, 10, 10);
        clock->advance(100);
        BOOST_TEST(answers == std::vector<int>({0, 1, 1, 0}), boost::test_tools::per_element());
        BOOST_TEST(task.use_count() == 1);
    }
}

BOOST_AUTO_TEST_CASE(
    j72_a_repeating_task_that_cancels_itself_leaves_after_its_run_if_it_is_the_head) {
    const std::weak_ptr<TimerTask> alone =
        timer.schedule(std::make_shared<CancelsItself>(), 10, 100);
    clock->advance(10);
    BOOST_TEST(alone.expired());
    BOOST_TEST(!clock->advanceToNext());
    BOOST_TEST(timer.purge() == 0);
}

BOOST_AUTO_TEST_CASE(
    j72_a_repeating_task_that_cancels_itself_stays_behind_a_head_until_that_has_run) {
    const std::weak_ptr<TimerTask> task =
        timer.schedule(std::make_shared<CancelsItself>(), 10, 100);
    entry("a", 60);
    clock->advance(59);
    BOOST_TEST(!task.expired());
    clock->advance(1);
    BOOST_TEST(log.take() == "a@60");
    BOOST_TEST(task.expired());
    BOOST_TEST(timer.purge() == 0);
}

BOOST_AUTO_TEST_CASE(j73_an_executed_task_is_not_in_the_queue) {
    const auto task = entry("a", 10);
    clock->advance(10);
    BOOST_TEST(task.use_count() == 1);
    BOOST_TEST(!task->cancel());
    BOOST_TEST(timer.purge() == 0);
}

BOOST_AUTO_TEST_CASE(j74_a_cancelled_timer_has_nothing_to_purge) {
    cancelled(10);
    const auto discarded = entry("a", 20);
    timer.cancel();
    BOOST_TEST(discarded->cancel());
    BOOST_TEST(timer.purge() == 0);
}

BOOST_AUTO_TEST_CASE(j74_a_timer_that_died_of_an_exception_has_nothing_to_purge) {
    auto options = test::onClock(clock);
    options.uncaughtExceptionHandler = [](const std::string&, const std::exception_ptr&) {};
    jtimer::Timer dying(options);
    const auto pending = dying.schedule([] {}, 20);
    dying.schedule([] { throw std::runtime_error("die"); }, 10);
    clock->advance(10);
    BOOST_TEST(pending->cancel());
    BOOST_TEST(dying.purge() == 0);
}

BOOST_AUTO_TEST_CASE(j75_after_a_purge_the_survivors_run_in_the_order_of_their_times) {
    std::mt19937 random(75);
    std::vector<std::int64_t> ran, expected;
    std::vector<std::shared_ptr<TimerTask>> tasks;
    timer.schedule([] {}, 0,
                   1'000'000);  // a live head throughout: nothing is dropped before the purge
    for (int i = 0; i < 300; ++i) {
        const std::int64_t delay = 10 + random() % 1000;
        tasks.push_back(timer.schedule([&ran, delay] { ran.push_back(delay); }, delay));
        if (i % 2 == 0) expected.push_back(delay);
    }
    clock->waitUntilIdle();
    for (std::size_t i = 1; i < tasks.size(); i += 2) tasks[i]->cancel();
    BOOST_TEST(timer.purge() == 150);
    clock->advance(2000);
    std::sort(expected.begin(), expected.end());
    BOOST_TEST(ran == expected, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(j76_a_timer_whose_every_task_is_purged_wakes_once_in_vain_and_can_be_used) {
    cancelled(20);
    cancelled(10);
    BOOST_TEST(timer.purge() == 2);
    BOOST_TEST(clock->advanceToNext());  // the thread still sleeps for the purged head
    BOOST_TEST(now() == 10);
    BOOST_TEST(!clock->advanceToNext());
    entry("a", 10);
    clock->advance(10);
    BOOST_TEST(log.take() == "a@20");
}

BOOST_AUTO_TEST_CASE(j76_tasks_scheduled_after_everything_was_purged_run_on_time) {
    cancelled(50);
    BOOST_TEST(timer.purge() == 1);
    entry("later", 60);
    entry("earlier", 40);
    clock->advance(100);
    BOOST_TEST(log.take() == "earlier@40 later@60");
}

BOOST_AUTO_TEST_CASE(j77_a_task_may_purge_while_others_are_due) {
    for (int i = 0; i < 10; ++i) cancelled(100 - i);
    entry("a", 100);
    int purged = 0;
    timer.schedule([&] { purged = timer.purge(); }, 10);
    clock->advance(100);
    BOOST_TEST(purged == 10);
    BOOST_TEST(log.take() == "a@100");
}

BOOST_AUTO_TEST_CASE(j78_a_purge_changes_the_order_of_ties_as_on_the_jdk) {
    const auto orderOf1To6 = [this](std::vector<std::size_t> cancel, bool purge) {
        std::vector<std::shared_ptr<TimerTask>> tasks;
        for (const char* name : {"1", "2", "3", "4", "5", "6"}) tasks.push_back(entry(name, 10));
        clock->waitUntilIdle();
        for (const std::size_t number : cancel) tasks[number - 1]->cancel();
        if (purge) BOOST_TEST(timer.purge() == static_cast<int>(cancel.size()));
        const std::string at = '@' + std::to_string(now() + 10);
        clock->advance(10);
        std::string order = log.take();
        for (auto i = order.find(at); i != std::string::npos; i = order.find(at)) {
            order.erase(i, at.size());
        }
        return order;
    };
    BOOST_TEST(orderOf1To6({3}, false) == "1 6 5 4 2");
    BOOST_TEST(orderOf1To6({3}, true) == "1 5 4 6 2");
    BOOST_TEST(orderOf1To6({2, 4}, false) == "1 6 5 3");
    BOOST_TEST(orderOf1To6({2, 4}, true) == "1 6 3 5");
    BOOST_TEST(orderOf1To6({1, 3}, false) == "6 5 4 2");
    BOOST_TEST(orderOf1To6({1, 3}, true) == "5 4 6 2");
}

BOOST_AUTO_TEST_CASE(
    purged_tasks_are_destroyed_when_the_queue_is_whole_again_and_may_use_the_timer) {
    std::vector<int> purgedInside;
    std::vector<std::shared_ptr<TimerTask>> tasks;
    for (int i = 0; i < 3; ++i) {
        std::shared_ptr<void> sentinel(nullptr, [&](void*) {
            purgedInside.push_back(timer.purge());
            entry("a", 10);
        });
        tasks.push_back(timer.schedule([sentinel = std::move(sentinel)] {}, 20 - i));
    }
    clock->waitUntilIdle();
    for (const auto& task : tasks) task->cancel();
    tasks.clear();
    BOOST_TEST(timer.purge() == 3);
    BOOST_TEST(purgedInside == std::vector<int>({0, 0, 0}), boost::test_tools::per_element());
    clock->advance(10);
    BOOST_TEST(log.take() == "a@10 a@10 a@10");
}

BOOST_AUTO_TEST_SUITE_END()
