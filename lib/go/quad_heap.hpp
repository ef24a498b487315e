// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "data/growing_array.hpp"
#include "sync/assert.hpp"

#include <jtimer/detail/saturating.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>

namespace jtimer::go::detail {

using jtimer::detail::Nanos;

/// The base class of the elements of a QuadHeap: holds an element's index.
class HeapItem {
  public:
    HeapItem() noexcept = default;
    HeapItem(const HeapItem&) = delete;
    HeapItem& operator=(const HeapItem&) = delete;

    bool isInHeap() const noexcept { return index_ != kNowhere; }

  protected:
    ~HeapItem() = default;

  private:
    friend class QuadHeap;

    static constexpr std::uint32_t kNowhere = std::numeric_limits<std::uint32_t>::max();

    std::uint32_t index_ = kNowhere;
};

/// The heap of Go's runtime: a min-heap by time in which each entry has four children, so it is
/// half as deep as a binary heap, and a sift down compares neighbours. The time is stored in
/// the entry: a sift follows no pointer to compare. Each item knows its index, so any item can
/// be removed.
///
/// Items with equal times come out in the order that the moves below give: n items added for the
/// same time come out as 1, n, n - 1, ..., 2.
///
/// Uses no lock, no clock and no thread. It does not own its items.
class QuadHeap {
  public:
    struct Entry {
        Nanos when = 0;
        HeapItem* item = nullptr;
    };

    bool empty() const noexcept { return size_ == 0; }
    std::size_t size() const noexcept { return size_; }
    /// The entry that comes out next. The heap must not be empty.
    const Entry& front() const noexcept { return (*this)[0]; }
    /// Entries in heap order: the last one can be removed without a sift.
    const Entry& operator[](std::size_t i) const noexcept {
        JTIMER_ASSERT(i < size_);
        return heap()[i];
    }

    /// Makes room for `count` more entries.
    /// \throws std::bad_alloc, std::length_error
    void reserve(std::size_t count);

    /// Adds an item that is in no heap. There must be room for it.
    void add(Nanos when, HeapItem& item) noexcept;

    /// Removes an item, which is in this heap.
    void remove(HeapItem& item) noexcept;

    /// \throws std::logic_error that names what is wrong, if an entry is due before its parent, or
    ///   an item does not know its index
    void check() const;

  private:
    /// The four children of an entry share a cache line: the array begins at one, and so does
    /// entry 1.
    static constexpr std::size_t kOffset = 3;

    Entry* heap() const noexcept { return array_.data() + kOffset; }
    void place(std::size_t i, const Entry& entry) noexcept;
    void siftUp(std::size_t i, Entry moving) noexcept;
    void siftDown(std::size_t i, Entry moving) noexcept;

    jtimer::detail::GrowingArray<Entry> array_;
    std::size_t size_ = 0;
};

}  // namespace jtimer::go::detail
