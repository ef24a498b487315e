// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <jtimer/detail/compiler.hpp>
#include <jtimer/jdk/detail/task_state.hpp>
#include <jtimer/time.hpp>

#include <cstdint>
#include <string>

namespace jtimer {

namespace detail {
struct TaskAccess;
}

/// A task that a Timer runs, once or repeatedly. Derive from it and override `run()`:
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
/// **One life.** A task can be scheduled once, on one timer. A second attempt, on any timer, before
/// or after the task has run or been cancelled, throws IllegalStateException. Make a new task
/// instead.
///
/// **Ownership.** Tasks are held by `std::shared_ptr`. The timer keeps one reference while the task
/// is queued. It drops the reference when a one-shot has run, when a cancelled task leaves the
/// queue (at its time, by Timer::purge, or at once with TimerOptions::removeOnCancel), at
/// Timer::cancel and Timer::shutdownNow, and when the timer's thread ends. A task is destroyed on
/// the thread that drops the last reference, never under a lock of the library.
///
/// **Threads.** Every function may be called from any thread, and inside any `run()`. Only
/// cancelAndWait() waits.
class JTIMER_API TimerTask {
  public:
    TimerTask(const TimerTask&) = delete;
    TimerTask& operator=(const TimerTask&) = delete;
    virtual ~TimerTask();

    /// The work. The timer calls it on its thread, one task at a time, with no lock held: it may
    /// call any function of any timer or task. It sees what was written before `schedule`, and each
    /// run sees what the previous run wrote.
    ///
    /// By default, an exception that leaves it ends the timer; see Timer, "Exceptions". You may
    /// call run() yourself; that changes nothing. Do not do so for a callable that may be cancelled
    /// at the same time on a timer with removeOnCancel: the cancellation destroys what the callable
    /// captured.
    virtual void run() = 0;

    /// Cancels this task. A run in progress completes; it is never interrupted.
    ///
    /// \returns whether this call prevented at least one future run: true the first time for a
    ///   one-shot that has not begun, and for a repeating task; false the second time, for a
    ///   one-shot that has begun, and for a task that was never scheduled (and now never can be)
    ///
    /// For a one-shot, either `run()` is called or a `cancel()` returns true, never both. A
    /// repeating task may begin one more run just after a `cancel()` on another thread; a
    /// `cancel()` inside its own `run()` makes that run the last. For a task that Timer::cancel has
    /// discarded, it still returns true.
    ///
    /// By default it is one compare-and-swap: it takes no lock, does not wake the timer's thread,
    /// and leaves the task in the queue until its time, or until Timer::purge. Only if a destructor
    /// of Timer is waiting for this task does it wake the timer's thread, which then drops the
    /// task. It takes the timer's lock for a task with MissedRuns::Skip or Once, for one of
    /// Timer::scheduleBy, and for a repeating task on a timer with a taskExceptionHandler. With
    /// TimerOptions::removeOnCancel, the task leaves the queue at once. The timer itself never
    /// calls this function: overriding it does not change what the timer does.
    virtual bool cancel();

    /// Calls cancel(), and waits until no run of this task is in progress or can begin: the caller
    /// may then destroy what the task uses. By then, any exception of that run has been reported.
    ///
    /// It does not wait inside the task's own run, or elsewhere on the thread that is running it,
    /// nor for calls of run() that the timer did not make. Takes time in proportion to the number
    /// of timers in the process.
    ///
    /// It never returns if the run cannot end: because the run waits for a lock that the caller
    /// holds; or for the caller itself, as when two tasks of two timers call this for each other;
    /// or for the time of a ManualClock, which stands still while the caller, a task on that clock,
    /// is running.
    /// \returns what cancel() returns, even if it is overridden
    bool cancelAndWait();

    /// Gives a repeating task another period. The next run stays at its time, and the runs after it
    /// follow by the new period, as the timer reads the period when it begins a run: from inside
    /// run(), a call takes effect after the next run. To run sooner, cancel the task and schedule a
    /// new one.
    ///
    /// A fixed rate counts from the time of that next run, and a fixed delay from its begin.
    /// Neither becomes the other, and scheduledExecutionTime() does not change. A task with
    /// MissedRuns::Skip or Once that is late counts the missed runs by the new period, from the run
    /// that is queued.
    ///
    /// For a task that has been cancelled, or that Timer::cancel has discarded, it has no effect.
    /// If several threads call it, the last call wins; a call while a run begins counts from that
    /// run or from the next. It takes no lock, allocates nothing and wakes no thread.
    ///
    /// Ports the assignment of the private field `period` by reflection, for which Java needs
    /// `--add-opens java.base/java.util=ALL-UNNAMED`; there, a positive value makes a fixed delay a
    /// fixed rate.
    /// \param period an integer in milliseconds, or any std::chrono duration. More than nine years
    ///   are rounded up to a multiple of 64 ns
    /// \throws IllegalArgumentException "Non-positive period."
    /// \throws IllegalStateException "The task does not repeat." if the task has not been scheduled
    ///   yet, is or was a one-shot, or has been scheduled by Timer::scheduleBy
    void setPeriod(TimeSpan period);

    /// The time for which the current or the last run was scheduled: milliseconds since 1970 on the
    /// timer's clock, rounded down. Inside `run()`, compare it with the current time to learn how
    /// late the run is.
    ///
    /// - One-shot: always the time that was asked for.
    /// - Fixed rate: exactly the first time plus a multiple of the period, however late the run.
    /// - By a rule: the rule's time; before the first run, the first.
    /// - Fixed delay: the time at which the timer began the run, less any wait that
    ///   TimerOptions::tolerance caused.
    /// - A repeating task before its first run: the first time minus the period.
    /// - A task that was never scheduled: 0.
    ///
    /// Cancelling the task or the timer does not change it. A Timer never calls it.
    [[nodiscard]] virtual std::int64_t scheduledExecutionTime() const;

    /// Inside run() of a task scheduled with MissedRuns::Skip or Once: how many runs were dropped,
    /// or merged into this one, since the previous run. Otherwise 0.
    [[nodiscard]] std::uint64_t missedRuns() const noexcept;

    /// Whether the task has been scheduled, is not cancelled and, if it is a one-shot, has not
    /// begun to run. A task that Timer::cancel discards stays scheduled, as in Java. Another thread
    /// may change the state before this returns: code that depends on it should use the result of
    /// cancel() instead.
    [[nodiscard]] bool isScheduled() const noexcept;

    /// Whether cancel() has been called. Once true, it stays true. A long run can check it to end
    /// early.
    [[nodiscard]] bool isCancelled() const noexcept;

    /// The name that reports use for the task: uncaught exceptions, slow runs, and what ~Timer is
    /// waiting for. Initially empty. The reference is valid until the name is set again or the task
    /// is destroyed.
    [[nodiscard]] const std::string& name() const;

    /// Names the task. Call it before the task is scheduled or cancelled. Names need not be unique.
    /// A task without a name takes no memory for one.
    /// \throws IllegalStateException "Task already scheduled or cancelled"
    void setName(std::string name);

  protected:
    TimerTask() noexcept = default;

  private:
    friend struct detail::TaskAccess;

    // No other private names, so that none hides a name in the scope around a derived class.

    /// On a timer with removeOnCancel, destroys what a callable captured, even while handles keep
    /// the task. Called at most once, when the task is cancelled and the timer cannot be running
    /// it.
    virtual void jtimerRelease() noexcept;

    detail::TaskState jtimerState_;
};

}  // namespace jtimer
