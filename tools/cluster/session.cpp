// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "session.hpp"

#include <jtimer/cluster/exceptions.hpp>

#include <cstddef>
#include <vector>

namespace cluster_tool {

namespace {

/// How many tasks a query asks for.
constexpr std::size_t kPage = 1000;

}  // namespace

jtimer::cluster::Options clusterOptions(const Options& options) {
    jtimer::cluster::Options result;
    result.conninfo = options.conninfo;
    result.schema = options.schema;
    return result;
}

void Session::forEach(jtimer::cluster::Filter filter,
                      const std::function<bool(jtimer::cluster::TaskInfo&)>& use) {
    filter.limit = kPage;
    for (bool isLast = false; !isLast;) {
        std::vector<jtimer::cluster::TaskInfo> tasks = scheduler.list(filter);
        isLast = tasks.size() < kPage;
        if (!isLast) filter.after = {tasks.back().name, tasks.back().id};
        for (jtimer::cluster::TaskInfo& task : tasks) {
            if (!use(task)) return;
        }
    }
}

void Session::wakeNodes() {
    try {
        scheduler.wakeUp();
    } catch (const jtimer::cluster::DatabaseException&) {
        return;
    }
}

}  // namespace cluster_tool
