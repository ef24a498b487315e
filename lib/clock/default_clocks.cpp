// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "clock/default_clocks.hpp"

namespace jtimer::detail {

const std::shared_ptr<Clock>& defaultWallClock() {
    static const auto& clock = *new std::shared_ptr<Clock>(std::make_shared<WallClock>());
    return clock;
}

const std::shared_ptr<Clock>& defaultSteadyClock() {
    static const auto& clock = *new std::shared_ptr<Clock>(std::make_shared<SteadyClock>());
    return clock;
}

}  // namespace jtimer::detail
