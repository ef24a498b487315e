// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "../http/address.hpp"
#include "schedule_file.hpp"

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>
#include <vector>

/// Who can read what is printed: people, programs that read what the commands print, or programs
/// that read what has become of them.
enum class OutputForm { Prefixed, Raw, Json };

/// The options on the command line.
struct Options {
    std::vector<std::string> files;  ///< `-`: standard input
    Reading reading;                 ///< what the lines of the files are
    bool convert = false;            ///< print the crontab as a schedule file, and end
    std::optional<std::chrono::milliseconds> runFor;
    std::chrono::milliseconds grace{4000};  ///< for commands that are to end
    int jobs = 10;                          ///< how many commands may run at once
    bool catchUp = false;                   ///< run what was due before the start
    bool strict = false;                    ///< the exit status tells if a command has failed
    bool reload = false;                    ///< read the file again on SIGHUP
    std::optional<std::chrono::milliseconds> reloadEvery;  ///< look whether the files have changed
    bool watch = false;                   ///< show a table on a terminal, and no lines
    std::string trace, metrics;           ///< names of files; empty: none
    std::optional<http::Address> listen;  ///< where to serve metrics and health
    std::optional<http::Address> probe;   ///< whose health to ask for, and end
    std::string cluster;  ///< how to reach the database of the cluster; empty: there is none
    std::string node;     ///< of this copy in the cluster
    std::chrono::milliseconds connectWithin{30'000};  ///< of a start: while the database is away
    std::string schema = "run_schedule";              ///< of the tasks in the database
    bool list = false;                                ///< print the tasks of the cluster, and end
    std::string revive;  ///< if not empty, make the dead tasks of that line run again, and end
    bool prune = false;  ///< delete the tasks that the files do not have, and end
    bool dryRun = false;
    bool check = false;  ///< do the checks of a start, print what is due next, and end
    OutputForm output = OutputForm::Prefixed;
    bool verbose = false;        ///< tell also when commands begin and succeed
    std::string onFailure;       ///< a command that runs after a run has failed; empty: none
    std::string state;           ///< a file that keeps when lines began; empty: none
    bool stopOnFailure = false;  ///< end after the first run that has failed
    std::string print;           ///< if not empty, print this and do nothing else

    /// Whether a file is standard input.
    bool readInput() const { return std::find(files.begin(), files.end(), "-") != files.end(); }
};

extern const char* const kUsage;

/// \throws boost::program_options::error, std::invalid_argument
Options parseOptions(int argc, const char* const* argv);
