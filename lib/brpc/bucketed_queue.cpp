// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "brpc/bucketed_queue.hpp"

#include "data/binary_heap.hpp"
#include "sync/assert.hpp"
#include "thread/thread_number.hpp"

#include <jtimer/detail/compiler.hpp>

#include <algorithm>
#include <new>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace jtimer::brpc::detail {

using jtimer::detail::fixDown;
using jtimer::detail::fixUp;
using jtimer::detail::heapify;
using jtimer::detail::prefetchForRead;

BucketedQueue::BucketedQueue(std::size_t numBuckets, std::size_t sweepMinSize,
                             SlotPool::Limits limits)
    : sweepMinSize_(sweepMinSize), pool_(limits), buckets_(numBuckets) {
    JTIMER_ASSERT(numBuckets > 0);
    constexpr std::size_t initialEntries = 128;
    heap_.grow(initialEntries);
}

Bucket& BucketedQueue::bucketOfThisThread() noexcept {
    return buckets_[jtimer::detail::numberOfThisThread<BucketedQueue>() % buckets_.size()];
}

/// Grows the heap; if there is no memory, sweeps it instead.
bool BucketedQueue::makeRoom() noexcept {
    try {
        heap_.grow(heap_.nextSize());
    } catch (const std::bad_alloc&) {
        dropRemoved();
    }
    return hasRoom();
}

void BucketedQueue::accept(std::uint32_t first) noexcept {
    bool isFull = false;
    while (first != Slot::kNone) {
        Slot& slot = pool_.at(first);
        first = slot.next;
        if (dropIfRemoved(slot)) continue;
        Entry entry{slot.time, &slot};
        isFull = isFull || (!hasRoom() && !makeRoom());
        if (isFull) {
            // So no task that waits is due before all in the heap.
            if (entry.time < heap_[1].time) std::swap(entry, heap_[1]);
            lookAgain(*entry.slot);
        } else {
            heap_[++size_] = entry;
            fixUp(heap_.data(), size_);
        }
    }
}

void BucketedQueue::tidy() noexcept {
    if (size_ < sweepMinSize_ || size_ / 2 < base_) return;
    dropRemoved();
    base_ = size_;
}

void BucketedQueue::dropRemoved() noexcept {
    // The slots of a large heap are not in the cache.
    constexpr std::size_t ahead = 16;
    std::size_t kept = 0;
    for (std::size_t i = 1; i <= size_; ++i) {
        if (i + ahead <= size_) prefetchForRead(heap_[i + ahead].slot);
        if (!dropIfRemoved(*heap_[i].slot)) heap_[++kept] = heap_[i];
    }
    size_ = kept;
    heapify(heap_.data(), size_, PrefetchSlot());
}

Nanos BucketedQueue::least() noexcept {
    for (;;) {
        if (again_ != Slot::kNone) accept(std::exchange(again_, Slot::kNone));
        if (size_ == 0 || !dropIfRemoved(*heap_[1].slot)) return topTime();
        removeTop();
    }
}

void BucketedQueue::removeTop() noexcept {
    JTIMER_ASSERT(size_ > 0);
    // If times are equal, the last entry is likely to be the next least one, and so on backwards.
    constexpr std::size_t ahead = 8;
    if (size_ > ahead) PrefetchSlot()(heap_[size_ - ahead]);
    heap_[1] = heap_[size_--];
    fixDown(heap_.data(), size_, 1, PrefetchSlot());
}

std::size_t BucketedQueue::endRound() noexcept {
    base_ = std::min(base_, size_);
    return size_;
}

/// Recycles the slot if its task was removed. The slot must no longer be in a list, and the caller
/// must then drop its entry, if it has one.
bool BucketedQueue::dropIfRemoved(Slot& slot) noexcept {
    const Phase phase = slot.phase();
    if (phase == Phase::Removed) recycle(slot);
    if (phase == Phase::Removing) lookAgain(slot);
    return !isPending(phase);
}

void BucketedQueue::recycle(Slot& slot) noexcept {
    if (!slot.free()) return;
    slot.next = std::exchange(recycled_, slot.number());
    if (++recycledCount_ < SlotPool::kBatch) return;
    pool_.giveBatch(slot);
    recycled_ = Slot::kNone;
    recycledCount_ = 0;
}

/// The state of one check().
class BucketedQueue::Check {
  public:
    explicit Check(const BucketedQueue& queue) : queue_(queue), found_(queue.pool_.made()) {}

    void run() {
        checkHeap();
        for (const Bucket& bucket : queue_.buckets_) checkBucket(bucket);
        checkList(queue_.again_, isListed);
        checkFree();
        checkRest();
    }

  private:
    static void require(bool holds, std::uint32_t slot, const char* rule) {
        if (!holds)
            throw std::logic_error("BucketedQueue: slot " + std::to_string(slot) + ' ' + rule);
    }
    static bool isListed(Phase phase) { return phase != Phase::Free && phase != Phase::Running; }
    static bool isFree(Phase phase) { return phase == Phase::Free; }

    void find(const Slot& slot, bool (*mayHave)(Phase)) {
        require(!found_[slot.number()], slot.number(), "is in two places");
        require(mayHave(slot.phase()), slot.number(), "has a phase that it cannot have there");
        found_[slot.number()] = true;
    }

    void checkHeap() {
        const auto& heap = queue_.heap_;
        require(queue_.size_ < heap.size(), 0, "lies outside of the heap's array");
        for (std::size_t i = 1; i <= queue_.size_; ++i) {
            find(*heap[i].slot, isListed);
            require(heap[i].time == heap[i].slot->time, heap[i].slot->number(), "has another time");
            require(i == 1 || heap[i / 2].time <= heap[i].time, heap[i].slot->number(),
                    "is due before its parent");
        }
    }

    Nanos checkList(std::uint32_t first, bool (*mayHave)(Phase)) {
        Nanos least = kNever;
        for (std::uint32_t number = first; number != Slot::kNone;) {
            const Slot& slot = queue_.pool_.at(number);
            find(slot, mayHave);
            least = std::min(least, slot.time);
            number = slot.next;
        }
        return least;
    }

    void checkBucket(const Bucket& bucket) {
        const Nanos least = checkList(bucket.first(), isListed);
        require(bucket.nearest() <= least, bucket.first(), "heads a list with a wrong `nearest`");
        require(bucket.first() != Slot::kNone || bucket.nearest() == kNever, 0,
                "or none heads a list with a `nearest`");
        checkList(bucket.firstFree(), isFree);
        if (bucket.spare() != nullptr) find(*bucket.spare(), isFree);
    }

    void checkFree() {
        queue_.pool_.forEachBatch([this](const Slot& first) { checkList(first.number(), isFree); });
        checkList(queue_.recycled_, isFree);
        std::uint32_t count = 0;
        for (std::uint32_t number = queue_.recycled_; number != Slot::kNone; ++count)
            number = queue_.pool_.at(number).next;
        require(count == queue_.recycledCount_, 0, "or others are counted wrongly as recycled");
    }

    /// Only the running task and the slots that have used up their versions are in no place.
    void checkRest() const {
        int running = 0;
        for (std::uint32_t number = 0; number < found_.size(); ++number) {
            if (found_[number]) continue;
            const Slot& slot = queue_.pool_.at(number);
            if (slot.phase() == Phase::Running)
                ++running;
            else
                require(slot.version() == 0, number, "is lost");
        }
        require(running <= 1, 0, "or another: two tasks run");
    }

    const BucketedQueue& queue_;
    std::vector<bool> found_;
};

void BucketedQueue::check() const { Check(*this).run(); }

}  // namespace jtimer::brpc::detail
