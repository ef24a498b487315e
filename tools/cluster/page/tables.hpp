// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "causes.hpp"
#include "pages.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

/// \file
/// Tables of what there is, in HTML. They show up to so many rows, and a sentence if there is none.

namespace page {

/// Tasks in any state.
std::string tasksTable(std::string_view label, const std::vector<jtimer::cluster::TaskInfo>& tasks,
                       std::size_t rows, const Context& context);

/// Those that are dead, that run, and that wait: what people want to know of each.
std::string deadTable(const std::vector<jtimer::cluster::TaskInfo>& tasks, const Context& context);
std::string runningTable(const std::vector<jtimer::cluster::TaskInfo>& tasks,
                         const Context& context);
std::string waitingTable(const std::vector<jtimer::cluster::TaskInfo>& tasks,
                         const Context& context);

std::string namesTable(const std::vector<jtimer::cluster::NameInfo>& names, std::size_t rows,
                       const Surroundings& around, const Context& context);

/// With links to their pauses if actions are allowed.
std::string nodesTable(const std::vector<jtimer::cluster::NodeInfo>& nodes, std::size_t rows,
                       const Context& context);

std::string pausesTable(const std::vector<jtimer::cluster::Pause>& pauses, const Context& context);

/// \param ofOneTask without the name and the id
std::string runsTable(const std::vector<jtimer::cluster::PastRun>& runs, std::size_t rows,
                      bool ofOneTask, const Context& context);

/// What one of the tables above makes of a few tasks, and a link to all if there are more.
std::string few(const Part<std::vector<jtimer::cluster::TaskInfo>>& tasks, const std::string& all,
                const Context& context,
                std::string (*table)(const std::vector<jtimer::cluster::TaskInfo>&,
                                     const Context&));

/// The state of a task, as a badge.
std::string stateBadge(const jtimer::cluster::TaskInfo& task);

}  // namespace page
