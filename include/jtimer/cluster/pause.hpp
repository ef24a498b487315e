// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <jtimer/detail/compiler.hpp>
#include <jtimer/time.hpp>

#include <string>
#include <utility>

namespace jtimer::cluster {

namespace detail {
class Store;
}

/// What a pause covers.
enum class Scope {
    Task,       ///< one task
    Name,       ///< all tasks of a name, later ones included
    Node,       ///< all claims of the nodes with a certain Options::name
    Everything  ///< all claims
};

/// What Scheduler::pause and resume act on. A value. Pauses of different targets are independent:
/// each ends when its own target is resumed.
class Target {
  public:
    /// One task, which must exist. Cancelling or replacing it ends the pause; rescheduling and
    /// IfExists::Update keep it.
    JTIMER_API static Target task(std::string name, std::string id);

    /// All tasks of a name, whether there are any or not.
    JTIMER_API static Target name(std::string name);

    /// The nodes with this Options::name, whether there are any or not: after a restart, too. They
    /// claim nothing, and go on with all else.
    JTIMER_API static Target node(std::string node);

    /// All tasks of the schema.
    JTIMER_API static Target everything();

  private:
    friend class Scheduler;
    friend class detail::Store;
    Target(Scope scope, std::string name, std::string id)
        : scope_(scope), name_(std::move(name)), id_(std::move(id)) {}

    Scope scope_;
    std::string name_;  ///< of the task, of its handler, or of the node; else empty
    std::string id_;    ///< of the task; else empty
};

/// A pause: what it covers is not claimed until it is resumed.
struct Pause {
    Scope scope = Scope::Everything;  ///< what kind of thing is paused
    std::string name;                 ///< of the task, of its handler, or of the node; else empty
    std::string id;                   ///< of the task; else empty
    Date since;                       ///< when it began, by the database's clock
    std::string by;                   ///< Options::name of the Scheduler that began it
    std::string note;                 ///< as it was given to Scheduler::pause
};

/// What Scheduler::resume does about runs that came due during the pause.
enum class MissedInPause {
    /// What it does after an outage. A one-shot or a task with a fixed delay whose time has passed
    /// runs at once, one of a fixed rate or cron as its MissedRuns says. A retry waits for its
    /// time.
    Run,
    /// Drops them: a task of a fixed rate or cron goes on with its first run that is not past, one
    /// with a fixed delay a delay from now. Run::missedRuns of that run counts them. One-shots run.
    ///
    /// What a smaller pause holds is left alone: paused tasks, and of Target::everything those of
    /// paused names. Of Target::node, it is the runs of names that only nodes with its name
    /// register.
    Skip
};

}  // namespace jtimer::cluster
