// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <jtimer/stats.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace jtimer::cluster {

/// What a Scheduler has done since its construction.
struct Stats {
    std::uint64_t claimed = 0;    ///< tasks claimed
    std::uint64_t succeeded = 0;  ///< runs whose success was written
    std::uint64_t failed = 0;     ///< runs whose failure was written
    std::uint64_t retried = 0;    ///< failures that are followed by another attempt
    std::uint64_t died = 0;       ///< tasks that became dead
    std::uint64_t takenOver = 0;  ///< tasks freed from nodes whose lease had expired
    std::uint64_t fenced = 0;     ///< ends of runs that changed nothing: cancelled or taken over
    /// Tasks claimed that did not begin: by then the lease was lost, as after an answer that came
    /// late. They are claimed again, by any node.
    std::uint64_t notBegun = 0;
    /// Runs that took longer than their time limit, counted when they returned or were abandoned.
    std::uint64_t timedOut = 0;
    std::uint64_t abandoned = 0;            ///< handlers that did not return after it: see grace
    std::uint64_t leasesLost = 0;           ///< how often this node was declared dead
    std::uint64_t missed = 0;               ///< the sum of Run::missedRuns()
    std::uint64_t polls = 0;                ///< claims, including those that found nothing
    std::uint64_t notifications = 0;        ///< notifications received
    std::uint64_t reconnects = 0;           ///< connections made anew after one was lost
    std::size_t running = 0;                ///< runs in progress
    std::size_t abandonedRunning = 0;       ///< those of them that were abandoned
    std::chrono::nanoseconds oldestRun{0};  ///< the age of the oldest of them, or 0
    /// How late runs began: from the scheduled time to the claim, by the database's clock. First
    /// attempts only.
    LatenessHistogram lateness;
};

/// What the schema holds. A task is counted in one of the first five. Paused are those with a pause
/// of their own, and those that wait while their name or everything is paused; a node's pause holds
/// no task.
struct Backlog {
    std::uint64_t due = 0;        ///< may begin now, and have not
    std::uint64_t scheduled = 0;  ///< wait for their time, or for the next attempt
    std::uint64_t paused = 0;     ///< do not run, and are paused
    std::uint64_t running = 0;    ///< belong to a node
    std::uint64_t dead = 0;       ///< were given up
    /// Started Schedulers that have neither stopped nor been declared dead.
    std::uint64_t nodes = 0;
    /// For how long the oldest of the due tasks could have begun. Alert on it.
    std::chrono::microseconds oldestDue{0};
};

}  // namespace jtimer::cluster
