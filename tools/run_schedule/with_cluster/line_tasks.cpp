// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "line_tasks.hpp"

#include <cstddef>

namespace {

constexpr std::size_t kMostTasks = 100'000;

}  // namespace

jtimer::cluster::Options clusterOptions(const Options& options) {
    jtimer::cluster::Options result;
    result.conninfo = options.cluster;
    result.schema = options.schema;
    if (!options.node.empty()) result.name = options.node;
    result.concurrency = options.jobs;
    return result;
}

std::vector<jtimer::cluster::TaskInfo> allTasks(jtimer::cluster::Scheduler& scheduler,
                                                jtimer::cluster::Filter filter) {
    filter.limit = kMostTasks;
    return scheduler.list(filter);
}
