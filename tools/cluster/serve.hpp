// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "options.hpp"

namespace cluster_tool {

/// Serves the pages until a signal ends it.
/// \returns the exit status
/// \throws std::invalid_argument if it cannot listen, or cannot use a file
int serve(const Options& options);

}  // namespace cluster_tool
