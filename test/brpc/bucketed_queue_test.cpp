// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "brpc/bucketed_queue_model.hpp"
#include "support/choices.hpp"
#include "support/test.hpp"

using jtimer::brpc::TaskId;
using jtimer::brpc::detail::Bucket;
using jtimer::brpc::detail::BucketedQueue;
using jtimer::brpc::detail::Slot;
using jtimer::brpc::detail::SlotPool;
using jtimer::detail::kNever;
using jtimer::detail::Lock;
using jtimer::detail::Nanos;

using Steps = test::QueueSteps;

BOOST_AUTO_TEST_CASE(b28_a_bucket_is_a_lifo_list_with_the_earliest_time_in_it) {
    Steps steps;
    Bucket& bucket = steps.queue.buckets()[0];
    BOOST_TEST(bucket.nearest() == kNever);
    BOOST_TEST(bucket.first() == Slot::kNone);
    steps.schedule(20);
    steps.schedule(10);
    const TaskId last = steps.schedule(30).id;
    BOOST_TEST(bucket.nearest() == 10);
    BOOST_TEST(bucket.first() == static_cast<std::uint32_t>(last));
    steps.queue.check();
}

BOOST_AUTO_TEST_CASE(check_names_a_slot_whose_time_has_changed) {
    Steps steps;
    Slot& slot = *steps.queue.pool().find(steps.schedule(20).id);
    const auto expect = [&](const std::string& rule) {
        BOOST_CHECK_EXCEPTION(steps.queue.check(), std::logic_error, [&](const auto& e) {
            return e.what() == "BucketedQueue: slot " + std::to_string(slot.number()) + rule;
        });
    };
    slot.time = 10;
    expect(" heads a list with a wrong `nearest`");
    slot.time = 20;
    steps.pull();
    slot.time = 10;
    expect(" has another time");
}

BOOST_AUTO_TEST_CASE(b29_a_thread_always_uses_the_same_bucket_and_threads_take_buckets_in_turn) {
    BucketedQueue queue(3, 4096);
    Bucket* const own = &queue.bucketOfThisThread();
    std::vector<Bucket*> used;
    for (int i = 0; i < 6; ++i) {
        boost::thread([&] {
            used.push_back(&queue.bucketOfThisThread());
            BOOST_TEST(&queue.bucketOfThisThread() == used.back());
        }).join();
    }
    BOOST_TEST((std::set<Bucket*>(used.begin(), used.begin() + 3).size()) == 3U);
    for (std::size_t i = 0; i < 3; ++i) BOOST_TEST(used[i] == used[i + 3]);
    BOOST_TEST(&queue.bucketOfThisThread() == own);
}

BOOST_AUTO_TEST_CASE(b30_a_task_is_earlier_if_its_time_is_less_than_all_in_its_bucket) {
    Steps steps(2);
    BOOST_TEST(steps.schedule(20).earlier);
    BOOST_TEST(!steps.schedule(30).earlier);
    BOOST_TEST(!steps.schedule(20).earlier);
    BOOST_TEST(steps.schedule(19).earlier);
    BOOST_TEST(steps.schedule(25, 1).earlier);
}

BOOST_AUTO_TEST_CASE(b31_removing_does_not_raise_a_nearest_and_emptying_sets_it_to_never) {
    Steps steps;
    const TaskId id = steps.schedule(10).id;
    BOOST_TEST(steps.unschedule(id));
    BOOST_TEST(steps.queue.buckets()[0].nearest() == 10);
    BOOST_TEST(steps.queue.nearest() == 10);
    BOOST_TEST(!steps.schedule(10).earlier);
    steps.pull();
    BOOST_TEST(steps.queue.buckets()[0].nearest() == kNever);
    BOOST_TEST(steps.queue.buckets()[0].first() == Slot::kNone);
}

BOOST_AUTO_TEST_CASE(b32_nearest_is_what_the_sleep_ends_for_and_what_was_told_during_a_round) {
    Steps steps;
    steps.schedule(20);
    BOOST_TEST(steps.queue.nearest() == 20);
    steps.pull();
    BOOST_TEST(steps.queue.nearest() == kNever);
    steps.schedule(30);
    BOOST_TEST(steps.queue.nearest() == 30);
    BOOST_TEST(!steps.queue.isToldOfEarlier());
    BOOST_TEST(steps.queue.beginSleep() == 20);
    BOOST_TEST(steps.queue.nearest() == 20);
}

