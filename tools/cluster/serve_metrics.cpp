// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "serve_metrics.hpp"

#include "../text/metrics_text.hpp"
#include "../text/time_text.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <set>

namespace cluster_tool {

namespace {

using jtimer::Date;
using jtimer::cluster::NameInfo;
using jtimer::cluster::NodeInfo;

constexpr const char* kType = "# TYPE jtimer_cluster_";

std::string secondsText(std::chrono::nanoseconds span) { return inDecimal(span.count() / 1000, 6); }

std::string secondsSince(Date date, Date now) {
    return secondsText(std::max(now - date, Date::duration::zero()));
}

/// Writes one gauge after another.
class Gauges {
  public:
    void head(const char* name, const char* help) {
        name_ = std::string("jtimer_cluster_") + name;
        text_ += "# HELP " + name_ + ' ' + help + '\n' + kType + name + " gauge\n";
    }

    void value(const std::string& value) { text_ += name_ + ' ' + value + '\n'; }

    void value(const std::string& labels, const std::string& value) {
        text_ += name_ + '{' + labels + "} " + value + '\n';
    }

    const std::string& text() const { return text_; }

  private:
    std::string name_, text_;
};

/// What stands for several names: sums, the oldest of what is due, and the fewest nodes.
NameInfo together(std::vector<NameInfo>::const_iterator begin,
                  std::vector<NameInfo>::const_iterator end) {
    NameInfo all = *begin;
    all.name = kOthers;
    for (++begin; begin != end; ++begin) {
        all.due += begin->due;
        all.scheduled += begin->scheduled;
        all.paused += begin->paused;
        all.dead += begin->dead;
        all.running += begin->running;
        all.registeringNodes = std::min(all.registeringNodes, begin->registeringNodes);
        if (begin->oldestDue)
            all.oldestDue = std::min(all.oldestDue.value_or(*begin->oldestDue), *begin->oldestDue);
    }
    return all;
}

/// In order, so that the same ones have metrics of their own each time.
std::vector<NameInfo> shownOf(std::vector<NameInfo> names) {
    std::sort(names.begin(), names.end(),
              [](const NameInfo& a, const NameInfo& b) { return a.name < b.name; });
    if (names.size() <= kNamesInMetrics) return names;
    const NameInfo others = together(names.begin() + kNamesInMetrics, names.end());
    names.resize(kNamesInMetrics);
    names.push_back(others);
    return names;
}

void addNames(Gauges& gauges, const std::vector<NameInfo>& names, Date now) {
    gauges.head("tasks", "Tasks, each counted up to 10000.");
    for (const NameInfo& name : names) {
        const auto add = [&](const char* state, std::uint64_t count) {
            gauges.value("name=" + inLabel(name.name) + ",state=\"" + state + '"',
                         std::to_string(count));
        };
        add("due", name.due);
        add("scheduled", name.scheduled);
        add("paused", name.paused);
        add("running", name.running);
        add("dead", name.dead);
    }
    gauges.head("oldest_due_seconds", "For how long the oldest due task could have begun.");
    for (const NameInfo& name : names)
        gauges.value("name=" + inLabel(name.name),
                     name.oldestDue ? secondsSince(*name.oldestDue, now) : "0");
    gauges.head("registering_nodes", "Nodes with a lease in force that run such tasks.");
    for (const NameInfo& name : names)
        gauges.value("name=" + inLabel(name.name), std::to_string(name.registeringNodes));
}

/// Of nodes of one name, the least.
void addNodes(Gauges& gauges, const std::vector<NodeInfo>& nodes) {
    std::map<std::string, std::chrono::nanoseconds> leases;
    std::size_t live = 0;
    for (const NodeInfo& node : nodes) {
        const std::chrono::nanoseconds left =
            std::max(node.leaseLeft.toChrono(), std::chrono::nanoseconds(0));
        if (left.count() > 0) ++live;
        const auto [each, isNew] = leases.emplace(node.name, left);
        if (!isNew) each->second = std::min(each->second, left);
    }
    gauges.head("nodes", "Nodes with a lease in force.");
    gauges.value(std::to_string(live));
    gauges.head("lease_seconds", "What is left of the lease of a node.");
    std::size_t count = 0;
    for (const auto& [name, left] : leases) {
        if (++count > kNamesInMetrics) return;
        gauges.value("node=" + inLabel(name), secondsText(left));
    }
}

/// \param shown the names that have metrics of their own; nothing: unknown
void addRunning(Gauges& gauges, const std::map<std::string, Date>& since,
                const std::vector<NameInfo>& shown, Date now) {
    std::set<std::string> own;
    for (const NameInfo& name : shown) own.insert(name.name);
    std::optional<Date> others;
    gauges.head("running_seconds_max", "For how long the oldest running task has run.");
    for (const auto& [name, date] : since) {
        if (own.count(name) == 0) {
            // A task may have begun since the names were read.
            if (own.size() >= kNamesInMetrics) {
                others = std::min(others.value_or(date), date);
                continue;
            }
            own.insert(name);
        }
        gauges.value("name=" + inLabel(name), secondsSince(date, now));
    }
    if (others) gauges.value("name=" + inLabel(kOthers), secondsSince(*others, now));
}

}  // namespace

std::string metricsOf(const MetricsValues& values) {
    Gauges gauges;
    gauges.head("up", "Whether the database answers.");
    gauges.value(values.isUp ? "1" : "0");
    if (!values.isUp) return gauges.text();
    std::vector<NameInfo> names;
    if (values.names.value) {
        names = shownOf(*values.names.value);
        addNames(gauges, names, values.now);
    }
    if (values.runningSince.value)
        addRunning(gauges, *values.runningSince.value, names, values.now);
    if (values.nodes.value) addNodes(gauges, *values.nodes.value);
    if (values.pauses.value) {
        gauges.head("pauses", "Pauses of names, nodes and everything.");
        gauges.value(std::to_string(values.pauses.value->size()));
    }
    return gauges.text();
}

}  // namespace cluster_tool
