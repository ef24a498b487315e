// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <jtimer/clock.hpp>
#include <jtimer/detail/export.hpp>
#include <jtimer/time.hpp>

#include <cstdint>
#include <memory>

namespace jtimer {

/// A clock that stands still until it is told to move, so that a test of timed code takes no time
/// and has one outcome:
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
/// Moving the time goes through every deadline on the way, in order, for all timers on the clock.
/// Each due task runs on its own timer's thread and sees `now()` equal to its deadline. The call
/// returns when all of them have run and every timer waits again, so what the tasks wrote can be
/// read. Timers due at the same moment run side by side, as two threads do.
///
/// The functions that move the time may be called from any thread, also inside a task: then time
/// passes *during* that run (a stall). The other timers run meanwhile; the task's own timer becomes
/// late. These calls wait for running tasks. So a task that waits for the thread that moves the
/// time waits for ever, and so does the destructor of a non-daemon Timer with pending tasks until
/// somebody moves the time. They are not cancellation points.
///
/// No call sleeps or polls. A step involves no switch of threads if only one timer takes part.
class JTIMER_API ManualClock final : public Clock {
  public:
    /// \param start what `now()` is until the first move
    explicit ManualClock(Date start = Date{});
    ~ManualClock() override;

    std::int64_t nanos() const override;

    /// Moves the time forward by `span` from the present, and runs everything due by then.
    /// \throws IllegalArgumentException if `span` is negative
    void advance(TimeSpan span);

    /// Moves the time forward to `time`, and runs everything due by then.
    /// \throws IllegalArgumentException if `time` is before `now()`
    void advanceTo(Date time);

    /// Moves the time to the next moment for which a timer waits, and runs what is due then. That
    /// may be nothing: a timer also waits for a cancelled task at the head of its queue.
    /// \returns false, with the time unmoved, if no timer waits for a time
    bool advanceToNext();

    /// Returns when every timer on this clock has run what is due and waits. The time does not
    /// move. Called inside a task, it waits for the other timers.
    void waitUntilIdle();

    /// Recomputes the clock's invariants, for tests.
    /// \throws std::logic_error that names what is wrong
    void check() const;

  private:
    class JTIMER_LOCAL Impl;

    JTIMER_LOCAL std::shared_ptr<detail::Waiter> makeWaiter() const override;

    /// Shared with its waiters, which may outlive the clock.
    const std::shared_ptr<Impl> impl_;
};

}  // namespace jtimer
