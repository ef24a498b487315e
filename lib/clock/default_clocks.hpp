// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <jtimer/clock.hpp>

#include <memory>

namespace jtimer::detail {

/// The clock of this class of all timers without a given clock: one per process, so that no timer
/// makes one of its own. Never destroyed, because the destructor of a static object may make a
/// timer.
template <class ClockType>
const std::shared_ptr<Clock>& defaultClock() {
    static const auto& clock = *new std::shared_ptr<Clock>(std::make_shared<ClockType>());
    return clock;
}

}  // namespace jtimer::detail
