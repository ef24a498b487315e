// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <jtimer/clock.hpp>
#include <jtimer/time_arguments.hpp>

#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace jtimer {

/// Receives the exception that ended a timer: the timer's name, and what left `TimerTask::run`.
/// Called on the timer's thread when the timer is already cancelled and its queue empty (J124),
/// with no lock held. It may destroy the Timer. What it throws itself is ignored, as in Java.
using UncaughtExceptionHandler = std::function<void(const std::string&, std::exception_ptr)>;

/// All that can be said about a Timer when it is made. Every field has a default:
/// Timer(TimerOptions{}) is Timer().
struct TimerOptions {
    /// The timer's name, kept as it is; the thread carries its first 15 bytes (C9). Without one the
    /// name is "Timer-" and the next number of the process (J2).
    std::optional<std::string> name;

    /// What ~Timer does with outstanding tasks: false, waits until they have run; true, discards
    /// them.
    bool daemon = false;

    /// Where the time comes from. Null means the wall clock, which is Java's.
    std::shared_ptr<Clock> clock;

    /// How much later than asked a task may run, so that the thread wakes up once for many: it
    /// wakes up only at multiples of the tolerance on the timer's clock, and runs what is due by
    /// then. Nothing runs early; scheduledExecutionTime() and the times of later runs are what they
    /// are without it. With the default, 0, the thread wakes up for each task by itself. Choose 1
    /// ms for thousands of repeating tasks. Negative: the constructor of the Timer throws
    /// IllegalArgumentException.
    TimeSpan tolerance = 0;

    /// How much later than its time the kernel may wake the thread, to save power by doing so
    /// together with others: Linux's timer slack, of this thread alone, at least 1 ns. Without one
    /// it is 1 ns for waits of 0.1 ms and longer, and for shorter ones the kernel's usual 50 us:
    /// who has a task every few microseconds does not want a wake-up for each. Clocks whose waits
    /// have no slack (BoottimeClock, ManualClock) take no notice of it. Negative: as for the
    /// tolerance.
    std::optional<TimeSpan> timerSlack;

    /// Empty means the default: print `Exception in thread "NAME" TYPE: WHAT` to std::cerr (C4).
    UncaughtExceptionHandler uncaughtExceptionHandler;
};

}  // namespace jtimer
