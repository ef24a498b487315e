// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <jtimer/clock.hpp>
#include <jtimer/detail/export.hpp>
#include <jtimer/detail/is_null.hpp>
#include <jtimer/detail/stored_callable.hpp>
#include <jtimer/exceptions.hpp>
#include <jtimer/time.hpp>
#include <jtimer/uncaught_exception_handler.hpp>

#include <cstddef>
#include <cstdint>
#include <ctime>
#include <memory>
#include <string>
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

/// Construction options of a TimerThread; see TimerThread::start.
struct TimerThreadOptions {
    /// The number of lists that scheduling threads are spread over, each with a lock of its own: 1
    /// to 1024. Up to that many threads schedule without waiting for each other.
    std::size_t numBuckets = 13;

    /// The timer's name. The OS thread carries its first 15 bytes. Empty: "brpc_timer".
    std::string name;

    /// Where the time comes from. Null: a WallClock.
    std::shared_ptr<Clock> clock;

    /// The thread keeps tasks in a heap, where removed ones stay until their time or until a sweep.
    /// It sweeps when the heap holds at least this many entries, and twice as many as the last
    /// sweep left.
    std::size_t sweepMinSize = 4096;

    /// The longest that the thread sleeps while a task is pending; 0: until the next task is due. A
    /// removed task may keep its memory until the thread wakes up, so a cap bounds the memory of
    /// programs whose tasks are all far in the future, and are removed.
    TimeSpan maxWakeupInterval = 0;

    /// Told of an exception that leaves a task. The timer goes on.
    UncaughtExceptionHandler uncaughtExceptionHandler;
};

/// What a TimerThread has done and what it holds. Exact whenever no other call is in progress and
/// the thread sleeps, is inside a task, or has ended.
struct TimerThreadStats {
    std::uint64_t scheduled = 0;    ///< ids given out
    std::uint64_t triggered = 0;    ///< runs begun
    std::uint64_t unscheduled = 0;  ///< removed by unschedule or takePending
    std::uint64_t signals = 0;      ///< how often the thread was told of a task before all it knew
    std::uint64_t wakeUps = 0;      ///< sleeps of the thread that ended
    std::size_t pending = 0;        ///< scheduled - triggered - unscheduled
    std::size_t heapSize = 0;       ///< heap entries, removed ones too, when last nothing was due
    std::size_t slots = 0;          ///< tasks in memory: pending, running, removed but still listed
};

/// A task that will not run any more; see TimerThread::takePending.
struct PendingTask {
    TaskId id = kInvalidTaskId;   ///< as schedule() returned it
    Date abstime;                 ///< when it was due
    void (*fn)(void*) = nullptr;  ///< null: it was a callable, which has been destroyed
    void* arg = nullptr;          ///< the argument of `fn`
};

/// brpc's timer thread, made for time-outs: many threads schedule, and nearly always unschedule
/// before the time comes. Scheduling takes a lock that few other threads want, unscheduling none;
/// the timer's own thread later sorts the tasks that are left by then.
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
/// nanosecond in any order. While one runs, what becomes due waits, so a task should be short.
/// Tasks run once: for repeating ones, or ties in a known order, use jtimer::Timer.
///
/// **Threads.** Every function may be called by any thread, also inside a task, an exception
/// handler or the destructor of a callable, except that the destructor must not race with other
/// calls. What a thread wrote before it scheduled a task is visible in the run, and each run sees
/// what the one before it wrote.
///
/// **Life.** Made, started, stopped: each once. After the stop, what is pending stays so, never
/// runs, and can still be unscheduled, or taken back, all together, by takePending().
///
/// **After fork()** the child has no such thread. There a timer that was started is over:
/// stopAndJoin() and the destructor return at once, and what is pending can be unscheduled or taken
/// back. One that was not can be started.
///
/// **Memory.** A task takes a slot of 64 bytes, and 16 in the heap once the thread has seen it. A
/// callable of up to 32 bytes lives in the slot. Slots are used again, and freed by the destructor:
/// so a timer keeps the memory of the most tasks that it had at a time, 80 MB for a million. A slot
/// tells the ids of its tasks apart, and unschedule() looks at it without a lock, whatever the id.
///
/// The slot of a task that was unscheduled is used again at once if no other was scheduled on the
/// same list in between, as by a thread that sets a time-out for one call after the other. Else it
/// is when the thread comes by, for which it is not woken; see
/// TimerThreadOptions::maxWakeupInterval. If there is no memory for the heap, what was scheduled
/// still runs, in order and in time; only the thread takes longer for it.
class JTIMER_API TimerThread {
  public:
    TimerThread();

