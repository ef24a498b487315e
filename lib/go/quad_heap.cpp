// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "go/quad_heap.hpp"

#include "sync/assert.hpp"

#include <jtimer/detail/compiler.hpp>

#include <algorithm>
#include <stdexcept>
#include <string>

namespace jtimer::go::detail {

namespace {

constexpr std::size_t kChildren = 4;

constexpr std::size_t parentOf(std::size_t i) noexcept { return (i - 1) / kChildren; }
constexpr std::size_t firstChildOf(std::size_t i) noexcept { return kChildren * i + 1; }

}  // namespace

void QuadHeap::reserve(std::size_t count) {
    constexpr std::size_t least = 64;
    const std::size_t needed = kOffset + size_ + count;
    if (needed <= array_.size()) return;
    if (needed >= HeapItem::kNowhere) throw std::length_error("QuadHeap: too many entries");
    array_.grow(std::max({needed, array_.nextSize(), least}));
}

void QuadHeap::add(Nanos when, HeapItem& item) noexcept {
    JTIMER_ASSERT(!item.isInHeap() && kOffset + size_ < array_.size());
    siftUp(size_++, {when, &item});
}

void QuadHeap::remove(HeapItem& item) noexcept {
    const std::size_t i = item.index_;
    JTIMER_ASSERT(item.isInHeap() && (*this)[i].item == &item);
    item.index_ = HeapItem::kNowhere;
    const Entry last = heap()[--size_];
    if (i == size_) return;
    // The item's index is about to be written, and is probably not in the cache.
    jtimer::detail::prefetchForWrite(last.item);
    jtimer::detail::prefetchForRead(heap() + firstChildOf(i));
    if (i > 0 && last.when < heap()[parentOf(i)].when) {
        siftUp(i, last);
    } else {
        siftDown(i, last);
    }
}

void QuadHeap::place(std::size_t i, const Entry& entry) noexcept {
    heap()[i] = entry;
    entry.item->index_ = static_cast<std::uint32_t>(i);
}

/// Puts an entry at i, or as far above as it is strictly less than what is there.
void QuadHeap::siftUp(std::size_t i, Entry moving) noexcept {
    while (i > 0 && moving.when < heap()[parentOf(i)].when) {
        place(i, heap()[parentOf(i)]);
        i = parentOf(i);
    }
    place(i, moving);
}

/// Puts an entry at i, or further down while a child there is strictly less: at the place of the
/// least child, the first of equal ones.
void QuadHeap::siftDown(std::size_t i, Entry moving) noexcept {
    const Entry* const entries = heap();
    for (std::size_t child = firstChildOf(i); child < size_; child = firstChildOf(i)) {
        const std::size_t end = std::min(child + kChildren, size_);
        std::size_t least = child;
        Nanos leastWhen = entries[child].when;
        for (std::size_t c = child + 1; c < end; ++c) {
            if (entries[c].when < leastWhen) {
                least = c;
                leastWhen = entries[c].when;
            }
        }
        if (leastWhen >= moving.when) break;
        place(i, entries[least]);
        i = least;
    }
    place(i, moving);
}

void QuadHeap::check() const {
    for (std::size_t i = 0; i < size_; ++i) {
        const Entry& entry = heap()[i];
        if (entry.item->index_ != i) {
            throw std::logic_error("QuadHeap: the item of entry " + std::to_string(i) +
                                   " has the index " + std::to_string(entry.item->index_));
        }
        if (i > 0 && entry.when < heap()[parentOf(i)].when) {
            throw std::logic_error("QuadHeap: entry " + std::to_string(i) +
                                   " is due before its parent");
        }
    }
}

}  // namespace jtimer::go::detail
