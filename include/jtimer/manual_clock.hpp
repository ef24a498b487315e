// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <jtimer/clock.hpp>
#include <jtimer/detail/compiler.hpp>
#include <jtimer/time.hpp>

#include <cstdint>
#include <memory>

namespace jtimer {

/// A clock that moves only when told to, so that a test of timed code takes no time and always has
/// the same outcome:
///
/// \code
/// auto clock = std::make_shared<jtimer::ManualClock>();
/// jtimer::TimerOptions options;
/// options.clock = clock;
/// jtimer::Timer timer(options);
/// int runs = 0;
/// timer.schedule([&] { ++runs; }, 0, 1000);
/// clock->advance(24h);                        // runs == 86401
/// timer.cancel();
/// \endcode
///
/// Moving the time stops at every deadline on the way, in order, for all timers on the clock. Each
/// due task runs on its own timer's thread and sees `now()` equal to its deadline. The call returns
/// when all due tasks have run and every timer waits again; the caller sees what the tasks wrote.
/// Timers due at the same moment run concurrently.
///
/// Any thread may move the time, and so may a task: then time passes *during* its run (a stall).
/// Other timers run meanwhile; the task's own timer falls behind. A call that moves the time waits
/// for running tasks, so a task that waits for the calling thread never ends. After five seconds of
/// real time, in which no time has passed on this clock, the call says so once, see
/// setWaitReportHandler(): which task runs, or which timer always has more due. The destructor of a
/// non-daemon Timer with pending tasks does not return until another thread moves the time. None of
/// these calls is a cancellation point.
///
/// No call sleeps or polls. A step that involves only one timer needs no thread switch.
class JTIMER_API ManualClock final : public Clock {
  public:
    /// \param start the value of `now()` until the first move
    explicit ManualClock(Date start = Date{});
    ~ManualClock() override;

    std::int64_t nanos() const override;

    /// Moves the time forward by `span`, and runs everything due by then.
    ///
    /// A netty::HashedWheelTimer with a pending time-out waits for the end of each tick, of which a
    /// day has 864,000 at the default 100 ms; so years take minutes. The other timers wait for
    /// their deadlines only.
    /// \throws IllegalArgumentException if `span` is negative
    void advance(TimeSpan span);

    /// Moves the time forward to `time`, and runs everything due by then.
    /// \throws IllegalArgumentException if `time` is before `now()`
    void advanceTo(Date time);

    /// Moves the time to the next moment that a timer waits for, and runs what is due then. That
    /// may be nothing, because a timer also waits for a cancelled task at the head of its queue.
    /// \returns false, without moving the time, if no timer waits for one
    bool advanceToNext();

    /// Waits until every timer on this clock has run what is due and waits again. The time does not
    /// move. Inside a task, it waits for the other timers.
    void waitUntilIdle();

    /// Checks the clock's invariants, for tests.
    /// \throws std::logic_error that names the violated invariant
    void check() const;

  private:
    class JTIMER_LOCAL Impl;

    JTIMER_LOCAL std::shared_ptr<detail::Waiter> makeWaiter() const override;

    /// Shared with its waiters, which may outlive the clock.
    const std::shared_ptr<Impl> impl_;
};

}  // namespace jtimer
