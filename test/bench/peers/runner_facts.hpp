// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace runner {

/// The date, the machine, the compiler and Boost: name and value.
std::vector<std::pair<std::string, std::string>> findFacts();

}  // namespace runner
