// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <jtimer/detail/export.hpp>
#include <jtimer/time.hpp>

#include <cstdint>
#include <memory>

/// \file
/// Where a timer's time comes from, and how its thread waits for it:
///
/// | clock         | a task due in an hour runs                         | choose it for           |
/// | ------------- | -------------------------------------------------- | ----------------------- |
/// | WallClock     | when the computer's clock shows that time, as with | ported Java code; times |
/// |               | java.util.Timer (the default)                      | of day                  |
/// | SteadyClock   | after an hour, even if the computer's clock is set | time-outs, polling      |
/// | BoottimeClock | the same, and time asleep counts (Linux)           | leases                  |
/// | ManualClock   | when the test says that an hour has passed         | tests                   |
///
/// One clock serves any number of timers, from any thread. Each timer shares in its ownership.
///
/// On the first three, a wait of 0.1 ms or longer ends ahead of time, by as much as the thread's
/// wake-ups have taken of late; what is left it spins, less than 1 us in the mean. Nothing runs
/// early. With TimerOptions::timerSlack, or on a clock derived from WallClock, no wait ends ahead
/// of time.
///
/// On Linux, WallClock shows what clock_gettime() says of CLOCK_REALTIME. SteadyClock and
/// BoottimeClock add a constant to CLOCK_MONOTONIC and CLOCK_BOOTTIME: they never go back, also
/// from one thread to another. So nothing runs early by the system's clocks either, also while the
/// system slows them down or speeds them up to set them right. A reading is no cancellation point.

namespace jtimer {

class Clock;

namespace detail {
class Waiter;
std::shared_ptr<Waiter> makeWaiter(const Clock& clock);
}  // namespace detail

/// The source of a timer's time. To show a timer another time than the computer's, derive from
/// WallClock and override `nanos()`. To let a test move the time, use ManualClock.
class JTIMER_API Clock {
  public:
    Clock(const Clock&) = delete;
    Clock& operator=(const Clock&) = delete;
    virtual ~Clock();

    /// \returns the present time on this clock, rounded down to what a Date can hold
    Date now() const {
        return Date(std::chrono::floor<Date::duration>(std::chrono::nanoseconds(nanos())));
    }

    /// The present time in nanoseconds since 1970. Called by several threads at a time, also with
    /// the lock of a timer held: an override must be thread-safe and quick, and must not call a
    /// timer. If it throws, the exception goes to the caller of `schedule` or `stats`; on the
    /// timer's thread it ends the timer, as one out of a task does.
    virtual std::int64_t nanos() const = 0;

  protected:
    Clock() = default;

  private:
    friend std::shared_ptr<detail::Waiter> detail::makeWaiter(const Clock& clock);

    /// What one thread waits on. \throws std::system_error if the system has no more of it
    virtual std::shared_ptr<detail::Waiter> makeWaiter() const = 0;
};

namespace detail {
/// How the library's threads wait on a clock: each on a Waiter of its own.
/// \throws std::system_error if the system has no more of what the clock makes it from
inline std::shared_ptr<Waiter> makeWaiter(const Clock& clock) { return clock.makeWaiter(); }
}  // namespace detail

/// The computer's clock, used as java.util.Timer uses it: the time of day decides, and a wait lasts
/// for the difference. If the clock is set back by an hour, what is pending runs an hour later. If
/// it is set forward, a wait that has begun ends no earlier unless something wakes the thread; then
/// fixed-rate tasks catch up in a burst.
class JTIMER_API WallClock : public Clock {
  public:
    WallClock();
    ~WallClock() override;
    std::int64_t nanos() const override;

  private:
    std::shared_ptr<detail::Waiter> makeWaiter() const final;
};

/// Shows the time of day at its construction, and from then on the time that has passed: setting
/// the computer's clock does not affect it. A Date is understood on its own time line. It stands
/// still while the computer sleeps.
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

#if defined(__linux__)
/// A SteadyClock that goes on while the computer sleeps (CLOCK_BOOTTIME): what came due meanwhile
/// runs at resume. Each timer on it holds two file descriptors.
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
