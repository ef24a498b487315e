// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "jdk/run_reports.hpp"
#include "jdk/task_link.hpp"
#include "jdk/tasks_to_destroy.hpp"
#include "jdk/timer_state.hpp"
#include "thread/loop_thread.hpp"

#include <jtimer/detail/compiler.hpp>
#include <jtimer/exceptions.hpp>
#include <jtimer/jdk/timer_options.hpp>

#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <string>

namespace jtimer::detail {

/// Thrown when a task schedules on its own timer and the timer no longer accepts tasks. For the
/// task it is an IllegalStateException; but if it leaves the task, the pending tasks still run.
class RefusedTask final : public IllegalStateException {
  public:
    RefusedTask() : IllegalStateException("Timer already cancelled.") {}
};

/// The JDK's TimerThread: one thread that runs the tasks of one queue, under one monitor. TimerImpl
/// is the callers' side. Both work on the same TimerState, which the monitor guards.
///
/// Two things happen outside of the monitor: TimerTask::cancel(), which is one compare-and-swap on
/// the task's state; and all user code: run(), the destruction of tasks and of what they captured,
/// and the exception handlers. So user code may call anything. Only a user's clock is also read
/// with the monitor held.
class TimerThread final : public LoopThread {
  public:
    struct Settings {
        LoopThread::Settings thread;
        TimerOptions options;  ///< for what is not in the other fields
        Nanos tolerance = 0;
        std::optional<Nanos> slowTaskThreshold;
    };

    /// TimerTask::missedRuns().
    static std::uint64_t missedBefore(const TimerTask& task) noexcept;

    /// \throws std::system_error if the clock cannot make another Waiter
    explicit TimerThread(Settings settings);

    /// As LoopThread::start(). \param timer whose thread this is; the thread keeps it alive
    void start(const std::shared_ptr<TimerImpl>& timer);

    TimerState& state() noexcept { return state_; }
    const TimerState& state() const noexcept { return state_; }
    Monitor& monitor() noexcept { return monitor_; }
    OwnThread& own() noexcept { return thread_; }
    const RunReports& reports() const noexcept { return reports_; }
    using LoopThread::close;
    std::string runningTask() override;

    /// Enters the monitor, and finishes a purge that has left the queue out of order.
    Lock enter() {
        Lock lock = monitor_.enter();
        finishSweep(lock);
        return lock;
    }
    /// To be called after the monitor has been released, before the queue is used again.
    void finishSweep(const Lock& lock) noexcept {
        if (unlikely(state_.sweep != nullptr)) finishSweepUnderWay(lock);
    }

  private:
    void mainLoop() override;
    void end() override;
    void failed(const std::exception_ptr& uncaught) override;
    void finishSweepUnderWay(const Lock& lock) noexcept;
    void endBurst(const Lock& lock);
    // The hot path.
    Nanos readClock(const Lock& lock);
    bool startRun(const Lock& lock, Nanos now) noexcept;
    bool startOnlyRun(const Lock& lock, TaskState& state, TaskState::Word word) noexcept;
    void runTask(Lock& lock);
    bool startLinkedRun(const Lock& lock, TaskLink& link, Nanos period, Nanos now) noexcept;
    bool askFirst(const Lock& lock, TaskLink& link, Nanos now) noexcept;
    void startRepeatedRun(const Lock& lock, Nanos signedPeriod, Nanos due, Nanos now) noexcept;
    void runExtended();
    void runTimed();
    void dropRunning();
    void endRunIfDropped();
    void removeCancelledHeads(Lock& lock);
    void destroyRemoved(Lock& lock);
    Nanos heldBack(Nanos due) const noexcept;
    void waitForHead(Lock& lock, Nanos now);
    bool linkHead(const Lock& lock);
    bool computeAnewIfSetBack(const Lock& lock, Nanos now) noexcept;

    FailedRun failedRun() const noexcept;
    void reportFailed(FailedRun& run, const std::exception_ptr& exception);
    void reportAndGoOn(const std::exception_ptr& exception);
    void discardTasks();

    TimerState state_;
    RunReports reports_;
    /// Written by start(), before the thread begins.
    std::weak_ptr<TimerImpl> timer_;

    // Used by the timer's thread only.

    const std::optional<Nanos> slowTaskThreshold_;
    /// Whether the run needs runExtended(), and then: the times of its task's rule, or null; and
    /// whether the rule is only to be asked, and the task not to be run.
    bool isExtended_;
    std::shared_ptr<RuleTimes> rule_;
    bool asksOnly_ = false;
    /// The end of the last wait for a task, or the planned one if it ended later.
    Nanos waitedFor_ = kLongAgo;
    /// What a user's clock threw before or after the run; not an exception of the task.
    std::exception_ptr fromClock_;
    /// Cancelled tasks that have left the queue.
    TasksToDestroy removed_;
};

}  // namespace jtimer::detail
