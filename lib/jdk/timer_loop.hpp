// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "jdk/current_run.hpp"
#include "jdk/queue_sweep.hpp"
#include "jdk/run_meter.hpp"
#include "jdk/run_reports.hpp"
#include "jdk/task_link.hpp"
#include "jdk/task_queue.hpp"
#include "jdk/tasks_to_destroy.hpp"
#include "thread/loop_thread.hpp"

#include <jtimer/exceptions.hpp>
#include <jtimer/jdk/timer_options.hpp>

#include <cstdint>
#include <exception>
#include <future>
#include <optional>
#include <string_view>

namespace jtimer::detail {

/// Thrown when a task schedules on its own timer and the timer no longer accepts tasks. For the
/// task it is an IllegalStateException; but if it leaves the task, the pending tasks still run.
class RefusedTask final : public IllegalStateException {
  public:
    RefusedTask() : IllegalStateException("Timer already cancelled.") {}
};

/// The JDK's timer loop: one thread, one monitor, one queue. This class is the thread's side.
/// TimerThread is the callers' side, and the only class that derives from it: both work on the same
/// state.
///
/// The monitor guards queue_, sweep_, acceptsTasks_, meter_, the fields that CurrentRun lists, and
/// each queued task's queueReference. Two things happen outside of it: TimerTask::cancel(), which
/// is one compare-and-swap on the task's state; and all user code: run(), the destruction of tasks
/// and of what they captured, and the exception handlers. So user code may call anything. Only a
/// user's clock is also read with the monitor held.
class TimerLoop : protected LoopThread {
  public:
    struct Settings {
        LoopThread::Settings thread;
        TimerOptions options;  ///< for what is not in the other fields
        Nanos tolerance = 0;
        std::optional<Nanos> slowTaskThreshold;
    };

    /// TimerTask::missedRuns().
    static std::uint64_t missedBefore(const TimerTask& task) noexcept;

    /// The name of the timer whose thread calls this; empty on any other thread.
    static std::string_view timerOfThisThread() noexcept;

    TimerLoop(const TimerLoop&) = delete;
    TimerLoop& operator=(const TimerLoop&) = delete;

  protected:
    /// \throws std::system_error if the clock cannot make another Waiter
    explicit TimerLoop(Settings settings);
    ~TimerLoop() = default;

    /// Enters the monitor, and finishes a purge that has left the queue out of order.
    Lock enter() {
        Lock lock = monitor_.enter();
        finishSweep();
        return lock;
    }
    /// To be called after the monitor has been released, before the queue is used again.
    void finishSweep() noexcept {
        if (__builtin_expect(sweep_ != nullptr, 0) != 0) finishSweepUnderWay();
    }
    void finishSweepUnderWay() noexcept;

    /// When the thread wakes up for a task that is due at this time: with a tolerance, at the next
    /// multiple of it.
    Nanos wakeUpFor(Nanos time) const noexcept {
        if (tolerance_ == 0) return time;
        const Nanos past = time % tolerance_;  // no task's time lies before 1970
        return past == 0 ? time : saturatingAdd(time, tolerance_ - past);
    }
    /// Stops accepting tasks. \returns the queued ones, which must be destroyed outside of the lock
    TaskQueue stopAccepting(Lock& lock) noexcept;

    const TimerOptions options_;
    const Nanos tolerance_;
    const std::optional<Nanos> slowTaskThreshold_;
    TaskQueue queue_;
    /// What a purge has left of its sweep while it is outside of the monitor, or null. It is on
    /// the stack of the thread that purges.
    QueueSweep* sweep_ = nullptr;
    bool acceptsTasks_ = true;
    RunMeter meter_;
    CurrentRun run_;
    RunReports reports_;

    /// What receives the exception of onThreadStart, or null.
    std::promise<std::exception_ptr> started_;

  private:
    void mainLoop() override;
    bool callOnThreadStart();
    void end() override;
    void failed(const std::exception_ptr& uncaught) override;
    void endBurst();
    // The hot path.
    Nanos readClock();
    bool startRun(const Lock& lock, Nanos now) noexcept;
    bool startOnlyRun(const Lock& lock, TaskState& state, TaskState::Word word) noexcept;
    void runTask(Lock& lock);
    bool startLinkedRun(const Lock& lock, TaskLink& link, Nanos now) noexcept;
    void startRepeatedRun(Nanos signedPeriod, Nanos due, Nanos now) noexcept;
    void runTimed();
    void dropRunning();
    void endRunIfDropped();
    void removeCancelledHeads(Lock& lock);
    void destroyRemoved(Lock& lock);
    Nanos heldBack(Nanos due) const noexcept;
    void waitForHead(Lock& lock, Nanos now);
    bool linkHead();

    FailedRun failedRun() const noexcept;
    void reportFailed(FailedRun& run, const std::exception_ptr& exception);
    void reportAndGoOn(const std::exception_ptr& exception);
    void discardTasks();

    // Used by the timer's thread only.

    /// The end of the last wait for a task, or the planned one if it ended later.
    Nanos waitedFor_ = kLongAgo;
    /// What a user's clock threw before or after the run; not an exception of the task.
    std::exception_ptr fromClock_;
    /// Cancelled tasks that have left the queue.
    TasksToDestroy removed_;
};

}  // namespace jtimer::detail
