// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "session.hpp"

/// \file
/// The commands that pause and resume a task, a name, nodes or everything. They return the exit
/// status.

namespace cluster_tool {

int pause(Session& session);
int resume(Session& session);

}  // namespace cluster_tool
