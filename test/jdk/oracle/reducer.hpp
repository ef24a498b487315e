// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "scenario.hpp"

#include <functional>

namespace oracle {

/// Tells of each scenario whether the two players differ on it.
using Judge = std::function<std::vector<bool>(const std::vector<Scenario>&)>;

/// Takes lines away while the players still differ: no line of the result can be left out. What
/// holds, awaits and joins stays, so that the scenario does not come to depend on luck.
Scenario shortest(Scenario scenario, const Judge& differs);

}  // namespace oracle
