// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "jdk/task_link.hpp"
#include "sync/assert.hpp"
#include "sync/lock.hpp"
#include "sync/reported_wait.hpp"

#include <jtimer/jdk/timer_task.hpp>

#include <memory>
#include <utility>

namespace jtimer::detail {

/// The current run of a timer's thread, and the threads that wait for its end.
///
/// A run lasts until its task has been dropped; after an exception, until that has been reported.
/// Any thread may call the functions that take a Lock, which must be that of the timer's monitor.
/// Only the timer's own thread may call the others.
class CurrentRun {
  public:
    /// The task, until drop(); or null.
    const std::shared_ptr<TimerTask>& task() const noexcept { return task_; }
    /// What the task's TaskLink says about this run.
    TaskLink::Run numbers() const noexcept { return numbers_; }

    void begin(const Lock& lock, std::shared_ptr<TimerTask> task, TaskLink::Run numbers) noexcept {
        JTIMER_ASSERT(lock.owns_lock());
        task_ = std::move(task);
        identity_ = inside_ = task_.get();
        numbers_ = numbers;
    }
    /// Drops the reference to the task, which may destroy it.
    void drop() noexcept { task_.reset(); }
    /// Ends the run, and wakes the threads that wait for that.
    void end(const Lock& lock) noexcept {
        JTIMER_ASSERT(lock.owns_lock());
        identity_ = nullptr;
        if (waiters_ != 0) ended_.notify_all();
    }

    /// The task that is being run, dropped after its run, or reported to have failed; only an
    /// address to compare with. Either the task exists, because the thread or a report holds it; or
    /// the thread is destroying it, and calls end() before any other user code. So no other task
    /// has this address.
    const TimerTask* identity(const Lock& lock) const noexcept {
        JTIMER_ASSERT(lock.owns_lock());
        return identity_;
    }

    /// Waits until the run of this task is over. \param report of the call that waits
    void awaitEnd(Lock& lock, const TimerTask& task, WaitReport& report) {
        JTIMER_ASSERT(lock.owns_lock());
        ++waiters_;
        waitReported(report, ended_, lock, [&] { return identity_ != &task; });
        --waiters_;
    }

    /// To be called when a cancellation removes this task from the queue. If the task is inside its
    /// run(), the thread will destroy what it captured. \returns whether it is
    bool leaveReleaseIfInside(const Lock& lock, const TimerTask& task) noexcept {
        JTIMER_ASSERT(lock.owns_lock());
        if (inside_ != &task) return false;
        return releaseLeft_ = true;
    }
    /// Records that the thread has left run(). \returns whether the thread must destroy what the
    /// task captured
    bool leaveInside(const Lock& lock) noexcept {
        JTIMER_ASSERT(lock.owns_lock());
        inside_ = nullptr;
        return std::exchange(releaseLeft_, false);
    }

  private:
    // Used by the timer's thread only.
    std::shared_ptr<TimerTask> task_;
    TaskLink::Run numbers_;

    // Guarded by the monitor.
    const TimerTask* identity_ = nullptr;
    const TimerTask* inside_ = nullptr;
    bool releaseLeft_ = false;
    int waiters_ = 0;
    Condition ended_;
};

}  // namespace jtimer::detail
