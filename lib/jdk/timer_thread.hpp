// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "base/condition.hpp"
#include "jdk/task_queue.hpp"

#include <jtimer/timer_options.hpp>

#include <boost/thread/condition_variable.hpp>
#include <boost/thread/thread.hpp>

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>

namespace jtimer {

/// Before every time.
inline constexpr Nanos kLongAgo = std::numeric_limits<Nanos>::min();

/// When a task is to run, as Timer has worked it out.
struct Schedule {
    Nanos time = 0;                           ///< when first
    Nanos period = 0;                         ///< as TimerTask::Status::period
    std::int64_t scheduledExecutionTime = 0;  ///< what the task answers until its first run
};

/// The one thread of a Timer, and its one monitor. Shared by the Timer and the thread itself, so
/// that a task may destroy the Timer.
///
/// The monitor is mutex_ with condition_. It guards queue_ and the flags below it and, of every
/// queued task, self_. Two things happen outside of it: TimerTask::cancel(), which is
/// one exchange on the task's state, and everything that is the user's: run(), the destruction of
/// tasks and of what they captured, the exception handler. So the user's code may call anything
/// (J143).
class TimerThread : public std::enable_shared_from_this<TimerThread> {
  public:
    /// What TimerOptions say, checked and completed.
    struct Settings {
        std::string name;
        std::shared_ptr<Clock> clock;
        UncaughtExceptionHandler handler;
        Nanos tolerance = 0;
        std::optional<Nanos> timerSlack;
    };

    /// \throws std::system_error if the clock has no condition to give
    explicit TimerThread(Settings settings);

    /// \throws std::system_error if the system gives no thread (C10)
    void start();

    const std::string& name() const noexcept { return settings_.name; }
    const Clock& clock() const noexcept { return *settings_.clock; }

    /// Queues the task, or throws what Timer::schedule throws for the timer's and the task's state.
    void schedule(const std::shared_ptr<TimerTask>& task, const Schedule& schedule);
    int purge();
    void cancel();

    /// The end of the Timer: see ~Timer.
    void close(bool discardTasks) noexcept;

  private:
    struct Finally;

    void run();
    void mainLoop();
    std::shared_ptr<TimerTask> fireMin(Lock& lock, bool clockRead) noexcept;
    void dropCancelledHeads(Lock& lock);
    Nanos wakeUpFor(Nanos time) const noexcept;
    void waitFor(Lock& lock, Nanos time);
    bool waitUntil(Lock& lock, Nanos deadline);
    void setTimerSlack(Nanos usual);

    TaskQueue stopScheduling(Lock& lock) noexcept;
    void releaseAndWake(Lock& lock);
    void discardTasks();
    void finish(bool unwound);
    void awaitEnd(Lock& lock);
    bool hasRepeatingTask(Lock& lock) const noexcept;

    const Settings settings_;

    Mutex mutex_;
    const std::unique_ptr<Condition> condition_;
    TaskQueue queue_;
    bool newTasksMayBeScheduled_ = true;
    /// The thread is inside condition_->waitUntil() and nobody has notified it yet. So one wait is
    /// ended by one notification at the most, and a thread that is awake is sent none: it looks at
    /// the queue before it waits again.
    bool waiting_ = false;
    /// When the waiting thread wakes up by itself: a new first task for which that is early enough
    /// sends it no notification. kNever: nobody can rely on it, or the wait has no limit.
    Nanos wakesAt_ = kNever;
    /// Every queued task with this time or an earlier one was due when the clock was read last, so
    /// that it can be run without a new look at the clock.
    Nanos dueBy_ = kLongAgo;
    /// When the last wait began, if a notification has ended it; else kLongAgo.
    Nanos notifiedWaitBegan_ = kLongAgo;
    /// The thread is over for all but itself; close() waits for it.
    bool hasEnded_ = false;
    boost::condition_variable ended_;
    /// The Timer has been destroyed on the thread, so that nobody will join it.
    bool orphaned_ = false;
    /// Set by start() before any thread but this one knows the object, then guarded.
    boost::thread thread_;

    /// The task that is being run. Touched by the thread itself only.
    std::shared_ptr<TimerTask> running_;
    /// What the kernel was told last. Touched by the thread itself only.
    std::optional<Nanos> timerSlack_;
};

}  // namespace jtimer
