// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "brpc/slot_pool.hpp"
#include "interleave/explored.hpp"

#include <jtimer/brpc/timer_thread.hpp>
#include <jtimer/manual_clock.hpp>

#include <chrono>
#include <cstdint>
#include <memory>
#include <utility>

namespace {

using explore::check;
using explore::together;
using jtimer::Date;
using jtimer::ManualClock;
using jtimer::brpc::TaskId;
using jtimer::brpc::TimerThread;
using jtimer::brpc::TimerThreadOptions;
using jtimer::brpc::detail::Phase;
using jtimer::brpc::detail::Slot;
using jtimer::brpc::detail::SlotPool;

constexpr explore::Bounds kBounds{2, 1, 0, 10'000, 1'000};
constexpr explore::Bounds kWholeTimer{1, 1, 0, 4'000, 1'000};

const Date kStart{};
const Date kSoon = kStart + std::chrono::milliseconds(10);

TimerThreadOptions on(const std::shared_ptr<ManualClock>& clock) {
    TimerThreadOptions options;
    options.clock = clock;
    options.numBuckets = 1;
    return options;
}

/// A callable with a destructor, which must be destroyed once.
struct Counted {
    explicit Counted(int& live) : count(&live) { ++*count; }
    Counted(Counted&& other) noexcept : count(std::exchange(other.count, nullptr)) {}
    Counted(const Counted&) = delete;
    Counted& operator=(const Counted&) = delete;
    ~Counted() {
        if (count != nullptr) --*count;
    }
    int* count;
};

template <class F>
void fill(Slot& slot, F function) {
    const auto make = [&](void* storage) { ::new (storage) F(std::move(function)); };
    slot.fill(jtimer::detail::FunctionMaker(jtimer::detail::functionType<F>, make));
}

/// What the timer's thread does with a task that is due.
void runOf(Slot& slot, int& runs) {
    if (!slot.take(Phase::Running)) return;
    ++runs;
    slot.run();
    slot.destroyCallable();
    slot.free();
}

/// What unschedule() does, with an id that this thread has from nowhere.
void removalOf(SlotPool& pool, TaskId id, int& removals) {
    Slot* const slot = pool.find(id);
    if (slot == nullptr) return;
    const Slot::Removal removal = slot->beginRemoval(id);
    if (removal == Slot::Removal::Begun) {
        slot->destroyCallable();
        slot->endRemoval();
    }
    if (removal == Slot::Removal::Begun || removal == Slot::Removal::Done) ++removals;
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_task_is_run_or_removed_once_by_an_id_that_comes_from_nowhere) {
    everyInterleaving(kBounds, [] {
        int live = 0;
        int runs = 0;
        int removals = 0;
        SlotPool pool;
        const TaskId id = TaskId{Slot::kFirstVersion} << 32;  // of the first slot
        together({[&] {
                      Slot& slot = *pool.takeBatch();
                      fill(slot, [counted = Counted(live)] {});
                      slot.publish();
                      runOf(slot, runs);
                  },
                  [&] { removalOf(pool, id, removals); }});
        check(runs + removals == 1 && live == 0, "not once");
    });
}

BOOST_AUTO_TEST_CASE(of_two_removals_one_succeeds_and_the_slot_is_used_again_after_it) {
    everyInterleaving(kBounds, [] {
        int live = 0;
        int first = 0;
        int second = 0;
        SlotPool pool;
        Slot& slot = *pool.takeBatch();
        fill(slot, [counted = Counted(live)] {});
        const TaskId id = slot.publish();
        together({[&] { removalOf(pool, id, first); }, [&] { removalOf(pool, id, second); },
                  [&] {
                      if (slot.phase() != Phase::Removed) return;
                      slot.free();
                      fill(slot, [counted = Counted(live)] {});
                      slot.publish();
                      int runs = 0;
                      runOf(slot, runs);
                  }});
        check(first + second == 1 && live == 0, "not once");
    });
}

BOOST_AUTO_TEST_CASE(a_removal_that_finds_the_next_use_of_a_slot_sees_what_the_run_did) {
    everyInterleaving(kBounds, [] {
        int written = 0;
        SlotPool pool;
        Slot& slot = *pool.takeBatch();
        fill(slot, [&] { written = 1; });
        const TaskId id = slot.publish();
        together({[&] {
                      int runs = 0;
                      runOf(slot, runs);
                  },
                  [&] {
                      if (slot.beginRemoval(id) == Slot::Removal::None)
                          check(written == 1, "not seen");
                  },
                  [&] {
                      if (slot.version() != Slot::kFirstVersion && !slot.isRunning(id))
                          check(written == 1, "not seen");
                  }});
    });
}

BOOST_AUTO_TEST_CASE(a_task_that_is_taken_by_an_id_that_comes_from_nowhere_is_whole) {
    everyInterleaving(kBounds, [] {
        int argument = 0;
        SlotPool pool;
        const TaskId id = TaskId{Slot::kFirstVersion} << 32;  // of the first slot
        together({[&] {
                      Slot& slot = *pool.takeBatch();
                      slot.fill(Slot::Function{[](void*) {}, &argument});
                      slot.publish();
                  },
                  [&] {
                      Slot* const slot = pool.find(id);
                      if (slot == nullptr || !slot->take(Phase::Removing)) return;
                      check(slot->function().arg == &argument, "not whole");
                      slot->endRemoval();
                  }});
    });
}

BOOST_AUTO_TEST_CASE(each_slot_that_counts_as_made_is_whole) {
    everyInterleaving(kBounds, [] {
        SlotPool pool;
        together({[&] { pool.takeBatch(); },
                  [&] {
                      const std::uint32_t made = pool.made();
                      if (made != 0) check(pool.at(made - 1).version() != 0, "not seen");
                  }});
    });
}

BOOST_AUTO_TEST_CASE(two_threads_take_slots_of_one_bucket) {
    everyInterleaving(kWholeTimer, [] {
        auto clock = std::make_shared<ManualClock>(kStart);
        TimerThread timer;
        timer.start(on(clock));
        int a = 0;
        int b = 0;
        together({[&] { timer.schedule([&a] { ++a; }, kSoon); },
                  [&] { timer.schedule([&b] { ++b; }, kSoon); }});
        clock->advance(20);
        timer.stopAndJoin();
        check(a == 1 && b == 1, "not once");
    });
}

BOOST_AUTO_TEST_CASE(a_schedule_beside_the_first_start_finds_no_timer_or_a_whole_one) {
    everyInterleaving(kWholeTimer, [] {
        auto clock = std::make_shared<ManualClock>(kStart);
        int runs = 0;
        TaskId id = 0;
        {
            TimerThread timer;
            together({[&] { timer.start(on(clock)); },
                      [&] { id = timer.schedule([&runs] { ++runs; }, kSoon); }});
            clock->advance(20);
            timer.stopAndJoin();
        }
        check(runs == (id == 0 ? 0 : 1), "not once");
    });
}

BOOST_AUTO_TEST_CASE(a_task_may_destroy_the_timer_while_its_schedule_has_not_returned) {
    everyInterleaving(kWholeTimer, [] {
        auto clock = std::make_shared<ManualClock>(kStart);
        auto timer = std::make_unique<TimerThread>();
        timer->start(on(clock));
        TimerThread& whole = *timer;
        whole.schedule([&timer] { timer.reset(); }, kStart);
        clock->waitUntilIdle();
    });
}

BOOST_AUTO_TEST_CASE(a_task_is_run_or_unscheduled_and_a_wait_sees_its_run) {
    everyInterleaving(kWholeTimer, [] {
        auto clock = std::make_shared<ManualClock>(kStart);
        TimerThread timer;
        timer.start(on(clock));
        int runs = 0;
        const TaskId id = timer.schedule([&runs] { ++runs; }, kSoon);
        together({[&] { clock->advance(10); },
                  [&] {
                      const int result = timer.unscheduleAndWait(id);
                      check(runs == (result == jtimer::brpc::kRemoved ? 0 : 1), "not seen");
                  }});
        timer.stopAndJoin();
    });
}

BOOST_AUTO_TEST_CASE(a_stop_beside_a_schedule_loses_no_callable) {
    everyInterleaving(kWholeTimer, [] {
        auto clock = std::make_shared<ManualClock>(kStart);
        int live = 0;
        {
            TimerThread timer;
            timer.start(on(clock));
            together({[&] { timer.stopAndJoin(); },
                      [&] { timer.schedule([counted = Counted(live)] {}, kStart); }});
        }
        check(live == 0, "left over");
    });
}
