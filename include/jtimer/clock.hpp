// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <jtimer/detail/compiler.hpp>
#include <jtimer/time.hpp>

#include <cstdint>
#include <memory>

/// \file
/// The clocks that timers run on:
///
/// | clock         | a task due in an hour runs                         | choose it for           |
/// | ------------- | -------------------------------------------------- | ----------------------- |
/// | WallClock     | when the computer's clock shows that time, as with | ported Java code; times |
/// |               | java.util.Timer (the default of Timer and brpc)    | of day                  |
/// | SteadyClock   | after an hour, even if the computer's clock is set | time-outs, polling      |
/// |               | (the default of netty, go and tokio)               |                         |
/// | BoottimeClock | after an hour, time asleep included (Linux)        | leases                  |
/// | ManualClock   | when the test says that an hour has passed         | tests                   |
///
/// One clock may serve any number of timers, on any thread. Each timer shares ownership of its
/// clock.
///
/// Nothing runs early. A waiting thread may wake up to 0.1 ms ahead of a task's time and spin until
/// then, for less than 1 us on average; for a jtimer::Timer, TimerOptions::timerSlack turns that
/// off.
///
/// On Linux, WallClock reads CLOCK_REALTIME. SteadyClock and BoottimeClock read CLOCK_MONOTONIC and
/// CLOCK_BOOTTIME, add a constant, and never go back, even across threads. Nothing runs early by
/// the system's clocks either, even while the system slows them down or speeds them up to correct
/// them. Reading a clock is not a cancellation point.

namespace jtimer {

class Clock;

namespace detail {
class Waiter;
std::shared_ptr<Waiter> makeWaiter(const Clock& clock);
}  // namespace detail

/// The source of a timer's time. To give a timer a time of your own, derive from WallClock and
/// override `nanos()`. In tests, use ManualClock.
class JTIMER_API Clock {
  public:
    Clock(const Clock&) = delete;
    Clock& operator=(const Clock&) = delete;
    virtual ~Clock();

    /// \returns the current time on this clock, rounded down to the resolution of Date
    Date now() const { return detail::toDate<Date>(nanos()); }

    /// The current time in nanoseconds since 1970. Several threads may call it at once, some of
    /// them holding a timer's lock: an override must be thread-safe and fast, and must not call a
    /// timer. An exception that it throws goes to the caller of `schedule` or `stats`; on the
    /// timer's thread it ends the timer, as an exception from a task does.
    virtual std::int64_t nanos() const = 0;

  protected:
    Clock() = default;

  private:
    friend std::shared_ptr<detail::Waiter> detail::makeWaiter(const Clock& clock);

    /// Creates the object that one thread waits on. \throws std::system_error if the system lacks
    /// the resources
    virtual std::shared_ptr<detail::Waiter> makeWaiter() const = 0;
};

namespace detail {
/// Creates the object that one of the library's threads waits on; each thread has its own.
/// \throws std::system_error if the system lacks the resources
inline std::shared_ptr<Waiter> makeWaiter(const Clock& clock) { return clock.makeWaiter(); }
}  // namespace detail

/// The computer's clock, used as in java.util.Timer: a task is due at a time of day, and the length
/// of a wait is computed when the wait begins. If the clock is set back by an hour, pending tasks
/// run an hour later. If it is set forward, a wait in progress does not end sooner unless something
/// wakes the thread; fixed-rate tasks then catch up in a burst.
class JTIMER_API WallClock : public Clock {
  public:
    WallClock();
    ~WallClock() override;
    std::int64_t nanos() const override;

  private:
    std::shared_ptr<detail::Waiter> makeWaiter() const final;
};

/// Starts at the time of day of its construction and then counts the time that passes: setting the
/// computer's clock does not affect it. A Date given to its timers is a time on this clock, not on
/// the computer's. It stops while the computer sleeps.
class JTIMER_API SteadyClock final : public Clock {
  public:
    SteadyClock();
    ~SteadyClock() override;
    std::int64_t nanos() const override;

  private:
    JTIMER_LOCAL std::shared_ptr<detail::Waiter> makeWaiter() const override;

    /// The time of day minus CLOCK_MONOTONIC at construction.
    const std::int64_t offset_;
};

#if defined(__linux__) || defined(_WIN32)
/// A SteadyClock that keeps running while the computer sleeps (CLOCK_BOOTTIME): tasks that come due
/// meanwhile run at resume. Each thread of a timer on it holds a file descriptor: those of
/// jtimer::go that run functions, too. If the program closes it, as closefrom() does, std::cerr
/// says so, and the timer goes on; but after a suspend it is then up to a second late, and its
/// thread may be woken by SIGURG.
///
/// On Windows (QueryInterruptTime), tasks run up to a second after resume: the thread looks at the
/// clock once a second while it waits for one.
class JTIMER_API BoottimeClock final : public Clock {
  public:
    BoottimeClock();
    ~BoottimeClock() override;
    std::int64_t nanos() const override;

  private:
    JTIMER_LOCAL std::shared_ptr<detail::Waiter> makeWaiter() const override;

    /// The time of day minus CLOCK_BOOTTIME at construction.
    const std::int64_t offset_;
};
#endif

}  // namespace jtimer

#include <jtimer/manual_clock.hpp>
