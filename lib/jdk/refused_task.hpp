// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <jtimer/exceptions.hpp>

namespace jtimer::detail {

/// Thrown when a task schedules on its own timer and the timer no longer accepts tasks. For the
/// task it is an IllegalStateException; but if it leaves the task, the pending tasks still run.
class RefusedTask final : public IllegalStateException {
  public:
    RefusedTask() : IllegalStateException("Timer already cancelled.") {}
};

}  // namespace jtimer::detail
