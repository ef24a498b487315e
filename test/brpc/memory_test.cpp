// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
//
// Running out of memory: this program's operator new fails when a case says so.
// A program of its own, for it replaces operator new.
#include "brpc/bucketed_queue.hpp"
#include "brpc/manual_thread.hpp"
#include "support/counter.hpp"
#include "support/failing_new.hpp"
#include "support/scripted_clock.hpp"
#include "support/test.hpp"

#include <cerrno>

using jtimer::Date;
using jtimer::brpc::kInvalidTaskId;
using jtimer::brpc::TaskId;
using jtimer::brpc::TimerThread;
using test::AllocationsLeft;
using test::at;
using test::countUp;
using test::doNothing;
using test::heapIsFull;
using test::ManualThread;

BOOST_AUTO_TEST_CASE(b5_wherever_memory_runs_out_start_answers_enomem_and_a_later_one_works) {
    const auto clock = std::make_shared<jtimer::ManualClock>();
    jtimer::brpc::TimerThreadOptions options;
    options.clock = clock;
    options.name = "a name that takes an allocation";
    TimerThread timer;
    int result = ENOMEM;
    int failures = 0;
    for (; result == ENOMEM; ++failures) {
        const AllocationsLeft left(failures);
        result = timer.start(options);
    }
    BOOST_TEST(result == 0);
    BOOST_TEST(failures > 5);
    int runs = 0;
    timer.schedule(countUp, &runs, Date{});
    clock->waitUntilIdle();
    BOOST_TEST(runs == 1);
}

BOOST_FIXTURE_TEST_CASE(b13_schedule_answers_0_when_memory_is_out, ManualThread) {
    struct Large {
        std::array<char, 100> ballast{};
        void operator()() const {}
    };
    std::vector<TaskId> ids;
    ids.reserve(1000);
    {
        const AllocationsLeft none(0);
        for (;;) {
            ids.push_back(timer.schedule(doNothing, nullptr, far()));
            if (ids.back() == kInvalidTaskId) break;
        }
    }
    BOOST_TEST(ids.size() == 1U);  // no slot was made before
    BOOST_TEST(timer.schedule(doNothing, nullptr, far()) != kInvalidTaskId);
    TaskId large = 0;
    {
        const AllocationsLeft none(0);
        large = timer.schedule(Large(), far());
    }
    BOOST_TEST(large == kInvalidTaskId);
    BOOST_TEST(timer.schedule(Large(), far()) != kInvalidTaskId);
    BOOST_TEST(timer.stats().scheduled == 2U);
    BOOST_TEST(timer.stats().slots == 2U);
}

BOOST_FIXTURE_TEST_CASE(a_small_callable_needs_no_allocation, ManualThread) {
    timer.schedule(doNothing, nullptr, far());  // the first slots
    std::array<void*, 4> words{};
    const AllocationsLeft none(0);
    const TaskId small = timer.schedule([words] { static_cast<void>(words); }, far(1));
    const TaskId function = timer.schedule(doNothing, nullptr, far(1));
    const int removed = timer.unschedule(small) + timer.unschedule(function);
    BOOST_TEST((small != kInvalidTaskId && function != kInvalidTaskId));
    BOOST_TEST(removed == 0);
}

