// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "../entry.hpp"

#include <string>

/// The task of a line. Nodes claim by its name, so a copy of the schedule claims no run of a line
/// that it does not have: that of a one-shot with another time, or of another kind.
///
/// A line that repeats is the task NAME, so that another rule changes it. One that runs once is
/// `NAME at RULE` or `NAME after RULE`: with another rule it is another task.
std::string taskNameOf(const Entry& entry);

/// The id of the task of a line.
std::string taskIdOf(const Entry& entry);

/// NAME, the name of the line, which holds no blank.
std::string lineNameOf(const std::string& taskName);
