// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <exception>
#include <string>

namespace jtimer {

/// The default UncaughtExceptionHandler: prints `Exception in thread "NAME" TYPE: WHAT` to
/// std::cerr, in one piece (C4).
void printUncaughtException(const std::string& timerName, const std::exception_ptr& exception);

}  // namespace jtimer
