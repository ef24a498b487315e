// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "sync/cache_line.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace jtimer::detail {

/// The moves of a binary min-heap by `Entry::time`. Entries count from 1, so that the two children
/// of entry i are 2i and 2i + 1: in an array that begins at a cache line, entries of 16 bytes then
/// have both children in one line.
///
/// The moves are those of the JDK's TaskQueue in effect: a heap is not stable, and in which order
/// it gives out equal times follows from every move. They shift a hole instead of swapping entries:
/// half of the writes, the same result.

/// From how many entries on a heap of 16 bytes each is a large one: more than most processors' own
/// caches hold.
inline constexpr std::size_t kLargeHeap = std::size_t{1} << 16;

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

/// siftDown() in a heap that is large or not.
///
/// A level has to wait for the one before it. So it counts in bytes, for the children of the entry
/// at byte p begin at 2p: no shift lies between the choice of a child and the load of its children.
///
/// It starts to load what it will look at some levels further down: two levels in a small heap, of
/// both children, and five in a large one, of the chosen child. The lower levels of a large heap
/// are not in the processor's own caches, and a load takes as long as five levels that are.
template <bool kIsLarge, class Entry, class Approaches>
void siftDownIn(Entry* heap, std::size_t size, std::size_t i,
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
        // The right child only if it is strictly less, and stop at an equal one: the order of ties
        // of the JDK. No processor can predict which child it is, hence two conditional moves.
        const std::size_t rightChild = child + one;
        const auto left = at(child).time;
        const auto right = at(rightChild).time;
        child = __builtin_expect_with_probability(left > right, 1, 0.5) ? rightChild : child;
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

/// Moves entry i down to where it belongs, in a heap of `size` entries. A heap of none has an entry
/// 1 all the same, which is rubbish.
/// \param approaches is called with entries that come near the top, but are at least four removals
///   away from it: time to load what they refer to
template <class Entry, class Approaches>
void siftDown(Entry* heap, std::size_t size, std::size_t i, const Approaches& approaches) noexcept {
    if (size >= kLargeHeap) {
        siftDownIn<true>(heap, size, i, approaches);
    } else {
        siftDownIn<false>(heap, size, i, approaches);
    }
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
