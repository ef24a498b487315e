// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "command.hpp"
#include "dispatcher.hpp"
#include "process.hpp"

#include <string>

/// How the command of a job runs. Its environment is that of this process; over it the variables of
/// its file; over them those of its user, and RUN_SCHEDULE_TASK, _DUE and _ATTEMPT.
/// \param node RUN_SCHEDULE_NODE; empty: there is none
Command commandOf(const Job& job, const std::string& node);

/// A command that has failed.
struct FailedCommand {
    Ending ending;
    jtimer::Date started{}, ended{};
    std::string output;  ///< the last of it
};

/// How the command of --on-failure runs, after a run of a job has failed: by /bin/sh as this
/// process does, with what the job's command knows of its run, and RUN_SCHEDULE_REASON, _STATUS,
/// _STARTED and _ENDED.
Command hookOf(const std::string& script, const Job& job, const std::string& node,
               const FailedCommand& failed);
