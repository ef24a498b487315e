// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <jtimer/brpc/detail/advice.hpp>
#include <jtimer/brpc/timer_thread_options.hpp>
#include <jtimer/clock.hpp>
#include <jtimer/detail/compiler.hpp>
#include <jtimer/detail/function_type.hpp>
#include <jtimer/detail/is_null.hpp>
#include <jtimer/exceptions.hpp>
#include <jtimer/stats.hpp>
#include <jtimer/time.hpp>

#include <cstddef>
#include <cstdint>
#include <ctime>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

namespace jtimer::brpc {

/// Identifies one task of one timer; never reused.
using TaskId = std::uint64_t;
/// The id of no task.
inline constexpr TaskId kInvalidTaskId = 0;

/// What TimerThread::unschedule returns.
enum UnscheduleResult : int { kNoSuchTask = -1, kRemoved = 0, kRunning = 1 };

/// What a TimerThread has done and what it holds; see CommonStats. `pending` tasks are `scheduled`
/// ones neither executed nor cancelled: after the stop they stay pending until takePending().
struct TimerThreadStats : CommonStats {
    std::uint64_t scheduled = 0;    ///< how many ids were given out
    std::uint64_t triggered = 0;    ///< brpc's word for `executed`
    std::uint64_t unscheduled = 0;  ///< equal to `cancelled`: by unschedule or takePending
    std::uint64_t signals = 0;      ///< how often a task earlier than all known ones woke it
    std::uint64_t wakeUps = 0;      ///< how often a sleep of the thread has ended
    std::size_t heapSize = 0;       ///< heap entries, also removed ones, when last nothing was due
    std::size_t slots = 0;          ///< tasks in memory: pending, running, removed but still listed
};

/// A task that will never run; see TimerThread::takePending.
struct PendingTask {
    TaskId id = kInvalidTaskId;   ///< as schedule() returned it
    Date abstime;                 ///< when it was due
    void (*fn)(void*) = nullptr;  ///< null: it was a callable, which has been destroyed
    void* arg = nullptr;          ///< the argument of `fn`
};

/// brpc's timer thread, made for time-outs: many threads schedule tasks, and unschedule nearly all
/// of them before their time. Scheduling takes a lock that few other threads use, unscheduling
/// takes none; the timer's own thread later sorts the tasks that are left.
///
/// \code
/// jtimer::brpc::TimerThread timer;
/// if (timer.start() != 0) return;
/// const auto id = timer.schedule(onTimeout, call, std::chrono::system_clock::now() + 500ms);
/// ...
/// if (timer.unschedule(id) == jtimer::brpc::kRemoved) delete call;  // else onTimeout() does
/// \endcode
///
/// Tasks run one at a time on that thread, in order of time, never early; tasks of the same
/// nanosecond in any order. While one runs, all others wait, so a task should be short. Tasks run
/// once: for repeating ones, or ties in a known order, use jtimer::Timer.
///
/// **Threads.** Every function may be called by any thread, and inside a task, an exception handler
/// or the destructor of a callable. But the destructor must not race with other calls. A run sees
/// what the scheduling thread wrote before it scheduled the task, and what the previous run wrote.
///
/// **Life.** A timer is created, started and stopped once. After the stop, pending tasks stay
/// pending and never run. They can still be unscheduled, or all taken back by takePending().
///
/// **After fork()** the child does not have this thread. A timer that was started has ended there:
/// stopAndJoin() and the destructor return at once, and pending tasks can be unscheduled or taken
/// back. A timer that was not started can be started in the child. If a task forks and
/// returns in the child too, the child ends there.
///
/// **Memory.** A task takes 80 bytes, and a callable of more than 32 bytes is allocated separately.
/// The memory is reused, and freed only by the destructor: a timer keeps enough memory for the
/// largest number of tasks it has ever held, 80 MB for a million.
///
/// The memory of an unscheduled task is reused at once if no other task was scheduled on the same
/// list in between, as when a thread sets a time-out for one call after another. Otherwise it is
/// reused after the thread's next wake-up; see TimerThreadOptions::maxWakeupInterval. If memory
/// runs out, scheduled tasks still run, in order and in time, at a higher cost to the thread.
class JTIMER_API TimerThread : private detail::CallAdvice {
  public:
    TimerThread();

    /// Calls stopAndJoin(), even if a task has stopped the timer before; then destroys the
    /// remaining callables on the calling thread. Their destructors may still call the timer.
    ///
    /// On the timer's thread, it stops the timer and returns at once; the thread frees everything
    /// when the run has ended. In a forked child, it returns at once and destroys no callable.
    ~TimerThread();

    TimerThread(const TimerThread&) = delete;
    TimerThread& operator=(const TimerThread&) = delete;

    /// Starts the thread. From then on a ManualClock waits for it, as for every timer on the clock.
    /// \returns 0, even on a running timer, which ignores the options. After any error the timer is
    ///   as before:
    ///   - EINVAL: `numBuckets` is 0 or above 1024, or `maxWakeupInterval` negative
    ///   - ENOMEM: there is no memory
    ///   - EAGAIN, or another error of the system: it has no thread, or no resources for the clock
    ///   - ECANCELED: the timer was stopped, even before it was started; or its thread has ended;
    ///     or it was started before a fork of which this process is the child
    /// \throws what TimerThreadOptions::onThreadStart throws
    int start(const TimerThreadOptions& options = {}) &;
    /// \param options null: the defaults
    int start(const TimerThreadOptions* options) &;

