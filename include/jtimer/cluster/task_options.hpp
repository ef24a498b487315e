// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <jtimer/time.hpp>

#include <optional>

namespace jtimer::cluster {

/// What happens to a run whose process dies.
enum class Delivery {
    /// It is run again, so a task may be run more than once. See Run::complete for effects that
    /// must happen once.
    AtLeastOnce,
    /// It is not: no attempt follows the first, even if the handler throws. A one-shot is then
    /// dead; a repeating task goes on with its next period.
    AtMostOnce
};

/// How a task's failures are treated, given to Scheduler::registerTask. Nothing of it is stored: it
/// is the registering process's answer to the failures of its own runs.
struct TaskOptions {
    Delivery delivery = Delivery::AtLeastOnce;  ///< what happens if the process dies

    /// How often a run is attempted before the task is given up, at least 1: then a one-shot is
    /// dead, and a repeating task waits for its next period. Default: 20 for one-shots, 1 for
    /// repeating tasks.
    std::optional<int> maxAttempts;

    /// The pause after a failure: firstBackoff after the first, twice as long after each further
    /// one, at most maxBackoff; then up to a quarter more, at random. Neither may be negative.
    TimeSpan firstBackoff = 10'000;
    TimeSpan maxBackoff = 3'600'000;  ///< see firstBackoff

    /// A task whose process died this many times, without a success in between, is dead, even if it
    /// repeats, unless goesOnAfterCrashes: its payload may be what kills the process. At least 1.
    int maxCrashes = 3;

    /// What becomes of a repeating task instead if its process died maxCrashes times: the run has
    /// failed, which is printed to std::cerr, and the next period follows, for which no process has
    /// died yet. For tasks that must never stop, although each period may end as many processes. A
    /// one-shot is dead all the same.
    bool goesOnAfterCrashes = false;

    /// How long a run may take, more than 0; by default, as long as it likes. It counts from the
    /// claim, by a clock of the process that also counts the time for which the computer sleeps.
    /// Then Run::timedOut() and Run::stopRequested() are true, and a handler that returns later has
    /// failed, whatever it has done: "It took longer than its time limit of 30 s." But a
    /// Run::complete() that was committed remains a success.
    std::optional<TimeSpan> timeout;

    /// For which a run may go on after its time limit, 0 or more; TimeSpan::max(): for ever. A
    /// handler that has not returned by then is abandoned, which is printed to std::cerr. From then
    /// on Run::leaseLost() is true, the run has failed, and any node may make the next attempt,
    /// though the handler still runs: what it does later is treated as if its lease were lost, and
    /// a payload that it has set is not stored.
    ///
    /// No thread can be ended safely. So an abandoned handler keeps its slot of
    /// Options::concurrency until it returns, and stop() waits for it. When such handlers hold all
    /// slots, the node runs nothing more, which is printed, too. Stats::abandonedRunning counts
    /// them, and Options::onRunEnd is told of each; a program may then end itself.
    TimeSpan grace = 30'000;

    /// How many runs of the name there may be at once in this Scheduler, at least 1; by default, as
    /// many as it has slots. An abandoned handler counts until it returns. When a run ends, the
    /// next one begins at once.
    std::optional<int> concurrency;

    /// How many runs of the name there may be at once in the cluster, at least 1; by default, any
    /// number. Every Scheduler that registers the name should state it: one that does not is not
    /// limited, although its runs count. Where they state different numbers, each begins no run
    /// that would be one too many by its own.
    ///
    /// The limit is exact. A run counts until its end is written, or, if its process has died,
    /// until another takes over its task: see Options::lease. A run whose lease is lost does not
    /// count, even if its handler still runs, nor does one whose task was cancelled. When a run
    /// ends, the next one begins at once in the same Scheduler, in others at most
    /// Options::pollInterval later.
    ///
    /// Such names are claimed apart from all others, in a transaction of four statements in place
    /// of one. Names without this limit cost nothing more.
    std::optional<int> clusterConcurrency;
};

}  // namespace jtimer::cluster
