// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <jtimer/detail/compiler.hpp>
#include <jtimer/jdk/detail/advice.hpp>
#include <jtimer/jdk/detail/constructor_argument.hpp>
#include <jtimer/jdk/detail/task_argument.hpp>
#include <jtimer/jdk/timer_options.hpp>
#include <jtimer/jdk/timer_stats.hpp>
#include <jtimer/jdk/timer_task.hpp>
#include <jtimer/missed_runs.hpp>
#include <jtimer/rule.hpp>
#include <jtimer/time.hpp>

#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace jtimer {

namespace detail {
class TimerImpl;
}

/// java.util.Timer: one thread that runs tasks at their times, once or repeatedly.
///
/// \code
/// jtimer::Timer timer("backup");
/// timer.schedule([] { std::puts("once, in half a second"); }, 500);
/// timer.scheduleAtFixedRate([] { std::puts("every second"); }, 0, 1000);
/// \endcode
///
/// **One thread.** All tasks of a timer run on its thread, one at a time, in order of their times.
/// A task should be short: while it runs, others wait. If each run schedules the next for a time in
/// the past, no task runs that is due later. Two timers are independent.
///
/// **Never early.** A task runs at its time on the timer's clock, or later. Tasks due at the same
/// nanosecond run in the order of the JDK's heap, which is not the order of the calls; with
/// Ties::Fifo they run in the order of the calls.
///
/// **Fixed delay and fixed rate** differ in what happens after a late run. With a period of 100 and
/// a first run that lasts until 250 (`#`):
///
///     time         0         100       200       300       400       runs begin at
///     fixed delay  |#########################|         |         |   0, 250, 350, 450
///     fixed rate   |#########################||   |         |        0, 250, 250, 300, 400
///
/// - *Fixed delay* (`schedule` with a period): the next run is due one period after this one
///   *began*. A late run delays all later ones, and no run is made up for. Choose it to keep runs
///   apart, as in polling.
/// - *Fixed rate* (`scheduleAtFixedRate`): the runs are due at first, first + period, first + 2
///   periods and so on. Missed runs follow back to back, or as MissedRuns says. Choose it to keep
///   the number of runs right, as in a clock.
///
/// **Exceptions.** An exception that leaves `run()` ends the timer, as in Java: no other task runs,
/// every later `schedule` throws IllegalStateException, and TimerOptions::uncaughtExceptionHandler
/// is called. The process goes on. Catch inside `run()` to keep the timer alive, or choose another
/// TimerOptions::onException.
///
/// **Threads.** Every function may be called from any thread, and inside any task. The destructor
/// may run inside a task of this timer, even while the `schedule` that queued the task is still
/// returning; elsewhere, only when no other thread is inside a call. While the destructor waits,
/// tasks may still use the timer.
///
/// The timer's thread inherits the signal mask of the thread that creates the timer. Signal
/// handlers may run on it; they end no wait early. After fork() the child has no timer thread: it
/// may only destroy the timer and cancel its tasks. If a task forks and returns in the child too,
/// the child ends there. pthread_atfork handlers may use timers.
///
/// **Cost.** `schedule` and choosing the next task take O(log n) for n pending tasks,
/// TimerTask::cancel O(1), or O(log n) with removeOnCancel, and `purge` O(n). An idle timer uses no
/// CPU and never wakes up.
class JTIMER_API Timer final : private detail::CallAdvice {
  public:
    /// Starts the thread, as every constructor does. Not a daemon. Named "Timer-0", "Timer-1", ...,
    /// counting the unnamed timers of the process.
    /// \throws std::system_error if the thread cannot be started; nothing is left behind
    Timer();
    /// \param isDaemon what the destructor does with outstanding tasks: true discards them, false
    ///   waits until they have run
    explicit Timer(bool isDaemon);
    ///@{
    /// \param name kept in full; the OS thread carries its first 15 bytes
    /// \throws NullPointerException "name cannot be null"
    explicit Timer(const char* name);
    Timer(const char* name, bool isDaemon);
    /// \param clock the source of the time, see TimerOptions::clock; in a test, a ManualClock
    Timer(const char* name, bool isDaemon, std::shared_ptr<Clock> clock);
    /// A std::string. Templates, which braces do not match, so that these are TimerOptions.
    template <class String, detail::IfString<String> = 0>
    explicit Timer(String&& name) : Timer(optionsFor(std::forward<String>(name), false)) {}
    template <class String, detail::IfString<String> = 0>
    Timer(String&& name, bool isDaemon, std::shared_ptr<Clock> clock = nullptr)
        : Timer(optionsFor(std::forward<String>(name), isDaemon, std::move(clock))) {}
    ///@}
    /// \throws IllegalArgumentException if the tolerance, the timer slack or the threshold of slow
    ///   tasks is negative
    /// \throws what TimerOptions::onThreadStart throws
    explicit Timer(TimerOptions options);
    /// Only a `bool` is accepted as the flag: pointers, numbers and strings do not convert to it.
    template <class T, std::enable_if_t<detail::convertsToFlag<T>, int> = 0>
    explicit Timer(T isDaemon) = delete;
    template <class Name, class T, class... Clocks,
              std::enable_if_t<!std::is_same_v<T, bool>, int> = 0>
    Timer(Name&& name, T isDaemon, Clocks&&... clock) = delete;

