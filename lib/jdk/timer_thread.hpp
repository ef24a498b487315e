// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "clock/last_reading.hpp"
#include "jdk/all_timers.hpp"
#include "jdk/current_run.hpp"
#include "jdk/queue_sweep.hpp"
#include "jdk/run_meter.hpp"
#include "jdk/run_reports.hpp"
#include "jdk/task_link.hpp"
#include "jdk/task_queue.hpp"
#include "jdk/tasks_to_destroy.hpp"
#include "thread/monitor.hpp"
#include "thread/own_thread.hpp"

#include <jtimer/missed_runs.hpp>
#include <jtimer/timer_options.hpp>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <future>
#include <memory>
#include <optional>
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

/// The JDK's timer loop: one thread, one monitor, one queue. Shared by the Timer and the thread
/// itself, so that a task may destroy the Timer.
///
/// The monitor guards queue_, sweep_, acceptsTasks_, meter_, what CurrentRun says it guards, and
/// each queued task's queueReference. Two things happen outside of it: TimerTask::cancel(), which
/// is one exchange on the task's state; and everything that is the user's: run(), the destruction
/// of tasks and of what they captured, the exception handler. So the user's code may call anything.
/// A user's clock alone is also read with the monitor held.
class TimerThread : public std::enable_shared_from_this<TimerThread>, public AmongAllTimers {
  public:
    /// What TimerOptions say, checked and completed.
    struct Settings {
        std::string name;
        std::shared_ptr<Clock> clock;
        RunReports::Handlers handlers;
        OnException onException = OnException::StopTimer;
        bool removeOnCancel = false;
        std::size_t maxPending = 0;
        Ties ties = Ties::Jdk;
        std::optional<Nanos> slowTaskThreshold;
        std::function<void()> onThreadStart;
        Nanos tolerance = 0;
        std::optional<Nanos> timerSlack;
    };

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

    /// TimerTask::missedRuns().
    static std::uint64_t missedBefore(const TimerTask& task) noexcept;

    /// The end of the Timer: see ~Timer.
    void close(bool discardTasks) noexcept;
    /// From now on close() does not wait.
    void detach() noexcept { detached_.store(true, std::memory_order_relaxed); }

  private:
    struct AtEnd;

    /// Takes the monitor for a look at the queue, which a purge may have left out of order.
    Lock enter() {
        Lock lock = monitor_.enter();
        finishSweep();
        return lock;
    }
    /// To be called before a look at the queue that follows a release of the monitor.
    void finishSweep() noexcept {
        if (__builtin_expect(sweep_.isUnderWay(), 0) != 0) finishSweepUnderWay();
    }
    void finishSweepUnderWay() noexcept;

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

    void run(std::promise<bool>* started);
    void mainLoop();
    void endBurst();
    // Every run comes by these four.
    inline Nanos readClock();
    inline bool startRun(const Lock& lock, Nanos now) noexcept;
    inline bool startOnlyRun(const Lock& lock, TaskState& state, TaskState::Word word) noexcept;
    [[gnu::always_inline]] inline void runTask(Lock& lock);
    bool startLinkedRun(const Lock& lock, TaskLink& link, Nanos now) noexcept;
    void startRepeatedRun(Nanos signedPeriod, Nanos due, Nanos now) noexcept;
    void runTimed();
    /// The task has run: drops the thread's reference to it.
    void dropRunning() {
        if (settings_.removeOnCancel && run_.task() != nullptr) releaseIfCancelled();
        run_.drop();
    }
    void releaseIfCancelled();
    void endRunIfDropped();
    void removeCancelledHeads(Lock& lock);
    void destroyRemoved(Lock& lock);
    /// When the thread wakes up for a task of this time: with a tolerance, at the next multiple of
    /// it.
    Nanos wakeUpFor(Nanos time) const noexcept {
        const Nanos tolerance = settings_.tolerance;
        if (tolerance == 0) return time;
        const Nanos past = time % tolerance;  // no task's time lies before 1970
        return past == 0 ? time : saturatingAdd(time, tolerance - past);
    }
    Nanos heldBack(Nanos due) const noexcept;
    void waitForHead(Lock& lock, Nanos now);
    bool linkHead();

    FailedRun failedRun() const noexcept;
    void keepUntilReported(FailedRun& run);
    void countFailure();
    bool survive(const std::exception_ptr& exception);
    void reportAndGoOn(const std::exception_ptr& exception);
    TaskQueue stopAccepting(Lock& lock) noexcept;
    void discardTasks();
    void awaitEndOrWarn() noexcept;
    std::shared_ptr<TimerTask> repeatingTask(Lock& lock) const noexcept;

    const Settings settings_;
    const Nanos longestUnlinked_;
    Monitor monitor_;
    /// Whether the cheap reading of the clock is the present time.
    const bool isReachedExact_;
    TaskQueue queue_;
    QueueSweep sweep_;
    bool acceptsTasks_ = true;
    RunMeter meter_;
    CurrentRun run_;
    RunReports reports_;
    std::atomic<bool> detached_{false};
    /// Started last, when all else is there.
    OwnThread thread_;

    // Touched by the thread itself only.

    LastReading lastReading_;
    /// Until when the last wait for a task was to last.
    Nanos waitedFor_ = kLongAgo;
    /// What a user's clock has thrown before or after the run: no exception of the task.
    std::exception_ptr fromClock_;
    /// Cancelled tasks that have left the queue.
    TasksToDestroy removed_;
};

}  // namespace jtimer::detail
