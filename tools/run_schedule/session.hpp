// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "entry.hpp"
#include "options.hpp"
#include "output.hpp"

#include <stdexcept>
#include <vector>

/// What has come of a schedule.
struct Result {
    bool commandsFailed = false;
    bool outputLost = false;  ///< of a file other than `output`
};

/// Plays a schedule: runs its commands, until it has ended or a signal ends it.
/// \throws BadFile if a file that the options name cannot be written; then nothing has run
Result play(std::vector<Entry> entries, const Options& options, Output& output);

/// Simulates a schedule, without waiting or running commands.
/// \throws BadFile likewise
Result playDry(std::vector<Entry> entries, const Options& options, Output& output);

class BadFile : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};
