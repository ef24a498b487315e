// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <jtimer/detail/export.hpp>
#include <jtimer/time.hpp>
#include <jtimer/tokio/sleep.hpp>
#include <jtimer/tokio/waker.hpp>

#include <chrono>
#include <cstdint>
#include <optional>

namespace jtimer::tokio {

/// When the next tick comes after one that was missed. A tick is missed if it is taken more than
/// 5 ms late.
enum class MissedTickBehavior {
    Burst,  ///< a period after the missed one: at once, until the Interval has caught up
    Delay,  ///< a period after now
    Skip    ///< at the first multiple of the period, counted from the missed one, that is after now
};

/// Ticks once a period. Made by TimeDriver::interval() and intervalAt().
///
/// It ticks only when it is polled. A tick whose poll comes late is taken late, and not lost; the
/// MissedTickBehavior, Burst by default, decides when the next one comes after that. Between a tick
/// and the next poll, nothing is registered with the driver.
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

    /// Takes the next tick, if its time has come. Otherwise `waker` is called when it comes, as in
    /// Sleep::poll().
    /// \returns the time that the tick was scheduled for; nothing if it has not come
    /// \throws IllegalStateException "TimeDriver has been shut down."
    std::optional<Date> pollTick(Waker waker = {});

    /// The next tick comes a period from now, and the others follow by the period. Missed ticks are
    /// dropped, whatever the MissedTickBehavior. The time is registered at once, and a waker that
    /// an earlier poll has left stays.
    /// \throws IllegalStateException "TimeDriver has been shut down."
    void reset();
    /// The same; the next tick comes now.
    /// \throws IllegalStateException "TimeDriver has been shut down."
    void resetImmediately();
    /// The same; the next tick comes `duration` from now.
    /// \throws IllegalArgumentException "Negative duration."
    /// \throws IllegalStateException "TimeDriver has been shut down."
    void resetAfter(TimeSpan duration);
    /// The same; the next tick comes at `deadline`, which may have passed.
    /// \throws IllegalStateException "TimeDriver has been shut down."
    void resetAt(Date deadline);

    /// The time from one tick to the next.
    std::chrono::nanoseconds period() const noexcept { return std::chrono::nanoseconds(period_); }
    /// What follows a missed tick.
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
