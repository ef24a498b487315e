// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <jtimer/clock.hpp>

#include <memory>

namespace jtimer::detail {

/// The clocks of timers without a given clock, one of each kind per process: no timer makes one of
/// its own. Never destroyed, because the destructor of a static object may make a timer.
const std::shared_ptr<Clock>& defaultWallClock();
const std::shared_ptr<Clock>& defaultSteadyClock();

}  // namespace jtimer::detail
