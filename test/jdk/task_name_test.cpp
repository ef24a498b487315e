// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "jdk/task_names.hpp"

#include "support/forked_child.hpp"
#include "support/manual_timer.hpp"
#include "support/race.hpp"
#include "support/test.hpp"
#include "support/throws.hpp"

using jtimer::IllegalStateException;
using jtimer::TimerTask;
using jtimer::detail::TaskNames;
using test::FunctionTask;
using test::makeTask;

namespace {

constexpr const char* kUsed = "Task already scheduled or cancelled";

std::shared_ptr<FunctionTask> named(const std::string& name) {
    auto task = makeTask();
    task->setName(name);
    return task;
}

}  // namespace

BOOST_FIXTURE_TEST_SUITE(task_name, test::ManualTimer)

BOOST_AUTO_TEST_CASE(a_task_has_no_name_until_it_is_given_one) {
    const auto task = makeTask();
    BOOST_TEST(task->name() == "");
    BOOST_TEST(TaskNames::count() == 0U);
    task->setName("poll");
    BOOST_TEST(task->name() == "poll");
    task->setName("pull");
    BOOST_TEST(task->name() == "pull");
    BOOST_TEST(TaskNames::count() == 1U);
    BOOST_TEST(timer.schedule([] {}, 1)->name() == "");
}

BOOST_AUTO_TEST_CASE(the_name_stays_whatever_becomes_of_the_task) {
    const auto never = named("never scheduled"), once = named("once"), rate = named("rate"),
               decades = named("decades");
    timer.schedule(once, 1);
    timer.scheduleAtFixedRate(rate, 1, 1);
    timer.scheduleAtFixedRate(decades, 1, std::chrono::hours(24 * 365 * 20));
    const std::vector<std::shared_ptr<FunctionTask>> all{never, once, rate, decades};
    const auto unchanged = [&] {
        return never->name() == "never scheduled" && once->name() == "once" &&
               rate->name() == "rate" && decades->name() == "decades";
    };
    BOOST_TEST(unchanged());
    clock->advance(10);
    BOOST_TEST(unchanged());
    BOOST_TEST(rate->cancel());
    BOOST_TEST(decades->cancel());
    for (const auto& task : all) BOOST_TEST(!task->cancel());
    BOOST_TEST(unchanged());
    timer.cancel();
    BOOST_TEST(unchanged());
}

BOOST_AUTO_TEST_CASE(names_need_not_be_unique_and_are_kept_as_they_are) {
    const auto one = named("same"), two = named("same");
    const auto odd = named(std::string("a\0b\n", 4) + std::string(1000, 'x'));
    BOOST_TEST(one->name() == two->name());
    BOOST_TEST(odd->name().size() == 1004U);
}

BOOST_AUTO_TEST_CASE(a_task_that_was_scheduled_or_cancelled_keeps_its_name_and_gets_no_new_one) {
    const auto scheduled = named("scheduled"), unnamed = makeTask(), cancelled = named("cancelled"),
               executed = named("executed");
    timer.schedule(executed, 1);
    clock->advance(1);
    timer.schedule(scheduled, 1);
    timer.schedule(unnamed, 1);
    cancelled->cancel();
    for (const auto& task : {scheduled, unnamed, cancelled, executed}) {
        CHECK_THROWS(task->setName("new"), IllegalStateException, kUsed);
    }
    BOOST_TEST(scheduled->name() == "scheduled");
    BOOST_TEST(unnamed->name() == "");
    BOOST_TEST(cancelled->name() == "cancelled");
    BOOST_TEST(executed->name() == "executed");
    BOOST_TEST(TaskNames::count() == 3U);
}

