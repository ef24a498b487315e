// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "jdk/task_queue.hpp"
#include "jdk/tasks_to_destroy.hpp"
#include "sync/assert.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>

namespace jtimer::detail {

/// Removes cancelled tasks for one call of Timer::purge(), from the last entry to the first, as the
/// JDK does (J65, J78). It works in batches, so that purge() can leave the monitor after each batch
/// and drop the removed tasks while they are still in the cache.
///
/// Between two batches the heap is out of order. So a thread that needs the queue then first
/// finishes the sweep. Thus no thread ever sees a purge half done or waits for the destructors that
/// purge() calls, and the moves are those of an uninterrupted purge. The tasks that other threads
/// remove are kept here for purge(), which counts them and drops them before it returns.
///
/// Entirely guarded by the timer's monitor, but destroyed outside of it.
class QueueSweep {
  public:
    void begin(const TaskQueue& queue) noexcept { left_ = queue.size(); }

    /// Whether the sweep has entries left. If so, the queue may be out of order.
    bool isUnderWay() const noexcept { return left_ != 0; }

    /// Removes the next cancelled tasks, up to a full batch. When the sweep has passed the first
    /// entry of the queue it is over, and the queue is in order again.
    /// \param batch must be empty
    /// \returns how many tasks it removed
    std::size_t takeBatch(TaskQueue& queue, TasksToDestroy& batch) noexcept {
        JTIMER_ASSERT(batch.empty());
        return take(queue, batch, kBatch);
    }

    /// Finishes the sweep, for a thread that needs the queue. \returns how many tasks it removed
    std::size_t finish(TaskQueue& queue) noexcept {
        return take(queue, takenByOthers_, std::numeric_limits<std::size_t>::max());
    }

    /// How many tasks have been removed in all.
    std::size_t count() const noexcept { return count_; }

  private:
    /// So few tasks are still in the cache when the purge drops them.
    static constexpr std::size_t kBatch = 16;

    /// Within this many entries after a cancelled task, also prefetch the reference count. It may
    /// be on a second cache line, so elsewhere this does not pay.
    static constexpr std::size_t kNear = 8;

    std::size_t take(TaskQueue& queue, TasksToDestroy& taken, std::size_t most) noexcept {
        std::size_t count = 0;
        std::size_t i = std::min(left_, queue.size());  // a forked child may have removed some
        std::size_t nearTo = i;  // entries down to this one are near a cancelled one
        for (; i != 0 && count != most; --i) {
            const bool isNear = i >= nearTo;
            queue.prefetchBefore(i, isNear);
            TimerTask& task = queue.get(i);
            if (!stateOf(task).isCancelled()) continue;
            if (!isNear) prefetchReference(&task);
            TaskLink* const link = queue.linkOf(i);
            taken.push(queue.quickRemove(i), link);
            ++count;
            nearTo = i - std::min(i, kNear);
        }
        left_ = i;
        count_ += count;
        if (left_ == 0 && count_ != 0) queue.heapify();
        return count;
    }

    std::size_t left_ = 0;  ///< entries 1 to left_ have not been examined
    std::size_t count_ = 0;
    TasksToDestroy takenByOthers_;
};

}  // namespace jtimer::detail
