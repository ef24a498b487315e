// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <jtimer/detail/export.hpp>
#include <jtimer/detail/task_argument.hpp>
#include <jtimer/exceptions.hpp>
#include <jtimer/time_arguments.hpp>
#include <jtimer/timer_options.hpp>
#include <jtimer/timer_task.hpp>

#include <memory>
#include <string>
#include <type_traits>

namespace jtimer {

class TimerThread;

/// java.util.Timer: one thread that runs tasks at their times, once or repeatedly.
///
/// \code
/// jtimer::Timer timer("backup");
/// timer.schedule([] { std::puts("once, in half a second"); }, 500);
/// timer.scheduleAtFixedRate([] { std::puts("every second"); }, 0, 1000);
/// \endcode
///
/// **One thread.** All tasks of a timer run on its one thread, one at a time, in order of time
/// (J11, J88). A task should be short: while it runs, what comes due waits. Two timers are
/// independent (J12).
///
/// **Never early.** A task runs when its time has come on the timer's clock, or later; never before
/// (J102). Tasks due at the same nanosecond run in the order that the JDK's heap gives, which is
/// not the order of the calls (J89-J94).
///
/// **Fixed delay and fixed rate** differ in what happens after a late run. A period of 100, and a
/// first run that stalls until 250 (`#` running):
///
///     time         0         100       200       300       400       runs begin at
///     fixed delay  |#########################|         |         |   0, 250, 350, 450
///     fixed rate   |#########################||   |         |        0, 250, 250, 300, 400
///
/// With *fixed delay* (`schedule` with a period) the next run is due one period after this one
/// *began*: late runs push the later ones back, none are made up for. Choose it for what must keep
/// its distance, such as polling. With *fixed rate* (`scheduleAtFixedRate`) the runs are due at
/// first, first + period, first + 2 periods and so on: runs missed are made up for, back to back.
/// Choose it for what must keep its count, such as a clock. A first time in the past makes one run
/// at once, or all the missed ones at once (J103-J110).
///
/// **Exceptions.** An exception that leaves a task's `run()` ends the timer, as in Java: no other
/// task runs, every later `schedule` throws IllegalStateException, and the exception goes to the
/// TimerOptions::uncaughtExceptionHandler (J119-J124). The process goes on (J126). Catch inside
/// `run()` to keep the timer alive.
///
/// **Threads.** Every function may be called from any thread, and from inside any task (J141,
/// J143). So may the destructor: by a task even while the `schedule` that queued it is still
/// returning, otherwise when no other thread is inside a call. While it waits, its tasks may go on
/// using the timer. After fork() the child has no timer thread: a timer must not be used there
/// (C11).
///
/// **Cost.** `schedule` and the choice of the next task are O(log n) in the pending tasks;
/// TimerTask::cancel is O(1); `purge` is O(n). An idle timer uses no CPU and never wakes up (J14).
class JTIMER_API Timer {
  public:
    /// Not a daemon, named "Timer-0", "Timer-1", ...: the number counts up over the process, for
    /// each Timer made without a name (J2-J5). Every constructor starts the thread (J1).
    /// \throws std::system_error if the thread cannot be started; nothing is left behind (C10)
    Timer();
    /// \param isDaemon what the destructor does with outstanding tasks: true discards them
    explicit Timer(bool isDaemon);
    /// \throws NullPointerException "name cannot be null"
    explicit Timer(const char* name);
    Timer(const char* name, bool isDaemon);
    explicit Timer(std::string name);
    Timer(std::string name, bool isDaemon);
    /// \throws IllegalArgumentException if the tolerance or the timer slack is negative
    explicit Timer(TimerOptions options);
    /// A pointer is not a flag: only `const char*` is a name, and no other pointer is taken for
    /// `true`.
    template <class T, class = std::enable_if_t<!std::is_same_v<std::remove_cv_t<T>, char>>>
    explicit Timer(T*) = delete;

    Timer(const Timer&) = delete;
    Timer& operator=(const Timer&) = delete;

