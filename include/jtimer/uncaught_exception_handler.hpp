// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <jtimer/detail/compiler.hpp>

#include <exception>
#include <functional>
#include <string>

namespace jtimer {

/// Called with the timer's name and the exception when a user's function that a timer has called,
/// or has handed to an executor, throws. It runs on the same thread, with no lock held; it may call
/// anything, and may destroy the timer. Exceptions that the handler throws change nothing;
/// jtimer::Timer prints them to std::cerr.
///
/// An empty handler stands for the process's default, see setDefaultUncaughtExceptionHandler().
using UncaughtExceptionHandler = std::function<void(const std::string&, std::exception_ptr)>;

/// Sets the handler of every timer that has none of its own, including existing timers. An empty
/// handler, which is the initial one, prints `Exception in thread "NAME" TYPE: WHAT` to std::cerr,
/// with ` in task "TASK"` after the timer's name if the task is named. May be called at any time
/// from any thread; a timer's thread may still be inside the former handler afterwards.
JTIMER_API void setDefaultUncaughtExceptionHandler(UncaughtExceptionHandler handler);

/// The handler that was set last; initially empty.
[[nodiscard]] JTIMER_API UncaughtExceptionHandler defaultUncaughtExceptionHandler();

}  // namespace jtimer
