// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "cluster/name_limits.hpp"

#include "sync/assert.hpp"

#include <algorithm>

namespace jtimer::cluster::detail {

NameLimits::NameLimits(const Registry& registry) {
    for (const auto& [name, registered] : registry) {
        const TaskOptions& options = registered.options;
        const Limited limited = limitedBy(options);
        if (limited == Limited::Not) continue;
        names_[name] = {limited, options.concurrency, options.clusterConcurrency};
    }
}

std::vector<LimitedName> NameLimits::roomOf(const std::vector<std::string>& names, int limit) {
    std::vector<LimitedName> rooms;
    for (const std::string& name : names) {
        Name& each = names_.at(name);
        each.waits = true;
        const int room = each.inNode ? std::min(limit, *each.inNode - each.occupied) : limit;
        if (room > 0) rooms.push_back({name, room, each.inCluster.value_or(0)});
    }
    return rooms;
}

void NameLimits::looked(const std::vector<LimitedName>& names,
                        const std::vector<std::string>& left) {
    for (const LimitedName& each : names)
        names_.at(each.name).waits = std::find(left.begin(), left.end(), each.name) != left.end();
}

void NameLimits::occupies(const std::string& name) {
    const auto found = names_.find(name);
    if (found != names_.end()) ++found->second.occupied;
}

bool NameLimits::freed(const std::string& name) {
    const auto found = names_.find(name);
    if (found == names_.end()) return false;
    JTIMER_ASSERT(found->second.occupied > 0);
    --found->second.occupied;
    return found->second.waits && found->second.limited == Limited::InNode;
}

bool NameLimits::endWritten(const std::string& name) const {
    const auto found = names_.find(name);
    return found != names_.end() && found->second.waits &&
           found->second.limited == Limited::InCluster;
}

Turns::Turns(const Registry& registry) {
    for (const auto& entry : registry)
        registered_[static_cast<std::size_t>(limitedBy(entry.second.options))] = true;
    if (registry.empty()) registered_[static_cast<std::size_t>(Limited::Not)] = true;
    wantAll();
}

bool Turns::anyWanted() const noexcept {
    return std::find(wanted_.begin(), wanted_.end(), true) != wanted_.end();
}

Limited Turns::take() noexcept {
    JTIMER_ASSERT(anyWanted());
    do {
        last_ = (last_ + 1) % wanted_.size();
    } while (!wanted_[last_]);
    wanted_[last_] = false;
    return static_cast<Limited>(last_);
}

}  // namespace jtimer::cluster::detail
