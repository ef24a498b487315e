// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "sync/cache_line.hpp"

#include <jtimer/detail/compiler.hpp>

#include <algorithm>
#include <cstddef>
#include <utility>

namespace jtimer::detail {

/// The moves of a binary min-heap by `Entry::time`. Entries count from 1, so that the two children
/// of entry i are 2i and 2i + 1: in an array that begins at a cache line, entries of 16 bytes then
/// have both children in one line.
///
/// The moves have the same effect as those of the JDK's TaskQueue: a heap is not stable, and every
/// move affects the order in which equal times come out. They shift a hole instead of swapping
/// entries: half the writes, the same result.

/// The least size of a large heap, in entries of 16 bytes: more than fits into the private caches
/// of most processors.
inline constexpr std::size_t kLargeHeap = std::size_t{1} << 16;

/// Moves entry i up to its place.
template <class Entry>
void fixUp(Entry* heap, std::size_t i) noexcept {
    const Entry moving = heap[i];
    while (i > 1 && heap[i / 2].time > moving.time) {
        heap[i] = heap[i / 2];
        i /= 2;
    }
    heap[i] = moving;
}

/// fixDown() for a large or a small heap.
///
/// Each level has to wait for the one before it. So positions are counted in bytes: the children of
/// the entry at byte p begin at 2p, so no shift is needed between the choice of a child and the
/// load of its children.
///
/// It prefetches entries of lower levels: two levels down in a small heap, for both children, and
/// five levels down in a large one, for the chosen child. The lower levels of a large heap are not
/// in the processor's private caches, and a load from there takes as long as five cached levels.
template <bool kIsLarge, class Entry, class Approaches>
void fixDownIn(Entry* heap, std::size_t size, std::size_t i,
               const Approaches& approaches) noexcept {
    constexpr std::size_t one = sizeof(Entry);
    const auto at = [heap](std::size_t byte) -> Entry& {
        return *reinterpret_cast<Entry*>(reinterpret_cast<char*>(heap) + byte);
    };
    const std::size_t last = size * one;
    std::size_t hole = i * one;
    const Entry moving = at(hole);
    std::size_t child = 2 * hole;
    for (; child < last; child *= 2) {
        if (!kIsLarge && 4 * child <= last)
            prefetchLines(&at(4 * child), std::make_index_sequence<8 * one / kCacheLine>());
        // Chooses the right child only if it is strictly less, and stops at an equal child: the
        // JDK's order of ties. No processor can predict the choice, hence two conditional moves.
        const std::size_t rightChild = child + one;
        const auto left = at(child).time;
        const auto right = at(rightChild).time;
        child = unpredictable(left > right) ? rightChild : child;
        const auto least = left > right ? right : left;
        if (moving.time <= least) {
            at(hole) = moving;
            return;
        }
        constexpr std::size_t fifthLevel = 32 * one;
        if (kIsLarge && child >= fifthLevel && 32 * child <= last)
            prefetchLines(&at(32 * child), std::make_index_sequence<32 * one / kCacheLine>());
        if (child - fifthLevel < fifthLevel) approaches(at(child));
        at(hole) = at(child);
        hole = child;
    }
    if (child == last && moving.time > at(child).time) {
        at(hole) = at(child);
        hole = child;
    }
    at(hole) = moving;
}

/// Moves entry i down to its place in a heap of `size` entries. An empty heap still has an entry 1,
/// whose contents are undefined.
/// \param approaches called with entries that come near the top, but are at least four removals
///   away from it: there is time to load the objects to which they refer
template <class Entry, class Approaches>
void fixDown(Entry* heap, std::size_t size, std::size_t i, const Approaches& approaches) noexcept {
    if (size >= kLargeHeap) {
        fixDownIn<true>(heap, size, i, approaches);
    } else {
        fixDownIn<false>(heap, size, i, approaches);
    }
}

/// Turns `size` entries in any order into a heap.
template <class Entry, class Approaches>
void heapify(Entry* heap, std::size_t size, const Approaches& approaches) noexcept {
    for (std::size_t i = size / 2; i >= 1; --i) {
        // Most entries are in order already, and need no sift.
        if (heap[i].time > heap[2 * i].time || heap[i].time > heap[std::min(2 * i + 1, size)].time)
            fixDown(heap, size, i, approaches);
    }
}

}  // namespace jtimer::detail
