// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "tokio/driver.hpp"

#include <jtimer/exceptions.hpp>
#include <jtimer/time.hpp>
#include <jtimer/tokio/time_driver.hpp>

#include <atomic>
#include <type_traits>

namespace jtimer::tokio::detail {

inline Date dateOf(Nanos time) noexcept { return jtimer::detail::toDateNotBefore<Date>(time); }

/// \throws IllegalArgumentException "Negative duration."
inline Nanos requireDuration(TimeSpan duration) {
    if (duration.value().millis < 0) throw IllegalArgumentException("Negative duration.");
    return jtimer::detail::toNanos(duration.value());
}

/// The time `duration` from now. \throws IllegalArgumentException "Negative duration."
inline Nanos deadlineAfter(const Driver& driver, TimeSpan duration) {
    const Nanos span = requireDuration(duration);
    return jtimer::detail::saturatingAdd(driver.now(), span);
}

/// Gives the code built on Sleep, Interval and TimeDriver access to their private parts.
class SleepAccess {
  public:
    static Sleep make(Driver& driver, Nanos deadline) { return Sleep(driver, deadline); }
    static Driver& driverOf(const TimeDriver& driver) noexcept { return *driver.driver_; }
    static SleepEntry& entryOf(const Sleep& sleep) noexcept { return *sleep.entry_; }
    static Sleep& sleepOf(Interval& interval) noexcept { return interval.sleep_; }

    /// Sets another deadline for a Sleep that is not registered, or has fired; its next poll
    /// registers it. A waker that waits for a turn is dropped.
    static void restart(Sleep& sleep, Nanos deadline) noexcept {
        sleep.entry_->driver->takeWaker(*sleep.entry_);
        sleep.deadline_.store(deadline, std::memory_order_relaxed);
        sleep.entry_->leave(false);
    }
    /// For Driver::wait(): another thread may be resetting it.
    static const std::atomic<Nanos>& storedDeadlineOf(const Sleep& sleep) noexcept {
        return sleep.deadline_;
    }
    static Nanos deadlineOf(const Sleep& sleep) noexcept {
        return sleep.deadline_.load(std::memory_order_relaxed);
    }
};

}  // namespace jtimer::tokio::detail
