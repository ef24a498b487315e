// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <jtimer/cluster/run_end.hpp>
#include <jtimer/time.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace jtimer::cluster {

/// Which runs the schema keeps when they have ended: see Scheduler::keepHistory.
enum class History { Off, Failures, All };

/// A run that has ended. The times are the server's.
struct PastRun {
    std::string name;  ///< of the task
    std::string id;    ///< of the task
    std::string node;  ///< Options::name of the node that ran it; empty if that had no row any more
    int attempt = 0;   ///< as Run::attempt()
    std::int64_t fencingToken = 0;         ///< as Run::fencingToken(); no other run has it
    Date due;                              ///< as Run::scheduledExecutionTime()
    Date started;                          ///< when it was claimed
    Date finished;                         ///< when its end was written, or the task taken over
    Outcome outcome = Outcome::Succeeded;  ///< any but Fenced, which changes nothing
    std::string error;                     ///< why it failed, or empty
};

/// An answer of Scheduler::history.
struct PastRuns {
    std::vector<PastRun> runs;  ///< the one that was claimed last comes first
    /// No earlier run that is kept matches. Otherwise the limit was reached, or the 200,000 runs
    /// that a call looks at for a filter.
    bool complete = true;
};

/// Which past runs: those that have all that is given.
struct HistoryFilter {
    std::optional<std::string> name;  ///< of the task
    std::optional<std::string> id;    ///< of the task
    std::optional<Outcome> outcome;   ///< what became of the run
    /// Only smaller fencing tokens; 0: all. For the next page, that of the last one.
    std::int64_t before = 0;
    std::size_t limit = 100;  ///< at most so many
};

}  // namespace jtimer::cluster
