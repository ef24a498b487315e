// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <jtimer/detail/export.hpp>
#include <jtimer/detail/task_state.hpp>

#include <cstdint>
#include <string>

namespace jtimer {

namespace detail {
struct TaskAccess;
}

/// What a Timer runs, once or repeatedly. Derive from it and override `run()`:
///
/// \code
/// struct Beep : jtimer::TimerTask {
///     void run() override { std::cout << "beep\n"; }
/// };
/// timer.schedule(std::make_shared<Beep>(), 500);
/// \endcode
///
/// A callable needs no class: `timer.schedule([] { std::cout << "beep\n"; }, 500)`.
///
/// **One life.** A task is scheduled once, on one timer. A second attempt, there or on another
/// timer, before or after the task has run or was cancelled, throws IllegalStateException. Make a
/// new task instead.
///
/// **Ownership.** Tasks are held by `std::shared_ptr`. The timer keeps one reference while the task
/// is queued. It drops it when a one-shot has run, when a cancelled task leaves the queue (at its
/// time, by Timer::purge, or at once with TimerOptions::removeOnCancel), at Timer::cancel and
/// Timer::shutdownNow, and when the timer's thread ends. A task is destroyed on the thread that
/// drops the last reference, never under a lock of the library.
///
/// **Threads.** Every function may be called from any thread, and inside any `run()`. None waits
/// but cancelAndWait().
class JTIMER_API TimerTask {
  public:
    TimerTask(const TimerTask&) = delete;
    TimerTask& operator=(const TimerTask&) = delete;
    virtual ~TimerTask();

    /// The work. The timer calls it on its thread, one task at a time, with no lock held: it may
    /// call every function of every timer and task. What was written before `schedule` is visible
    /// in it, and each run sees what the one before it wrote.
    ///
    /// An exception that leaves it ends the timer, by default; see Timer, "Exceptions". Calling it
    /// yourself is allowed and changes nothing. But not of a callable while it may be cancelled on
    /// a timer with removeOnCancel, which then destroys what the callable has captured.
    virtual void run() = 0;

    /// Cancels this task. A run in progress is completed, never interrupted.
    ///
    /// \returns whether this call prevented at least one run that was still to come: true the first
    ///   time for a one-shot that has not begun, and for a repeating task; false the second time,
    ///   for a one-shot that has begun, and for a task that was never scheduled (and now never can
    ///   be)
    ///
    /// Of a one-shot, either `run()` is called or a `cancel()` has returned true, never both. A
    /// repeating task may begin one more run just after a `cancel()` from another thread; a
    /// `cancel()` inside its own `run()` makes that run the last. Of a task that was discarded by
    /// Timer::cancel, it still returns true.
    ///
    /// By default it is one atomic exchange: it takes no lock, does not wake the timer's thread,
    /// and leaves the task in the queue until its time comes or Timer::purge is called. Only if a
    /// destructor of Timer waits for this task, it wakes the timer's thread, which then drops the
    /// task. It takes the timer's lock for a task with MissedRuns::Skip or Once, for a repeating
    /// one on a timer with a taskExceptionHandler, and for one with a period beyond 18 years. With
    /// TimerOptions::removeOnCancel, the task leaves the queue at once. No Timer ever calls it.
    virtual bool cancel();

    /// cancel(), and returns when no run of this task is in progress, nor any can begin: what the
    /// task uses may be destroyed then. The report of an exception of that run is over too.
    ///
    /// Inside the task's own run, and elsewhere on the thread that runs it, it does not wait. Not
    /// waited for are calls of run() that are not the timer's. Takes time in proportion to the
    /// number of timers in the process.
    ///
    /// It never returns if the run that it waits for cannot end: as the run waits for a lock that
    /// the caller holds; or for the caller itself, as two tasks of two timers do that call this for
    /// each other; or for the time of a ManualClock, which stands still while the caller, a task on
    /// that clock, is busy.
    /// \returns what cancel() does, an overridden one too
    bool cancelAndWait();

    /// The time for which the current or the last run was scheduled: milliseconds since 1970 on the
    /// timer's clock, rounded down. Inside `run()`, compare it with the present time to learn how
    /// late the run is.
    ///
    /// - One-shot: the time that was asked for, always.
    /// - Fixed rate: the first time plus a multiple of the period, exactly, however late.
    /// - Fixed delay: the time at which the timer began the run, less the time for which
    ///   TimerOptions::tolerance has made it wait.
    /// - A repeating task before its first run: the first time minus the period.
    /// - A task that was never scheduled: 0.
    ///
    /// Cancelling the task or the timer does not change it. No Timer ever calls it.
    [[nodiscard]] virtual std::int64_t scheduledExecutionTime() const;

    /// Inside run(), of a task scheduled with MissedRuns::Skip or Once: how many runs were dropped,
    /// or merged into this one, since the run before it. Elsewhere 0.
    [[nodiscard]] std::uint64_t missedRuns() const noexcept;

    /// Whether it has been scheduled, is not cancelled and, if it runs but once, has not begun to
    /// run. Discarded by Timer::cancel, a task stays scheduled, as in Java. Another thread may
    /// change the answer before it arrives: to act on it, act on what cancel() returns.
    [[nodiscard]] bool isScheduled() const noexcept;

    /// Whether cancel() has been called. Once true, it stays true. A long run may ask whether it
    /// should end early.
    [[nodiscard]] bool isCancelled() const noexcept;

    /// The name that reports use for the task: uncaught exceptions, slow runs, and what ~Timer is
    /// waiting for. Empty at first. The reference holds until the name is set again or the task is
    /// destroyed.
    [[nodiscard]] const std::string& name() const;

    /// Names the task. Must be called before it is scheduled or cancelled. Names need not be
    /// unique. A task without a name has no memory for one.
    /// \throws IllegalStateException "Task already scheduled or cancelled"
    void setName(std::string name);

  protected:
    TimerTask() noexcept = default;

  private:
    friend struct detail::TaskAccess;

    // No other private names, so that none hides a name of a derived class's own surroundings.

    /// Destroys what a callable has captured before the task itself is destroyed: on a timer with
    /// removeOnCancel, although handles may keep the task. Called at most once, when the task is
    /// cancelled and the timer cannot be running it.
    virtual void jtimerRelease() noexcept;

    detail::TaskState jtimerState_;
};

}  // namespace jtimer
