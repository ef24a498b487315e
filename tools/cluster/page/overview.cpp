// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "actions.hpp"
#include "causes.hpp"
#include "charts.hpp"
#include "frame.hpp"
#include "html.hpp"
#include "links.hpp"
#include "pages.hpp"
#include "tables.hpp"
#include "times.hpp"

#include "../../text/time_text.hpp"
#include "../text.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>

namespace page {

namespace {

using jtimer::cluster::Backlog;
using jtimer::cluster::Filter;
using jtimer::cluster::NameInfo;
using jtimer::cluster::NodeInfo;
using jtimer::cluster::Pause;
using jtimer::cluster::State;

/// Nodes that an overview shows.
constexpr std::size_t kNodesShown = 20;

/// Names that a sentence tells.
constexpr std::size_t kNamesTold = 5;

std::string stateReference(State state) {
    Filter filter;
    filter.state = state;
    return tasksReference(filter);
}

std::string figure(std::string_view kind, const std::string& reference, std::string_view name,
                   std::uint64_t count, const std::string& remark) {
    return "<li class=" + std::string(kind) + ">" +
           link(reference, "<span>" + escaped(name) + "</span> <strong>" + std::to_string(count) +
                               "</strong>") +
           (remark.empty() ? "" : "<small>" + remark + "</small>") + '\n';
}

std::string backlogHtml(const Backlog& backlog) {
    const std::string oldest =
        backlog.due == 0 ? "" : "the oldest for " + inWords(backlog.oldestDue);
    return "<ul class=figures>\n" +
           figure("due", reference("tasks", {{"state", "scheduled"}, {"order", "due"}}), "Due",
                  backlog.due, oldest) +
           figure("running", stateReference(State::Running), "Running", backlog.running, "") +
           figure("scheduled", stateReference(State::Scheduled), "Scheduled", backlog.scheduled,
                  "") +
           figure("paused", stateReference(State::Paused), "Paused", backlog.paused, "") +
           figure("dead", stateReference(State::Dead), "Dead", backlog.dead, "") +
           figure("nodes", "nodes", "Nodes", backlog.nodes, "") + "</ul>\n";
}

/// A name whose tasks something holds.
struct Held {
    const NameInfo* name;
    Cause cause;
};

std::string namesTold(const std::vector<const NameInfo*>& names) {
    std::string html;
    for (std::size_t i = 0; i < std::min(names.size(), kNamesTold); ++i)
        html += (i == 0 ? "" : ", ") + link(nameReference(names[i]->name), bdi(names[i]->name));
    if (names.size() > kNamesTold)
        html += " and " + std::to_string(names.size() - kNamesTold) + " more";
    return html;
}

/// One item for all names with the same cause.
std::string heldItems(const std::vector<NameInfo>& names, const Surroundings& around, Date read) {
    std::vector<Held> held;
    for (const NameInfo& name : names) {
        Cause cause = causeOf(name, around, read);
        if (cause.alarms) held.push_back({&name, std::move(cause)});
    }
    std::string html;
    while (!held.empty()) {
        const Cause cause = held.front().cause;
        std::vector<const NameInfo*> alike;
        std::uint64_t due = 0;
        const auto isAlike = [&](const Held& each) { return each.cause.words == cause.words; };
        for (const Held& each : held) {
            if (!isAlike(each)) continue;
            alike.push_back(each.name);
            due += each.name->due;
        }
        held.erase(std::remove_if(held.begin(), held.end(), isAlike), held.end());
        html += "<li>" + badge(cause.kind, cause.words) + ' ' + namesTold(alike) + ": " +
                cluster_tool::tasksText(due) + " due\n";
    }
    return html;
}

std::string expiredItem(const std::vector<NodeInfo>& nodes) {
    const auto expired = static_cast<std::uint64_t>(std::count_if(
        nodes.begin(), nodes.end(), [](const NodeInfo& node) { return !isAlive(node); }));
    if (expired == 0) return {};
    return "<li>" + badge("dead", "lease expired") + " of " + std::to_string(expired) +
           (expired == 1 ? " node" : " nodes") + ": others will take over what runs there\n";
}

std::string attention(const Overview& values, const Context& context) {
    const Surroundings around = surroundings(values.nodes, values.pauses);
    std::string items;
    if (const Pause* const pause = pauseOfEverything(around))
        items += "<li>" + badge("paused", "everything is paused") + ' ' +
                 pauseHtml(*pause, context.now) + '\n';
    if (values.names.value) items += heldItems(*values.names.value, around, context.read);
    if (values.nodes.value) items += expiredItem(*values.nodes.value);
    if (values.backlog.value && values.backlog.value->dead > 0)
        items +=
            "<li>" + badge("dead", "dead") + ' ' +
            link(stateReference(State::Dead), cluster_tool::tasksText(values.backlog.value->dead)) +
            (values.backlog.value->dead == 1 ? " was" : " were") + " given up\n";
    const bool isKnown = values.names.value && values.nodes.value && values.backlog.value;
    if (items.empty())
        return isKnown ? "<p class=calm>Nothing needs attention: all due tasks begin, and none is "
                         "dead.</p>\n"
                       : "";
    return "<ul class=attention>\n" + items + "</ul>\n";
}

/// Those that something holds come first, each in their order.
std::vector<NameInfo> heldFirst(std::vector<NameInfo> names, const Surroundings& around,
                                Date read) {
    std::stable_partition(names.begin(), names.end(),
                          [&](const NameInfo& name) { return causeOf(name, around, read).alarms; });
    return names;
}

std::string namesHtml(const std::vector<NameInfo>& names, const Surroundings& around,
                      const Context& context) {
    std::string html = namesTable(heldFirst(names, around, context.read), kRows, around, context);
    if (names.size() > kRows)
        html += "<p>" + link("names", "All " + std::to_string(names.size()) + " names") + "</p>\n";
    return html;
}

std::string nodesHtml(const std::vector<NodeInfo>& nodes, const Context& context) {
    std::string html = nodesTable(nodes, kNodesShown, context);
    if (nodes.size() > kNodesShown)
        html += "<p>" + link("nodes", "All " + std::to_string(nodes.size()) + " nodes") + "</p>\n";
    return html;
}

std::string pausesHtml(const std::vector<Pause>& pauses, const Context& context) {
    std::string html = pausesTable(pauses, context);
    const bool isPaused = std::any_of(pauses.begin(), pauses.end(), [](const Pause& pause) {
        return pause.scope == jtimer::cluster::Scope::Everything;
    });
    if (!isPaused)
        html += actionLink(Action::Pause, everything(), context, "Pause everything\u2026");
    return html;
}

std::string historyHtml(const jtimer::cluster::PastRuns& history) {
    if (history.runs.empty())
        return "<p class=empty>No run is kept. <code>jtimer-cluster keep-history</code> says which "
               "are.</p>\n";
    return charts(history) + "<p>" + link("history", "The runs") + "</p>\n";
}

}  // namespace

std::string overview(const Overview& values, const Context& context) {
    const Surroundings around = surroundings(values.nodes, values.pauses);
    std::string html = rendered(values.backlog, backlogHtml) + attention(values, context);
    html +=
        section("names", "Names", rendered(values.names, [&](const std::vector<NameInfo>& names) {
                    return namesHtml(names, around, context);
                }));
    html +=
        section("dead", "Dead", few(values.dead, stateReference(State::Dead), context, deadTable));
    html += section("running", "Running",
                    few(values.running, stateReference(State::Running), context, runningTable));
    html += section("next", "Next", few(values.next, {}, context, waitingTable));
    html +=
        section("nodes", "Nodes", rendered(values.nodes, [&](const std::vector<NodeInfo>& nodes) {
                    return nodesHtml(nodes, context);
                }));
    html +=
        section("pauses", "Pauses", rendered(values.pauses, [&](const std::vector<Pause>& pauses) {
                    return pausesHtml(pauses, context);
                }));
    html += section("history", "History", rendered(values.history, historyHtml));
    return document(context, "Overview", {}, html, Refreshable::Yes);
}

}  // namespace page
