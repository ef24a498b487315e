// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "data/growing_array.hpp"
#include "jdk/task_link.hpp"

#include <jtimer/detail/saturating.hpp>
#include <jtimer/jdk/timer_task.hpp>

#include <cstddef>
#include <cstdint>

namespace jtimer::detail {

/// An entry of TaskQueue's heap.
struct QueueEntry {
    Nanos time;
    TimerTask* task;
};

/// A second array beside the heap of a TaskQueue, for features that only some timers use: ties in
/// order of arrival, and the removal of any task. Each move of the heap also moves an entry of this
/// array, so this class makes the moves: those of the JDK where the numbers are equal.
///
/// Why there are two fixUp and two fixDown: these run at half the speed of those in
/// data/binary_heap.hpp, which compare two times that share a cache line. With the number in the
/// entry, every timer would pay for it, in size and in a second comparison.
class QueueExtras {
  public:
    /// \param fifo whether tasks with equal times leave in the order of their arrival
    explicit QueueExtras(bool fifo) : fifo_(fifo) {}

    /// Makes room for entries 1 to size - 1. \throws std::bad_alloc, with nothing changed
    void reserve(std::size_t size) {
        if (array_.size() < size) array_.grow(size);
    }

    /// Numbers the new entry i.
    /// \param link from now on records the position of the task; may be null
    void add(std::size_t i, TaskLink* link) noexcept { array_[i] = {nextNumber(), link}; }

    /// Gives entry i, which has a new time, a new arrival number.
    void arriveAgain(std::size_t i) noexcept { array_[i].number = nextNumber(); }

    /// Removes entry i by putting the last entry in its place.
    void replaceByLast(QueueEntry* heap, std::size_t size, std::size_t i) noexcept;

    /// Moves entry i up, or down, to its place.
    void fixUp(QueueEntry* heap, std::size_t i) noexcept;
    void fixDown(QueueEntry* heap, std::size_t size, std::size_t i) noexcept;

    TaskLink* linkOf(std::size_t i) const noexcept { return array_[i].link; }

    /// Clears the position in all links: the owner of the queue is about to empty it alone.
    void forgetLinks(std::size_t size) noexcept;

    /// \throws std::logic_error
    void check(const QueueEntry* heap, std::size_t size) const;

  private:
    struct Extra {
        std::uint64_t number;  ///< of its arrival; 0 if ties are ordered as in the JDK
        TaskLink* link;
    };

    std::uint64_t nextNumber() noexcept { return fifo_ ? ++lastNumber_ : 0; }
    void place(QueueEntry* heap, std::size_t i, const QueueEntry& entry, Extra extra) noexcept;

    static bool isBefore(const QueueEntry& a, Extra extraOfA, const QueueEntry& b,
                         Extra extraOfB) noexcept {
        return a.time < b.time || (a.time == b.time && extraOfA.number < extraOfB.number);
    }

    GrowingArray<Extra> array_;
    const bool fifo_;
    std::uint64_t lastNumber_ = 0;
};

}  // namespace jtimer::detail