BOOST_FIXTURE_TEST_CASE(b39_tasks_that_are_removed_one_after_the_other_take_no_memory,
                        ManualThread) {
    timer.schedule(doNothing, nullptr, far());
    pull();  // the others come later, so the thread is not told of them
    timer.unschedule(timer.schedule(doNothing, nullptr, far(1)));
    const auto before = timer.stats();
    int removed = 0;
    {
        const AllocationsLeft none(0);
        for (int i = 0; i < 10'000; ++i) {
            const int ballast = i;
            const TaskId id =
                i % 2 == 0 ? timer.schedule(doNothing, nullptr, far(1 + i))
                           : timer.schedule([ballast] { static_cast<void>(ballast); }, far(1 + i));
            removed += timer.unschedule(id) == 0 ? 1 : 0;
        }
    }
    BOOST_TEST(removed == 10'000);
    const auto after = timer.stats();
    BOOST_TEST(after.slots == 2U);  // the first one, and the last of those that were removed
    BOOST_TEST(after.unscheduled == before.unscheduled + 10'000);
    BOOST_TEST(after.wakeUps == before.wakeUps);
    clock->advance(std::chrono::hours(2));
    BOOST_TEST(timer.stats().slots == 0U);
}

BOOST_FIXTURE_TEST_CASE(c9_without_memory_for_the_heap_what_is_due_runs_in_order, ManualThread) {
    constexpr std::int64_t count = 1000;
    std::vector<std::int64_t> ran;
    ran.reserve(count);
    heapIsFull = true;
    std::vector<TaskId> ids;
    for (std::int64_t i = 0; i < count; ++i) {
        const std::int64_t millis = i * 7919 % count + 1;
        ids.push_back(timer.schedule([&ran, millis] { ran.push_back(millis); }, at(millis)));
        if (i % 100 == 0) clock->waitUntilIdle();
    }
    int removed = 0;
    for (std::size_t i = 0; i < count; i += 10) removed += timer.unschedule(ids[i]) == 0 ? 1 : 0;
    clock->advance(count / 2);
    const auto half = ran.size();
    clock->advance(count);
    heapIsFull = false;
    std::vector<std::int64_t> expected;
    for (std::int64_t i = 0; i < count; ++i) {
        if (i % 10 != 0) expected.push_back(i * 7919 % count + 1);
    }
    std::sort(expected.begin(), expected.end());
    BOOST_TEST(removed == 100);
    BOOST_TEST(half == 450U);
    BOOST_TEST(ran == expected, boost::test_tools::per_element());
    BOOST_TEST(timer.stats().slots == 0U);
}

BOOST_FIXTURE_TEST_CASE(c9_what_waits_for_memory_wakes_nobody, ManualThread) {
    timer.schedule(doNothing, nullptr, far());
    clock->waitUntilIdle();  // it is not told of the others, which come later
    heapIsFull = true;
    for (int i = 1; i < 1000; ++i) timer.schedule(doNothing, nullptr, far(i));
    pull();
    const auto before = timer.stats();
    clock->advance(std::chrono::minutes(30));
    const auto after = timer.stats();
    heapIsFull = false;
    BOOST_TEST(before.heapSize == 127U);
    BOOST_TEST(after.wakeUps == before.wakeUps);
    BOOST_TEST(after.pending == 1000U);
    pull();
    BOOST_TEST(timer.stats().heapSize == 1000U);
}

BOOST_FIXTURE_TEST_CASE(c9_without_memory_what_was_removed_makes_room, ManualThread) {
    std::vector<TaskId> ids;
    for (int i = 0; i < 120; ++i) ids.push_back(timer.schedule(doNothing, nullptr, far()));
    pull();
    BOOST_TEST(timer.stats().heapSize == 120U);
    heapIsFull = true;
    for (int i = 0; i < 200; ++i) ids.push_back(timer.schedule(doNothing, nullptr, far(1)));
    pull();
    for (std::size_t i = 1; i < 220; ++i) timer.unschedule(ids[i]);
    pull();
    const auto stats = timer.stats();
    heapIsFull = false;
    BOOST_TEST(stats.heapSize == 101U);
    BOOST_TEST(stats.slots == 101U);
    BOOST_TEST(stats.pending == 101U);
}

BOOST_AUTO_TEST_CASE(c9_a_queue_keeps_in_order_what_its_heap_has_no_room_for) {
    using namespace jtimer::brpc::detail;
    BucketedQueue queue(1, 4096);
    Bucket& bucket = queue.buckets()[0];
    std::multimap<Nanos, Slot*> expected;
    std::minstd_rand random(29);
    std::size_t mostWaiting = 0;
    for (int step = 0; step < 3000; ++step) {
        heapIsFull = step % 1000 < 900;
        for (auto i = random() % 8; i > 0; --i) {
            Slot& slot = *bucket.takeSlot(queue.pool());
            slot.fill({doNothing, nullptr});
            slot.time = static_cast<Nanos>(random() % 1000);
            slot.publish();
            bucket.push(Lock(bucket.mutex), slot, queue.pool());
            expected.emplace(slot.time, &slot);
        }
        for (auto i = random() % 3; i > 0 && !expected.empty(); --i) {
            const auto at = std::next(expected.begin(),
                                      static_cast<std::ptrdiff_t>(random() % expected.size()));
            BOOST_REQUIRE(at->second->beginRemoval(at->second->id()) == Slot::Removal::Done);
            expected.erase(at);
        }
        queue.accept(bucket.takeAll(Lock(bucket.mutex)));
        queue.tidy();
        queue.check();
        mostWaiting =
            std::max(mostWaiting, expected.size() - std::min(expected.size(), queue.heapSize()));
        for (auto i = random() % 5; i > 0 && !expected.empty(); --i) {
            BOOST_REQUIRE(queue.least() == expected.begin()->first);
            Slot* const slot = queue.beginRun();
            BOOST_REQUIRE(slot != nullptr);
            queue.removeTop();
            queue.check();
            const auto same = expected.equal_range(slot->time);
            const auto found = std::find_if(same.first, same.second,
                                            [=](const auto& each) { return each.second == slot; });
            BOOST_REQUIRE((found != same.second));
            expected.erase(found);
            queue.recycle(*slot);
        }
        queue.endRound();
    }
    heapIsFull = false;
    BOOST_TEST(mostWaiting > 100U);
}

BOOST_AUTO_TEST_CASE(c9_what_is_removed_while_it_waits_for_memory_is_passed_over) {
    using namespace jtimer::brpc::detail;
    BucketedQueue queue(1, 4096);
    Bucket& bucket = queue.buckets()[0];
    const auto add = [&](Nanos time) -> Slot& {
        Slot& slot = *bucket.takeSlot(queue.pool());
        slot.fill({doNothing, nullptr});
        slot.time = time;
        slot.publish();
        bucket.push(Lock(bucket.mutex), slot, queue.pool());
        return slot;
    };
    const auto accept = [&] { queue.accept(bucket.takeAll(Lock(bucket.mutex))); };
    heapIsFull = true;
    std::vector<Slot*> slots;
    for (Nanos time = 1000; time < 1200; ++time) slots.push_back(&add(time));
    accept();
    std::vector<Slot*> early;
    for (Nanos time = 1; time <= 3; ++time) early.push_back(&add(time));
    accept();
    queue.tidy();
    const auto remove = [](Slot& slot) {
        BOOST_REQUIRE(slot.beginRemoval(slot.id()) == Slot::Removal::Done);
    };
    BOOST_TEST(queue.least() == 1);
    remove(*early[0]);
    remove(*early[1]);
    BOOST_TEST(queue.least() == 3);
    remove(*early[2]);
    BOOST_TEST(queue.least() == 1000);
    queue.check();
    for (std::size_t i = 0; i < slots.size() - 1; ++i) remove(*slots[i]);
    BOOST_TEST(queue.least() == 1199);
    BOOST_TEST(queue.heapSize() == 1U);
    remove(*slots.back());
    BOOST_TEST(queue.least() == kNever);
    queue.check();
    heapIsFull = false;
}
