// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <jtimer/detail/advice.hpp>
#include <jtimer/detail/export.hpp>
#include <jtimer/detail/task_argument.hpp>
#include <jtimer/exceptions.hpp>
#include <jtimer/make_task.hpp>
#include <jtimer/missed_runs.hpp>
#include <jtimer/scoped_task.hpp>
#include <jtimer/time.hpp>
#include <jtimer/timer_options.hpp>
#include <jtimer/timer_stats.hpp>
#include <jtimer/timer_task.hpp>

#include <memory>
#include <string>
#include <type_traits>
#include <vector>

namespace jtimer {

namespace detail {

class TimerThread;

/// Whether a T that is neither a `bool` nor a name would convert to one.
template <class T>
inline constexpr bool convertsToFlag =
    !std::is_same_v<T, bool> && std::is_convertible_v<T, bool> &&
    !std::is_convertible_v<T, const char*> && !std::is_convertible_v<T, std::string> &&
    !std::is_same_v<T, TimerOptions>;

}  // namespace detail

/// java.util.Timer: one thread that runs tasks at their times, once or repeatedly.
///
/// \code
/// jtimer::Timer timer("backup");
/// timer.schedule([] { std::puts("once, in half a second"); }, 500);
/// timer.scheduleAtFixedRate([] { std::puts("every second"); }, 0, 1000);
/// \endcode
///
/// **One thread.** All tasks of a timer run on its thread, one at a time, in order of their times.
/// A task should be short: while it runs, others wait. Two timers are independent.
///
/// **Never early.** A task runs when its time has come on the timer's clock, or later. Tasks due at
/// the same nanosecond run in the order that the JDK's heap gives them, which is not the order of
/// the calls, or with Ties::Fifo in the order of the calls.
///
/// **Fixed delay and fixed rate** differ in what happens after a late run. With a period of 100 and
/// a first run that takes until 250 (`#`):
///
///     time         0         100       200       300       400       runs begin at
///     fixed delay  |#########################|         |         |   0, 250, 350, 450
///     fixed rate   |#########################||   |         |        0, 250, 250, 300, 400
///
/// - *Fixed delay* (`schedule` with a period): the next run is due one period after this one
///   *began*. Late runs postpone the later ones; none is made up for. Choose it where runs must
///   keep their distance, as in polling.
/// - *Fixed rate* (`scheduleAtFixedRate`): the runs are due at first, first + period, first + 2
///   periods and so on. Missed runs follow back to back, or as MissedRuns says. Choose it where
///   runs must keep their count, as in a clock.
///
/// **Exceptions.** An exception that leaves `run()` ends the timer, as in Java: no other task runs,
/// every later `schedule` throws IllegalStateException, and TimerOptions::uncaughtExceptionHandler
/// is called. The process goes on. Catch inside `run()` to keep the timer alive, or choose another
/// TimerOptions::onException.
///
/// **Threads.** Every function may be called from any thread, and inside any task. The destructor
/// may run inside a task of this timer, even while the `schedule` that queued the task is still
/// returning; elsewhere, only when no other thread is inside a call. While the destructor waits,
/// tasks may go on using the timer.
///
/// The timer's thread inherits the signal mask of the thread that makes the timer. A handler of the
/// process may run on it; that ends no wait early. After fork() the child has no timer thread:
/// there a timer may only be destroyed, and its tasks cancelled. Handlers of pthread_atfork may use
/// timers.
///
/// **Cost.** `schedule` and choosing the next task take O(log n) for n pending tasks,
/// TimerTask::cancel O(1), or O(log n) with removeOnCancel, and `purge` O(n). An idle timer uses no
/// CPU and never wakes up. Two callables of one size that a thread schedules one after another
/// share a block of memory, which is freed when both are destroyed and no handle to either is left:
/// so a callable may keep as much memory again as it needs.
class JTIMER_API Timer final {
  public:
    /// Starts the thread, as every constructor does. Not a daemon; named "Timer-0", "Timer-1", ...,
    /// counting the unnamed timers of the process.
    /// \throws std::system_error if the thread cannot be started; nothing is left behind
    Timer();
    /// \param isDaemon what the destructor does with outstanding tasks: true discards them, false
    ///   waits until they have run
    explicit Timer(bool isDaemon);
    ///@{
    /// \param name kept as it is; the thread carries its first 15 bytes
    /// \throws NullPointerException "name cannot be null"
    explicit Timer(const char* name);
    Timer(const char* name, bool isDaemon);
    explicit Timer(std::string name);
    Timer(std::string name, bool isDaemon);
    /// \param clock where the time comes from, see TimerOptions::clock: for a test, a ManualClock
    Timer(const char* name, bool isDaemon, std::shared_ptr<Clock> clock);
    Timer(std::string name, bool isDaemon, std::shared_ptr<Clock> clock);
    ///@}
    /// \throws IllegalArgumentException if the tolerance, the timer slack or the threshold of slow
    ///   tasks is negative
    /// \throws what TimerOptions::onThreadStart throws
    explicit Timer(TimerOptions options);
    /// Only a `bool` is a flag: no pointer, number or string becomes one by conversion.
    template <class T, std::enable_if_t<detail::convertsToFlag<T>, int> = 0>
    explicit Timer(T isDaemon) = delete;
    template <class Name, class T, class... Clocks,
              std::enable_if_t<!std::is_same_v<T, bool>, int> = 0>
    Timer(Name&& name, T isDaemon, Clocks&&... clock) = delete;

