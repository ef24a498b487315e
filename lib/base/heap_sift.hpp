// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <algorithm>
#include <cstddef>

namespace jtimer::detail {

/// The moves of a binary min-heap by `Entry::time`. Entries count from 1, so that the two children
/// of entry i are 2i and 2i + 1: in an array that begins at a cache line, entries of 16 bytes then
/// have both children in one line.
///
/// The moves are those of the JDK's TaskQueue in effect: a heap is not stable, and in which order
/// it gives out equal times follows from every move. They shift a hole instead of swapping entries:
/// half of the writes, the same result.

/// Moves entry i up to where it belongs.
template <class Entry>
void siftUp(Entry* heap, std::size_t i) noexcept {
    const Entry moving = heap[i];
    while (i > 1 && heap[i / 2].time > moving.time) {
        heap[i] = heap[i / 2];
        i /= 2;
    }
    heap[i] = moving;
}

/// Moves entry i down to where it belongs, in a heap of `size` entries. A heap of none has an entry
/// 1 all the same, which is rubbish.
/// \param approaches is called with entries that come near the top, but are at least four removals
///   away from it: time to load what they refer to
template <class Entry, class Approaches>
void siftDown(Entry* heap, std::size_t size, std::size_t i, const Approaches& approaches) noexcept {
    Entry* hole = heap + i;
    const Entry moving = *hole;
    std::size_t child = 2 * i;
    for (; child < size; child *= 2) {
        // Starts to load what the level after the next one looks at: a large heap is not in the
        // cache.
        if (4 * child <= size) {
            __builtin_prefetch(heap + 4 * child);
            __builtin_prefetch(heap + 4 * child + 4);
        }
        // The right child only if it is strictly less, and stop at an equal one: the order of ties
        // of the JDK. Which child it is cannot be predicted, hence an addition and no branch.
        child += static_cast<std::size_t>(heap[child].time > heap[child + 1].time);
        Entry* const least = heap + child;
        if (moving.time <= least->time) {
            *hole = moving;
            return;
        }
        constexpr std::size_t levelOfApproach = 32;
        if (child - levelOfApproach < levelOfApproach) approaches(*least);
        *hole = *least;
        hole = least;
    }
    if (child == size && moving.time > heap[child].time) {
        *hole = heap[child];
        hole = heap + child;
    }
    *hole = moving;
}

/// Makes a heap of `size` entries in any order.
template <class Entry, class Approaches>
void restoreHeap(Entry* heap, std::size_t size, const Approaches& approaches) noexcept {
    for (std::size_t i = size / 2; i >= 1; --i) {
        // Most are in order, and need no sift to find that out.
        if (heap[i].time > heap[2 * i].time || heap[i].time > heap[std::min(2 * i + 1, size)].time)
            siftDown(heap, size, i, approaches);
    }
}

}  // namespace jtimer::detail
