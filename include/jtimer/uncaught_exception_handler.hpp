// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <jtimer/detail/export.hpp>

#include <exception>
#include <functional>
#include <string>

namespace jtimer {

/// Receives what a user's function has thrown on a timer's thread: the timer's name, and the
/// exception. Called on that thread with no lock held; it may call everything, and may destroy the
/// timer. What it throws itself changes nothing; jtimer::Timer prints it to std::cerr.
///
/// An empty handler means the default of the process, see setDefaultUncaughtExceptionHandler().
using UncaughtExceptionHandler = std::function<void(const std::string&, std::exception_ptr)>;

/// Sets the handler of every timer that has none of its own, those that exist included. An empty
/// one, as at first, prints `Exception in thread "NAME" TYPE: WHAT` to std::cerr; with ` in task
/// "TASK"` after the timer's name if the task has one. May be called at any time by any thread; a
/// call of the former handler may still be going on afterwards, on a timer's thread.
JTIMER_API void setDefaultUncaughtExceptionHandler(UncaughtExceptionHandler handler);

/// The handler that was set last; empty at first.
[[nodiscard]] JTIMER_API UncaughtExceptionHandler defaultUncaughtExceptionHandler();

}  // namespace jtimer
