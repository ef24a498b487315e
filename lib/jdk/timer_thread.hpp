// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "data/intrusive_list.hpp"
#include "jdk/all_timers.hpp"
#include "jdk/task_link.hpp"
#include "jdk/timer_loop.hpp"

#include <jtimer/jdk/missed_runs.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace jtimer::detail {

/// When a task is to run, as computed by Timer.
struct Schedule {
    Nanos time = 0;                           ///< of the first run
    Nanos period = 0;                         ///< as in TaskState::scheduledWith()
    std::int64_t scheduledExecutionTime = 0;  ///< until the first run
    MissedRuns missed = MissedRuns::Burst;
    bool ofNewTask = false;  ///< whether only the caller knows the task
};

/// Does the work of a Timer for its callers: queues tasks, purges, cancels, and waits for the end
/// of the thread. Shared by the Timer and the thread, so that a task may destroy the Timer.
class TimerThread final : public std::enable_shared_from_this<TimerThread>,
                          public ListHook,
                          public TimerLoop {
  public:
    /// \throws std::system_error if the clock cannot make another Waiter
    explicit TimerThread(Settings settings);

    ~TimerThread() { AllTimers::remove(*this); }

    /// \throws std::system_error if the system cannot start a thread; what onThreadStart throws
    void start();

    using LoopThread::clock;
    using LoopThread::name;

    /// Queues the task, or throws what Timer::schedule throws for the state of timer or task.
    void schedule(const std::shared_ptr<TimerTask>& task, const Schedule& schedule);
    std::size_t purge();
    void cancel();
    std::vector<std::shared_ptr<TimerTask>> shutdownNow();

    TimerStats stats();

    /// Timer::awaitTermination().
    bool awaitEnd(Nanos timeout);

    /// To be called when a task that is linked to this timer has been cancelled.
    /// \returns the task, if it left the queue because of that and the caller must destroy what it
    ///   captured
    std::shared_ptr<TimerTask> taskCancelled(TimerTask& task, TaskLink& link);

    /// Whether the timer's thread is running this task, and is not the calling thread.
    bool isRunningElsewhere(const TimerTask& task);
    /// Waits until that run has ended.
    void awaitRunEnd(const TimerTask& task);

    /// Does what ~Timer describes.
    void close(bool discardTasks) noexcept;
    /// Makes close() not wait.
    void detach() noexcept { detached_.store(true, std::memory_order_relaxed); }

  private:
    bool needsLink(const Schedule& schedule) const noexcept {
        if (schedule.period == 0) return options_.removeOnCancel;
        const Nanos period = schedule.period < 0 ? -schedule.period : schedule.period;
        return options_.removeOnCancel || reports_.needsTask() ||
               period > TaskState::kLongestPeriod || schedule.missed != MissedRuns::Burst;
    }

    void awaitEndOrWarn() noexcept;
    std::shared_ptr<TimerTask> repeatingTask(Lock& lock) const noexcept;

    std::atomic<bool> detached_{false};
};

}  // namespace jtimer::detail
