// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <jtimer/clock.hpp>
#include <jtimer/detail/export.hpp>
#include <jtimer/exceptions.hpp>
#include <jtimer/time.hpp>
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

/// Construction options of a TimeDriver. Every field has a default.
struct TimeDriverOptions {
    /// Used in messages. The thread's name is its first 15 bytes.
    std::string name = "TimeDriver";

    /// Where the time comes from; null: a SteadyClock.
    std::shared_ptr<Clock> clock;

    /// True: the driver has no thread. The owner, usually an event loop, calls turn().
    bool polled = false;

    /// For a polled driver: wakes the loop that waits until nextWake(), because something has been
    /// registered that is due before the loop's next wake-up: before the last answer of nextWake(),
    /// or before what the last turn() left as the next one. The loop then asks nextWake() again.
    ///
    /// Called with no lock held, by the thread that registers; never during a turn. It must not
    /// wait for the loop. A call that has begun may still be running when another thread destroys
    /// the driver. Empty: not called.
    std::function<void()> unpark;

    /// Receives what wakers and `unpark` throw.
    UncaughtExceptionHandler uncaughtExceptionHandler;
};

/// Tokio's time driver: turns a wheel of deadlines, in ticks of a millisecond, and wakes whoever
/// polls for them. Made for a great many time-outs, most of which are postponed or dropped.
///
/// There are two kinds. One has a thread of its own, which sleeps until the next deadline and fires
/// it; wakers run there, one at a time. A polled one is part of an existing event loop:
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
/// second. When a ManualClock is advanced, a driver with a thread goes through every deadline; for
/// a polled one, advance the clock and then call turn(). Times more than 292 years away never come.
///
/// Any thread may call anything, but see turn(). Calls take constant time, except a turn, which
/// takes as long as what it fires and moves to lower levels of the wheel, and shutdown(), the
/// destructor and check(), which take time in proportion to what is registered. Firing a Sleep that
/// threads wait() for adds the logarithm of the number of all waiting threads.
///
/// After fork() the drivers of the parent, polled ones too, and what was made of them can only be
/// destroyed in the child. What would have to wait there throws IllegalStateException "TimeDriver
/// was made before the fork, in another process.": Sleep::wait(), Interval::tick(), Timeout::get(),
/// DelayQueue::next(), and whatever finds the driver in use at the moment of the fork. No driver is
/// made behind the scenes, so a child that needs one makes it.
class JTIMER_API TimeDriver {
  public:
    /// With a thread of its own, on a SteadyClock.
    /// \throws std::system_error if the thread cannot be started, or the clock cannot be waited on
    TimeDriver();
    /// \throws std::system_error if the thread cannot be started, or the clock cannot be waited on
    explicit TimeDriver(TimeDriverOptions options);
    TimeDriver(const TimeDriver&) = delete;
    TimeDriver& operator=(const TimeDriver&) = delete;
    /// Calls shutdown() and waits for the thread to end. On that thread itself, in a waker, it does
    /// not wait. Sleeps, and what is made of them, may outlive the driver. In a forked child it
    /// does nothing, and calls no waker.
    ~TimeDriver();

    /// \returns a Sleep until `duration` from now. The longest durations never elapse.
    /// \throws IllegalArgumentException "Negative duration."
    /// \throws IllegalStateException "TimeDriver has been shut down."
    [[nodiscard]] Sleep sleep(TimeSpan duration);
    /// \returns a Sleep until `deadline`, which may have passed
    /// \throws IllegalStateException "TimeDriver has been shut down."
    [[nodiscard]] Sleep sleepUntil(Date deadline);
    /// \returns an Interval whose first tick comes at once
    /// \throws IllegalArgumentException "`period` must be non-zero." if it is 0 or negative
    /// \throws IllegalStateException "TimeDriver has been shut down."
    [[nodiscard]] Interval interval(TimeSpan period);
    /// \returns an Interval whose first tick comes at `start`, which may have passed
    /// \throws IllegalArgumentException "`period` must be non-zero." if it is 0 or negative
    /// \throws IllegalStateException "TimeDriver has been shut down."
    [[nodiscard]] Interval intervalAt(Date start, TimeSpan period);

    /// Fires everything that is due by now, including what wakers register meanwhile, in the order
    /// of ticks; within a tick in any order. For a polled driver.
    /// \returns how many have fired
    /// \throws IllegalStateException if the driver has a thread, another turn() is running, or the
    ///   call comes from a waker of this driver
    std::size_t turn();
    /// The same for the given time instead of the clock's. A time before that of the last turn
    /// counts as the latter.
    /// \throws IllegalStateException as turn()
    std::size_t turn(Date now);

    /// When the next turn has something to do, usually something to fire; std::nullopt if nothing
    /// is registered. Not later than the tick of the earliest deadline, but it may be earlier:
    /// distant deadlines are sorted in several steps.
    ///
    /// A loop may sleep until then: TimeDriverOptions::unpark is called for whatever is registered
    /// before that time. An answer given during a turn holds only until the turn ends.
    [[nodiscard]] std::optional<Date> nextWake() const;

    /// How many deadlines are registered.
    std::size_t size() const;

    /// How far the wheel has been turned, counted from start().
    std::chrono::milliseconds elapsed() const;
    /// When it was made: the origin of the ticks.
    Date start() const noexcept;
    /// The clock's present time.
    Date now() const;
    /// TimeDriverOptions::name.
    const std::string& name() const noexcept;

    /// Ends the driver: calls the waker of everything that is registered, on this thread. A Sleep
    /// that had fired before stays so. Any other throws IllegalStateException from its next poll,
    /// wait or reset, and from a wait that is in progress. May be called more than once.
    void shutdown();
    /// Whether shutdown() has been called.
    bool isShutdown() const noexcept;

    /// Recomputes the invariants of the wheel, for tests.
    /// \throws std::logic_error that names what is wrong
    void check() const;

  private:
    friend class detail::SleepAccess;

    /// Shared with the thread, and with everything that is made of Sleeps.
    detail::Driver* driver_;
};

}  // namespace jtimer::tokio
