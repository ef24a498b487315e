// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "brpc/bucketed_queue.hpp"

#include "data/heap_sift.hpp"
#include "thread/thread_number.hpp"

#include <algorithm>
#include <array>
#include <new>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace jtimer::brpc::detail {

using jtimer::detail::restoreHeap;
using jtimer::detail::siftDown;
using jtimer::detail::siftUp;

BucketedQueue::BucketedQueue(std::size_t numBuckets, std::size_t sweepMinSize,
                             SlotPool::Limits limits)
    : sweepMinSize_(sweepMinSize), pool_(limits), buckets_(numBuckets) {
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

void BucketedQueue::acceptOld() noexcept {
    std::uint32_t number = std::exchange(removing_, Slot::kNone);
    while (number != Slot::kNone) {
        Slot& slot = pool_.at(number);
        number = slot.next;
        dropIfRemoved(slot);  // may put it back into removing_
    }
    accept(std::exchange(waiting_, Slot::kNone));
}

void BucketedQueue::accept(std::uint32_t first) noexcept {
    // Tasks for which there is no room, in their order in the list: so those that have waited
    // before stay sorted.
    std::uint32_t left = Slot::kNone;
    std::uint32_t* end = &left;
    for (std::uint32_t number = first; number != Slot::kNone;) {
        Slot& slot = pool_.at(number);
        number = slot.next;
        if (dropIfRemoved(slot)) continue;
        if (hasRoom() || (left == Slot::kNone && makeRoom())) {
            heap_[++size_] = {slot.time, &slot};
        } else {
            *end = slot.number();
            end = &slot.next;
            *end = Slot::kNone;
        }
    }
    if (left != Slot::kNone) waiting_ = merged(waiting_, sorted(left));
}

/// Sorts a list by time, by merging its ascending parts: so a list that is already sorted is
/// only traversed.
std::uint32_t BucketedQueue::sorted(std::uint32_t first) const noexcept {
    std::array<std::uint32_t, 32> parts{};  // the kth: none, or the result of merging 2^k parts
    parts.fill(Slot::kNone);
    while (first != Slot::kNone) {
        Slot* last = &pool_.at(first);
        while (last->next != Slot::kNone && pool_.at(last->next).time >= last->time)
            last = &pool_.at(last->next);
        std::uint32_t part = std::exchange(first, std::exchange(last->next, Slot::kNone));
        std::size_t k = 0;
        for (; parts[k] != Slot::kNone; ++k)
            part = merged(std::exchange(parts[k], Slot::kNone), part);
        parts[k] = part;
    }
    for (const std::uint32_t part : parts) first = merged(part, first);
    return first;
}

/// Merges two sorted lists.
std::uint32_t BucketedQueue::merged(std::uint32_t a, std::uint32_t b) const noexcept {
    std::uint32_t first = Slot::kNone;
    std::uint32_t* end = &first;
    while (a != Slot::kNone && b != Slot::kNone) {
        std::uint32_t& from = pool_.at(b).time < pool_.at(a).time ? b : a;
        *end = from;
        end = &pool_.at(from).next;
        from = *end;
    }
    *end = a != Slot::kNone ? a : b;
    return first;
}

void BucketedQueue::tidy() noexcept {
    if (size_ >= sweepMinSize_ && size_ / 2 >= base_) {
        dropRemoved();
        base_ = size_;
    }
    if (size_ - ordered_ > ordered_) {
        restoreHeap(heap_.data(), size_, PrefetchSlot());
    } else {
        for (std::size_t i = ordered_ + 1; i <= size_; ++i) siftUp(heap_.data(), i);
    }
    ordered_ = size_;
}

void BucketedQueue::dropRemoved() noexcept {
    // The slots of a large heap are not in the cache.
    constexpr std::size_t ahead = 16;
    std::size_t kept = 0;
    for (std::size_t i = 1; i <= size_; ++i) {
        if (i + ahead <= size_) __builtin_prefetch(heap_[i + ahead].slot);
        if (!dropIfRemoved(*heap_[i].slot)) heap_[++kept] = heap_[i];
    }
    if (kept != size_) ordered_ = 0;
    size_ = kept;
}

Nanos BucketedQueue::least() noexcept {
    while (size_ != 0 && dropIfRemoved(*heap_[1].slot)) removeHeapTop();
    while (waiting_ != Slot::kNone) {
        Slot& slot = pool_.at(waiting_);
        const std::uint32_t next = slot.next;
        if (!dropIfRemoved(slot)) break;
        waiting_ = next;
    }
    return topTime();
}

void BucketedQueue::removeTop() noexcept {
    if (isWaitingLeast()) {
        waiting_ = pool_.at(waiting_).next;
    } else {
        removeHeapTop();
    }
}

void BucketedQueue::removeHeapTop() noexcept {
    // If times are equal, the last entry is likely to be the next least one, and so on backwards.
    constexpr std::size_t ahead = 8;
    if (size_ > ahead) PrefetchSlot()(heap_[size_ - ahead]);
    heap_[1] = heap_[size_--];
    ordered_ = size_;
    siftDown(heap_.data(), size_, 1, PrefetchSlot());
}

std::size_t BucketedQueue::endRound() noexcept {
    base_ = std::min(base_, size_);
    return size_;
}

/// Recycles the slot if its task was removed. The slot must no longer be in a list, and the caller
/// must then drop its entry, if it has one.
bool BucketedQueue::dropIfRemoved(Slot& slot) noexcept {
    const Phase phase = slot.phase();
    if (phase == Phase::Removed) {
        recycle(slot);
    } else if (phase == Phase::Removing) {
        slot.next = std::exchange(removing_, slot.number());
    } else {
        return false;
    }
    return true;
}

void BucketedQueue::recycle(Slot& slot) noexcept {
    if (!slot.free()) return;
    slot.next = recycled_ == nullptr ? Slot::kNone : recycled_->number();
    recycled_ = &slot;
    if (++recycledCount_ < SlotPool::kBatch) return;
    pool_.giveBatch(*std::exchange(recycled_, nullptr));
    recycledCount_ = 0;
}

/// The state of one check().
class BucketedQueue::Check {
  public:
    explicit Check(const BucketedQueue& queue) : queue_(queue), found_(queue.pool_.made()) {}

    void run() {
        checkHeap();
        for (const Bucket& bucket : queue_.buckets_) checkBucket(bucket);
        checkWaiting();
        checkList(queue_.removing_,
                  [](Phase phase) { return phase == Phase::Removing || phase == Phase::Removed; });
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
            if (i > queue_.ordered_) continue;
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

    void checkWaiting() {
        checkList(queue_.waiting_, isListed);
        for (std::uint32_t number = queue_.waiting_; number != Slot::kNone;) {
            const Slot& slot = queue_.pool_.at(number);
            number = slot.next;
            require(number == Slot::kNone || slot.time <= queue_.pool_.at(number).time,
                    slot.number(), "waits for room before one that is due earlier");
        }
    }

    void checkFree() {
        queue_.pool_.forEachBatch([this](const Slot& first) { checkList(first.number(), isFree); });
        const Slot* const recycled = queue_.recycled_;
        const std::uint32_t first = recycled == nullptr ? Slot::kNone : recycled->number();
        checkList(first, isFree);
        std::uint32_t count = 0;
        for (std::uint32_t number = first; number != Slot::kNone; ++count)
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
