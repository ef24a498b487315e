// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <jtimer/detail/compiler.hpp>
#include <jtimer/exceptions.hpp>

namespace jtimer::tokio {

/// The driver has ended: "TimeDriver has been shut down.", or, in a forked child, "TimeDriver
/// belongs to the parent process.". A loop or a coroutine that serves until its driver ends catches
/// this. A mistake in a call, such as waiting on the thread that turns the driver, is a plain
/// IllegalStateException.
class JTIMER_API DriverShutdown : public IllegalStateException {
  public:
    using IllegalStateException::IllegalStateException;
    ~DriverShutdown() override;
};

}  // namespace jtimer::tokio
