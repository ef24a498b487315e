// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <jtimer/clock.hpp>

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

    /// Empty means the default: print `Exception in thread "NAME" TYPE: WHAT` to std::cerr (C4).
    UncaughtExceptionHandler uncaughtExceptionHandler;
};

}  // namespace jtimer
