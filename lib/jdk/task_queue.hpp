// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "data/binary_heap.hpp"
#include "data/growing_array.hpp"
#include "jdk/prefetch.hpp"
#include "jdk/queue_extras.hpp"
#include "sync/assert.hpp"

#include <algorithm>
#include <cstddef>
#include <jtimer/detail/compiler.hpp>
#include <jtimer/detail/saturating.hpp>
#include <jtimer/jdk/detail/task_access.hpp>
#include <memory>
#include <new>
#include <utility>

namespace jtimer::detail {

/// The tasks of one timer, by time: a binary min-heap. It uses no thread, lock or clock.
///
/// A heap is not stable: the order in which it returns tasks with equal times depends on every move
/// it makes. Ported programs depend on that order, so the moves have the same effect as those of
/// the JDK's TaskQueue (J94). Only the layout differs. An entry holds the time beside the pointer,
/// so sifting touches this array and no task. Entries are numbered from 1, as in the JDK, so the
/// two children of entry i, 2i and 2i + 1, share a cache line.
///
/// The queue's reference to a task is stored inside the task (TaskState::queueReference), so an
/// entry is two plain words.
class TaskQueue {
  public:
    TaskQueue() = default;
    /// Optional features, see QueueExtras: to return tasks with equal times in the order of their
    /// arrival, and to know the position of each task.
    struct Extended {
        bool fifo;
        bool knowsPositions;
    };
    explicit TaskQueue(Extended extended);
    TaskQueue(TaskQueue&& other) noexcept;
    TaskQueue(const TaskQueue&) = delete;
    TaskQueue& operator=(const TaskQueue&) = delete;
    ~TaskQueue();

    bool empty() const noexcept { return size_ == 0; }
    std::size_t size() const noexcept { return size_; }

    /// Makes room for one more task. \throws std::bad_alloc, with nothing changed
    void reserveOne() {
        if (size_ + 1 >= heap_.size()) grow();
    }

    /// Adds a task that is in no queue. There must be room: call reserveOne() first.
    /// \param link of the task, or null. A queue that knows positions records them there.
    void add(const std::shared_ptr<TimerTask>& task, Nanos time,
             TaskLink* link = nullptr) noexcept {
        JTIMER_ASSERT(size_ + 1 < heap_.size() && stateOf(*task).queueReference == nullptr);
        new (&stateOf(*task).queueReference) std::shared_ptr<TimerTask>(task);  // it was null
        heap_[++size_] = {time, task.get()};
        if (unlikely(isExtended())) extras_->add(size_, knowsPositions_ ? link : nullptr);
        fixUp(size_);
    }

    /// The task with the least time, and that time. Here and below the queue must not be empty.
    TimerTask& getMin() const noexcept {
        JTIMER_ASSERT(!empty());
        return *heap_[1].task;
    }
    Nanos getMinTime() const noexcept {
        JTIMER_ASSERT(!empty());
        return heap_[1].time;
    }

    /// The least time among the other tasks; kNever if there are none.
    Nanos getSecondTime() const noexcept {
        if (size_ < 3) return size_ < 2 ? kNever : heap_[2].time;
        return std::min(heap_[2].time, heap_[3].time);
    }

    /// The task of entry i, 1 <= i <= size(), in the heap's order.
    TimerTask& get(std::size_t i) const noexcept {
        JTIMER_ASSERT(i >= 1 && i <= size_);
        return *heap_[i].task;
    }

    /// For a sweep down the array: prefetches the state of a task some entries before i, if there
    /// is one, and with toDrop also what dropping the queue's reference to it touches.
    [[gnu::always_inline]] void prefetchBefore(std::size_t i, bool toDrop) const noexcept {
        constexpr std::size_t ahead = 32;
        if (i <= ahead) return;
        TimerTask* const task = heap_[i - ahead].task;
        if (toDrop) {
            prefetchReference(task);
        } else {
            prefetchForRead(&stateOf(*task));
        }
    }

    /// The queue's own reference to the task with the least time, for a copy.
    const std::shared_ptr<TimerTask>& getMinReference() const noexcept {
        return stateOf(getMin()).queueReference;
    }

    /// Removes the task with the least time. \returns the queue's reference to it. Inline, so that
    /// it stays in registers: from memory just written, moving it on would wait for the stores.
    std::shared_ptr<TimerTask> removeMin() noexcept {
        TimerTask& task = getMin();
        removeMinEntry();
        return std::move(stateOf(task).queueReference);
    }

    /// Removes entry i by putting the last entry in its place, which may leave the heap out of
    /// order: call heapify() before anything that relies on the order.
    std::shared_ptr<TimerTask> quickRemove(std::size_t i) noexcept {
        TimerTask& task = get(i);
        replaceByLast(i);
        return std::move(stateOf(task).queueReference);
    }

    /// Removes entry i and keeps the order. Only for an extended queue.
    std::shared_ptr<TimerTask> remove(std::size_t i) noexcept;

    /// The link of entry i, if the queue knows positions; otherwise null.
    TaskLink* linkOf(std::size_t i) const noexcept {
        return isExtended() ? extras_->linkOf(i) : nullptr;
    }

    /// Clears the position in all links, before the queue is emptied without the monitor.
    void forgetLinks() noexcept {
        if (isExtended()) extras_->forgetLinks(size_);
    }

    /// Gives the task with the least time a new time.
    void rescheduleMin(Nanos time) noexcept;

    /// Gives this time to the tasks for which `isChosen` returns true.
    template <class IsChosen>
    void reschedule(Nanos time, IsChosen isChosen) noexcept {
        for (std::size_t i = 1; i <= size_; ++i) {
            if (isChosen(*heap_[i].task)) heap_[i].time = time;
        }
        heapify();
    }

    /// Drops every task, which may destroy it, in the order of the array.
    void clear() noexcept;

    /// Restores the order after quickRemove().
    void heapify() noexcept;

    /// Checks the invariants by brute force: the order of the heap, and that the queue holds its
    /// own reference to every task. \throws std::logic_error that names the entry and the rule
    void check() const;

  private:
    using Entry = QueueEntry;

    struct PrefetchTask {
        [[gnu::always_inline]] void operator()(const Entry& entry) const noexcept {
            prefetch(entry.task);
        }
    };

    bool isExtended() const noexcept { return extras_ != nullptr; }
    void grow();
    void removeMinEntry() noexcept;
    /// Moves entry i up to its place.
    void fixUp(std::size_t i) noexcept {
        if (unlikely(isExtended())) return extras_->fixUp(heap_.data(), i);
        detail::fixUp(heap_.data(), i);
    }
    /// Moves entry i down to its place.
    void fixDown(std::size_t i) noexcept;
    /// Puts the last entry in the place of entry i. The task of that one keeps the reference.
    void replaceByLast(std::size_t i) noexcept {
        if (unlikely(isExtended())) {
            extras_->replaceByLast(heap_.data(), size_--, i);
        } else {
            if (i != size_) heap_[i] = heap_[size_];  // not an unneeded write to the array
            --size_;
        }
    }

    /// Entry 0 is unused. Never shrinks, as in the JDK; entries beyond size_ are meaningless.
    GrowingArray<Entry> heap_;
    std::size_t size_ = 0;
    std::unique_ptr<QueueExtras> extras_;
    bool knowsPositions_ = false;
};

}  // namespace jtimer::detail
