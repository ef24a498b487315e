// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <jtimer/time.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

namespace jtimer::cluster {

/// The state of a task.
enum class State {
    Scheduled,  ///< waits for its time, or for a node with an idle slot
    Retrying,   ///< waits for its next attempt, after a failure or the death of a node
    Running,    ///< belongs to a node, which runs it
    Dead        ///< was given up; only Scheduler::reschedule or cancel changes that
};

/// A task as it was when the database answered.
struct TaskInfo {
    std::string name;                ///< which handler runs it
    std::string id;                  ///< name and id identify the task
    State state = State::Scheduled;  ///< what it is doing
    Date scheduledExecutionTime;     ///< when the run in progress, or else the next, is due
    Date nextAttempt;  ///< when it may begin: later after a failure, Date::max() if dead
    int attempt = 0;   ///< how often the present period's run has begun
    int crashes = 0;   ///< nodes that died running it since its last success
    std::int64_t fencingToken = 0;  ///< of the last run; 0: never claimed
    std::string runningOn;          ///< the name of the node, or empty
    /// Of the last run that failed, until one succeeds. At most 2,000 bytes.
    std::string lastError;
    std::string payload;  ///< empty if from Scheduler::list
};

/// Which tasks Scheduler::list returns.
struct Filter {
    std::optional<std::string> name;  ///< only tasks of this name
    std::optional<State> state;       ///< only tasks in this state
    /// Only tasks after this name and id. To list everything in parts, set it to those of the last
    /// task of the part before.
    std::pair<std::string, std::string> after;
    std::size_t limit = 100;  ///< the most tasks that it returns
};

}  // namespace jtimer::cluster
