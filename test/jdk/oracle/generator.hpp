// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "scenario.hpp"

namespace oracle {

/// The random scenario number `index` from `seed`: the same on every machine. What it shows does
/// not depend on luck; generator.cpp says how.
Scenario randomScenario(unsigned seed, unsigned index);

std::vector<Scenario> randomScenarios(unsigned seed, unsigned count);

}  // namespace oracle
