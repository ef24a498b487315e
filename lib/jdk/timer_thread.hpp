// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "clock/last_reading.hpp"
#include "jdk/all_timers.hpp"
#include "jdk/queue_sweep.hpp"
#include "jdk/run_meter.hpp"
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
/// The monitor guards queue_, sweep_, acceptsTasks_, meter_, what is told of the running task and,
/// of every queued task, the queueReference. Two things happen outside of it: TimerTask::cancel(),
/// which is one exchange on the task's state; and everything that is the user's: run(), the
/// destruction of tasks and of what they captured, the exception handler. So the user's code may
/// call anything. A user's clock alone is also read with the monitor held.
class TimerThread : public std::enable_shared_from_this<TimerThread>, public AmongAllTimers {
  public:
    /// What TimerOptions say, checked and completed.
    struct Settings {
        std::string name;
        std::shared_ptr<Clock> clock;
        UncaughtExceptionHandler handler;
        OnException onException = OnException::StopTimer;
        std::function<void(const TaskException&)> taskExceptionHandler;
        bool removeOnCancel = false;
        std::size_t maxPending = 0;
        Ties ties = Ties::Jdk;
        std::optional<Nanos> slowTaskThreshold;
        std::function<void(const TimerTask&, std::chrono::nanoseconds)> onSlowTask;
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
        return settings.taskExceptionHandler ? 0 : TaskState::kLongestPeriod;
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
    inline bool startRun(Lock& lock, Nanos now) noexcept;
    inline bool startOnlyRun(TaskState& state, TaskState::Word word) noexcept;
    [[gnu::always_inline]] inline void runTask(Lock& lock);
    bool startLinkedRun(TaskLink& link, Nanos now) noexcept;
    void startRepeatedRun(Nanos signedPeriod, Nanos due, Nanos now) noexcept;
    void beginRun(std::shared_ptr<TimerTask> task, TaskLink::Run run) noexcept;
    void runTimed();
    void reportSlow(Nanos duration) const;
    /// The run is over: drops the thread's reference to the task.
    void dropRunning() {
        if (settings_.removeOnCancel && running_ != nullptr) releaseIfCancelled();
        running_.reset();
    }
    void releaseIfCancelled();
    void endRun(Lock& lock) noexcept;
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

    /// A run that has ended by an exception, as reports call it.
    struct FailedRun {
        std::string taskName;
        std::weak_ptr<TimerTask> dropped;
        std::shared_ptr<TimerTask> task;
        std::uint64_t number = 0;
    };
    FailedRun failedRun() const noexcept;
    void keepUntilReported(FailedRun& run);
    void countFailure();
    bool survive(const std::exception_ptr& exception);
    void reportAndGoOn(const std::exception_ptr& exception);
    void report(const std::exception_ptr& exception, const FailedRun& run);
    TaskQueue stopAccepting(Lock& lock) noexcept;
    void discardTasks();
    void awaitEndOrWarn() noexcept;
    std::shared_ptr<TimerTask> repeatingTask(Lock& lock) const noexcept;
    void warn(const std::string& task, const char* event, const char* advice) noexcept;

    const Settings settings_;
    const Nanos longestUnlinked_;
    Monitor monitor_;
    /// Whether the cheap reading of the clock is the present time.
    const bool isReachedExact_;
    TaskQueue queue_;
    QueueSweep sweep_;
    bool acceptsTasks_ = true;
    RunMeter meter_;
    LastReading lastReading_;  ///< the timer's own thread's
    /// Which task is being run, dropped after its run, or reported to have failed: an address to
    /// compare with. Written by the thread itself, under the monitor. The task is there, as the
    /// thread or a report has it; or is destroyed by the thread, and then this becomes null before
    /// anything else of the user's is called. So the address is no other task's.
    const TimerTask* runningTask_ = nullptr;
    /// With removeOnCancel: the task in whose run() the thread is; and whether it has been
    /// cancelled, so that the thread itself is to destroy what it captured.
    const TimerTask* insideRun_ = nullptr;
    bool releaseRunning_ = false;
    /// How many threads wait for the end of a run, and what for.
    int runEndWaiters_ = 0;
    Condition runEnded_;
    std::atomic<bool> detached_{false};
    /// Started last, when all else is there.
    OwnThread thread_;

    /// The task that is being run, what its TaskLink says about that run, and the tasks that have
    /// left the queue cancelled. Touched by the thread itself only.
    std::shared_ptr<TimerTask> running_;
    TaskLink::Run linkedRun_;
    /// Until when the last wait for a task was to last.
    Nanos waitedFor_ = kLongAgo;
    /// The timer's name for the next TaskException: a copy made then could fail.
    std::string nameToTell_;
    /// What a user's clock has thrown before or after that run: no exception of the task.
    std::exception_ptr fromClock_;
    TasksToDestroy removed_;
};

}  // namespace jtimer::detail
