// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "scenario.hpp"
#include "transcript.hpp"

namespace oracle {

/// Plays a scenario on jtimer, as Oracle.java does on java.util.Timer. One at a time.
/// \throws std::runtime_error if it is not in the language
Transcript play(const Scenario& scenario);

}  // namespace oracle
