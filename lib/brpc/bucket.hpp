// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "brpc/slot.hpp"
#include "brpc/slot_pool.hpp"
#include "clock/waiter.hpp"

#include <atomic>
#include <cstdint>

namespace jtimer::brpc::detail {

/// The tasks that some of the threads have scheduled since the timer's thread came by last, and the
/// free slots for those to come. A thread always uses the same bucket, so that its cache keeps it.
///
/// The mutex is here for the sake of the cache line; nobody in here takes it but takeSlot(). What
/// else needs it says so by a parameter.
class alignas(2 * kCacheLine) Bucket {  // processors load lines in pairs
  public:
    Bucket() = default;
    Bucket(const Bucket&) = delete;
    Bucket& operator=(const Bucket&) = delete;

    Mutex mutex;

    /// A free slot, null if there is no memory. Any thread, without the mutex: mostly the slot that
    /// the last push() has put aside, else this takes it.
    Slot* takeSlot(SlotPool& pool) {
        // Acquire: what the one who put it aside knew of it.
        Slot* const spare = spare_.exchange(nullptr, std::memory_order_acquire);
        if (spare != nullptr) return spare;
        const Lock lock(mutex);
        return popFree(lock, pool);
    }

    /// Takes back a slot that was not published after all.
    void returnSlot(const Lock&, Slot& slot) noexcept {
        slot.next = free_;
        free_ = slot.number();
    }

    /// Adds a task that has been published. \returns whether it is earlier than all that were added
    /// since the list was last emptied
    bool push(const Lock& lock, Slot& slot, SlotPool& pool) noexcept {
        // The head is written once. The timer's thread looks at it without the mutex, and must not
        // find none while this task takes the place of one that was announced.
        slot.next = headUnlessRemoved(lock, pool);
        head_.store(slot.number(), std::memory_order_relaxed);
        ++scheduled_;
        // So that the next thread that takes a slot needs no lock for it.
        if (spare_.load(std::memory_order_relaxed) == nullptr) {
            spare_.store(popFree(lock, pool), std::memory_order_release);
        }
        if (slot.time >= nearest_) return false;
        nearest_ = slot.time;
        return true;
    }

    /// Empties the list. \returns its first slot's number
    std::uint32_t takeAll(const Lock&) noexcept {
        const std::uint32_t first = head_.load(std::memory_order_relaxed);
        head_.store(Slot::kNone, std::memory_order_relaxed);
        nearest_ = kNever;
        return first;
    }

    /// A hint, without the mutex. That it may be out of date does no harm: see TimerLoop.
    bool looksEmpty() const noexcept {
        return head_.load(std::memory_order_relaxed) == Slot::kNone;
    }

    /// How many tasks were added, ever.
    std::uint64_t scheduled(const Lock&) const noexcept { return scheduled_; }

    // --- for checks, while no other thread uses the bucket ---------------------------------------

    std::uint32_t first() const noexcept { return head_.load(std::memory_order_relaxed); }
    Nanos nearest() const noexcept { return nearest_; }
    std::uint32_t firstFree() const noexcept { return free_; }
    const Slot* spare() const noexcept { return spare_.load(std::memory_order_relaxed); }

  private:
    /// A thread that sets a time-out for one call after the other removes each task before it
    /// schedules the next. So that such pairs take no more and more memory until the timer's thread
    /// comes by, or for ever if they come faster than it recycles, the slot is free at once.
    /// \returns the first slot of the list, or if that was removed, the second one
    std::uint32_t headUnlessRemoved(const Lock& lock, SlotPool& pool) noexcept {
        const std::uint32_t head = head_.load(std::memory_order_relaxed);
        if (head == Slot::kNone) return head;
        Slot& slot = pool.at(head);
        if (slot.phase() != Phase::Removed) return head;
        const std::uint32_t second = slot.next;
        if (slot.free()) returnSlot(lock, slot);
        return second;
    }

    Slot* popFree(const Lock&, SlotPool& pool) noexcept {
        Slot* const slot = free_ == Slot::kNone ? pool.takeBatch() : &pool.at(free_);
        if (slot != nullptr) free_ = slot->next;
        return slot;
    }

    // Guarded by the mutex. The head is read without it as well.
    std::atomic<std::uint32_t> head_{Slot::kNone};
    /// The first of the free slots that are linked here.
    std::uint32_t free_ = Slot::kNone;
    /// The earliest time that was added since the list was last emptied. Removed tasks count, also
    /// those whose slots are used again: they were announced, so the thread comes by for them.
    Nanos nearest_ = kNever;
    std::uint64_t scheduled_ = 0;

    /// One more free slot, for whoever takes it first.
    std::atomic<Slot*> spare_{nullptr};
};

}  // namespace jtimer::brpc::detail
