// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "data/growing_array.hpp"
#include "jdk/task_link.hpp"

#include <jtimer/detail/saturating.hpp>
#include <jtimer/timer_task.hpp>

#include <cstddef>
#include <cstdint>

namespace jtimer::detail {

/// What TaskQueue's heap consists of.
struct QueueEntry {
    Nanos time;
    TimerTask* task;
};

/// A second array beside the heap of a TaskQueue, for what only some timers ask for: ties in order
/// of arrival, and the removal of any task. It makes each move of the heap too, and so makes them
/// all: those of the JDK where the numbers are equal, half as fast.
class QueueExtras {
  public:
    /// \param fifo whether equal times come out in the order of their arrival
    explicit QueueExtras(bool fifo) : fifo_(fifo) {}

    /// Makes room for entries 1 to size - 1. \throws std::bad_alloc, with nothing changed
    void reserve(std::size_t size) {
        if (array_.size() < size) array_.grow(size);
    }

    /// Entry i is new: numbers it and moves it to where it belongs.
    /// \param link told where its task is from now on; may be null
    void add(QueueEntry* heap, std::size_t i, TaskLink* link) noexcept;

    /// Entry 1 has a new time: it arrives again.
    void reschedule(QueueEntry* heap, std::size_t size) noexcept;

    /// Puts the last entry in the place of entry i, which leaves.
    void replaceByLast(QueueEntry* heap, std::size_t size, std::size_t i) noexcept;

    /// Moves entry i to where it belongs, up or down.
    void sift(QueueEntry* heap, std::size_t size, std::size_t i) noexcept;
    void siftDown(QueueEntry* heap, std::size_t size, std::size_t i) noexcept;

    TaskLink* linkOf(std::size_t i) const noexcept { return array_[i].link; }

    /// Tells all tasks that they are nowhere: the queue is about to be emptied by its owner alone.
    void forgetLinks(std::size_t size) noexcept;

    /// \throws std::logic_error
    void check(const QueueEntry* heap, std::size_t size) const;

  private:
    struct Extra {
        std::uint64_t number;  ///< of the arrival; 0 if ties are the JDK's
        TaskLink* link;
    };

    void siftUp(QueueEntry* heap, std::size_t i) noexcept;
    bool comesBeforeItsParent(const QueueEntry* heap, std::size_t i) const noexcept {
        return i > 1 && isBefore(heap[i], array_[i], heap[i / 2], array_[i / 2]);
    }
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
