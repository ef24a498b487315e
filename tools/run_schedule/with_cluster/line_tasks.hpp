// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "../entry.hpp"
#include "../options.hpp"

#include <jtimer/cluster/scheduler.hpp>

#include <chrono>
#include <vector>

/// When the task of a line that has run is due: in the year 2200. It stays as a mark that it has.
constexpr jtimer::Date kDone{std::chrono::seconds(7'258'118'400)};

/// How to reach the tasks of the schedule that the command line names.
jtimer::cluster::Options clusterOptions(const Options& options);

/// The task of a line, which begins now.
jtimer::cluster::NewTask newTaskOf(const Entry& entry, jtimer::Date now);

/// How the node runs it.
jtimer::cluster::TaskOptions taskOptionsOf(const Entry& entry);

/// All tasks that the filter selects, also those of lines that have run, and of other files.
std::vector<jtimer::cluster::TaskInfo> allTasks(jtimer::cluster::Scheduler& scheduler,
                                                jtimer::cluster::Filter filter = {});
