// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "entry.hpp"
#include "options.hpp"
#include "report.hpp"
#include "schedule_file.hpp"

#include <vector>

/// What has come of a schedule.
struct Result {
    bool commandsFailed = false;
    bool outputLost = false;  ///< of a file other than that of the report, or an end of a run is
    bool threadsAreLeft = false;  ///< they wait for the database: the process must end by _exit()
};

/// Plays a schedule: runs its commands, until it has ended or a signal ends it.
/// \throws std::invalid_argument if a file that the options name cannot be written; then nothing has
///   run
Result play(Schedule schedule, const Options& options, Report& report);

/// Simulates the entries of a schedule, without waiting or running commands.
/// \throws std::invalid_argument likewise
Result playDry(std::vector<Entry> entries, const Options& options, Report& report);
