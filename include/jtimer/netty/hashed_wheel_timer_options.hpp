// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <jtimer/clock.hpp>
#include <jtimer/executor.hpp>
#include <jtimer/time.hpp>
#include <jtimer/uncaught_exception_handler.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace jtimer::netty {

/// Construction options of a HashedWheelTimer. Every field has a default:
/// HashedWheelTimer(HashedWheelTimerOptions{}) is HashedWheelTimer().
struct HashedWheelTimerOptions {
    /// The timer's name. The worker thread carries its first 15 bytes. Without one the name is
    /// "HashedWheel-" and the next number of the process, from 0.
    std::optional<std::string> name;

    /// Where the time comes from. Null: a new SteadyClock, which suits delays: on a clock that can
    /// be set, they become longer or shorter by that.
    std::shared_ptr<Clock> clock;

    /// How long a tick lasts. A timeout runs up to one tick later than its delay; the worker wakes
    /// up once a tick as long as anything is pending. 100 ms suit time-outs of seconds and minutes.
    /// Less than 1 ms becomes 1 ms, with a warning on std::cerr. 0 or less, or so long that a
    /// revolution of the wheel exceeds 64 bits of nanoseconds: the constructor throws
    /// IllegalArgumentException.
    TimeSpan tickDuration = 100;

    /// The number of slots of the wheel, rounded up to a power of two; a slot takes 24 bytes. A
    /// tick looks at every timeout of its slot, due or not, so there should be enough slots that
    /// few timeouts are more than a revolution away. 0 or less, or above 2^30: the constructor
    /// throws IllegalArgumentException.
    int ticksPerWheel = 512;

    /// newTimeout throws RejectedExecutionException while this many timeouts are pending. 0 or
    /// less: no limit.
    std::int64_t maxPendingTimeouts = 0;

    /// Where tasks run. Empty: on the worker, one at a time. Otherwise the worker hands over each
    /// run as it comes due, in order, with no lock held; it neither waits for the run nor shuts the
    /// executor down. The function may be called late, also when the timer has been destroyed. If
    /// the executor throws, that run is lost, and the uncaughtExceptionHandler is told.
    Executor taskExecutor;

    /// Told of what run(), cancelled() and the executor throw. The timer goes on. Empty: the
    /// default of the process, see setDefaultUncaughtExceptionHandler().
    UncaughtExceptionHandler uncaughtExceptionHandler;
};

}  // namespace jtimer::netty
