// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <chrono>
#include <optional>
#include <string>

/// The command line.
struct Options {
    std::string file;  ///< `-`: the standard input
    std::optional<std::chrono::milliseconds> runFor;
    std::chrono::milliseconds grace{5000};  ///< for a command that runs at the end
    bool dryRun = false;
    bool stats = false;  ///< print those of the timer, too
    std::string print;   ///< not empty: print this, and do nothing else
};

extern const char* const kUsage;

/// \throws boost::program_options::error, std::invalid_argument
Options parseOptions(int argc, const char* const* argv);
