// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <jtimer/cluster/pause.hpp>
#include <jtimer/missed_runs.hpp>
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
    Dead,       ///< was given up: see Scheduler::runNow, reschedule, revive and cancel
    Paused      ///< does not run, and is itself paused; dead or not
};

/// A task as it was when the database answered.
struct TaskInfo {
    std::string name;                ///< which handler runs it
    std::string id;                  ///< name and id identify the task
    State state = State::Scheduled;  ///< what it is doing
    Date scheduledExecutionTime;     ///< when the run in progress, or else the next, is due
    /// When it may begin: later after a failure, Date::max() if dead. Of a paused task: if it were
    /// not paused.
    Date nextAttempt;
    int attempt = 0;                ///< how often the present period's run has begun
    int crashes = 0;                ///< nodes that died running it since its last success
    std::int64_t fencingToken = 0;  ///< of the last run; 0: never claimed
    std::string runningOn;          ///< the name of the node, or empty
    /// Of the last run that failed, until one succeeds. At most 2,000 bytes.
    std::string lastError;
    std::string payload;                       ///< empty if from Scheduler::list
    std::string kind;                          ///< "once", "fixed rate", "fixed delay" or "cron"
    std::string cron;                          ///< the expression of a cron task, else empty
    std::string zone;                          ///< and its time zone
    TimeSpan period = 0;                       ///< of a fixed rate, or the delay; else 0
    MissedRuns missedRuns = MissedRuns::Once;  ///< of a fixed rate or cron task
    std::optional<Date> runningSince;          ///< when it was claimed, by the database's clock
    /// Its own pause. That of a running task begins when the run has ended. Pauses of its name, of
    /// nodes or of everything do not show here.
    std::optional<Pause> paused;
    std::size_t payloadSize = 0;  ///< in bytes, also if from Scheduler::list
};

/// How Scheduler::list sorts.
enum class Order {
    Key,  ///< by name and id, byte by byte
    /// By the time at which the tasks may begin; those of one time in no order. Dead and paused
    /// tasks come last. Give it a state or `dueBefore`, else all tasks are read; with a name, it
    /// reads those of other names, too.
    Due
};

/// Which tasks a call is for: those that all fields allow. Assign the fields by their names. With
/// none, all tasks.
struct Filter {
    std::optional<std::string> name;  ///< only tasks of this name
    /// Only tasks whose id begins with it, which is quick if `name` is given.
    std::string idPrefix;
    std::optional<State> state;  ///< only tasks in this state
    std::string runningOn;       ///< only running tasks of the nodes with this Options::name
    /// Only tasks that wait and may begin before this time: no running, dead or paused ones.
    std::optional<Date> dueBefore;

    Order order = Order::Key;  ///< of Scheduler::list; the other calls ignore this and the rest
    /// Only tasks after this name and id, for Order::Key. To list everything in parts, set it to
    /// those of the last task of the part before.
    std::pair<std::string, std::string> after;
    std::size_t limit = 100;  ///< the most tasks that list returns
};

}  // namespace jtimer::cluster