    Timer(const Timer&) = delete;
    Timer& operator=(const Timer&) = delete;

    /// Stops accepting tasks and returns when the thread has ended.
    ///
    /// - Not a daemon: waits until every outstanding task has run at its time. A repeating task
    ///   runs until it is cancelled. The wait ends when no outstanding task is left.
    /// - A daemon, or cancelled: discards the queue and waits only for the running task.
    /// - Ended by an exception: returns at once.
    ///
    /// If it has waited five seconds for a repeating task to be cancelled, for a single run to end,
    /// or for a ManualClock, it says so once: see setWaitReportHandler().
    ///
    /// If a task calls `schedule` on this timer meanwhile, that throws IllegalStateException. If
    /// the exception leaves the task, the handler is called, and the other tasks still run.
    ///
    /// On the timer's own thread (a task owned the last reference), and after detach(), the
    /// destructor returns at once, and the thread ends on its own by the same rules. In a forked
    /// child it does nothing. It is not a cancellation point.
    ~Timer();

    /// Runs `task` once, at `when`; as soon as possible if that is in the past. Wakes the thread
    /// only if the task is now the next one to run.
    ///
    /// \param task a `std::shared_ptr` to a TimerTask or to a class derived from it; or any
    ///   callable without a parameter or with one of type `jtimer::TimerTask&`, which is the task
    ///   itself: `[](jtimer::TimerTask& self) { if (isOver()) self.cancel(); }`
    /// \param when a delay from now, in milliseconds or as a std::chrono duration; or a Date
    /// \returns the task, so that it can be cancelled. The result may be ignored.
    /// \throws IllegalArgumentException "Negative delay."; "Illegal execution time." if the time is
    ///   before 1970 or beyond Java's range
    /// \throws IllegalStateException "Timer already cancelled."; or, of the task, "Task already
    ///   scheduled or cancelled"
    /// \throws NullPointerException "task cannot be null"
    /// \throws RejectedExecutionException "Number of pending tasks (P) is greater than or equal to
    ///   maximum allowed pending tasks (M)": see TimerOptions::maxPending
    /// \throws std::bad_alloc
    ///
    /// The conditions are checked in this order: delay, period, time, timer, null, pending tasks,
    /// state of the task. A call that throws has changed nothing.
    std::shared_ptr<TimerTask> schedule(detail::TaskArgument task, When when);

    /// Runs `task` at `firstTime` and then repeatedly with a fixed delay, see above.
    /// \param period milliseconds, or a std::chrono duration
    /// \throws IllegalArgumentException also "Non-positive period."; otherwise as for a single run
    std::shared_ptr<TimerTask> schedule(detail::TaskArgument task, When firstTime, TimeSpan period);

    /// Runs `task` at `firstTime` and then repeatedly at a fixed rate, see above. If the first time
    /// is in the past, the runs missed since then follow at once, back to back.
    /// \throws as schedule() with a period
    std::shared_ptr<TimerTask> scheduleAtFixedRate(detail::TaskArgument task, When firstTime,
                                                   TimeSpan period);

    /// As above; `missed` says what happens to missed runs. With Skip or Once, the task takes extra
    /// memory, and its cancel() takes the timer's lock.
    std::shared_ptr<TimerTask> scheduleAtFixedRate(detail::TaskArgument task, When firstTime,
                                                   TimeSpan period, MissedRuns missed);