    /// stopAndJoin(), also where a task has stopped the timer before; then destroys the callables
    /// that are left, on the calling thread. These may still call the timer.
    ///
    /// Called on the timer's thread, it stops the timer and returns at once; the thread then frees
    /// everything when the run has ended. In a forked child it destroys no callable and returns at
    /// once.
    ~TimerThread();

    TimerThread(const TimerThread&) = delete;
    TimerThread& operator=(const TimerThread&) = delete;

    /// Starts the thread. From then on it takes part in the timer's clock.
    /// \returns 0; also on a running timer, which ignores the options. After any error
    ///   the timer is as before:
    ///   - EINVAL: `numBuckets` is 0 or above 1024, or `maxWakeupInterval` negative
    ///   - ENOMEM: there is no memory
    ///   - EAGAIN, or another error of the system: it gives no thread, or not what the clock needs
    ///   - ECANCELED: the timer was stopped, even before it was started, or its thread has ended,
    ///     or is that of a process of which this is a forked child
    int start(const TimerThreadOptions& options = {});
    /// \param options null: the defaults
    int start(const TimerThreadOptions* options);

    /// Runs `fn(arg)` at `abstime`, or as soon as possible if that is past, 0 or negative. A time
    /// 292 years away, the greatest there is, never comes; such a task can be unscheduled.
    /// \returns the task's id; kInvalidTaskId before start(), from stopAndJoin() on, when there is
    ///   no memory, and in a forked child
    /// \throws NullPointerException "task cannot be null" if `fn` is null, in every state
    TaskId schedule(void (*fn)(void*), void* arg, Date abstime);
    /// \param abstime since 1970. What 64 bits of nanoseconds cannot hold saturates.
    TaskId schedule(void (*fn)(void*), void* arg, const std::timespec& abstime);

    /// The same for anything that can be called without arguments, move-only too. Its copy is
    /// destroyed on the timer's thread after the run, or by the call that removes it.
    /// \throws NullPointerException "task cannot be null" if it is an empty std::function or a null
    ///   function pointer
    /// \throws what copying or moving it throws, with nothing changed
    template <class F, std::enable_if_t<std::is_invocable_v<std::decay_t<F>&>, int> = 0>
    TaskId schedule(F&& task, Date abstime) {
        using Stored = jtimer::detail::StoredCallable<std::decay_t<F>>;
        if (jtimer::detail::isNull(task)) throw NullPointerException("task cannot be null");
        auto emplace = [&task](void* storage) {
            return Stored::emplace(storage, std::forward<F>(task));
        };
        return scheduleCallable(Stored::ops, jtimer::detail::Emplacer(emplace), abstime);
    }

    /// Keeps a task from running. Takes no lock, never waits, wakes no thread.
    /// \returns
    ///   - kRemoved (0): this call has removed the task. It never runs, and the timer touches
    ///     neither `arg` nor the callable any more. The callable has been destroyed by this call.
    ///   - kRunning (1): it is being run, perhaps by the caller. The run goes on.
    ///   - kNoSuchTask (-1): it has run, was removed before, or never was. If it has run, all that
    ///     it did is visible to the caller, and its callable is destroyed.
    /// \param id of this timer; any number is safe
    int unschedule(TaskId id);

    /// Ends the timer. From this call on schedule() answers kInvalidTaskId; a task that is running
    /// ends, and no other begins. Returns when the thread has ended, on each thread that calls it;
    /// but inside a task it returns at once, and that run is the last.
    void stopAndJoin();

    /// Removes all tasks that a timer has left when it is over, and destroys the callables.
    /// \returns them in order of time. Nothing, if the timer was not started
    /// \throws IllegalStateException "TimerThread is running" while the thread lives, which it
    ///   does inside a task even after stopAndJoin()
    /// \throws std::bad_alloc, with nothing changed
    std::vector<PendingTask> takePending();

    /// Takes time in proportion to the number of slots.
    [[nodiscard]] TimerThreadStats stats() const;

  private:
    class Impl;

    TaskId scheduleCallable(const jtimer::detail::CallableOps& ops,
                            const jtimer::detail::Emplacer& emplace, Date abstime);

    const std::unique_ptr<Impl> impl_;
};

/// The process's own timer, with default options. The first call makes and starts it; it is never
/// stopped and never destroyed. In a forked child the first call makes another one; a reference to
/// that of the parent stays valid, to a timer that is over.
/// \throws std::system_error if it cannot be started; the next call tries again
/// \throws std::bad_alloc
JTIMER_API TimerThread& getOrCreateGlobalTimerThread();

/// The same timer, or null before the first getOrCreateGlobalTimerThread() of this process.
[[nodiscard]] JTIMER_API TimerThread* getGlobalTimerThread() noexcept;

}  // namespace jtimer::brpc
