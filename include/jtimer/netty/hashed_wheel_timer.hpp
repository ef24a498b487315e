// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <jtimer/detail/compiler.hpp>
#include <jtimer/exceptions.hpp>
#include <jtimer/netty/detail/advice.hpp>
#include <jtimer/netty/detail/task_argument.hpp>
#include <jtimer/netty/hashed_wheel_timer_options.hpp>
#include <jtimer/netty/timeout.hpp>
#include <jtimer/netty/timer_task.hpp>
#include <jtimer/stats.hpp>
#include <jtimer/time.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace jtimer::netty {

namespace detail {
class Worker;
}

/// What a HashedWheelTimer has done and what it holds; see CommonStats. Every accepted timeout is
/// pending, executed or cancelled.
///
/// `pending` is pendingTimeouts(). `cancelled` are the timeouts whose cancellation the worker has
/// processed, including those that stop() has cancelled. `lateness` is counted from the end of the
/// tick in which a timeout was due, when it should have run: without that tick's own delay.
struct HashedWheelTimerStats : CommonStats {};

/// Netty's HashedWheelTimer: for very many timeouts, nearly all of which are cancelled. Adding and
/// cancelling a timeout take the same time whether a thousand or a million are pending; in return,
/// a run may be late by up to one tick. For exact times and few tasks, use jtimer::Timer.
///
/// \code
/// jtimer::netty::HashedWheelTimer timer;
/// auto idle = timer.newTimeout([&] { connection.close(); }, 30s);
/// idle->cancel();  // there was traffic
/// \endcode
///
/// **Ticks.** Time is divided into ticks of HashedWheelTimerOptions::tickDuration, counted from the
/// start of the timer. Tick k covers the time from k to k + 1 tick durations after the start, and
/// is handled at its end: everything that came due in it runs then. So a timeout is never early. It
/// is late by more than 0 and at most one tick; a timeout that is due exactly at the boundary of
/// two ticks waits a whole tick. With ticks of 100 ms, and timeouts that are added at the start
/// (`^`: due, `#`: runs):
///
///     time         0         100       200       300
///     delay 0      ^         #
///     delay 99              ^#
///     delay 100              ^         #
///     delay 250                             ^    #
///
/// Timeouts of one tick run in the order in which they were added, not in the order of their
/// delays.
///
/// **When it is late.** After a long run, or when its clock is set forward, the worker handles
/// every missed tick, back to back and in order, as soon as it can. If it has missed more than a
/// revolution of the wheel, ticks in which nothing is due take no time.
///
/// **A clock that is set.** Ticks are spans of time on HashedWheelTimerOptions::clock. The default,
/// a SteadyClock, cannot be set. If a WallClock is set back by an hour, pending timeouts run an
/// hour later, as the tasks of a jtimer::Timer do; timeouts added after that run after their
/// delays, and none early. The worker notices a step at the end of the tick that it is waiting for.
///
/// **The worker.** One thread, started by start() or the first newTimeout, runs all tasks, one at a
/// time, unless there is an executor. It wakes up once a tick while a timeout is pending, and
/// otherwise not at all. It inherits the signal mask of the thread that starts it.
///
/// **Threads.** Every function may be called from any thread, and inside a task, except that stop()
/// must not be called on the worker. The destructor may run on the worker, even while the
/// newTimeout that added the task is still returning; elsewhere, only when no other thread is
/// inside a call.
///
/// **After fork()** the child has no worker. There a timer that was started can be stopped and
/// destroyed, which returns at once and calls nothing, and its timeouts can be cancelled. A timer
/// that was not started can be used as usual. If a task forks and returns in the child too, the
/// child ends there.
///
/// **Cost.** newTimeout stores the callable in the timeout. With a callable of up to 16 bytes, a
/// timeout takes 98 bytes of memory. Memory is allocated for eight timeouts at a time, reused, and
/// returned to the system when the timer is idle; it never exceeds twice what the largest number of
/// timeouts has needed. newTimeout takes a mutex for a few instructions, and wakes the worker only
/// if it is idle. Timeout::cancel takes no mutex. Each timer has a thread: share one timer, do not
/// create one for each connection.
class JTIMER_API HashedWheelTimer : private detail::CallAdvice {
  public:
    /// Ticks of 100 ms, 512 slots, no limit, no executor, and a SteadyClock.
    HashedWheelTimer();

