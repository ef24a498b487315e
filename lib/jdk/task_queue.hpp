// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "base/growing_array.hpp"
#include "jdk/prefetch.hpp"

#include <jtimer/detail/saturating.hpp>
#include <jtimer/timer_task.hpp>

#include <cstddef>
#include <memory>
#include <utility>

namespace jtimer {

using detail::Nanos;

/// The tasks of one timer, by time: a binary min-heap. Knows no thread, no lock, no clock.
///
/// A heap is not stable, and the order in which it gives out equal times follows from every move it
/// makes. Ported programs have come to depend on it, so the moves are those of the JDK's TaskQueue
/// in effect (J94); what differs is the layout. An entry holds its time beside the pointer, so that
/// sifting reads and writes this array alone and waits for no task. Entries count from 1, as in the
/// JDK: so the two children of an entry, 2i and 2i + 1, lie in one cache line.
///
/// The queue holds one reference to each task, inside the task itself (TimerTask::self_): an entry
/// stays two words that can be copied as they are.
class TaskQueue {
  public:
    /// Drops the reference that the queue has left in a task.
    struct DropReference {
        void operator()(TimerTask* task) const noexcept {
            const std::shared_ptr<TimerTask> dropped = std::move(task->self_);
        }
    };
    /// A task that has left the queue. The queue's reference is still inside the task, and is
    /// dropped with this: one word, which is handed on without a look at the task.
    using Removed = std::unique_ptr<TimerTask, DropReference>;
    static std::shared_ptr<TimerTask> takeReference(Removed task) noexcept {
        return std::move(task.release()->self_);
    }

    TaskQueue() = default;
    TaskQueue(TaskQueue&& other) noexcept;
    TaskQueue(const TaskQueue&) = delete;
    TaskQueue& operator=(const TaskQueue&) = delete;
    ~TaskQueue();

    bool empty() const noexcept { return size_ == 0; }
    std::size_t size() const noexcept { return size_; }

    /// Makes room for one more task. \throws std::bad_alloc, with nothing changed
    void reserveOne();

    /// Adds a task that is in no queue. There must be room: reserveOne() comes first.
    void add(std::shared_ptr<TimerTask> task, Nanos time) noexcept;

    /// The task with the least time, and that time. Here and below the queue must not be empty.
    TimerTask& getMin() const noexcept { return *heap_[1].task; }
    Nanos getMinTime() const noexcept { return heap_[1].time; }

    /// Entry i, 1 <= i <= size(), in the heap's order.
    TimerTask& get(std::size_t i) const noexcept { return *heap_[i].task; }

    /// Starts to load the state of a task some entries before i, if there is one: a sweep down the
    /// array looks at the tasks of a large queue, which are not in the cache.
    void prefetchStateBefore(std::size_t i) const noexcept {
        constexpr std::size_t ahead = 16;
        if (i > ahead) __builtin_prefetch(&heap_[i - ahead].task->status_);
    }

    /// The queue's own reference to the task with the least time, for a copy.
    const std::shared_ptr<TimerTask>& getMinReference() const noexcept { return getMin().self_; }

    /// Takes out the task with the least time.
    Removed removeMin() noexcept;

    /// Takes out entry i by putting the last one in its place, which may leave the heap out of
    /// order: call heapify() before anything else that relies on the order.
    Removed quickRemove(std::size_t i) noexcept;

    /// Gives the task with the least time a new one.
    void rescheduleMin(Nanos time) noexcept;

    /// Drops every task, which may destroy it, in the order of the array.
    void clear() noexcept;

    /// Restores the order after quickRemove().
    void heapify() noexcept;

    /// Recomputes the invariants the dumb way: the order of the heap, and that the queue holds its
    /// own reference to every task. \throws std::logic_error that names the entry and the rule
    void check() const;

  private:
    struct Entry {
        Nanos time;
        TimerTask* task;
    };

    void prefetchEntry(std::size_t i) const noexcept;
    void fixUp(std::size_t i) noexcept;
    void fixDown(std::size_t i) noexcept;

    /// Entry 0 is not used. Never shrinks, as in the JDK; entries beyond size_ are rubbish.
    GrowingArray<Entry> heap_;
    std::size_t size_ = 0;
};

}  // namespace jtimer
