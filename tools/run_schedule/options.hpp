// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <chrono>
#include <optional>
#include <string>

/// The options on the command line.
struct Options {
    std::string file;  ///< `-`: standard input
    std::optional<std::chrono::milliseconds> runFor;
    std::chrono::milliseconds grace{5000};  ///< for a command that is running at the end
    bool dryRun = false;
    bool stats = false;  ///< print the timer's statistics, too
    std::string print;   ///< if not empty, print this and do nothing else
};

extern const char* const kUsage;

/// \throws boost::program_options::error, std::invalid_argument
Options parseOptions(int argc, const char* const* argv);
