// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "dispatcher.hpp"
#include "process.hpp"

#include <string>

/// How the command of a job runs. Its environment is that of this process; over it the variables of
/// its file; over them those of its user, and RUN_SCHEDULE_TASK, _DUE and _ATTEMPT.
/// \param node RUN_SCHEDULE_NODE; empty: there is none
Command commandOf(const Job& job, const std::string& node);
