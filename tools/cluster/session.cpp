// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "session.hpp"

#include "../text/host_name.hpp"
#include "../text/utf8.hpp"

#include <jtimer/cluster/exceptions.hpp>

#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include <pwd.h>
#include <unistd.h>

namespace cluster_tool {

namespace {

/// How many tasks a query asks for.
constexpr std::size_t kPage = 1000;

std::string userName() {
    std::array<char, 16'384> buffer;
    passwd entry{};
    passwd* found = nullptr;
    if (::getpwuid_r(::geteuid(), &entry, buffer.data(), buffer.size(), &found) != 0 ||
        found == nullptr)
        return std::to_string(::geteuid());
    return entry.pw_name;
}

/// Who pauses.
std::string userAtHost() {
    constexpr std::size_t kLongest = 200;
    const std::string name = inUtf8(userName() + '@' + hostName());
    return name.size() > kLongest ? userName() : name;
}

}  // namespace

jtimer::cluster::Options clusterOptions(const Options& options) {
    jtimer::cluster::Options result;
    result.name = userAtHost();
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

jtimer::cluster::Target targetOf(jtimer::cluster::Scope scope, const std::string& name,
                                 const std::string& id) {
    using jtimer::cluster::Scope;
    using jtimer::cluster::Target;
    switch (scope) {
    case Scope::Task:
        return Target::task(name, id);
    case Scope::Name:
        return Target::name(name);
    case Scope::Node:
        return Target::node(name);
    case Scope::Everything:
        break;
    }
    return Target::everything();
}

void wakeNodes(jtimer::cluster::Scheduler& scheduler) {
    try {
        scheduler.wakeUp();
    } catch (const jtimer::cluster::DatabaseException&) {
        return;
    }
}

}  // namespace cluster_tool