    /// Runs `task` at the times of a Rule on the timer's clock, such as those of a Cron:
    /// `timer.scheduleBy(backUp, Cron("30 2 * * mon-fri", Zone("Europe/Berlin")))`. In all else the
    /// task is as one at a fixed rate with `missed`, and takes the memory of that.
    /// \throws NullPointerException "rule cannot be null", first; what the rule throws; as schedule()
    std::shared_ptr<TimerTask> scheduleBy(detail::TaskArgument task, Rule rule,
                                          MissedRuns missed = MissedRuns::Once);

    ///@{ Deleted overloads, for advice: a call on a temporary or a const Timer, or without a time.
    using detail::CallAdvice::schedule;
    using detail::CallAdvice::scheduleAtFixedRate;
    using detail::CallAdvice::scheduleBy;
    ///@}

    /// Discards all queued tasks and accepts no more. A running task completes normally, and then
    /// the thread ends; this call does not wait for that. May be called again.
    ///
    /// If a task of this timer makes the call, its run is the last. Otherwise one more run may
    /// begin just after the call, if the thread had already chosen it; once the destructor has
    /// returned, none can. Discarded tasks are not marked as cancelled. They are destroyed on the
    /// calling thread.
    void cancel();

    /// As cancel(), but returns the discarded tasks. Unless cancel() came before, each accepted
    /// task has begun to run, is returned here, or was cancelled; none is lost, whatever other
    /// threads schedule meanwhile. Takes O(n log n).
    /// \returns the discarded tasks, in the order in which they would have run, each marked as
    ///   cancelled. A repeating task that is running is among them: this run is its last.
    /// \throws std::bad_alloc, with nothing changed
    std::vector<std::shared_ptr<TimerTask>> shutdownNow();

    /// Waits until the thread is done: no task will run any more, and every exception has been
    /// reported. It does not stop the timer: call cancel() or shutdownNow() first, or let another
    /// thread do so.
    /// \param timeout in real time, whatever the timer's clock; 0 or less does not wait
    /// \returns false if the thread was not done by then
    /// \throws IllegalStateException "A timer's thread cannot wait for its own end." in a task of
    ///   this timer
    [[nodiscard]] bool awaitTermination(TimeSpan timeout);

    /// From now on the destructor does not wait for the thread, which ends on its own. In all else
    /// the destructor is unchanged: a timer that is not a daemon still runs its outstanding tasks.
    /// Until it is destroyed, the timer can be used as before. May be called again.
    ///
    /// Call it if the code that destroys the timer holds a lock that a task may be waiting for, as
    /// ported code may: in Java `timer = null` never waits. Everything that the tasks use must then
    /// outlive their runs; for example, each task holds a `std::shared_ptr` to it.
    void detach();

    /// Removes all cancelled tasks from the queue and destroys them on the calling thread, which
    /// frees their memory before they are due. May change the order of tasks that are due at the
    /// same nanosecond. Other threads neither wait for the destructors nor see a purge half done.
    /// \returns the number of tasks removed
    int purge();

    /// The full name, as given.
    [[nodiscard]] const std::string& name() const noexcept;

    /// The timer's clock, never null. To test code that asks its timer for the time,
    /// `timer.clock()->now()`, give the timer a ManualClock.
    [[nodiscard]] const std::shared_ptr<Clock>& clock() const noexcept;

    /// What the timer has done so far, how many tasks it holds, and how late runs began. Always
    /// collected; may be called at any time, even after the timer's end.
    /// \throws what a user's Clock throws
    [[nodiscard]] TimerStats stats() const;

  private:
    static TimerOptions optionsFor(std::string name, bool isDaemon,
                                   std::shared_ptr<Clock> clock = nullptr);

    enum class Repeat { Once, FixedDelay, FixedRate };

    /// The common part of the scheduling calls. Checks the times here and the states under the
    /// monitor.
    JTIMER_LOCAL std::shared_ptr<TimerTask> sched(detail::TaskArgument& task, When when,
                                                  Repeat repeat, detail::MillisAndNanos period,
                                                  MissedRuns missed = MissedRuns::Burst);

    /// Shared with the thread, which may outlive this object.
    const std::shared_ptr<detail::TimerImpl> impl_;
    const bool isDaemon_;
};

}  // namespace jtimer
