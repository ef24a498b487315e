// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "page/pages.hpp"

#include <jtimer/cluster/name_info.hpp>
#include <jtimer/cluster/node_info.hpp>
#include <jtimer/cluster/pause.hpp>
#include <jtimer/time.hpp>

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace cluster_tool {

/// Of which names there are metrics; the others are one, which is called kOthers.
inline constexpr std::size_t kNamesInMetrics = 200;
inline constexpr const char* kOthers = "(others)";

struct MetricsValues {
    page::Part<std::vector<jtimer::cluster::NameInfo>> names;
    page::Part<std::vector<jtimer::cluster::NodeInfo>> nodes;
    page::Part<std::vector<jtimer::cluster::Pause>> pauses;
    /// Of each name that has a running task, when the one began that runs for the longest time.
    page::Part<std::map<std::string, jtimer::Date>> runningSince;
    bool isUp = false;  ///< the database; else the parts are of the past, and left out
    jtimer::Date now;
};

/// The metrics in the text format of Prometheus. What could not be read is left out.
std::string metricsOf(const MetricsValues& values);

}  // namespace cluster_tool