BOOST_AUTO_TEST_CASE(a_task_can_still_be_scheduled_when_it_has_a_name_and_only_once) {
    const auto task = named("a");
    CHECK_THROWS(timer.schedule(task, -1), jtimer::IllegalArgumentException, "Negative delay.");
    timer.schedule(task, 1);
    CHECK_THROWS(timer.schedule(task, 1), IllegalStateException, kUsed);
    clock->waitUntilIdle();  // a new head that is cancelled before is dropped (J69)
    BOOST_TEST(task->cancel());
    BOOST_TEST(timer.purge() == 1);
}

BOOST_AUTO_TEST_CASE(a_name_goes_with_its_task_and_none_is_inherited_by_the_next_one_there) {
    alignas(FunctionTask) unsigned char storage[sizeof(FunctionTask)];
    for (const bool isCancelled : {false, true}) {
        auto* const first = new (storage) FunctionTask;
        first->setName("first");
        if (isCancelled) first->cancel();
        BOOST_TEST(TaskNames::count() == 1U);
        first->~FunctionTask();
        BOOST_TEST(TaskNames::count() == 0U);
        auto* const second = new (storage) FunctionTask;
        BOOST_TEST(second->name() == "");
        second->~FunctionTask();
    }
}

BOOST_AUTO_TEST_CASE(a_name_is_given_before_the_schedule_that_races_with_it_or_not_at_all) {
    constexpr int rounds = 2000;
    std::vector<std::shared_ptr<FunctionTask>> tasks;
    for (int i = 0; i < rounds; ++i) tasks.push_back(i % 2 == 0 ? makeTask() : named("old"));
    std::atomic<int> refused{0};
    const auto rename = [&](int round) {
        try {
            tasks[static_cast<std::size_t>(round)]->setName("new");
        } catch (const IllegalStateException&) {
            ++refused;
        }
    };
    const auto schedule = [&](int round) {
        timer.schedule(tasks[static_cast<std::size_t>(round)], 60'000);
    };
    test::race(rounds, {rename, schedule});
    int renamed = 0, wrong = 0;
    for (std::size_t i = 0; i < tasks.size(); ++i) {
        const std::string& name = tasks[i]->name();
        renamed += name == "new";
        wrong += name != "new" && name != (i % 2 == 0 ? "" : "old");
    }
    BOOST_TEST(renamed + refused == rounds);
    BOOST_TEST(wrong == 0);
}

BOOST_AUTO_TEST_CASE(cancellations_that_race_lose_no_name_and_leave_none_behind) {
    constexpr int rounds = 2000;
    std::shared_ptr<FunctionTask> task = named("kept");
    std::atomic<int> lost{0};
    const auto cancel = [&](int) { task->cancel(); };
    const auto look = [&](int) { lost += task->name() != "kept"; };
    test::race(rounds, {cancel, cancel, look}, [&](int) {
        lost += task->name() != "kept";
        task = named("kept");
    });
    task.reset();
    BOOST_TEST(lost == 0);
    BOOST_TEST(TaskNames::count() == 0U);
}

BOOST_AUTO_TEST_SUITE_END()

namespace {

/// In the child of a fork() that comes at a random moment of `others`: looks for a task's name, and
/// destroys the task. The latter not under two sanitizers, whose allocators may be locked there.
bool childDestroysNamedTask() {
    auto task = named("inherited");
    const int exitCode = test::inForkedChild([&] {
        const bool isNamed = task->name() == "inherited";
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
        task.reset();
        named("of the child").reset();
#endif
        return isNamed ? 0 : 1;
    });
    return exitCode == 0;
}

}  // namespace

BOOST_AUTO_TEST_CASE(c11_a_forked_child_never_finds_the_table_of_names_locked) {
    std::atomic<bool> stop{false};
    boost::thread_group others;
    for (int i = 0; i < 2; ++i) {
        others.create_thread([&] {
            while (!stop) {
                for (int k = 0; k < 20; ++k) named("busy");
            }
        });
    }
    int failed = 0;
    for (int i = 0; i < 100; ++i) failed += !childDestroysNamedTask();
    stop = true;
    others.join_all();
    BOOST_TEST(failed == 0);
}