    /// Runs `fn(arg)` at `abstime`, or as soon as possible if that is past, 0 or negative. The
    /// greatest time, in April 2262, never comes; a task for that time can be unscheduled. If each
    /// run schedules the next for a time in the past, no task runs that is due later.
    /// \returns the task's id; kInvalidTaskId before start(), from stopAndJoin() on, if there is no
    ///   memory, and in a forked child
    /// \throws NullPointerException "task cannot be null" if `fn` is null, in every state
    TaskId schedule(void (*fn)(void*), void* arg, Date abstime) &;
    /// \param abstime the time since 1970; saturates beyond 64 bits of nanoseconds
    TaskId schedule(void (*fn)(void*), void* arg, const timespec& abstime) &;

    /// Schedules anything that can be called without arguments, even if it is move-only. The stored
    /// callable is destroyed on the timer's thread after the run, or by the call that removes the
    /// task.
    /// \throws NullPointerException "task cannot be null" if it is an empty std::function or a null
    ///   function pointer
    /// \throws what copying or moving it throws, with nothing changed
    template <class F, detail::IfCallable<F> = 0>
    TaskId schedule(F&& task, Date abstime) & {
        using Function = std::decay_t<F>;
        if (jtimer::detail::isNull(task)) throw NullPointerException("task cannot be null");
        const auto make = [&task](void* storage) {
            ::new (storage) Function(std::forward<F>(task));
        };
        return scheduleCallable(
            jtimer::detail::FunctionMaker(jtimer::detail::functionType<Function>, make), abstime);
    }

    ///@{ Deleted overloads, for advice: a call on a temporary, or with other arguments.
    using detail::CallAdvice::schedule;
    using detail::CallAdvice::start;
    ///@}

    /// Prevents a task from running. Takes no lock, never waits, and wakes no thread.
    /// \returns
    ///   - kRemoved (0): this call has removed the task. It never runs, the timer no longer uses
    ///     `arg`, and the callable has been destroyed.
    ///   - kRunning (1): it is running, and may be the caller of this function. The run goes on.
    ///   - kNoSuchTask (-1): it has run, was removed before, or never existed. If it has run, the
    ///     caller sees all that it did, and its callable has been destroyed.
    /// \param id an id of this timer; any number is safe
    int unschedule(TaskId id);

    /// Calls unschedule(), and if the task is running, waits until that run is over and its
    /// callable has been destroyed: the caller may then destroy what the task uses. By then, an
    /// exception of the run has been reported. boost::thread::interrupt does not end the wait.
    ///
    /// On the timer's thread, so also inside the run itself, and in a forked child it does not
    /// wait. It deadlocks if the run waits for
    ///   - a lock that you hold, or for you
    ///   - a ManualClock, if you are a task on that clock: its time stands still until you return
    /// \returns what unschedule() returns; kRunning (1) if it has waited
    int unscheduleAndWait(TaskId id);

    /// Stops the timer. From then on schedule() returns kInvalidTaskId; a running task completes,
    /// and no other begins. Each call returns when the thread has ended. A call inside a task
    /// returns at once, and that run is the last.
    void stopAndJoin();

    /// Removes all pending tasks from a timer that has ended, and destroys the callables. Takes
    /// time in proportion to the largest number of tasks that the timer has ever held.
    /// \returns the tasks, in order of time; none if the timer was not started
    /// \throws IllegalStateException "TimerThread is running" until the thread has ended, so also
    ///   in a task that has called stopAndJoin()
    /// \throws std::bad_alloc, with nothing changed
    std::vector<PendingTask> takePending();

    /// Takes time in proportion to the largest number of tasks that the timer has ever held.
    [[nodiscard]] TimerThreadStats stats() const;

    /// The timer's clock: that of the options given to start(), or the WallClock that takes its
    /// place. Null before a successful start(), never after it. Write `timer.clock()->now() +
    /// 500ms` for times that are right on any clock.
    [[nodiscard]] const std::shared_ptr<Clock>& clock() const noexcept;

  private:
    class Impl;

    TaskId scheduleCallable(const jtimer::detail::FunctionMaker& maker, Date abstime);

    const std::unique_ptr<Impl> impl_;
};

/// The process's own timer, with default options. The first call creates and starts it; it is never
/// stopped and never destroyed. In a forked child the first call creates another timer; references
/// to the parent's stay valid, but that timer has ended.
/// \throws std::system_error if it cannot be started; the next call tries again
/// \throws std::bad_alloc
JTIMER_API TimerThread& getOrCreateGlobalTimerThread();

/// The timer of getOrCreateGlobalTimerThread(); null before that is first called in this process.
[[nodiscard]] JTIMER_API TimerThread* getGlobalTimerThread() noexcept;

}  // namespace jtimer::brpc
