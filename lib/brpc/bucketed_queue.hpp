// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "brpc/bucket.hpp"
#include "brpc/slot.hpp"
#include "brpc/slot_pool.hpp"
#include "data/growing_array.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace jtimer::brpc::detail {

/// The tasks of one timer, from the slot to the run, without the thread, the global mutex and the
/// clock.
///
///     threads that schedule                 the timer's thread, in rounds
///     ---------------------                 -----------------------------
///     slot -> bucket --- announce() --.     .--> beginRound()
///     slot -> bucket -----------------|-----|--> accept(): what the buckets held goes to the heap
///     slot -> bucket -----------------'     |    tidy(): now and then without what was removed
///                                           |    least(), beginRun(), removeTop(), recycle()
///     threads that unschedule               |    endRound(), and round again if isToldOfEarlier()
///     -----------------------               '--- beginSleep()
///     Slot::beginRemoval()
///
/// Two levels of `nearest` keep the threads apart. A bucket's, under the bucket's mutex, filters:
/// of the tasks that one round finds in a bucket, only those are announced that were the earliest
/// so far. The timer's own, under the global mutex, is what the thread sleeps until, or while it is
/// awake, the earliest that it was told of since its round began.
///
/// Each function says who may call it; those of one caller may run beside those of another.
class BucketedQueue {
  public:
    /// \param numBuckets at least 1
    /// \throws std::bad_alloc
    BucketedQueue(std::size_t numBuckets, std::size_t sweepMinSize, SlotPool::Limits limits = {});
    BucketedQueue(const BucketedQueue&) = delete;
    BucketedQueue& operator=(const BucketedQueue&) = delete;

    // --- any thread ------------------------------------------------------------------------------

    SlotPool& pool() noexcept { return pool_; }
    const SlotPool& pool() const noexcept { return pool_; }
    std::vector<Bucket>& buckets() noexcept { return buckets_; }

    /// The bucket that the calling thread schedules by, the same each time. As many threads as
    /// there are buckets have one each, if they came by one after the other.
    Bucket& bucketOfThisThread() noexcept;

    // --- under the global mutex ------------------------------------------------------------------

    /// A task that was the earliest of its bucket. \returns whether it is earlier than all that the
    /// thread knows of or was told: then it has to be woken, if it sleeps
    bool announce(Nanos time) noexcept {
        if (time >= nearest_) return false;
        nearest_ = time;
        return true;
    }

    /// What is announced from now on may be missed by this round.
    void beginRound() noexcept { nearest_ = kNever; }

    /// The thread's, under the mutex: whether something was announced that comes before the least
    /// that it knows.
    bool isToldOfEarlier() const noexcept { return topTime() > nearest_; }

    /// The thread's, under the mutex. \returns how long to sleep: until the least time that it
    /// knows, or an earlier one is announced
    Nanos beginSleep() noexcept { return nearest_ = topTime(); }

    // --- the timer's thread ----------------------------------------------------------------------

    /// Has another look at the slots that earlier rounds could not deal with.
    void acceptOld() noexcept;

    /// Takes over the tasks of a bucket's list: recycles those that were removed, and puts the rest
    /// into the heap, which is out of order until tidy(). Those for which the heap has no room, and
    /// there is no memory to make some, wait in a list of their own, which is in order: it needs no
    /// memory, but accept() and acceptOld() take time in proportion to it.
    void accept(std::uint32_t first) noexcept;

    /// Sweeps out the removed tasks if there may be many of them, and restores the heap.
    void tidy() noexcept;

    /// The least time, kNever if there is no task. Removed tasks that have it are dropped first.
    Nanos least() noexcept;

    /// Of the task with the least time: see Slot::beginRun. \returns null if it has been removed.
    /// Followed by removeTop() if not.
    Slot* beginRun() noexcept {
        Slot* const slot = isWaitingLeast() ? &pool_.at(waiting_) : heap_[1].slot;
        return slot->beginRun() ? slot : nullptr;
    }
    void removeTop() noexcept;

    /// After the run.
    void recycle(Slot& slot) noexcept;

    /// At the end of a round. \returns the size of the heap
    std::size_t endRound() noexcept;

    // --- for tests -------------------------------------------------------------------------------

    /// Recomputes the invariants the dumb way: the order of the heap; of each bucket, the list and
    /// `nearest`; that each slot is in one place, and which phases it may have there. While no
    /// thread calls anything else. \throws std::logic_error that names the slot and the rule
    void check() const;

    std::size_t heapSize() const noexcept { return size_; }
    Nanos nearest() const noexcept { return nearest_; }

  private:
    class Check;

    struct Entry {
        Nanos time;
        Slot* slot;
    };
    /// A task that is about to become the least will be looked at, and written to. Inline in any
    /// case: see prefetchLines().
    struct PrefetchSlot {
        [[gnu::always_inline]] void operator()(const Entry& entry) const noexcept {
            __builtin_prefetch(entry.slot, 1);
        }
    };

    Nanos heapTime() const noexcept { return size_ == 0 ? kNever : heap_[1].time; }
    Nanos topTime() const noexcept {
        return isWaitingLeast() ? pool_.at(waiting_).time : heapTime();
    }
    /// Whether the task with the least time is one for which the heap had no room.
    bool isWaitingLeast() const noexcept {
        return waiting_ != Slot::kNone && (size_ == 0 || pool_.at(waiting_).time < heap_[1].time);
    }
    bool hasRoom() const noexcept { return size_ + 1 < heap_.size(); }
    bool makeRoom() noexcept;
    bool dropIfRemoved(Slot& slot) noexcept;
    void dropRemoved() noexcept;
    void removeHeapTop() noexcept;
    std::uint32_t sorted(std::uint32_t first) const noexcept;
    std::uint32_t merged(std::uint32_t a, std::uint32_t b) const noexcept;

    const std::size_t sweepMinSize_;
    SlotPool pool_;
    std::vector<Bucket> buckets_;

    /// Guarded by the global mutex.
    Nanos nearest_ = kNever;

    // The thread's alone.

    /// Entries count from 1. Those beyond ordered_ have not been sifted yet.
    jtimer::detail::GrowingArray<Entry> heap_;
    std::size_t size_ = 0;
    std::size_t ordered_ = 0;
    /// The size after the last sweep, or less, if the heap has shrunk below it since.
    std::size_t base_ = 0;
    /// Tasks for which the heap had no room, in order of time.
    std::uint32_t waiting_ = Slot::kNone;
    /// Removed tasks whose callable was still being destroyed when the thread came by.
    std::uint32_t removing_ = Slot::kNone;
    /// Slots on their way back to the pool, and how many.
    Slot* recycled_ = nullptr;
    std::uint32_t recycledCount_ = 0;
};

}  // namespace jtimer::brpc::detail
