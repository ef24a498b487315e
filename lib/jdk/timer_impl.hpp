// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "data/intrusive_list.hpp"
#include "jdk/all_timers.hpp"
#include "jdk/task_link.hpp"
#include "jdk/timer_thread.hpp"

#include <jtimer/missed_runs.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace jtimer::detail {

/// When a task is to run, as computed by Timer.
struct Schedule {
    Nanos time = 0;                           ///< of the first run
    Nanos period = 0;                         ///< as in TaskState::scheduledWith()
    std::int64_t scheduledExecutionTime = 0;  ///< until the first run
    MissedRuns missed = MissedRuns::Burst;
    std::shared_ptr<RuleTimes> rule = nullptr;  ///< not null: any period greater than 0 repeats
    bool ofNewTask = false;                     ///< whether only the caller knows the task
};

/// What the callers of a Timer do: they queue tasks, purge, cancel, and wait for the end of the
/// thread. It exists until both the Timer and the thread have ended, so that a task may destroy the
/// Timer.
class TimerImpl final : public std::enable_shared_from_this<TimerImpl>, public ListHook {
  public:
    /// \throws std::system_error if the clock cannot make another Waiter
    explicit TimerImpl(TimerThread::Settings settings) : thread_(std::move(settings)) {}

    ~TimerImpl() { AllTimers::remove(*this); }

    /// \throws std::system_error if the system cannot start a thread; what onThreadStart throws
    void start();

    const std::shared_ptr<Clock>& clock() const noexcept { return thread_.clock(); }
    const std::shared_ptr<const RuleTask>& ruleTasks() const noexcept {
        return thread_.state().ruleTasks;
    }
    const std::string& name() const noexcept { return thread_.name(); }

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
        if (schedule.period == 0) return thread_.state().options.removeOnCancel;
        return thread_.state().options.removeOnCancel || thread_.reports().needsTask() ||
               schedule.missed != MissedRuns::Burst || schedule.rule != nullptr;
    }

    std::uint64_t executed();
    void awaitThreadEnd() noexcept;
    std::string reportOfEnd(std::uint64_t runsBefore, Nanos clockBefore);
    std::string pendingTasks(const Lock& lock);
    std::shared_ptr<TimerTask> repeatingTask(const Lock& lock) noexcept;

    TimerThread thread_;
    std::atomic<bool> detached_{false};
};

}  // namespace jtimer::detail
