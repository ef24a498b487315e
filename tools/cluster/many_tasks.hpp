// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "session.hpp"

/// \file
/// The commands that act on all tasks that are selected, once that is confirmed. They return the
/// exit status.

namespace cluster_tool {

int cancelSelected(Session& session);
int reviveSelected(Session& session);

/// \throws std::invalid_argument if the file of ids cannot be read, or has none
int prune(Session& session);

}  // namespace cluster_tool
