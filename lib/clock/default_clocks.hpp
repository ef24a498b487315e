// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <jtimer/clock.hpp>

#include <memory>

namespace jtimer::detail {

/// The clocks of timers that are given none, one of each kind for the process. Never destroyed: a
/// timer may be made in the destructor of some static object.
const std::shared_ptr<Clock>& defaultWallClock();
const std::shared_ptr<Clock>& defaultSteadyClock();

}  // namespace jtimer::detail