BOOST_AUTO_TEST_CASE(b33_a_task_signals_if_it_is_strictly_less_than_nearest) {
    Steps steps(2);
    BOOST_TEST(steps.schedule(20).signal);
    BOOST_TEST(!steps.schedule(20, 1).signal);
    BOOST_TEST(!steps.schedule(21, 1).signal);
    BOOST_TEST(steps.schedule(19, 1).signal);
    BOOST_TEST(!steps.schedule(kNever).signal);
}

BOOST_AUTO_TEST_CASE(b15_never_itself_sends_no_signal_and_ends_no_sleep) {
    Steps steps;
    BOOST_TEST(!steps.schedule(kNever).earlier);
    BOOST_TEST(steps.round(kNever - 1) == kNever);
    BOOST_TEST(steps.schedule(kNever - 1).signal);
    BOOST_TEST(steps.round(0) == kNever - 1);
}

BOOST_AUTO_TEST_CASE(b37_the_heap_gives_tasks_out_in_order_of_time) {
    std::minstd_rand random(1);
    Steps steps;
    std::vector<std::pair<Nanos, TaskId>> expected;
    for (int i = 0; i < 1000; ++i) {
        const auto time = static_cast<Nanos>(random() % 1'000'000) * 1000 + i;
        expected.emplace_back(time, steps.schedule(time).id);
    }
    std::sort(expected.begin(), expected.end());
    BOOST_TEST(steps.round(kNever - 1) == kNever);
    BOOST_REQUIRE_EQUAL(steps.ran.size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i)
        BOOST_REQUIRE_EQUAL(steps.ran[i], expected[i].second);
}

BOOST_AUTO_TEST_CASE(b39_removed_tasks_are_recycled_in_a_bucket_and_at_the_top_of_the_heap) {
    Steps steps;
    const TaskId inBucket = steps.schedule(10).id;
    steps.unschedule(inBucket);
    steps.schedule(40);
    BOOST_TEST(steps.round(0) == 40);
    BOOST_TEST(steps.queue.heapSize() == 1U);

    const TaskId top = steps.schedule(20).id;
    const TaskId next = steps.schedule(30).id;
    BOOST_TEST(steps.round(0) == 20);
    BOOST_TEST(steps.queue.heapSize() == 3U);
    steps.unschedule(next);
    steps.unschedule(top);
    BOOST_TEST(steps.round(0) == 40);
    BOOST_TEST(steps.queue.heapSize() == 1U);
}

