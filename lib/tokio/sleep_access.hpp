// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "tokio/driver.hpp"

#include <jtimer/exceptions.hpp>
#include <jtimer/time.hpp>
#include <jtimer/tokio/time_driver.hpp>

#include <chrono>
#include <type_traits>

namespace jtimer::tokio::detail {

/// Rounded up if a Date is coarser: after a wait until that Date, the time must have come.
inline Date dateOf(Nanos nanos) {
    const std::chrono::nanoseconds time(nanos);
    const auto date = std::chrono::duration_cast<Date::duration>(time);
    return Date(date < time ? date + Date::duration(1) : date);
}

/// \throws IllegalArgumentException "Negative duration."
inline Nanos requireNotNegative(TimeSpan duration) {
    if (duration.value().millis < 0) throw IllegalArgumentException("Negative duration.");
    return jtimer::detail::toNanos(duration.value());
}

/// Gives the code built on Sleep, Interval and TimeDriver access to their private parts.
class SleepAccess {
  public:
    static Sleep make(Driver& driver, Nanos deadline) { return Sleep(driver, deadline); }
    static Driver& driverOf(const TimeDriver& driver) noexcept { return *driver.driver_; }
    static Driver& driverOf(const Sleep& sleep) noexcept { return *sleep.entry_->driver; }
    static Sleep& sleepOf(Interval& interval) noexcept { return interval.sleep_; }

    /// Sets another deadline for a Sleep that is not registered, or has fired; its next poll
    /// registers it. A waker that waits for a turn is dropped.
    static void restart(Sleep& sleep, Nanos deadline) noexcept {
        if (isRegistered(sleep)) takeWaker(sleep);
        sleep.deadline_.store(deadline, std::memory_order_relaxed);
        sleep.entry_->leave(false);
    }
    static void reset(Sleep& sleep, Nanos deadline) {
        driverOf(sleep).reset(*sleep.entry_, deadline, sleep.deadline_);
    }
    /// Has a registered Sleep fire at a later time, without a lock and without a change of its
    /// deadline(). \returns false if it is not registered for an earlier time
    static bool extend(Sleep& sleep, Nanos deadline) noexcept {
        return sleep.entry_->extend(driverOf(sleep).ticks().dueBy(deadline));
    }
    /// Calls Driver::poll() with a time that the caller has read.
    static Driver::Polled poll(Sleep& sleep, Nanos now, Waker& waker) {
        return driverOf(sleep).poll(*sleep.entry_, deadlineOf(sleep), now, waker);
    }
    static void park(Sleep& sleep, Waker& waker) { driverOf(sleep).park(*sleep.entry_, waker); }
    /// Has a waker that a poll has left, if it has not been called yet, called at `deadline`, which
    /// is not what deadline() returns.
    static void rearm(Sleep& sleep, Nanos deadline, Nanos now) {
        driverOf(sleep).rearm(*sleep.entry_, deadline, now);
    }
    static bool isRegistered(const Sleep& sleep) noexcept { return sleep.entry_->isRegistered(); }
    static Waker takeWaker(Sleep& sleep) noexcept {
        return driverOf(sleep).takeWaker(*sleep.entry_);
    }
    static Nanos deadlineOf(const Sleep& sleep) noexcept {
        return sleep.deadline_.load(std::memory_order_relaxed);
    }
};

}  // namespace jtimer::tokio::detail
