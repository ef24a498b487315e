// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "jdk/task_queue.hpp"
#include "jdk/tasks_to_destroy.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <utility>

namespace jtimer::detail {

/// The way of Timer::purge() through a queue, from the last entry to the first, on which it takes
/// out the cancelled tasks as the JDK does (J65, J78). It goes in batches, so that a purge can
/// leave the monitor after each and drop what it has taken out, while that is still in the cache.
///
/// Between two batches the heap is out of order. So a thread that needs the queue then first goes
/// the rest of the way: no thread ever finds a purge half done, nor waits for the destructors that
/// it calls, and the moves are those of a purge in one go. What is taken out by others is kept here
/// for the purge, which still drops it before it returns, and counts it.
///
/// Guarded by the timer's monitor, all of it.
class QueueSweep {
  public:
    /// Whether the sweep is somewhere in the queue, which is out of order then.
    bool isUnderWay() const noexcept { return left_ != 0; }

    /// Whether a purge has begun this sweep and not ended it. It may be dropping tasks: so nobody
    /// waits for it, and another purge has a sweep of its own.
    bool isTaken() const noexcept { return isTaken_; }

    void begin(const TaskQueue& queue) noexcept {
        isTaken_ = true;
        left_ = queue.size();
    }

    /// Takes out the next cancelled tasks, as many as are dropped in one go. At the first entry of
    /// the queue the sweep is over, and the queue is in order again.
    /// \returns how many
    std::size_t takeBatch(TaskQueue& queue, TasksToDestroy& batch) noexcept {
        constexpr std::size_t size = 16;
        return take(queue, batch, size);
    }

    /// Goes the rest of the way, for whoever needs the queue. \returns how many tasks it took out
    std::size_t finish(TaskQueue& queue) noexcept {
        return take(queue, takenByOthers_, std::numeric_limits<std::size_t>::max());
    }

    /// The purge ends, after its sweep is over.
    /// \param others gets the tasks that finish() has taken out; must be empty
    /// \returns how many tasks were taken out in all
    std::size_t end(TasksToDestroy& others) noexcept {
        isTaken_ = false;
        others.swap(takenByOthers_);
        return std::exchange(count_, 0);
    }

  private:
    std::size_t take(TaskQueue& queue, TasksToDestroy& taken, std::size_t most) noexcept {
        std::size_t count = 0;
        std::size_t i = left_;
        for (; i != 0 && count != most; --i) {
            queue.prefetchBefore(i);
            if (!stateOf(queue.get(i)).isCancelled()) continue;
            if (count == 0) taken.reserve(std::min(most, i));
            TaskLink* const link = queue.linkOf(i);
            taken.push(queue.quickRemove(i), link);
            ++count;
        }
        left_ = i;
        count_ += count;
        if (left_ == 0 && count_ != 0) queue.heapify();
        return count;
    }

    std::size_t left_ = 0;  ///< entries 1 to left_ have not been looked at
    std::size_t count_ = 0;
    bool isTaken_ = false;
    TasksToDestroy takenByOthers_;
};

}  // namespace jtimer::detail
