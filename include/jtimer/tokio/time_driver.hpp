// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <jtimer/clock.hpp>
#include <jtimer/detail/compiler.hpp>
#include <jtimer/exceptions.hpp>
#include <jtimer/stats.hpp>
#include <jtimer/time.hpp>
#include <jtimer/tokio/detail/advice.hpp>
#include <jtimer/tokio/driver_shutdown.hpp>
#include <jtimer/tokio/interval.hpp>
#include <jtimer/tokio/sleep.hpp>
#include <jtimer/tokio/waker.hpp>
#include <jtimer/uncaught_exception_handler.hpp>

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace jtimer::tokio {

class Interval;  // incomplete here if interval.hpp was included first

/// Construction options of a TimeDriver. Every field has a default.
struct TimeDriverOptions {
    /// Used in messages. The OS thread carries its first 15 bytes. Empty: "TimeDriver".
    std::string name = "TimeDriver";

    /// The source of the time. Null: a SteadyClock, which cannot be set. The driver's ticks never
    /// go back: if another clock is set back, nothing fires until it shows its former time again.
    std::shared_ptr<Clock> clock;

    /// True: the driver has no thread. The owner, usually an event loop, calls turn().
    bool polled = false;

    /// For a polled driver: wakes the loop that waits until nextWake(), because something was
    /// registered, or a waker is to be called, before the loop's next wake-up: before the last
    /// result of nextWake(), or before the next wake-up that the last turn() left. The loop then
    /// calls nextWake() again.
    ///
    /// Called with no lock held, by the thread that registers, and never during a turn. The caller
    /// may hold locks of its own: take none of those that are held around calls here. It must not
    /// wait for the loop. A call may still be running when another thread destroys the driver.
    /// Empty: not called.
    std::function<void()> unpark;

    /// Called with exceptions from wakers and `unpark`.
    UncaughtExceptionHandler uncaughtExceptionHandler;

    /// Called on the driver's thread before anything else, to set its priority, affinity or signal
    /// mask. The constructor waits for it. If it throws, the constructor throws the same exception;
    /// if it ends the thread by pthread_exit, the constructor throws IllegalStateException. In both
    /// cases nothing is left behind. Not for a polled driver, which has no thread.
    std::function<void()> onThreadStart;
};

/// What a TimeDriver has done and what it holds; see CommonStats. Its tasks are the Sleeps,
/// including those inside Timeouts, Intervals and DelayQueues, once they are polled, waited for or
/// reset.
///
/// `pending` is size(). `executed` are deadlines that have fired. `cancelled` are registrations
/// that ended before: by a destructor, by something that no longer needed the Sleep, or by
/// shutdown(). A reset is neither. `failed` are wakers, and calls of `unpark`, that have thrown.
/// `lateness` is counted from the tick in which the deadline was due; from the deadline itself, if
/// that was not in the future when the Sleep was polled, waited for or reset.
struct TimeDriverStats : CommonStats {};

/// Tokio's time driver: keeps deadlines in ticks of a millisecond, and calls the wakers of those
/// that are due. Made for a great many time-outs, most of which are postponed or dropped.
///
/// There are two kinds. A driver with a thread of its own sleeps until the next deadline and fires
/// it; wakers run on that thread, one at a time. A polled driver is part of an existing event loop:
///
/// \code
/// jtimer::tokio::TimeDriverOptions options;
/// options.polled = true;
/// options.unpark = [&] { loop.interrupt(); };
/// jtimer::tokio::TimeDriver driver(options);
/// for (;;) {
///     loop.waitUntil(driver.nextWake());   // std::nullopt: without a limit
///     driver.turn();
/// }
/// \endcode
///
/// Points in time are on the driver's clock: `driver.now() + 1s`, not the system's time plus one
/// second. When a ManualClock is advanced, a driver with a thread fires at every deadline on the
/// way; a polled driver has advance() for that. Times after April 2262 never
/// come.
///
/// Any thread may call any function, but see turn(). Calls take constant time, with these
/// exceptions: a turn takes time in proportion to the deadlines that it fires or moves closer;
/// shutdown(), the destructor and check(), to the number of registered deadlines. Firing a Sleep
/// that threads wait() for takes time logarithmic in the number of all waiting threads.
///
/// After fork(), the child can only destroy the parent's drivers, including polled ones, and the
/// objects made by them. Calls that would have to wait there throw DriverShutdown
/// "TimeDriver belongs to the parent process.": Sleep::wait(), Interval::tick(), Notified::wait(),
/// Timeout::get(), DelayQueue::next(), blockOn(), and any call if the driver was in use at the
/// moment of the fork. A child that needs a driver creates a new one. If a waker forks and returns
/// in the child too, the turn ends there, and on the driver's thread the child ends with it.
class JTIMER_API TimeDriver : private detail::CallAdvice {
  public:
    /// With a thread of its own, on a SteadyClock.
    /// \throws std::system_error if the thread cannot be started, or the clock cannot be waited on
    TimeDriver();
    /// \throws std::system_error if the thread cannot be started, or the clock cannot be waited on
    /// \throws what TimeDriverOptions::onThreadStart throws
    /// \throws IllegalArgumentException if a polled driver has an onThreadStart
    explicit TimeDriver(TimeDriverOptions options);
    TimeDriver(const TimeDriver&) = delete;
    TimeDriver& operator=(const TimeDriver&) = delete;
    /// Calls shutdown() and waits for the thread to end. On that thread, in a waker, it does not
    /// wait. Like shutdown(), it deadlocks if a waker that is being called waits for a lock that
    /// the calling thread holds, or for the calling thread. Sleeps, and the objects that contain
    /// them, may outlive the driver. In a forked child it does nothing, and calls no waker.
    ~TimeDriver();

    /// \returns a Sleep until `duration` from now. The longest durations never elapse.
    /// \throws IllegalArgumentException "Negative duration."
    /// \throws DriverShutdown "TimeDriver has been shut down."
    [[nodiscard]] Sleep sleep(TimeSpan duration) &;
    /// \returns a Sleep until `deadline`, which may have passed
    /// \throws DriverShutdown "TimeDriver has been shut down."
    [[nodiscard]] Sleep sleepUntil(Date deadline) &;
    /// \returns an Interval whose first tick comes at once
    /// \throws IllegalArgumentException "`period` must be non-zero." if it is 0 or negative
    /// \throws DriverShutdown "TimeDriver has been shut down."
    [[nodiscard]] Interval interval(TimeSpan period) &;
    /// \returns an Interval whose first tick comes at `start`, which may have passed
    /// \throws IllegalArgumentException "`period` must be non-zero." if it is 0 or negative
    /// \throws DriverShutdown "TimeDriver has been shut down."
    [[nodiscard]] Interval intervalAt(Date start, TimeSpan period) &;
    ///@{ Deleted overloads, for advice: a call on a temporary, or with a time of the other kind.
    using detail::CallAdvice::interval;
    using detail::CallAdvice::intervalAt;
    using detail::CallAdvice::sleep;
    using detail::CallAdvice::sleepUntil;
    ///@}

    /// Calls the wakers of what other calls have made ready since the last turn began. Then fires
    /// everything that is due by now, in order of ticks; within a tick, in any order. For a polled
    /// driver.
    ///
    /// Every turn ends: what a waker makes ready at once, for example by a reset to a time that is
    /// not after now, is left to the next turn, and nextWake() is now.
    /// \returns the number of deadlines fired, and of wakers called before them; 0 after shutdown()
    /// \throws IllegalStateException if the driver has a thread, another turn() is running, or the
    ///   call comes from a waker of this driver
    std::size_t turn();
    /// Makes a turn for the given time instead of the clock's. A time before the last turn's counts
    /// as the last turn's.
    /// \throws IllegalStateException as turn()
    std::size_t turn(Date now);

    /// For tests, as Tokio's `advance`: moves the driver's ManualClock forward by `span`. On the
    /// way it stops at each nextWake(), and there makes a turn, and more turns while something is
    /// due. It does not return while wakers always make more due at the time reached.
    /// \returns what these turns have returned, added up
    /// \throws IllegalArgumentException "Negative duration."
    /// \throws IllegalStateException if the clock is not a ManualClock, and as turn()
    std::size_t advance(TimeSpan span);

    /// When the next turn has work to do, usually a deadline to fire; std::nullopt if nothing is
    /// registered. Not later than the tick of the earliest deadline, but perhaps earlier, because
    /// distant deadlines are sorted in several steps; now if a waker is to be called.
    ///
    /// A loop may sleep until then: TimeDriverOptions::unpark is called if an earlier deadline is
    /// registered. A result obtained during a turn is valid only until the turn ends.
    [[nodiscard]] std::optional<Date> nextWake() const;

    /// The number of registered deadlines, and of wakers to be called by the next turn.
    std::size_t size() const;

    /// Takes the lock that a poll takes.
    TimeDriverStats stats() const;

    /// How far the driver has been turned, counted from start().
    std::chrono::milliseconds elapsed() const;
    /// When the driver was created: the origin of the ticks.
    Date start() const noexcept;
    /// The clock's current time.
    Date now() const;
    /// The driver's clock, never null.
    [[nodiscard]] const std::shared_ptr<Clock>& clock() const noexcept;
    /// TimeDriverOptions::name.
    const std::string& name() const noexcept;

    /// Ends the driver: calls the wakers of all registered deadlines, on the calling thread, and
    /// before that waits until no other thread is in a waker. Inside a waker, it does not wait. A
    /// Sleep that had already fired stays fired. Any other throws DriverShutdown from its
    /// next poll, wait or reset, and from a wait in progress. May be called more than once.
    void shutdown();
    /// Whether shutdown() has been called.
    bool isShutdown() const noexcept;

    /// Checks the invariants of the driver, for tests.
    /// \throws std::logic_error that names the violated invariant
    void check() const;

  private:
    friend class detail::SleepAccess;

    /// Shared with the thread, and with all objects that contain Sleeps.
    detail::Driver* driver_;
};

}  // namespace jtimer::tokio
