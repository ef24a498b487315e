// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "jdk/all_timers.hpp"
#include "jdk/task_link.hpp"
#include "jdk/timer_loop.hpp"
#include "thread/own_thread.hpp"

#include <jtimer/missed_runs.hpp>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace jtimer::detail {

/// When a task is to run, as Timer has worked it out.
struct Schedule {
    Nanos time = 0;                           ///< when first
    Nanos period = 0;                         ///< as TaskState::scheduledWith() has it
    std::int64_t scheduledExecutionTime = 0;  ///< what the task answers until its first run
    MissedRuns missed = MissedRuns::Burst;
    bool ofNewTask = false;  ///< whether only the caller knows the task
};

/// What a Timer does for its callers: it queues tasks, purges, cancels, and waits for the end of
/// its thread. Shared by the Timer and the thread, so that a task may destroy the Timer.
class TimerThread final : public std::enable_shared_from_this<TimerThread>,
                          public AmongAllTimers,
                          private TimerLoop {
  public:
    using TimerLoop::missedBefore;
    using TimerLoop::Settings;

    /// \throws std::system_error if the clock cannot make another Waiter
    explicit TimerThread(Settings settings);

    ~TimerThread() { leaveAllTimers(); }

    /// \throws std::system_error if the system gives no thread; what onThreadStart throws
    void start();

    const std::string& name() const noexcept { return settings_.name; }
    const std::shared_ptr<Clock>& clock() const noexcept { return settings_.clock; }

    /// Queues the task, or throws what Timer::schedule throws for the timer's and the task's state.
    void schedule(const std::shared_ptr<TimerTask>& task, const Schedule& schedule) {
        if (needsLink(schedule)) {
            scheduleLinked(task, schedule);
        } else {
            enqueue(task, schedule, TaskState::scheduledWith(schedule.period));
        }
    }
    std::size_t purge();
    void cancel();
    std::vector<std::shared_ptr<TimerTask>> shutdownNow();

    TimerStats stats();

    /// Timer::awaitTermination().
    bool awaitEnd(Nanos timeout);

    /// A task that is linked to this timer has been cancelled.
    /// \returns the task if it has left the queue by that, and what it captured is to be destroyed
    std::shared_ptr<TimerTask> taskCancelled(TimerTask& task, TaskLink& link);

    /// Whether the thread, if it is not the calling one, is running this task.
    bool isRunningElsewhere(const TimerTask& task);
    /// Waits until that is over.
    void awaitRunEnd(const TimerTask& task);

    /// The end of the Timer: see ~Timer.
    void close(bool discardTasks) noexcept;
    /// From now on close() does not wait.
    void detach() noexcept { detached_.store(true, std::memory_order_relaxed); }

  private:
    /// The longest period, of fixed rate or fixed delay, for which a task needs no link; -1: every
    /// task needs one, 0: every repeating task.
    static Nanos longestUnlinked(const Settings& settings) noexcept {
        if (settings.removeOnCancel) return -1;
        return settings.handlers.taskException ? 0 : TaskState::kLongestPeriod;
    }
    bool needsLink(const Schedule& schedule) const noexcept {
        const Nanos period = schedule.period < 0 ? -schedule.period : schedule.period;
        return period > longestUnlinked_ || schedule.missed != MissedRuns::Burst;
    }
    void scheduleLinked(const std::shared_ptr<TimerTask>& task, const Schedule& schedule);
    void enqueue(const std::shared_ptr<TimerTask>& task, const Schedule& schedule,
                 TaskState::Word scheduled);

    void awaitEndOrWarn() noexcept;
    std::shared_ptr<TimerTask> repeatingTask(Lock& lock) const noexcept;

    const Nanos longestUnlinked_;
    std::atomic<bool> detached_{false};
    /// Started last, when all else is there.
    OwnThread thread_;
};

}  // namespace jtimer::detail