    /// The end of the timer, as the JVM's end or the garbage collector is in Java (C2). It accepts
    /// no new tasks, and returns when the thread has ended:
    ///
    /// - not a daemon: waits until every outstanding task has run at its time; a repeating task
    /// runs
    ///   on until it is cancelled. Nothing scheduled is lost in silence. After five seconds of
    ///   waiting for a repeating task it says so once on std::cerr.
    /// - daemon, or already cancelled: discards what is queued and waits only for the task that is
    /// running.
    /// - ended by an exception: returns at once.
    ///
    /// On the timer's own thread (a task owned the last reference) it cannot wait: it returns at
    /// once, and the thread ends by itself under the same rules.
    ~Timer();

    /// Runs `task` once, at `when`; at once if that lies in the past.
    ///
    /// \param task a `std::shared_ptr` to a TimerTask or a class derived from it, or any callable
    /// \param when a delay from now, in milliseconds or as a std::chrono duration; or a Date
    /// \returns the task: the handle to cancel it with. It may be thrown away.
    ///
    /// Wakes the thread only if the task is now the next one to run (J146).
    ///
    /// \throws IllegalArgumentException "Negative delay."; "Illegal execution time." if the time is
    ///   negative or beyond Java's range (J15-J19)
    /// \throws IllegalStateException "Timer already cancelled."; or, of the task, "Task already
    ///   scheduled or cancelled"
    /// \throws NullPointerException "task cannot be null"
    /// \throws std::bad_alloc
    ///
    /// The first condition that fails decides: delay, period, time, timer, null, state of the task
    /// (J21). A call that throws has changed nothing (J27).
    std::shared_ptr<TimerTask> schedule(detail::TaskArgument task, When when);

    /// Runs `task` at `firstTime` and then repeatedly with a fixed delay: each next run is due one
    /// `period` after the run before it began, see above. For runs that must not drift, use
    /// scheduleAtFixedRate().
    /// \param period milliseconds, or a std::chrono duration; 73 years and more are for ever
    /// \throws IllegalArgumentException also "Non-positive period." (J16); else as for a single run
    std::shared_ptr<TimerTask> schedule(detail::TaskArgument task, When firstTime, TimeSpan period);

    /// Runs `task` at `firstTime` and then repeatedly at a fixed rate: run number k, from 0, is due
    /// at `firstTime` plus k periods, and runs that were missed follow back to back, see above. For
    /// runs that must keep their distance, use schedule().
    /// \throws as schedule() with a period
    std::shared_ptr<TimerTask> scheduleAtFixedRate(detail::TaskArgument task, When firstTime,
                                                   TimeSpan period);

    /// Ends the timer: discards every queued task and accepts no more. Neither waits for a running
    /// task nor interrupts it; it ends normally, and then the thread ends. Can be repeated
    /// (J52-J60).
    ///
    /// Called from inside a task of this timer, that run is the last (J57). Called from elsewhere,
    /// one run that had been decided may still begin just afterwards (J59); when the destructor has
    /// returned, all is over. Discarded tasks are not marked as cancelled (J52), and are destroyed
    /// on the calling thread.
    void cancel();

    /// Removes the cancelled tasks from the queue, so that their memory can be freed before their
    /// time. A program that cancels much should call it now and then.
    /// \returns how many there were (J64-J77)
    ///
    /// O(n) in the queued tasks. May change the order among tasks that are due at the same
    /// nanosecond (J78). The removed tasks are destroyed on the calling thread.
    int purge();

    /// The full name, as given (J7).
    const std::string& name() const noexcept;

  private:
    enum class Repeat { Once, FixedDelay, FixedRate };

    /// The one way in: every check of an argument lives here, in the order of J21.
    std::shared_ptr<TimerTask> sched(std::shared_ptr<TimerTask>& task, const When& when,
                                     Repeat repeat, detail::MillisAndNanos period);

    /// Shared with the thread itself, which may outlive this object.
    const std::shared_ptr<TimerThread> thread_;
    const bool isDaemon_;
};

}  // namespace jtimer
