// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <jtimer/detail/compiler.hpp>
#include <jtimer/time.hpp>
#include <jtimer/tokio/sleep.hpp>
#include <jtimer/tokio/waker.hpp>

#include <chrono>
#include <cstdint>
#include <optional>

namespace jtimer::tokio {

/// When the next tick comes after a missed one. A tick is missed if it is taken more than 5 ms
/// late.
enum class MissedTickBehavior {
    Burst,  ///< a period after the missed one: at once, until the Interval has caught up
    Delay,  ///< a period after now
    Skip    ///< at the first multiple of the period, counted from the missed one, that is after now
};

/// Ticks once a period. Made by TimeDriver::interval() and intervalAt().
///
/// It ticks only when it is polled. A late poll takes its tick late; the tick is not lost. The
/// MissedTickBehavior, Burst by default, decides when the next tick comes. Between a tick and the
/// next poll, nothing is registered with the driver.
///
/// Only one thread at a time may use it. It may outlive its driver.
class JTIMER_API Interval {
  public:
    Interval(Interval&&) noexcept = default;  ///< the other can only be assigned to or destroyed
    Interval& operator=(Interval&&) noexcept = default;  ///< drops the former interval
    ~Interval() = default;

    /// Blocks until the next tick.
    /// \returns the time that the tick was scheduled for
    /// \throws IllegalStateException as Sleep::wait()
    Date tick();

    /// Takes the next tick if it is due. Otherwise `waker` is called when it is, as in
    /// Sleep::poll().
    /// \returns the time that the tick was scheduled for; nothing if it is not due
    /// \throws DriverShutdown "TimeDriver has been shut down."
    [[nodiscard]] std::optional<Date> pollTick(Waker waker = {});

    /// Calls pollTick(): for an Interval that is the operation of a Timeout or of until().
    std::optional<Date> operator()(const Waker& waker) { return pollTick(waker); }

    /// Withdraws the waker of the last poll, and deregisters. The next poll goes on; no tick is
    /// lost.
    void dropWaker() noexcept { sleep_.dropWaker(); }

    /// Sets the next tick to one period from now; the others follow at the period. Missed ticks are
    /// dropped, whatever the MissedTickBehavior. The time is registered at once, and an earlier
    /// poll's waker stays in place.
    /// \throws DriverShutdown "TimeDriver has been shut down."
    void reset();
    /// Does what reset() does, but the next tick comes now.
    /// \throws DriverShutdown "TimeDriver has been shut down."
    void resetImmediately();
    /// Does what reset() does, but the next tick comes `duration` from now.
    /// \throws IllegalArgumentException "Negative duration."
    /// \throws DriverShutdown "TimeDriver has been shut down."
    void resetAfter(TimeSpan duration);
    /// Does what reset() does, but the next tick comes at `deadline`, which may have passed.
    /// \throws DriverShutdown "TimeDriver has been shut down."
    void resetAt(Date deadline);

    /// The time from one tick to the next.
    std::chrono::nanoseconds period() const noexcept { return std::chrono::nanoseconds(period_); }
    /// The behaviour after a missed tick.
    MissedTickBehavior missedTickBehavior() const noexcept { return behavior_; }
    /// Takes effect when the next tick is taken.
    void setMissedTickBehavior(MissedTickBehavior behavior) noexcept { behavior_ = behavior; }

  private:
    friend class TimeDriver;
    friend class detail::SleepAccess;

    JTIMER_LOCAL Interval(Sleep sleep, std::int64_t period);

    JTIMER_LOCAL Date taken();

    Sleep sleep_;
    std::int64_t period_;  // in nanoseconds
    MissedTickBehavior behavior_ = MissedTickBehavior::Burst;
};

}  // namespace jtimer::tokio

// The one class that makes an Interval. It includes this header, which therefore comes first.
#include <jtimer/tokio/time_driver.hpp>
