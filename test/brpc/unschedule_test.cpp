// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "brpc/manual_thread.hpp"
#include "support/gate.hpp"
#include "support/race.hpp"
#include "support/scripted_clock.hpp"
#include "support/test.hpp"

using jtimer::Date;
using jtimer::brpc::kInvalidTaskId;
using jtimer::brpc::kNoSuchTask;
using jtimer::brpc::kRemoved;
using jtimer::brpc::kRunning;
using jtimer::brpc::TaskId;
using jtimer::brpc::TimerThread;
using test::at;
using test::countUp;
using test::doNothing;
using test::ManualThread;

namespace {

/// Calls `function` when the last copy is destroyed.
template <class Function>
auto onDestruction(Function function) {
    return std::shared_ptr<void>(nullptr, [function](void*) { function(); });
}

constexpr TaskId versions(TaskId count) { return count << 32; }

}  // namespace

BOOST_FIXTURE_TEST_SUITE(unschedule, ManualThread)

BOOST_AUTO_TEST_CASE(the_answers_are_the_original_s_numbers) {
    BOOST_TEST(kNoSuchTask == -1);
    BOOST_TEST(kRemoved == 0);
    BOOST_TEST(kRunning == 1);
}

BOOST_AUTO_TEST_CASE(b21_a_removed_task_never_runs_and_is_removed_once) {
    int runs = 0;
    const TaskId id = timer.schedule(countUp, &runs, at(10));
    BOOST_TEST(timer.unschedule(id) == 0);
    BOOST_TEST(timer.unschedule(id) == -1);
    clock->advance(20);
    BOOST_TEST(runs == 0);
    BOOST_TEST(timer.unschedule(id) == -1);
}

BOOST_AUTO_TEST_CASE(b21_b39_wherever_it_is_a_removed_task_does_not_run) {
    // In a bucket, in the heap, at its top.
    int runs = 0;
    std::vector<TaskId> ids;
    for (int i = 0; i < 3; ++i) ids.push_back(timer.schedule(countUp, &runs, at(10 + i)));
    clock->waitUntilIdle();
    ids.push_back(timer.schedule(countUp, &runs, at(20)));
    for (const TaskId id : ids) BOOST_TEST(timer.unschedule(id) == 0);
    clock->advance(30);
    BOOST_TEST(runs == 0);
    BOOST_TEST(timer.stats().slots == 0U);
}

BOOST_AUTO_TEST_CASE(b22_unschedule_of_a_running_task_says_so_even_inside_that_task) {
    TaskId id = kInvalidTaskId;
    int inside = 0;
    int outside = 0;
    id = timer.schedule(
        [&] {
            inside = timer.unschedule(id);
            boost::thread([&] { outside = timer.unschedule(id); }).join();
            log.write("goes on");
        },
        at(10));
    clock->advance(10);
    BOOST_TEST(inside == 1);
    BOOST_TEST(outside == 1);
    BOOST_TEST(log.take() == "goes on@10");
    BOOST_TEST(timer.unschedule(id) == -1);
}

BOOST_AUTO_TEST_CASE(b23_a_task_that_has_run_is_no_task) {
    const TaskId id = timer.schedule(doNothing, nullptr, at(10));
    clock->advance(10);
    BOOST_TEST(timer.unschedule(id) == -1);
    const TaskId next = timer.schedule(doNothing, nullptr, at(20));
    BOOST_TEST(next != id);
    BOOST_TEST(timer.unschedule(id) == -1);
    BOOST_TEST(timer.unschedule(next) == 0);
}

BOOST_AUTO_TEST_CASE(b12_numbers_that_were_not_given_out_are_nobody_and_change_nothing) {
    int runs = 0;
    const TaskId id = timer.schedule(countUp, &runs, at(10));
    const std::vector<TaskId> nobody{0,
                                     id - versions(2),
                                     id - versions(1),
                                     id + versions(1),
                                     id + versions(2),
                                     id + 1,
                                     id + 10'000,
                                     0xFFFFFFFF,
                                     ~TaskId{0},
                                     static_cast<std::uint32_t>(id)};
    for (const TaskId other : nobody) BOOST_TEST(timer.unschedule(other) == -1);
    clock->advance(10);
    BOOST_TEST(runs == 1);
}

BOOST_AUTO_TEST_CASE(d9_neither_the_odd_version_nor_the_next_one_is_anybody) {
    TaskId id = kInvalidTaskId;
    int odd = 0;
    int next = 0;
    id = timer.schedule(
        [&] {
            odd = timer.unschedule(id + versions(1));
            next = timer.unschedule(id + versions(2));
        },
        at(10));
    clock->advance(10);
    BOOST_TEST(odd == -1);
    BOOST_TEST(next == -1);
    BOOST_TEST(timer.unschedule(id + versions(2)) == -1);
    // All slots that there are, and so this one, go on working.
    int runs = 0;
    for (int i = 0; i < 64; ++i) timer.schedule(countUp, &runs, at(20));
    clock->advance(10);
    BOOST_TEST(runs == 64);
}

BOOST_AUTO_TEST_CASE(b24_after_minus_1_what_the_task_did_is_visible_and_its_callable_destroyed) {
    // Neither is atomic: the thread sanitizer would complain.
    int done = 0;
    bool destroyed = false;
    test::Gate begun;
    const TaskId id = timer.schedule(
        [&, last = onDestruction([&destroyed] { destroyed = true; })] {
            begun.open();
            done = 42;
        },
        Date{});
    begun.wait();
    int answer = timer.unschedule(id);
    while (answer == kRunning) answer = timer.unschedule(id);
    BOOST_TEST(answer == kNoSuchTask);
    BOOST_TEST(done == 42);
    BOOST_TEST(destroyed);
}

