// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "many_tasks.hpp"

#include "../text/parsing.hpp"
#include "confirm.hpp"
#include "json_text.hpp"
#include "status.hpp"
#include "text.hpp"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <functional>
#include <iostream>
#include <iterator>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace cluster_tool {

namespace {

using jtimer::cluster::Filter;
using jtimer::cluster::NameInfo;
using jtimer::cluster::NodeInfo;
using jtimer::cluster::State;
using jtimer::cluster::TaskInfo;

void addTo(Selected& selected, Session& session, const Filter& filter) {
    session.forEach(filter, [&](TaskInfo& task) {
        selected.add(std::move(task));
        return true;
    });
}

/// What is done to the tasks.
struct Change {
    std::string verb;  ///< such as "delete"
    std::string done;  ///< what they are then
    std::function<std::size_t()> make;
};

int report(Session& session, std::uint64_t count, std::uint64_t selected, const std::string& done) {
    session.console.print(session.options.json
                              ? changedJson(count, selected)
                              : tasksText(count) + (count == 1 ? " is " : " are ") + done + '\n');
    return count == 0 ? kUnchanged : kDone;
}

int change(Session& session, const Selected& selected, const Change& change) {
    if (selected.count == 0 && !session.options.dryRun) {
        if (session.options.json) session.console.print(changedJson(0, 0));
        Console::tell("there is no such task");
        return kUnchanged;
    }
    if (const std::optional<int> status = unlessConfirmed(session, selected, change.verb))
        return *status;
    return report(session, change.make(), selected.count, change.done);
}

/// The ids in a file, one a line, in order.
std::vector<std::string> idsIn(const std::string& fileName) {
    std::ifstream file;
    if (fileName != "-") file.open(fileName);
    std::istream& input = fileName == "-" ? std::cin : file;
    if (!input)
        throw std::invalid_argument("cannot read " + inQuotes(fileName) + ": " +
                                    std::strerror(errno));
    std::set<std::string> ids;
    for (std::string line; std::getline(input, line);) {
        if (!line.empty()) ids.insert(line);
    }
    if (input.bad()) throw std::invalid_argument("cannot read " + inQuotes(fileName));
    if (ids.empty())
        failExpecting(inQuotes(fileName) + " has no id",
                      "one a line, for cancel deletes all tasks of a name");
    return {ids.begin(), ids.end()};
}

int pruneOthers(Session& session) {
    const std::vector<std::string> ids = idsIn(session.options.keep);
    Selected others;
    session.forEach(session.options.filter, [&](TaskInfo& task) {
        if (!std::binary_search(ids.begin(), ids.end(), task.id)) others.add(std::move(task));
        return true;
    });
    return change(session, others,
                  {"Delete", "deleted",
                   [&] { return session.scheduler.cancelOthers(session.options.name, ids); }});
}

/// The names that no live node registers, in order.
std::vector<std::string> unregistered(Session& session) {
    std::vector<std::string> names;
    for (const NameInfo& name : session.scheduler.names(1)) {
        if (name.registeringNodes == 0) names.push_back(name.name);
    }
    std::sort(names.begin(), names.end());
    return names;
}

/// A live node whose library does not tell the names that it registers.
std::optional<NodeInfo> silentNode(Session& session) {
    for (const NodeInfo& node : session.scheduler.nodes()) {
        if (node.library.empty() && node.leaseLeft > jtimer::TimeSpan(0)) return node;
    }
    return {};
}

int pruneUnregistered(Session& session) {
    if (const std::optional<NodeInfo> node = silentNode(session)) {
        Console::tell("the node " + inQuotes(node->name) +
                      " has an old library, which does not tell the names that it registers");
        return kUnchanged;
    }
    const std::vector<std::string> names = unregistered(session);
    Filter filter = session.options.filter;
    Selected due;
    for (const std::string& name : names) {
        filter.name = name;
        addTo(due, session, filter);
    }
    return change(session, due, {"Delete", "deleted", [&] {
                                     // Nodes may have started while the question was open.
                                     if (silentNode(session)) return std::size_t{0};
                                     std::vector<std::string> still;
                                     const std::vector<std::string> now = unregistered(session);
                                     std::set_intersection(names.begin(), names.end(), now.begin(),
                                                           now.end(), std::back_inserter(still));
                                     std::size_t count = 0;
                                     for (const std::string& name : still) {
                                         filter.name = name;
                                         count += session.scheduler.cancelAll(filter);
                                     }
                                     return count;
                                 }});
}

}  // namespace

int cancelSelected(Session& session) {
    const Filter& filter = session.options.filter;
    Selected selected;
    addTo(selected, session, filter);
    return change(session, selected,
                  {"Delete", "deleted", [&] { return session.scheduler.cancelAll(filter); }});
}

int reviveSelected(Session& session) {
    Filter filter = session.options.filter;
    filter.state = State::Dead;
    Selected dead;
    addTo(dead, session, filter);
    return change(session, dead, {"Revive", "due now", [&] {
                                      const std::size_t count = session.scheduler.revive(filter);
                                      wakeNodes(session.scheduler);
                                      return count;
                                  }});
}

int prune(Session& session) {
    return session.options.keep.empty() ? pruneUnregistered(session) : pruneOthers(session);
}

}  // namespace cluster_tool