    Timer(const Timer&) = delete;
    Timer& operator=(const Timer&) = delete;

    /// Accepts no new tasks and returns when the thread has ended, which in Java is up to the
    /// garbage collector or the end of the JVM:
    ///
    /// - Not a daemon: waits until every outstanding task has run at its time. A repeating task
    ///   runs until it is cancelled. When the last outstanding task is cancelled, the wait ends at
    ///   once.
    /// - A daemon, or cancelled: discards the queue and waits only for the running task.
    /// - Ended by an exception: returns at once.
    ///
    /// After five seconds of waiting for a repeating task to be cancelled, or for a run that has
    /// taken the last of them, the destructor says so once on std::cerr, with the names of timer
    /// and task.
    ///
    /// A task that calls `schedule` on this timer meanwhile gets an IllegalStateException. If that
    /// leaves the task, the handler is told, and the other tasks still run.
    ///
    /// On the timer's own thread (a task owned the last reference), and after detach(), the
    /// destructor returns at once, and the thread ends by itself under the same rules. In a forked
    /// child it does nothing. It is not a cancellation point.
    ~Timer();

    /// Runs `task` once, at `when`; as soon as possible if that is in the past. Wakes the thread
    /// only if the task is now the next one to run.
    ///
    /// \param task a `std::shared_ptr` to a TimerTask or to a class derived from it; or any callable,
    ///   without a parameter or with one of type `jtimer::TimerTask&`, which is the task itself:
    ///   `[](jtimer::TimerTask& self) { if (isOver()) self.cancel(); }`
    /// \param when a delay from now, in milliseconds or as a std::chrono duration; or a Date
    /// \returns the task, the handle to cancel it with. The result may be ignored.
    /// \throws IllegalArgumentException "Negative delay."; "Illegal execution time." if the time is
    ///   before 1970 or beyond Java's range
    /// \throws IllegalStateException "Timer already cancelled."; or, of the task, "Task already
    ///   scheduled or cancelled"
    /// \throws NullPointerException "task cannot be null"
    /// \throws RejectedExecutionException "Number of pending tasks (P) is greater than or equal to
    ///   maximum allowed pending tasks (M)": see TimerOptions::maxPending
    /// \throws std::bad_alloc
    ///
    /// The first condition that fails decides: delay, period, time, timer, null, pending tasks,
    /// state of the task. A call that throws has changed nothing.
    std::shared_ptr<TimerTask> schedule(detail::TaskArgument task, When when);

    /// Runs `task` at `firstTime` and then repeatedly with a fixed delay, see above.
    /// \param period milliseconds, or a std::chrono duration
    /// \throws IllegalArgumentException also "Non-positive period."; else as for a single run
    std::shared_ptr<TimerTask> schedule(detail::TaskArgument task, When firstTime, TimeSpan period);

