// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <jtimer/detail/export.hpp>
#include <jtimer/exceptions.hpp>
#include <jtimer/netty/detail/task_argument.hpp>
#include <jtimer/netty/hashed_wheel_timer_options.hpp>
#include <jtimer/netty/timeout.hpp>
#include <jtimer/netty/timer_task.hpp>
#include <jtimer/time.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace jtimer::netty {

namespace detail {
class Worker;
}

/// Netty's HashedWheelTimer: for very many timeouts, of which nearly all are cancelled. Adding one
/// and cancelling one take the same time whether a thousand or a million are pending; the price is
/// that a run may be late by up to one tick. For exact times and few tasks, use jtimer::Timer.
///
/// \code
/// jtimer::netty::HashedWheelTimer timer;
/// auto idle = timer.newTimeout([&] { connection.close(); }, 30s);
/// idle->cancel();  // there was traffic
/// \endcode
///
/// **Ticks.** Time is cut into ticks of HashedWheelTimerOptions::tickDuration, counted from the
/// start of the timer. Tick k covers the time from k to k + 1 tick durations after the start, and
/// is handled at its end: all that has become due in it runs then. So a timeout is never early, and
/// late by more than 0 and at most one tick; one that is due exactly at the boundary of two ticks
/// waits a whole tick. With ticks of 100 ms, and timeouts that are added at the start (`^`: due,
/// `#`: runs):
///
///     time         0         100       200       300
///     delay 0      ^         #
///     delay 99              ^#
///     delay 100              ^         #
///     delay 250                             ^    #
///
/// Timeouts of one tick run in the order in which they were added, not in that of their delays.
///
/// **When it is late.** A worker that is kept busy by a long run, or whose clock is set forward,
/// handles every tick that it has missed, back to back and in order, as soon as it can. Where it
/// has missed more than a revolution of the wheel, ticks in which nothing is due take no time.
///
/// **A clock that is set.** Ticks are spans of time on HashedWheelTimerOptions::clock. On a
/// SteadyClock, the default, nobody can set it. If a WallClock is set back by an hour, what is
/// pending runs an hour later, as the tasks of a jtimer::Timer do; what is added after that runs
/// after its delay, and none of it early. The worker notices a step at the end of the tick that it
/// waits for.
///
/// **The worker.** One thread, started by start() or the first newTimeout, runs all tasks, one at a
/// time, unless there is an executor. It wakes up once a tick while anything is pending, and not at
/// all otherwise. It inherits the signal mask of the thread that starts it.
///
/// **Threads.** Every function may be called from any thread, also inside a task; only stop() may
/// not be called on the worker. The destructor may be called on the worker too, there even while
/// the newTimeout that added the task is still returning; elsewhere when no other thread is inside
/// a call.
///
/// **After fork()** the child has no worker. There a timer that was started can be stopped and
/// destroyed, which returns at once and calls nothing, and its timeouts can be cancelled. One that
/// was not can be used as usual.
///
/// **Cost.** newTimeout allocates the timeout, 80 bytes with glibc, takes a mutex for a few
/// instructions, and wakes nobody but an idle worker. Timeout::cancel takes no mutex. A timer needs
/// a thread: share one, do not make one for each connection.
class JTIMER_API HashedWheelTimer {
  public:
    /// Ticks of 100 ms, 512 slots, no limit, tasks run on the worker, a SteadyClock of its own.
    HashedWheelTimer();

    /// Starts no thread. More than 64 timers that are neither stopped nor destroyed are reported to
    /// std::cerr, once per process.
    /// \throws IllegalArgumentException "tickDuration : N (expected: > 0)", in milliseconds;
    ///   "ticksPerWheel : N (expected: > 0)"; "ticksPerWheel may not be greater than 2^30: N";
    ///   "tickDuration: N (expected: 0 < tickDuration in nanos < M)" where M is (2^63 - 1) divided
    ///   by the number of slots. Checked in this order
    /// \throws std::bad_alloc
    explicit HashedWheelTimer(HashedWheelTimerOptions options);

    HashedWheelTimer(const HashedWheelTimer&) = delete;
    HashedWheelTimer& operator=(const HashedWheelTimer&) = delete;

    /// As stop(), with the result dropped: what is pending is cancelled, with its cancelled()
    /// calls, and the running task is waited for; it may go on using the timer meanwhile.
    ///
    /// On the worker (a task dropped the last reference) it waits for nothing: no other run()
    /// begins, the worker makes the cancelled() calls and then ends by itself. In a forked child it
    /// returns at once.
    ~HashedWheelTimer();

    /// Starts the worker, and with it the first tick, before it returns. On a started timer it does
    /// nothing. There is no need to call it, except to choose the moment from which ticks count.
    /// \throws IllegalStateException "cannot be started once stopped"; in a forked child "cannot be
    ///   used in a forked child once started"
    /// \throws std::system_error if the thread cannot be started; it may be tried again
    void start();

    /// Runs `task` once, after `delay`; see "Ticks" for when exactly. Starts the timer if
    /// necessary.
    ///
    /// \param task a `std::shared_ptr` to a TimerTask or a class derived from it; or any callable
    ///   that takes the handle, or nothing
    /// \param delay milliseconds, or a std::chrono duration, from now. 0 or less: the task runs at
    ///   the end of the present tick; inside a task, of the next one. The longest delay never ends
    /// \returns the handle. It may be ignored
    ///
    /// A call that throws has changed nothing. The first condition that fails decides:
    /// \throws NullPointerException "task"
    /// \throws IllegalStateException "cannot be started once stopped"; in a forked child "cannot be
    ///   used in a forked child once started"
    /// \throws RejectedExecutionException "Number of pending timeouts (M + 1) is greater than or
    ///   equal to maximum allowed pending timeouts (M)"
    /// \throws std::system_error if the thread cannot be started
    /// \throws std::bad_alloc
    std::shared_ptr<Timeout> newTimeout(detail::TaskArgument task, TimeSpan delay);

    /// Ends the timer for good: no timeout is accepted from now on. Waits until the worker has
    /// finished the tick that it is in, a running task included, and has cancelled all that is
    /// pending after that tick, with a cancelled() call for each.
    ///
    /// \returns the timeouts that it has cancelled, in no particular order. Nothing if the timer
    ///   was never started. A second call, even if the first still waits, returns nothing at once
    /// \throws IllegalStateException "HashedWheelTimer.stop() cannot be called from TimerTask" on
    ///   the worker; the timer goes on
    /// \throws std::bad_alloc, with the timer stopped
    std::vector<std::shared_ptr<Timeout>> stop();

    /// How many timeouts were accepted and are neither handed over nor processed as cancelled by
    /// the worker. It drops just before run() or cancelled() is called.
    [[nodiscard]] std::int64_t pendingTimeouts() const;

    /// The full name.
    [[nodiscard]] const std::string& name() const noexcept;

  private:
    /// Shared with the worker thread, which may outlive this object.
    const std::shared_ptr<detail::Worker> worker_;
};

}  // namespace jtimer::netty
