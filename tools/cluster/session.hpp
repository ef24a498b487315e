// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "console.hpp"
#include "options.hpp"

#include <jtimer/cluster/pause.hpp>
#include <jtimer/cluster/scheduler.hpp>

#include <functional>
#include <optional>
#include <string>

namespace cluster_tool {

jtimer::cluster::Options clusterOptions(const Options& options);

/// What a pause or its end acts on.
/// \param name of the task, of its handler, or of the node
jtimer::cluster::Target targetOf(jtimer::cluster::Scope scope, const std::string& name,
                                 const std::string& id);

/// Has the nodes look for tasks that are due now. They would notice later without it, so its
/// failure is none.
void wakeNodes(jtimer::cluster::Scheduler& scheduler);

/// What the commands work with. The Scheduler is not started, so it connects when it is first used.
struct Session {
    Session(const Options& theOptions, Console& theConsole)
        : options(theOptions), console(theConsole), scheduler(clusterOptions(theOptions)) {}

    /// The task of the command line.
    std::optional<jtimer::cluster::TaskInfo> find() {
        return scheduler.find(options.name, options.id);
    }

    /// Calls `use` with each task that the filter selects, until that returns false.
    void forEach(jtimer::cluster::Filter filter,
                 const std::function<bool(jtimer::cluster::TaskInfo&)>& use);

    const Options& options;
    Console& console;
    jtimer::cluster::Scheduler scheduler;
};

}  // namespace cluster_tool
