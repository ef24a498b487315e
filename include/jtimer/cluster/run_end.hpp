// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <jtimer/time.hpp>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace jtimer::cluster {

/// What became of a run.
enum class Outcome {
    Succeeded,  ///< the handler returned, or its complete() was committed
    Retrying,   ///< it failed, and another attempt follows
    GaveUp,     ///< it failed for the last time: the task goes on with its next period
    Dead,       ///< it failed for the last time, and the task is dead
    /// The handler has not returned in TaskOptions::grace after its time limit. Of the same run
    /// follow what its failure makes of the task, and Fenced when it returns.
    Abandoned,
    Lost,   ///< its process died, or was cut off, and another node has freed the task
    Fenced  ///< the task was another run's by then, or cancelled: the end has changed nothing
};

/// What Options::onRunEnd is told of a run.
struct RunEnd {
    std::string name;                      ///< of the task
    std::string id;                        ///< of the task
    int attempt = 0;                       ///< as Run::attempt()
    std::int64_t fencingToken = 0;         ///< as Run::fencingToken(); no other run has it
    Outcome outcome = Outcome::Succeeded;  ///< any but Lost
    /// From the scheduled time to the claim, by the database's clock. Of a later attempt, that
    /// includes the attempts before.
    std::chrono::nanoseconds lateness{0};
    /// From the claim to the end, by the process's clock. 0 if the task was given up without a run.
    std::chrono::nanoseconds duration{0};
    /// When the task may begin again, if it were not paused: its next period or attempt. None if it
    /// is over, dead, or no longer this run's. Also none if the end was written twice, because the
    /// answer to the first statement was lost.
    std::optional<Date> nextDue;
    std::string error;  ///< why it failed, or empty; at most 2,000 bytes
};

}  // namespace jtimer::cluster
