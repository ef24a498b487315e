// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "brpc/slot.hpp"
#include "brpc/slot_pool.hpp"
#include "clock/waiter.hpp"
#include "sync/assert.hpp"

#include <atomic>
#include <cstdint>
#include <utility>

namespace jtimer::brpc::detail {

/// The tasks that some of the threads have scheduled since the timer's thread last emptied the
/// bucket, and free slots for new tasks. A thread always uses the same bucket, so the bucket stays
/// in its cache.
///
/// The mutex is a member so that it shares the cache line; only takeSlot() locks it here. Other
/// functions that need it take a Lock as a parameter.
class alignas(2 * kCacheLine) Bucket {  // processors load lines in pairs
  public:
    Bucket() = default;
    Bucket(const Bucket&) = delete;
    Bucket& operator=(const Bucket&) = delete;

    Mutex mutex;

    /// A free slot; null if there is no memory. For any thread, which must not hold the mutex:
    /// usually returns the slot that the last push() has put aside; otherwise locks the mutex.
    Slot* takeSlot(SlotPool& pool) {
        // Acquire: sees what the thread that put the slot aside knew of it.
        Slot* const spare = spare_.exchange(nullptr, std::memory_order_acquire);
        if (spare != nullptr) return spare;
        const Lock lock(mutex);
        return popFree(lock, pool);
    }

    /// Returns a slot that was not published.
    void returnSlot(const Lock& lock, Slot& slot) noexcept {
        JTIMER_ASSERT(holds(lock, mutex));
        slot.next = std::exchange(free_, slot.number());
    }

    /// Adds a task that has been published. \returns whether it is earlier than all tasks that were
    /// added since the list was last emptied
    bool push(const Lock& lock, Slot& slot, SlotPool& pool) noexcept {
        JTIMER_ASSERT(holds(lock, mutex));
        // The head is written only once. The timer's thread reads it without the mutex, and must
        // not find the list empty while this task replaces one that was announced.
        slot.next = headUnlessRemoved(lock, pool);
        head_.store(slot.number(), std::memory_order_relaxed);
        // Puts a slot aside, so that the next thread can take it without locking.
        if (spare_.load(std::memory_order_relaxed) == nullptr) {
            spare_.store(popFree(lock, pool), std::memory_order_release);
        }
        if (slot.time >= nearest_) return false;
        nearest_ = slot.time;
        return true;
    }

    /// Empties the list. \returns its first slot's number
    std::uint32_t takeAll(const Lock& lock) noexcept {
        JTIMER_ASSERT(holds(lock, mutex));
        nearest_ = kNever;
        return head_.exchange(Slot::kNone, std::memory_order_relaxed);
    }

    /// The number of the list's first slot. A hint, read without the mutex. It may be out of date,
    /// which does no harm: see BucketLoop.
    std::uint32_t first() const noexcept { return head_.load(std::memory_order_relaxed); }

    // For checks, while no other thread uses the bucket.

    Nanos nearest() const noexcept { return nearest_; }
    std::uint32_t firstFree() const noexcept { return free_; }
    const Slot* spare() const noexcept { return spare_.load(std::memory_order_relaxed); }

  private:
    /// A thread that sets a time-out for one call after another removes each task before it
    /// schedules the next. This frees the removed task's slot at once. Otherwise such pairs would
    /// use more and more memory until the timer's thread empties the bucket, or without limit if
    /// they come faster than it recycles slots.
    /// \returns the first slot of the list, or the second one if the first was removed
    std::uint32_t headUnlessRemoved(const Lock& lock, SlotPool& pool) noexcept {
        JTIMER_ASSERT(holds(lock, mutex));
        const std::uint32_t head = head_.load(std::memory_order_relaxed);
        if (head == Slot::kNone) return head;
        Slot& slot = pool.at(head);
        if (slot.phase() != Phase::Removed) return head;
        const std::uint32_t second = slot.next;
        if (slot.free()) returnSlot(lock, slot);
        return second;
    }

    Slot* popFree(const Lock& lock, SlotPool& pool) noexcept {
        JTIMER_ASSERT(holds(lock, mutex));
        Slot* const slot = free_ == Slot::kNone ? pool.takeBatch() : &pool.at(free_);
        if (slot != nullptr) free_ = slot->next;
        return slot;
    }

    // Guarded by the mutex. The head is also read without it.
    std::atomic<std::uint32_t> head_{Slot::kNone};
    /// The first slot of the list of free slots.
    std::uint32_t free_ = Slot::kNone;
    /// The earliest time that was added since the list was last emptied. Includes removed tasks,
    /// even if their slots have been reused: they were announced, so the timer's thread will empty
    /// the bucket in time for them.
    Nanos nearest_ = kNever;

    /// One more free slot, for the first thread that takes it.
    std::atomic<Slot*> spare_{nullptr};
};

}  // namespace jtimer::brpc::detail
