// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "console.hpp"
#include "options.hpp"

namespace cluster_tool {

/// Does what the options say.
/// \returns the exit status
/// \throws std::invalid_argument for a file, or an argument, that cannot be used
/// \throws std::runtime_error if the database or its schema does not do
int execute(const Options& options, Console& console);

}  // namespace cluster_tool
