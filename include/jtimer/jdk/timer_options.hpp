// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <jtimer/clock.hpp>
#include <jtimer/detail/optional_name.hpp>
#include <jtimer/jdk/timer_task.hpp>
#include <jtimer/time.hpp>
#include <jtimer/uncaught_exception_handler.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>

namespace jtimer {

/// What happens when an exception leaves a task. The exception is reported in any case.
enum class OnException {
    StopTimer,    ///< as in Java: the timer is cancelled, no other task runs
    CancelTask,   ///< this task is cancelled and never runs again; the others go on
    ContinueTask  ///< this task runs again at its next time, if it repeats
};

/// An exception that left a task.
struct TaskException {
    std::string timerName;            ///< Timer::name()
    std::shared_ptr<TimerTask> task;  ///< the task that threw it
    std::uint64_t run;                ///< which run of the task it was, from 1
    std::exception_ptr exception;     ///< what the task threw
};

/// The order of tasks that are due at the same nanosecond.
enum class Ties {
    Jdk,  ///< the order of the JDK's heap, which is not the order of the calls
    Fifo  ///< first come, first served; a repeating task comes again when a run begins
};

/// Construction options of a Timer. Every field has a default: Timer(TimerOptions{}) is Timer().
struct TimerOptions {
    /// The timer's name. The OS thread carries its first 15 bytes. The default is "Timer-" and the
    /// next number in the process. Assigning a null pointer throws NullPointerException "name
    /// cannot be null".
    detail::OptionalName name;

    /// What ~Timer does with outstanding tasks: false waits until they have run, true discards
    /// them.
    bool daemon = false;

    /// The source of the time. Null: a WallClock, as in Java.
    std::shared_ptr<Clock> clock;

    /// How late a task may run so that one wake-up serves many tasks: the thread wakes up for tasks
    /// only at multiples of the tolerance on the timer's clock, and runs everything that is due by
    /// then. Nothing runs early. scheduledExecutionTime() and the times of later runs are the same
    /// as without a tolerance: a fixed delay does not count the wait for such a multiple. Only if
    /// its first time is past when it is scheduled may they be earlier, by less than the tolerance.
    /// With 0 the thread wakes up for each task; see timerSlack. Choose 1 ms for thousands of
    /// repeating tasks. Negative: the constructor throws IllegalArgumentException.
    TimeSpan tolerance = 0;

    /// How late the kernel may wake the thread to save power (Linux's timer slack), at least 1 ns.
    /// In force only while the thread waits.
    ///
    /// Without a value it is 1 ns for waits of 0.1 ms and longer, and what the thread inherited,
    /// usually 50 us, for shorter ones. The thread may wake up to 0.1 ms before a task's time and
    /// spin until then, for less than 1 us on average; no task runs early. Of tasks that follow
    /// each other by less than 0.1 ms, some run up to 50 us later, so that one wake-up serves
    /// several.
    ///
    /// With a value, the thread waits until the task's time in every case, as it always does on a
    /// ManualClock or a clock derived from WallClock. BoottimeClock and ManualClock have no slack.
    /// Negative: the constructor throws IllegalArgumentException.
    std::optional<TimeSpan> timerSlack;

    /// Called, on the timer's thread, with each exception that leaves `TimerTask::run` or, on that
    /// thread, a user's Clock. If the exception ends the timer, the timer is already cancelled and
    /// its queue empty. Also called, without ending the timer, if a task calls `schedule` while
    /// ~Timer is waiting and lets the exception out.
    UncaughtExceptionHandler uncaughtExceptionHandler;

    /// What happens when an exception leaves a task. StopTimer, as in Java, discards all other
    /// tasks too. An exception from a user's Clock always ends the timer.
    OnException onException = OnException::StopTimer;

    /// If set, called instead of uncaughtExceptionHandler with each exception that leaves a task:
    /// on the timer's thread, after the run, with no lock held. It may call anything, and may
    /// destroy the timer. With StopTimer, the timer is already cancelled and its queue empty; with
    /// CancelTask, the task is already cancelled. Exceptions that the handler throws are printed to
    /// std::cerr and change nothing else. The timer counts the runs of repeating tasks for it: each
    /// such task takes extra memory, and its cancel() takes the timer's lock.
    std::function<void(const TaskException&)> taskExceptionHandler;

    /// Whether TimerTask::cancel() removes the task from the queue at once, in O(log n), instead of
    /// leaving it there until its time. It then also destroys what a callable captured, even if
    /// handles keep the task; if the timer is running the task, the timer's thread does so after
    /// the run. It does not wait for a run() that you call yourself. With this option cancel()
    /// takes the timer's lock, schedule() makes one more allocation, and each run takes the lock
    /// once more. The order of tasks due at the same nanosecond may change, except with Ties::Fifo.
    /// Choose it for time-outs, nearly all of which are cancelled.
    bool removeOnCancel = false;

    /// The maximum number of tasks in the queue; 0: no limit. Beyond it, `schedule` throws
    /// RejectedExecutionException and changes nothing, so that a producer that is too fast gets an
    /// exception instead of exhausting the memory. A repeating task counts even while it runs, a
    /// one-shot until its run begins, and a cancelled task until it leaves the queue: at its time,
    /// by Timer::purge(), or at once with removeOnCancel.
    std::size_t maxPending = 0;

    /// The order of tasks that are due at the same nanosecond. Fifo takes 16 more bytes for each
    /// task in the queue.
    Ties ties = Ties::Jdk;

    /// If set, the timer measures each run on its clock and calls onSlowTask for runs that took
    /// longer, which shows the tasks that make others late. Negative: the constructor throws
    /// IllegalArgumentException.
    std::optional<TimeSpan> slowTaskThreshold;

    /// Called with the task of a slow run and the time that it took: on the timer's thread, after
    /// the run, with no lock held, even if the run threw. Empty: prints `Timer "NAME": task "TASK"
    /// took 12.345 ms.` to std::cerr. Exceptions that it throws are printed there too, and change
    /// nothing.
    std::function<void(const TimerTask&, std::chrono::nanoseconds)> onSlowTask;

    /// Called on the timer's thread before anything else, to set its priority, affinity or signal
    /// mask, which the processes that tasks start inherit. The constructor waits for it. If it
    /// throws, the constructor throws the same exception; if it ends the thread by pthread_exit,
    /// the constructor throws IllegalStateException. In both cases nothing is left behind.
    std::function<void()> onThreadStart;
};

}  // namespace jtimer
