// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "brpc/bucket.hpp"
#include "brpc/slot.hpp"
#include "brpc/slot_pool.hpp"
#include "data/growing_array.hpp"
#include "sync/assert.hpp"

#include <jtimer/detail/compiler.hpp>

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace jtimer::brpc::detail {

/// The tasks of one timer, from the slot to the run, but not the thread, the global mutex and
/// the clock.
///
///     threads that schedule                 the timer's thread, in rounds
///     ---------------------                 -----------------------------
///     slot -> bucket --- announce() --.     .--> beginRound()
///     slot -> bucket -----------------|-----|--> accept(): moves the buckets' tasks into the heap
///     slot -> bucket -----------------'     |    tidy(): sometimes sweeps out removed tasks
///                                           |    least(), beginRun(), removeTop(), recycle()
///     threads that unschedule               |    endRound(), and round again if isToldOfEarlier()
///     -----------------------               '--- beginSleep()
///     Slot::beginRemoval()
///
/// Two levels of `nearest` reduce contention between threads. A bucket's, under the bucket's mutex,
/// filters: of the tasks that one round finds in a bucket, only those were announced that were the
/// earliest so far. The timer's own, under the global mutex, is the time until which the thread
/// sleeps, or while it is awake, the earliest time announced since its round began.
///
/// The sections below say which threads may call a function. Functions of different sections may
/// run at the same time.
class BucketedQueue {
  public:
    /// \param numBuckets at least 1
    /// \throws std::bad_alloc
    BucketedQueue(std::size_t numBuckets, std::size_t sweepMinSize, SlotPool::Limits limits = {});
    BucketedQueue(const BucketedQueue&) = delete;
    BucketedQueue& operator=(const BucketedQueue&) = delete;

    // For any thread.

    SlotPool& pool() noexcept { return pool_; }
    const SlotPool& pool() const noexcept { return pool_; }
    std::vector<Bucket>& buckets() noexcept { return buckets_; }

    /// The bucket of the calling thread, the same at each call. If threads first call this one
    /// after another, as many threads as there are buckets get different ones.
    Bucket& bucketOfThisThread() noexcept;

    // Under the global mutex.

    /// Announces a task that was the earliest of its bucket. \returns whether it is earlier than
    /// all tasks that the thread knows or that were announced: then the thread must be woken if
    /// it sleeps
    bool announce(Nanos time) noexcept {
        if (time >= nearest_) return false;
        nearest_ = time;
        return true;
    }

    /// The round that begins may miss tasks that are announced from now on.
    void beginRound() noexcept { nearest_ = kNever; }

    /// Called by the thread, under the mutex: whether a time was announced that is earlier than the
    /// least one that it knows.
    bool isToldOfEarlier() const noexcept { return topTime() > nearest_; }

    /// Called by the thread, under the mutex. \returns until when to sleep: the least time that it
    /// knows, unless an earlier one is announced
    Nanos beginSleep() noexcept { return nearest_ = topTime(); }

    // On the timer's thread.

    /// Takes over the tasks of a bucket's list: recycles those that were removed, and puts the rest
    /// into the heap. If it has no room and there is no memory to grow it, the tasks that least()
    /// looks at again wait in a list. This list needs no memory, but least() then takes time in
    /// proportion to the number of tasks.
    void accept(std::uint32_t first) noexcept;

    /// Sweeps out the removed tasks if there may be many of them.
    void tidy() noexcept;

    /// The least time; kNever if there is no task. First accepts what waits, and drops removed
    /// tasks with the least time.
    Nanos least() noexcept;

    /// Begins the run of the task with the least time. \returns null if it has been removed;
    /// otherwise the caller must call removeTop() next.
    Slot* beginRun() noexcept {
        JTIMER_ASSERT(size_ > 0);
        Slot* const slot = heap_[1].slot;
        return slot->take(Phase::Running) ? slot : nullptr;
    }
    void removeTop() noexcept;

    /// To be called after the run.
    void recycle(Slot& slot) noexcept;

    /// To be called at the end of a round. \returns the size of the heap
    std::size_t endRound() noexcept;

    // For tests.

    /// Recomputes the invariants by brute force: the order of the heap; the list and `nearest`
    /// of each bucket; that each slot is in one place, with a phase that is allowed there. No
    /// other thread may use the queue meanwhile. \throws std::logic_error that names the slot
    /// and the rule
    void check() const;

    std::size_t heapSize() const noexcept { return size_; }
    Nanos nearest() const noexcept { return nearest_; }

  private:
    class Check;

    struct Entry {
        Nanos time;
        Slot* slot;
    };
    /// A task that is about to become the least will be read and written. Always inline:
    /// see prefetchLines().
    struct PrefetchSlot {
        [[gnu::always_inline]] void operator()(const Entry& entry) const noexcept {
            jtimer::detail::prefetchForWrite(entry.slot);
        }
    };

    Nanos topTime() const noexcept { return size_ == 0 ? kNever : heap_[1].time; }
    bool hasRoom() const noexcept { return size_ + 1 < heap_.size(); }
    bool makeRoom() noexcept;
    void lookAgain(Slot& slot) noexcept { slot.next = std::exchange(again_, slot.number()); }
    bool dropIfRemoved(Slot& slot) noexcept;
    void dropRemoved() noexcept;

    const std::size_t sweepMinSize_;
    SlotPool pool_;
    std::vector<Bucket> buckets_;

    /// Guarded by the global mutex.
    Nanos nearest_ = kNever;

    // Touched by the timer's thread only.

    /// Entries count from 1.
    jtimer::detail::GrowingArray<Entry> heap_;
    std::size_t size_ = 0;
    /// The size after the last sweep, or less, if the heap has shrunk below it since.
    std::size_t base_ = 0;
    /// The first of the slots that least() looks at again: tasks for which the heap had no room,
    /// and removed ones whose callable was still being destroyed when the thread found them.
    std::uint32_t again_ = Slot::kNone;
    /// The first of the slots to be returned to the pool, and their number.
    std::uint32_t recycled_ = Slot::kNone;
    std::uint32_t recycledCount_ = 0;
};

}  // namespace jtimer::brpc::detail
