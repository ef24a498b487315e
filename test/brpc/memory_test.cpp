// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
//
// Running out of memory: this program's operator new fails when a case says so.
#include "brpc/bucketed_queue.hpp"
#include "brpc/manual_thread.hpp"
#include "support/counter.hpp"
#include "support/scripted_clock.hpp"

#include <boost/test/unit_test.hpp>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <new>
#include <vector>

using jtimer::Date;
using jtimer::brpc::kInvalidTaskId;
using jtimer::brpc::TaskId;
using jtimer::brpc::TimerThread;
using test::at;
using test::countUp;
using test::doNothing;
using test::ManualThread;

namespace {

/// How many more allocations of the calling thread succeed; negative: all.
thread_local int allocationsLeft = -1;
/// Whether the arrays of the heap cannot grow, on any thread: whatever is aligned.
std::atomic<bool> heapIsFull{false};

void* allocate(std::size_t size, std::size_t alignment) noexcept {
    if (allocationsLeft == 0 || (heapIsFull && alignment == 64)) return nullptr;
    if (allocationsLeft > 0) --allocationsLeft;
    void* memory = nullptr;
    return posix_memalign(&memory, alignment, size == 0 ? 1 : size) == 0 ? memory : nullptr;
}

void* orThrow(void* memory) {
    if (memory == nullptr) throw std::bad_alloc();
    return memory;
}

/// The calling thread can allocate `count` times.
class AllocationsLeft {
  public:
    explicit AllocationsLeft(int count) { allocationsLeft = count; }
    ~AllocationsLeft() { allocationsLeft = -1; }
};

}  // namespace

void* operator new(std::size_t size) { return orThrow(allocate(size, 16)); }
void* operator new(std::size_t size, const std::nothrow_t&) noexcept { return allocate(size, 16); }
void* operator new(std::size_t size, std::align_val_t alignment) {
    return orThrow(allocate(size, static_cast<std::size_t>(alignment)));
}
void* operator new(std::size_t size, std::align_val_t alignment, const std::nothrow_t&) noexcept {
    return allocate(size, static_cast<std::size_t>(alignment));
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, const std::nothrow_t&) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t, const std::nothrow_t&) noexcept {
    std::free(memory);
}

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

BOOST_FIXTURE_TEST_CASE(part_5_a_small_callable_needs_no_allocation, ManualThread) {
    timer.schedule(doNothing, nullptr, far());  // the first slots
    std::array<void*, 4> words{};
    const AllocationsLeft none(0);
    const TaskId small = timer.schedule([words] { static_cast<void>(words); }, far(1));
    const TaskId function = timer.schedule(doNothing, nullptr, far(1));
    const int removed = timer.unschedule(small) + timer.unschedule(function);
    BOOST_TEST((small != kInvalidTaskId && function != kInvalidTaskId));
    BOOST_TEST(removed == 0);
}

BOOST_FIXTURE_TEST_CASE(c9_without_memory_for_the_heap_tasks_wait_and_none_is_lost, ManualThread) {
    int runs = 0;
    timer.schedule(countUp, &runs, at(5));
    clock->waitUntilIdle();
    std::vector<TaskId> ids;
    for (int i = 0; i < 1000; ++i) ids.push_back(timer.schedule(countUp, &runs, at(10)));
    heapIsFull = true;
    clock->advance(100);
    const int runsWithout = runs;
    int removed = 0;
    for (std::size_t i = 0; i < 100; ++i) removed += timer.unschedule(ids[i]) == 0 ? 1 : 0;
    const auto pending = timer.stats().pending;
    heapIsFull = false;
    BOOST_TEST(runsWithout == 0);  // what could not be sorted in may come first
    BOOST_TEST(removed == 100);
    BOOST_TEST(pending == 901U);
    clock->advance(100);
    BOOST_TEST(runs == 901);
    BOOST_TEST(timer.stats().slots == 0U);
}

BOOST_AUTO_TEST_CASE(c9_a_queue_keeps_in_order_what_its_heap_has_no_room_for) {
    using namespace jtimer::brpc::detail;
    BucketedQueue queue(1, 4096);
    Bucket& bucket = queue.buckets()[0];
    for (Nanos time = 1000; time > 0; --time) {
        Slot& slot = *bucket.takeSlot(queue.pool());
        slot.fill({doNothing, nullptr});
        slot.time = time;
        slot.publish();
        bucket.push(Lock(bucket.mutex), slot, queue.pool());
    }
    heapIsFull = true;
    const bool complete = queue.accept(bucket.takeAll(Lock(bucket.mutex)));
    queue.tidy();
    const bool completeAgain = queue.acceptOld();
    queue.tidy();
    heapIsFull = false;
    queue.check();
    BOOST_TEST(!complete);
    BOOST_TEST(!completeAgain);
    BOOST_TEST(queue.heapSize() == 127U);
    BOOST_TEST(queue.acceptOld());
    queue.tidy();
    queue.check();
    BOOST_TEST(queue.heapSize() == 1000U);
    BOOST_TEST(queue.least() == 1);
}
