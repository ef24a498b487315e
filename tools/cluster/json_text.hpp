// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <jtimer/cluster/history.hpp>
#include <jtimer/cluster/name_info.hpp>
#include <jtimer/cluster/node_info.hpp>
#include <jtimer/cluster/stats.hpp>
#include <jtimer/cluster/task_info.hpp>

#include <cstdint>
#include <string>
#include <string_view>

/// \file
/// What programs read: objects of JSON, each with the end of its line. The keys are an interface
/// and only added to. What there is not is null, times are of RFC 3339 in UTC, and names that end
/// with
/// `_seconds` are of numbers with six decimals.

namespace cluster_tool {

/// \param withPayload in base64
std::string jsonOf(const jtimer::cluster::TaskInfo& task, bool withPayload);
std::string jsonOf(const jtimer::cluster::NameInfo& name);
std::string jsonOf(const jtimer::cluster::NodeInfo& node);
std::string jsonOf(const jtimer::cluster::Pause& pause);
std::string jsonOf(const jtimer::cluster::PastRun& run);
std::string jsonOf(const jtimer::cluster::Backlog& backlog);

/// What has become of many tasks.
/// \param selected how many there were
std::string changedJson(std::uint64_t changed, std::uint64_t selected);

/// What has become of one task.
/// \param outcome of its run: `succeeded` and so on; empty: unknown
std::string changedJson(const std::string& name, const std::string& id, bool changed,
                        const std::string& outcome = {});

/// What has become of a pause.
std::string changedJson(jtimer::cluster::Scope scope, const std::string& name,
                        const std::string& id, bool changed);

std::string inBase64(std::string_view bytes);

}  // namespace cluster_tool