BOOST_AUTO_TEST_CASE(b39_a_task_that_is_removed_before_the_next_one_comes_leaves_its_slot) {
    Steps steps;
    const TaskId kept = steps.schedule(1000).id;
    std::set<TaskId> ids;
    for (int i = 0; i < 1000; ++i) {
        const auto pair = steps.schedule(i == 0 ? 10 : 20);
        BOOST_TEST(pair.earlier == (i == 0));
        BOOST_TEST(steps.unschedule(pair.id));
        BOOST_TEST(!steps.unschedule(pair.id));
        BOOST_TEST(ids.insert(pair.id).second);
        steps.queue.check();
    }
    BOOST_TEST(steps.queue.pool().made() == SlotPool::kBatch);
    // The announcement of the first stays, and with it that of those in its place.
    const TaskId last = steps.schedule(20).id;
    BOOST_TEST(steps.queue.buckets()[0].nearest() == 10);
    BOOST_TEST(steps.round(20) == 1000);
    BOOST_TEST(steps.round(1000) == kNever);
    BOOST_TEST(steps.ran == std::vector<TaskId>({last, kept}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(b39_a_second_peak_takes_no_more_memory_than_the_first) {
    constexpr int kPeak = 2000;
    Steps steps;
    std::uint32_t made = 0;
    for (int peak = 0; peak < 5; ++peak) {
        for (int i = 0; i < kPeak; ++i) {
            if (steps.schedule(i + 1).id == 0U) BOOST_ERROR("no slot");
        }
        steps.round(kPeak);
        if (peak == 0) made = steps.queue.pool().made();
        BOOST_TEST(steps.queue.pool().made() <= made + 2 * SlotPool::kBatch);
    }
    BOOST_TEST(made <= kPeak + 2 * SlotPool::kBatch);
}

BOOST_AUTO_TEST_CASE(b39_a_callable_that_is_still_being_destroyed_is_recycled_by_a_later_round) {
    Steps steps;
    Bucket& bucket = steps.queue.buckets()[0];
    Slot& slot = *bucket.takeSlot(steps.queue.pool());
    const auto callable = [owned = std::make_shared<int>(0)] {};
    using Callable = std::decay_t<decltype(callable)>;
    const auto make = [&](void* storage) { ::new (storage) Callable(callable); };
    slot.fill(jtimer::detail::FunctionMaker(jtimer::detail::functionType<Callable>, make));
    slot.time = 10;
    const TaskId id = slot.publish();
    bucket.push(Lock(bucket.mutex), slot, steps.queue.pool());

    BOOST_TEST((slot.beginRemoval(id) == Slot::Removal::Begun));
    BOOST_TEST(steps.round(0) == kNever);
    BOOST_TEST(steps.queue.heapSize() == 0U);
    BOOST_TEST(steps.round(0) == kNever);
    BOOST_TEST(slot.id() == id);
    slot.destroyCallable();
    slot.endRemoval();
    BOOST_TEST(steps.round(0) == kNever);
    BOOST_TEST(slot.id() == id + (TaskId{2} << 32));
}

BOOST_AUTO_TEST_CASE(b40_a_sweep_drops_all_removed_tasks_when_the_heap_has_doubled) {
    Steps steps(1, 100);
    std::vector<TaskId> ids;
    const auto add = [&](int count) {
        for (int i = 0; i < count; ++i) ids.push_back(steps.schedule(1000 + Nanos(ids.size())).id);
    };
    add(99);
    steps.round(0);
    for (std::size_t i = 1; i < 99; i += 2) BOOST_TEST(steps.unschedule(ids[i]));
    steps.round(0);
    BOOST_TEST(steps.queue.heapSize() == 99U);  // below the least size
    add(1);
    steps.round(0);
    BOOST_TEST(steps.queue.heapSize() == 51U);  // swept: base = 51

    for (std::size_t i = 2; i < 99; i += 2) BOOST_TEST(steps.unschedule(ids[i]));
    add(50);
    steps.round(0);
    BOOST_TEST(steps.queue.heapSize() == 101U);  // above the least size, but not twice the base
    add(1);
    steps.round(0);
    BOOST_TEST(steps.queue.heapSize() == 53U);
}

BOOST_AUTO_TEST_CASE(b40_the_base_falls_with_the_heap) {
    Steps steps(1, 100);
    std::vector<TaskId> ids;
    for (int i = 0; i < 200; ++i) ids.push_back(steps.schedule(1000 + i).id);
    steps.round(0);     // swept: base = 200
    steps.round(1149);  // base = 50
    BOOST_TEST(steps.queue.heapSize() == 50U);
    for (int i = 0; i < 49; ++i) ids.push_back(steps.schedule(2000 + i).id);
    for (std::size_t i = 160; i < 200; ++i) BOOST_TEST(steps.unschedule(ids[i]));
    steps.round(1149);
    BOOST_TEST(steps.queue.heapSize() == 99U);
    steps.schedule(3000);
    steps.round(1149);
    BOOST_TEST(steps.queue.heapSize() == 60U);
}

BOOST_AUTO_TEST_CASE(b13_without_slots_nothing_is_scheduled_and_freed_ones_are_used_again) {
    Steps steps(1, 4096, SlotPool::Limits{64, Slot::kFirstVersion});
    for (int i = 0; i < 64; ++i) BOOST_TEST(steps.schedule(10).id != 0U);
    BOOST_TEST(steps.schedule(10).id == 0U);
    steps.queue.check();
    steps.round(10);
    BOOST_TEST(steps.ran.size() == 64U);
    for (int i = 0; i < 64; ++i) BOOST_TEST(steps.schedule(20).id != 0U);
    BOOST_TEST(steps.schedule(20).id == 0U);
    steps.queue.check();
}

BOOST_AUTO_TEST_CASE(b10_no_id_is_given_out_twice_while_versions_run_out) {
    Steps steps(1, 4096, SlotPool::Limits{64, 0xFFFFFFFC});
    std::set<TaskId> ids;
    Nanos time = 0;
    for (;;) {
        const TaskId id = steps.schedule(++time).id;
        if (id == 0) break;
        BOOST_TEST(ids.insert(id).second);
        steps.round(time);
    }
    BOOST_TEST(ids.size() == 128U);
    BOOST_TEST(steps.ran.size() == ids.size());
}

BOOST_AUTO_TEST_CASE(random_steps_do_what_the_model_does) {
    for (unsigned seed = 1; seed <= 20; ++seed) {
        BOOST_TEST_CONTEXT("seed " << seed) {
            test::Choices choices(seed);
            test::BucketedQueueModel model;
            for (int step = 0; step < 2000; ++step) model.step(choices);
        }
    }
}
