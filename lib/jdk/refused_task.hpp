// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <jtimer/exceptions.hpp>

namespace jtimer::detail {

/// A task has asked its own timer for another run when no new tasks were accepted. It is an
/// IllegalStateException for the task; but if it leaves the task, the pending ones need not suffer.
class RefusedTask final : public IllegalStateException {
  public:
    RefusedTask() : IllegalStateException("Timer already cancelled.") {}
};

}  // namespace jtimer::detail
