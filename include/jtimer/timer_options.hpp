// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <jtimer/clock.hpp>
#include <jtimer/detail/optional_name.hpp>
#include <jtimer/time.hpp>
#include <jtimer/timer_task.hpp>
#include <jtimer/uncaught_exception_handler.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace jtimer {

/// What becomes of a timer when an exception leaves a task. In any case it is reported.
enum class OnException {
    StopTimer,    ///< as in Java: the timer is cancelled, no other task runs
    CancelTask,   ///< this task never runs again, and TimerTask::isCancelled(); the others go on
    ContinueTask  ///< the next run of this task comes as planned, if it repeats
};

/// An exception that has left a task.
struct TaskException {
    std::string timerName;            ///< Timer::name()
    std::shared_ptr<TimerTask> task;  ///< the task that has thrown
    std::uint64_t run;                ///< which run of the task it was, from 1
    std::exception_ptr exception;     ///< what it has thrown
};

/// In which order tasks run that are due at the same nanosecond.
enum class Ties {
    Jdk,  ///< as the JDK's heap gives them out, which is not the order of the calls
    Fifo  ///< as they came into the queue; a repeating task comes anew when a run of it begins
};

/// Construction options of a Timer. Every field has a default: Timer(TimerOptions{}) is Timer().
struct TimerOptions {
    /// The timer's name. The thread carries its first 15 bytes. Without one the name is "Timer-"
    /// and the next number of the process. A null pointer throws NullPointerException "name cannot
    /// be null" where it is given.
    detail::OptionalName name;

    /// What ~Timer does with outstanding tasks: false waits until they have run, true discards
    /// them.
    bool daemon = false;

    /// Where the time comes from. Null: a WallClock, as in Java.
    std::shared_ptr<Clock> clock;

    /// How much later than asked a task may run, so that one wake-up serves many tasks: for a task,
    /// the thread wakes up only at multiples of the tolerance on the timer's clock, and runs what
    /// is due by then. Nothing runs early, and scheduledExecutionTime() and the times of later runs
    /// are what they are without it: a fixed delay does not count how long a run has waited for
    /// such a multiple. With 0 the thread wakes up for each task, see timerSlack. Choose 1 ms for
    /// thousands of repeating tasks. Negative: the constructor throws IllegalArgumentException.
    TimeSpan tolerance = 0;

    /// How much later than its time the kernel may wake the thread to save power (Linux's timer
    /// slack), at least 1 ns; in force only while the thread waits.
    ///
    /// Without a value it is 1 ns for waits of 0.1 ms and longer. Such a wait also ends before the
    /// task's time, by as much as the thread has needed of late to wake up, at most 0.1 ms; a
    /// thread that is awake too soon spins until then, for less than 1 us in the mean. No task runs
    /// early. Shorter waits keep what the thread inherited, usually 50 us. One that follows another
    /// lasts 50 us longer if a second task is due by then, a cancelled one too, and the tolerance
    /// is 0: waking once per task would be wasteful where tasks are microseconds apart.
    ///
    /// With a value, a wait is for the task's time, whatever its length, as it always is on a
    /// ManualClock or a clock derived from WallClock. BoottimeClock and ManualClock have no slack.
    /// Negative: the constructor throws IllegalArgumentException.
    std::optional<TimeSpan> timerSlack;

    /// Told of each exception that leaves `TimerTask::run` or a user's Clock. If it ends the timer,
    /// the timer is cancelled by then and its queue empty. Also told, without the timer ending,
    /// when a task lets out the refusal of a `schedule` that it made while ~Timer was waiting.
    UncaughtExceptionHandler uncaughtExceptionHandler;

    /// What becomes of the timer when an exception leaves a task. Java's answer, StopTimer,
    /// punishes every other task for it. What leaves a user's Clock ends the timer in any case.
    OnException onException = OnException::StopTimer;

    /// If set, told of each exception that leaves a task, and uncaughtExceptionHandler is not.
    /// Called on the timer's thread with no lock held, after the run; it may call everything, and
    /// may destroy the timer. With StopTimer, the timer is cancelled by then and its queue empty;
    /// with CancelTask, the task is cancelled. What it throws is printed to std::cerr and changes
    /// nothing else. Repeating tasks have their runs counted for it, in memory of their own: on
    /// such a timer, their cancel() takes the timer's lock.
    std::function<void(const TaskException&)> taskExceptionHandler;

    /// Whether TimerTask::cancel() takes the task out of the queue at once, in O(log n), where it
    /// would stay until its time, and for a task far ahead that is long. Of a callable, it also
    /// destroys what was captured, even if handles keep the task; if the timer is running the task,
    /// its thread does that after the run. A run() that you call yourself is not waited for. Then
    /// cancel() takes the timer's lock, schedule() allocates once more, and each run takes the lock
    /// once more. May change the order of tasks that are due at the same nanosecond, unless that is
    /// Ties::Fifo. Choose it for time-outs, which are nearly all cancelled.
    bool removeOnCancel = false;

    /// How many tasks the queue may hold; 0: no limit. A schedule beyond it throws
    /// RejectedExecutionException and changes nothing, so that a producer that is too fast gets an
    /// exception instead of exhausting the memory. A repeating task holds its place also while it
    /// runs, a one-shot until its run begins. A cancelled task holds it until it leaves the queue:
    /// at its time, by Timer::purge(), or at once with removeOnCancel.
    std::size_t maxPending = 0;

    /// In which order tasks run that are due at the same nanosecond. Fifo needs 16 bytes more for
    /// each task in the queue.
    Ties ties = Ties::Jdk;

    /// If set, each run is timed on the timer's clock, and onSlowTask told of those that took
    /// longer: it names the task that made the others late. Negative: the constructor throws
    /// IllegalArgumentException.
    std::optional<TimeSpan> slowTaskThreshold;

    /// Told of a slow run, with the task and how long it took: on the timer's thread with no lock
    /// held, after the run, also if that has thrown. Empty: `Timer "NAME": task "TASK" took 12.345
    /// ms.` on std::cerr. What it throws is printed there too, and changes nothing.
    std::function<void(const TimerTask&, std::chrono::nanoseconds)> onSlowTask;

    /// Called on the timer's thread before anything else, for its priority, affinity or signal
    /// mask, which the processes that tasks start inherit. The constructor waits for it, and throws
    /// what it throws, or IllegalStateException if it ends the thread by pthread_exit; then nothing
    /// is left behind.
    std::function<void()> onThreadStart;
};

}  // namespace jtimer
