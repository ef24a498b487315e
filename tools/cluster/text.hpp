// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <jtimer/cluster/history.hpp>
#include <jtimer/cluster/name_info.hpp>
#include <jtimer/cluster/node_info.hpp>
#include <jtimer/cluster/stats.hpp>
#include <jtimer/cluster/task_info.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// \file
/// What people read. Control characters, and those that change the direction of text, are escaped.

namespace cluster_tool {

/// The columns of the terminal; nothing: there is none, and nothing is cut.
using Width = std::optional<std::size_t>;

/// Up to which number names are counted.
inline constexpr std::uint64_t kCountTo = 10'000;

std::string textOf(const std::vector<jtimer::cluster::TaskInfo>& tasks, Width width);
std::string textOf(const std::vector<jtimer::cluster::NameInfo>& names, Width width);
std::string textOf(const std::vector<jtimer::cluster::NodeInfo>& nodes, Width width);
std::string textOf(const std::vector<jtimer::cluster::Pause>& pauses, Width width);
std::string textOf(const std::vector<jtimer::cluster::PastRun>& runs, Width width);
std::string textOf(const jtimer::cluster::Backlog& backlog);

/// All of a task. Nothing is cut.
std::string textOf(const jtimer::cluster::TaskInfo& task, bool withPayload);

/// `"report" "nightly"`
std::string keyText(const std::string& name, const std::string& id);

/// When a task runs, such as `once` or `fixed rate, each 5m`.
std::string scheduleText(const jtimer::cluster::TaskInfo& task);

/// A count of Scheduler::names(), such as `12` or `10000+`.
std::string countText(std::uint64_t count);

/// `1 task` or `3 tasks`.
std::string tasksText(std::uint64_t count);

/// What was selected, before it is changed: the count, and the first tasks.
std::string previewText(std::uint64_t count, const std::vector<jtimer::cluster::TaskInfo>& first,
                        Width width);

/// Which runs are kept from now on.
std::string keptText(jtimer::cluster::History what, std::chrono::milliseconds age,
                     std::uint64_t rows);

/// `text` for the standard error: its lines remain.
std::string linesForTerminal(const std::string& text);

}  // namespace cluster_tool
