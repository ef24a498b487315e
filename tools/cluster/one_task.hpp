// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "session.hpp"

/// \file
/// The commands that act on the task of the command line. They return the exit status.

namespace cluster_tool {

int showTask(Session& session);
int runTask(Session& session);
int rescheduleTask(Session& session);
int cancelTask(Session& session);
int reviveTask(Session& session);

}  // namespace cluster_tool