    /// Starts no thread. More than 64 timers that are neither stopped nor destroyed are reported to
    /// std::cerr, once per process.
    /// \throws IllegalArgumentException "tickDuration : N (expected: > 0)", in milliseconds;
    ///   "ticksPerWheel : N (expected: > 0)"; "ticksPerWheel may not be greater than 2^30: N";
    ///   "tickDuration: N (expected: 0 < tickDuration in nanos < M)" where M is (2^63 - 1) divided
    ///   by the number of slots; "maxPending: N, but maxPendingTimeouts: M"; "executor and
    ///   taskExecutor are the same option". Checked in this order
    /// \throws std::bad_alloc
    explicit HashedWheelTimer(HashedWheelTimerOptions options);

    HashedWheelTimer(const HashedWheelTimer&) = delete;
    HashedWheelTimer& operator=(const HashedWheelTimer&) = delete;

    /// Does what stop() does, and drops its result: cancels what is pending, with the cancelled()
    /// calls, and waits for the running task, which may use the timer meanwhile.
    ///
    /// On the worker (a task dropped the last reference) it does not wait: no other run() begins,
    /// and the worker makes the cancelled() calls and then ends on its own. In a forked child it
    /// returns at once.
    ~HashedWheelTimer();

    /// Starts the worker, and with it the first tick, before it returns. On a started timer it does
    /// nothing. Call it only to choose the moment from which ticks are counted.
    /// \throws IllegalStateException "cannot be started once stopped"; in a forked child "cannot be
    ///   used in a forked child once started"
    /// \throws std::system_error if the thread cannot be started; the call may be repeated
    /// \throws what HashedWheelTimerOptions::onThreadStart throws; likewise
    void start() &;

    /// Runs `task` once, after `delay`; see "Ticks" for when exactly. Starts the timer if
    /// necessary.
    ///
    /// \param task a `std::shared_ptr` to a TimerTask or a class derived from it; or any callable
    ///   that takes the handle or no arguments
    /// \param delay milliseconds, or a std::chrono duration, from now. 0 or less: the task runs at
    ///   the end of the current tick; in a task, whose own tick is over, that is the next one. The
    ///   greatest delay never expires
    /// \returns the handle, which may be ignored
    ///
    /// A call that throws has changed nothing. The conditions are checked in this order:
    /// \throws NullPointerException "task"
    /// \throws IllegalStateException "cannot be started once stopped"; in a forked child "cannot be
    ///   used in a forked child once started"
    /// \throws RejectedExecutionException "Number of pending timeouts (M + 1) is greater than or
    ///   equal to maximum allowed pending timeouts (M)"
    /// \throws std::system_error if the thread cannot be started
    /// \throws what HashedWheelTimerOptions::onThreadStart throws, if the call starts the timer
    /// \throws std::bad_alloc
    std::shared_ptr<Timeout> newTimeout(detail::TaskArgument task, TimeSpan delay) &;

    ///@{ Deleted overloads, for advice: a call on a temporary, or with other arguments.
    using detail::CallAdvice::newTimeout;
    using detail::CallAdvice::start;
    ///@}

    /// Ends the timer for good: it accepts no more timeouts. Waits until the worker has finished
    /// the current tick, including a running task, and has cancelled everything that is pending
    /// after that tick, with a cancelled() call for each.
    ///
    /// \returns the timeouts that it cancelled, in no particular order; none if the timer was never
    ///   started. A second call returns none at once, even if the first one is still waiting
    /// \throws IllegalStateException "HashedWheelTimer.stop() cannot be called from TimerTask" on
    ///   the worker; the timer goes on
    /// \throws std::bad_alloc, with nothing changed
    std::vector<std::shared_ptr<Timeout>> stop();

    /// The number of accepted timeouts that the worker has neither handed over nor processed as
    /// cancelled. It drops just before run() or cancelled() is called.
    [[nodiscard]] std::int64_t pendingTimeouts() const;

    /// Takes a mutex for a few instructions.
    [[nodiscard]] HashedWheelTimerStats stats() const;

    /// The name: HashedWheelTimerOptions::name, or the default that takes its place.
    [[nodiscard]] const std::string& name() const noexcept;

    /// The timer's clock, never null, even before the start and after the end: the one of the
    /// options, or the SteadyClock that takes its place.
    [[nodiscard]] const std::shared_ptr<Clock>& clock() const noexcept;

  private:
    /// Shared with the worker thread, which may outlive this object.
    const std::shared_ptr<detail::Worker> worker_;
};

}  // namespace jtimer::netty