    /// Runs `task` at `firstTime` and then repeatedly at a fixed rate, see above. With a first time
    /// in the past, the runs missed since then follow at once, back to back.
    /// \throws as schedule() with a period
    std::shared_ptr<TimerTask> scheduleAtFixedRate(detail::TaskArgument task, When firstTime,
                                                   TimeSpan period);

    /// The same with a choice of what becomes of runs that are missed. With Skip or Once, the task
    /// has memory of its own for it, and its cancel() takes the timer's lock.
    std::shared_ptr<TimerTask> scheduleAtFixedRate(detail::TaskArgument task, When firstTime,
                                                   TimeSpan period, MissedRuns missed);

    ///@{ Not on a temporary: its destructor would at once wait for the task, or discard it.
    template <class... T>
    detail::write_a_variable_of_type_Timer_not_a_temporary schedule(T&&...) && = delete;
    template <class... T>
    detail::write_a_variable_of_type_Timer_not_a_temporary scheduleAtFixedRate(T&&...) && = delete;
    ///@}

    /// Discards all queued tasks and accepts no more. A running task ends normally, and then the
    /// thread ends; this call does not wait for it. May be repeated.
    ///
    /// Called inside a task of this timer, that run is the last. Called elsewhere, one more run may
    /// begin just afterwards, if it was decided just before; when the destructor has returned, none
    /// can. Discarded tasks are not marked as cancelled, and are destroyed on the calling thread.
    void cancel();

    /// cancel() that accounts for what it discards: each task that was accepted has run, is
    /// returned here, or was cancelled before; none is lost, whatever other threads schedule
    /// meanwhile. Takes O(n log n).
    /// \returns the discarded tasks, in the order in which they would have run, each marked as
    ///   cancelled. A repeating task that is running is among them: that run is its last.
    /// \throws std::bad_alloc, with nothing changed
    std::vector<std::shared_ptr<TimerTask>> shutdownNow();

    /// Waits until the thread is done: no task will run any more, and what an exception has to say
    /// has been reported. It ends nothing by itself: call cancel() or shutdownNow() first, or let
    /// another thread do so.
    /// \param timeout in real time, whatever the timer's clock; with 0 or less it only looks
    /// \returns false if the thread was not done by then
    /// \throws IllegalStateException "A timer's thread cannot wait for its own end." in a task of
    ///   this timer
    bool awaitTermination(TimeSpan timeout);

    /// Lets the thread end by itself: from now on the destructor does not wait for it, and
    /// otherwise does what it does. So a timer that is not a daemon still runs what is outstanding.
    /// Until then the timer can be used as before. May be repeated.
    ///
    /// For code that destroys its timer with a lock held that a task may be waiting for, as ported
    /// code does: in Java `timer = null` never waits. What the tasks use must then live until their
    /// runs are over, for example by a `std::shared_ptr` in each task.
    void detach();

    /// Removes all cancelled tasks from the queue and destroys them, on the calling thread, so that
    /// their memory is free before their time. May change the order of tasks that are due at the
    /// same nanosecond. No other thread waits for their destructors, or finds a purge half done.
    /// \returns how many there were
    int purge();

    /// The full name, as given.
    [[nodiscard]] const std::string& name() const noexcept;

    /// The clock that the timer runs on, never null: code that asks its timer for the time,
    /// `timer.clock()->now()`, is tested by giving the timer a ManualClock.
    [[nodiscard]] const std::shared_ptr<Clock>& clock() const noexcept;

    /// What the timer has done so far, how full and how late it is. Always on; may be asked at any
    /// time, also after the timer's end.
    /// \throws what a user's Clock throws
    [[nodiscard]] TimerStats stats() const;

  private:
    enum class Repeat { Once, FixedDelay, FixedRate };

    /// What the calls that schedule share: checks the times; the states come under the monitor.
    JTIMER_LOCAL std::shared_ptr<TimerTask> sched(detail::TaskArgument& task, When when,
                                                  Repeat repeat, detail::MillisAndNanos period,
                                                  MissedRuns missed = MissedRuns::Burst);

    /// Shared with the thread, which may outlive this object.
    const std::shared_ptr<detail::TimerThread> thread_;
    const bool isDaemon_;
};

}  // namespace jtimer
