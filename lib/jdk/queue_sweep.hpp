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
        left_ = nearTo_ = queue.size();
    }

    /// Takes out the next cancelled tasks, as many as are dropped in one go. At the first entry of
    /// the queue the sweep is over, and the queue is in order again.
    /// \param batch must be empty
    /// \returns how many
    std::size_t takeBatch(TaskQueue& queue, SweptBatch& batch) noexcept {
        return take(queue, batch, SweptBatch::kRoom);
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
    /// After a cancelled task, as long as it was no more than so many entries ago, tasks are loaded
    /// not only for a look at them, but also for the drop of their references. That may be a second
    /// cache line, so elsewhere it does not pay.
    static constexpr std::size_t kNear = 8;

    template <class Taken>
    std::size_t take(TaskQueue& queue, Taken& taken, std::size_t most) noexcept {
        std::size_t count = 0;
        std::size_t i = left_;
        std::size_t nearTo = nearTo_;
        for (; i != 0 && count != most; --i) {
            const bool isNear = i >= nearTo;
            queue.prefetchBefore(i, isNear);
            TimerTask& task = queue.get(i);
            if (!stateOf(task).isCancelled()) continue;
            if (!isNear) prefetchReference(&task);
            if (count == 0) taken.reserve(i);
            TaskLink* const link = queue.linkOf(i);
            taken.push(queue.quickRemove(i), link);
            ++count;
            nearTo = i - std::min(i, kNear);
        }
        left_ = i;
        nearTo_ = nearTo;
        count_ += count;
        if (left_ == 0 && count_ != 0) queue.heapify();
        return count;
    }

    std::size_t left_ = 0;    ///< entries 1 to left_ have not been looked at
    std::size_t nearTo_ = 0;  ///< down to this entry, they are near a cancelled one
    std::size_t count_ = 0;
    bool isTaken_ = false;
    TasksToDestroy takenByOthers_;
};

}  // namespace jtimer::detail
