// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "jdk/task_link.hpp"
#include "sync/lock.hpp"

#include <jtimer/timer_task.hpp>

#include <memory>
#include <utility>

namespace jtimer::detail {

/// The run that a timer's thread is in, and the threads that wait for its end.
///
/// A run lasts until its task has been dropped; after an exception, until that has been reported.
/// What takes a Lock takes that of the timer's monitor, and may be called by any thread. All else
/// is for the timer's own thread.
class CurrentRun {
  public:
    /// The task, until drop(); null: none.
    const std::shared_ptr<TimerTask>& task() const noexcept { return task_; }
    /// What the task's TaskLink says about this run.
    TaskLink::Run numbers() const noexcept { return numbers_; }

    void begin(const Lock&, std::shared_ptr<TimerTask> task, TaskLink::Run numbers) noexcept {
        task_ = std::move(task);
        identity_ = inside_ = task_.get();
        numbers_ = numbers;
    }
    /// Drops the reference to the task, which may destroy it.
    void drop() noexcept { task_.reset(); }
    /// The run is over.
    void end(const Lock&) noexcept {
        identity_ = nullptr;
        if (waiters_ != 0) ended_.notify_all();
    }

    /// Which task is being run, dropped after its run, or reported to have failed: an address to
    /// compare with. The task exists, as the thread or a report has it; or the thread is destroying
    /// it, and then end() comes before any other code of the user's. So the address is no other
    /// task's.
    const TimerTask* identity(const Lock&) const noexcept { return identity_; }

    /// Waits until the run of this task is over.
    void awaitEnd(Lock& lock, const TimerTask& task) {
        ++waiters_;
        ended_.wait(lock, [&] { return identity_ != &task; });
        --waiters_;
    }

    /// A cancellation takes this task out of the queue. If the task is inside its run(), the thread
    /// will destroy what it captured. \returns whether it is
    bool leaveReleaseIfInside(const Lock&, const TimerTask& task) noexcept {
        if (inside_ != &task) return false;
        return releaseLeft_ = true;
    }
    /// The thread has left run(). \returns whether it is to destroy what the task captured
    bool leaveInside(const Lock&) noexcept {
        inside_ = nullptr;
        return std::exchange(releaseLeft_, false);
    }

  private:
    // The thread's own.
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
