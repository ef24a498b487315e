// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "causes.hpp"

#include "html.hpp"
#include "times.hpp"

#include <algorithm>
#include <chrono>

namespace page {

namespace {

using jtimer::cluster::NameInfo;
using jtimer::cluster::NodeInfo;
using jtimer::cluster::Pause;

/// For so long, due tasks are no news: a node that does not listen sees them in its next poll.
constexpr std::chrono::seconds kUsualDelay(5);

/// Whether a node of an old library is there, which does not tell its names.
bool hasSilentNode(const std::vector<NodeInfo>& nodes) {
    return std::any_of(nodes.begin(), nodes.end(),
                       [](const NodeInfo& node) { return isAlive(node) && node.library.empty(); });
}

/// Those that run a name.
std::vector<const NodeInfo*> nodesOf(const std::string& name, const std::vector<NodeInfo>& nodes) {
    std::vector<const NodeInfo*> result;
    for (const NodeInfo& node : nodes) {
        const auto& names = node.names;
        if (isAlive(node) && std::find(names.begin(), names.end(), name) != names.end())
            result.push_back(&node);
    }
    return result;
}

bool isFull(const NodeInfo& node) { return node.running >= node.concurrency; }

/// Of a name that nodes register, and that is not paused.
Cause causeInNodes(const NameInfo& name, const std::vector<NodeInfo>& nodes, Date read) {
    std::vector<const NodeInfo*> runners = nodesOf(name.name, nodes);
    if (runners.empty()) return {};
    runners.erase(std::remove_if(runners.begin(), runners.end(),
                                 [](const NodeInfo* node) { return node->paused.has_value(); }),
                  runners.end());
    if (runners.empty()) return {"paused", "its nodes are paused", true};
    if (name.due == 0) return {};
    if (std::all_of(runners.begin(), runners.end(),
                    [](const NodeInfo* node) { return isFull(*node); }))
        return {"full", "no idle slot", true};
    if (name.oldestDue && read - *name.oldestDue < kUsualDelay)
        return {"begins", "about to begin", false};
    return {"full", "held by a limit, or not claimed yet", true};
}

}  // namespace

Surroundings surroundings(const Part<std::vector<NodeInfo>>& nodes,
                          const Part<std::vector<Pause>>& pauses) {
    return {nodes.value ? &*nodes.value : nullptr, pauses.value ? &*pauses.value : nullptr};
}

bool isAlive(const NodeInfo& node) { return node.leaseLeft > jtimer::TimeSpan(0); }

const Pause* pauseOfEverything(const Surroundings& around) {
    if (around.pauses == nullptr) return nullptr;
    const auto found =
        std::find_if(around.pauses->begin(), around.pauses->end(), [](const Pause& pause) {
            return pause.scope == jtimer::cluster::Scope::Everything;
        });
    return found == around.pauses->end() ? nullptr : &*found;
}

Cause causeOf(const NameInfo& name, const Surroundings& around, Date read) {
    if (name.pause) return {"paused", "paused", name.due > 0};
    if (pauseOfEverything(around) != nullptr)
        return {"paused", "everything is paused", name.due > 0};
    if (name.registeringNodes == 0) {
        if (name.due + name.scheduled == 0) return {};
        if (around.nodes != nullptr && hasSilentNode(*around.nodes))
            return {"nobody", "nobody runs this name, unless a node of an old library does",
                    name.due > 0};
        return {"nobody", "nobody runs this name", true};
    }
    if (around.nodes == nullptr) return {};
    return causeInNodes(name, *around.nodes, read);
}

std::string pauseHtml(const Pause& pause, Date now) {
    std::string html = relative(pause.since, now) + " by " + bdi(pause.by);
    if (!pause.note.empty()) html += ": " + bdi(pause.note);
    return html;
}

}  // namespace page