BOOST_AUTO_TEST_CASE(b24_while_a_callable_is_destroyed_after_the_run_the_task_is_running) {
    TaskId id = kInvalidTaskId;
    int answer = 0;
    id = timer.schedule([last = onDestruction([&] { answer = timer.unschedule(id); })] {}, at(10));
    clock->advance(10);
    BOOST_TEST(answer == 1);
}

BOOST_AUTO_TEST_CASE(b25_a_removed_callable_is_destroyed_by_that_very_call_on_its_thread) {
    boost::thread::id destroyedOn;
    const TaskId id = timer.schedule(
        [last = onDestruction([&] { destroyedOn = boost::this_thread::get_id(); })] {}, far());
    clock->waitUntilIdle();
    BOOST_TEST(timer.unschedule(id) == 0);
    BOOST_TEST(destroyedOn == boost::this_thread::get_id());
}

BOOST_AUTO_TEST_CASE(b25_a_callable_that_is_destroyed_may_call_the_timer) {
    TaskId id = kInvalidTaskId;
    TaskId later = kInvalidTaskId;
    int itself = 0;
    id = timer.schedule([last = onDestruction([&] {
                             itself = timer.unschedule(id);
                             later = timer.schedule(log.entry("later"), at(10));
                         })] {},
                        far());
    BOOST_TEST(timer.unschedule(id) == 0);
    BOOST_TEST(itself == -1);
    BOOST_TEST(later != kInvalidTaskId);
    clock->advance(10);
    BOOST_TEST(log.take() == "later@10");
}

BOOST_AUTO_TEST_CASE(b25_a_large_callable_is_freed_and_after_0_arg_is_the_callers) {
    std::array<char, 200> ballast{};
    bool destroyed = false;
    const TaskId large = timer.schedule(
        [ballast, last = onDestruction([&] { destroyed = true; })] { static_cast<void>(ballast); },
        far());
    BOOST_TEST(timer.unschedule(large) == 0);
    BOOST_TEST(destroyed);

    auto arg = std::make_unique<int>(0);
    const TaskId id = timer.schedule(countUp, arg.get(), at(10));
    clock->waitUntilIdle();
    BOOST_TEST(timer.unschedule(id) == 0);
    arg.reset();  // the address sanitizer would complain
    clock->advance(20);
}

BOOST_AUTO_TEST_CASE(b26_a_removed_tasks_slot_stays_in_use_and_the_thread_is_not_woken) {
    const TaskId id = timer.schedule(doNothing, nullptr, far());
    clock->waitUntilIdle();
    const auto before = timer.stats();
    BOOST_TEST(timer.unschedule(id) == 0);
    clock->waitUntilIdle();
    BOOST_TEST(timer.stats().wakeUps == before.wakeUps);
    BOOST_TEST(timer.stats().slots == 1U);
    BOOST_TEST(timer.stats().pending == 0U);
    pull();
    BOOST_TEST(timer.stats().slots == 0U);
}

BOOST_AUTO_TEST_CASE(b27_unschedule_works_before_start_and_after_the_end) {
    TimerThread fresh;
    BOOST_TEST(fresh.unschedule(versions(2)) == -1);
    const TaskId id = timer.schedule(doNothing, nullptr, far());
    timer.stopAndJoin();
    BOOST_TEST(timer.unschedule(id) == 0);
    BOOST_TEST(timer.unschedule(id) == -1);
    fresh.stopAndJoin();
    BOOST_TEST(fresh.unschedule(versions(2)) == -1);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_CASE(b20_unschedule_notifies_nobody_and_reads_no_clock) {
    const auto clock = std::make_shared<test::ScriptedClock>();
    TimerThread timer;
    jtimer::brpc::TimerThreadOptions options;
    options.clock = clock;
    BOOST_TEST(timer.start(options) == 0);
    clock->awaitWait(1);
    const TaskId id = timer.schedule(doNothing, nullptr, at(1000));
    const TaskId callable = timer.schedule([owned = std::make_shared<int>(0)] {}, at(2000));
    clock->awaitWait(2);
    const int notifications = clock->notifications();
    const int readings = clock->readings;
    BOOST_TEST(timer.unschedule(id) == 0);
    BOOST_TEST(timer.unschedule(callable) == 0);
    BOOST_TEST(timer.unschedule(callable) == -1);
    BOOST_TEST(clock->notifications() == notifications);
    BOOST_TEST(clock->readings == readings);
}

BOOST_AUTO_TEST_CASE(b20_b21_of_removals_and_the_run_that_race_exactly_one_gets_the_task) {
    TimerThread timer;
    BOOST_TEST(timer.start() == 0);
    std::atomic<int> runs{0};
    std::atomic<int> removals{0};
    std::atomic<TaskId> id{kInvalidTaskId};
    const auto remove = [&](int) {
        TaskId seen = id;
        while (seen == kInvalidTaskId) seen = id;
        while (true) {
            const int answer = timer.unschedule(seen);
            if (answer == kRemoved) ++removals;
            if (answer != kRunning) return;
        }
    };
    const auto schedule = [&](int) { id = timer.schedule([&runs] { ++runs; }, Date{}); };
    int rounds = 0;
    test::race(500, {schedule, remove, remove}, [&](int) {
        BOOST_REQUIRE_EQUAL(runs + removals, ++rounds);
        id = kInvalidTaskId;
    });
    BOOST_TEST(rounds == 500);
}
