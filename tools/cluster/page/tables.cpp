// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "tables.hpp"

#include "../../text/time_text.hpp"
#include "../text.hpp"
#include "../words.hpp"
#include "actions.hpp"
#include "frame.hpp"
#include "html.hpp"
#include "links.hpp"
#include "times.hpp"

#include <algorithm>

namespace page {

namespace {

using jtimer::cluster::Outcome;
using jtimer::cluster::PastRun;
using jtimer::cluster::Pause;
using jtimer::cluster::Scope;
using jtimer::cluster::State;
using jtimer::cluster::TaskInfo;

/// Columns of an error in a table.
constexpr std::size_t kErrorWidth = 160;

/// The names of a node that a table shows.
constexpr std::size_t kNamesOfNode = 4;

const char* const kNothing = "<p class=empty>None.</p>\n";

std::string taskLink(const std::string& name, const std::string& id) {
    return link(taskReference(name, id), bdi(id));
}

std::string nameLink(const std::string& name) { return link(nameReference(name), bdi(name)); }

/// When it began, or may begin.
std::string whenHtml(const TaskInfo& task, Date now) {
    if (task.state == State::Running)
        return task.runningSince ? relative(*task.runningSince, now) : std::string();
    return relative(task.nextAttempt, now);
}

std::string outcomeBadge(Outcome outcome) {
    const bool isGood = outcome == Outcome::Succeeded;
    const bool isBad = outcome == Outcome::Dead || outcome == Outcome::GaveUp;
    return badge(isGood  ? "good"
                 : isBad ? "dead"
                         : cluster_tool::nameOf(outcome),
                 cluster_tool::nameOf(outcome));
}

template <class Row, class Add>
std::string tableOf(Table table, const std::vector<Row>& rows, std::size_t most, const Add& add) {
    if (rows.empty()) return kNothing;
    for (std::size_t i = 0; i < std::min(rows.size(), most); ++i) table.add(add(rows[i]));
    return table.html();
}

std::string namesOf(const jtimer::cluster::NodeInfo& node) {
    if (node.library.empty()) return "<span class=none>does not tell</span>";
    std::string html;
    for (std::size_t i = 0; i < std::min(node.names.size(), kNamesOfNode); ++i)
        html += (i == 0 ? "" : ", ") + nameLink(node.names[i]);
    if (node.names.size() > kNamesOfNode)
        html += " and " + std::to_string(node.names.size() - kNamesOfNode) + " more";
    return html;
}

std::string slotsHtml(const jtimer::cluster::NodeInfo& node) {
    if (node.library.empty()) return std::to_string(node.running);
    const std::string running = std::to_string(node.running);
    const std::string slots = std::to_string(node.concurrency);
    return running + " of " + slots + " <meter aria-hidden=true max=" + slots +
           " value=" + running + "></meter>";
}

std::string leaseHtml(const jtimer::cluster::NodeInfo& node) {
    if (!isAlive(node)) return badge("dead", "expired");
    return inWords(node.leaseLeft.toChrono()) + " of " + inWords(node.lease.toChrono());
}

std::string pauseCell(const jtimer::cluster::NodeInfo& node, const Context& context) {
    std::string html =
        node.paused ? badge("paused", "paused") + ' ' + pauseHtml(*node.paused, context.now) : "";
    return html +
           actionLink(node.paused ? Action::Resume : Action::Pause, ofNode(node.name), context,
                      std::string(node.paused ? "Resume" : "Pause") +
                          "<span class=unseen> the node " + bdi(node.name) + "</span>\u2026");
}

std::string pauseName(const Pause& pause) {
    return pause.scope == Scope::Name ? nameLink(pause.name) : bdi(pause.name);
}

}  // namespace

std::string stateBadge(const TaskInfo& task) {
    std::string html = badge(cluster_tool::nameOf(task.state), cluster_tool::nameOf(task.state));
    if (task.state == State::Paused && task.nextAttempt == Date::max())
        html += badge("dead", "dead");
    if (task.state == State::Running && task.paused) html += badge("paused", "then paused");
    return html;
}

std::string tasksTable(std::string_view label, const std::vector<TaskInfo>& tasks, std::size_t rows,
                       const Context& context) {
    const Table table(label, {{"Id"},
                              {"Name"},
                              {"State"},
                              {"Due, or running since"},
                              {"Node"},
                              {"Attempt", true},
                              {"Last error"}});
    return tableOf(table, tasks, rows, [&](const TaskInfo& task) -> std::vector<std::string> {
        return {
            taskLink(task.name, task.id),       nameLink(task.name), stateBadge(task),
            whenHtml(task, context.now),        bdi(task.runningOn), std::to_string(task.attempt),
            bdiCut(task.lastError, kErrorWidth)};
    });
}

std::string deadTable(const std::vector<TaskInfo>& tasks, const Context& context) {
    const Table table("Dead tasks",
                      {{"Id"}, {"Name"}, {"Attempts", true}, {"Was due"}, {"Last error"}});
    return tableOf(table, tasks, kFew, [&](const TaskInfo& task) -> std::vector<std::string> {
        return {taskLink(task.name, task.id), nameLink(task.name), std::to_string(task.attempt),
                relative(task.scheduledExecutionTime, context.now),
                bdiCut(task.lastError, kErrorWidth)};
    });
}

std::string runningTable(const std::vector<TaskInfo>& tasks, const Context& context) {
    const Table table("Running tasks",
                      {{"Id"}, {"Name"}, {"Running since"}, {"Node"}, {"Attempt", true}});
    return tableOf(table, tasks, kFew, [&](const TaskInfo& task) -> std::vector<std::string> {
        return {taskLink(task.name, task.id), nameLink(task.name), whenHtml(task, context.now),
                bdi(task.runningOn), std::to_string(task.attempt)};
    });
}

std::string waitingTable(const std::vector<TaskInfo>& tasks, const Context& context) {
    const Table table("Waiting tasks", {{"Id"}, {"Name"}, {"Due"}, {"Schedule"}});
    return tableOf(table, tasks, kFew, [&](const TaskInfo& task) -> std::vector<std::string> {
        return {taskLink(task.name, task.id), nameLink(task.name), whenHtml(task, context.now),
                bdi(cluster_tool::scheduleText(task))};
    });
}

std::string few(const Part<std::vector<TaskInfo>>& tasks, const std::string& all,
                const Context& context,
                std::string (*table)(const std::vector<TaskInfo>&, const Context&)) {
    return rendered(tasks, [&](const std::vector<TaskInfo>& each) {
        std::string html = table(each, context);
        if (each.size() > kFew) html += "<p>" + link(all, "All of them") + "</p>\n";
        return html;
    });
}

std::string namesTable(const std::vector<jtimer::cluster::NameInfo>& names, std::size_t rows,
                       const Surroundings& around, const Context& context) {
    using cluster_tool::countText;
    using jtimer::cluster::NameInfo;
    const Table table("Names", {{"Name"},
                                {"Due", true},
                                {"Oldest due"},
                                {"Why they wait"},
                                {"Running", true},
                                {"Scheduled", true},
                                {"Next due"},
                                {"Paused", true},
                                {"Dead", true},
                                {"Nodes", true}});
    return tableOf(table, names, rows, [&](const NameInfo& name) -> std::vector<std::string> {
        const Cause cause = causeOf(name, around, context.read);
        return {nameLink(name.name),
                countText(name.due),
                name.oldestDue ? relative(*name.oldestDue, context.now) : "",
                cause.words.empty() ? "" : badge(cause.kind, cause.words),
                countText(name.running),
                countText(name.scheduled),
                name.nextDue ? relative(*name.nextDue, context.now) : "",
                countText(name.paused),
                countText(name.dead),
                std::to_string(name.registeringNodes)};
    });
}

std::string nodesTable(const std::vector<jtimer::cluster::NodeInfo>& nodes, std::size_t rows,
                       const Context& context) {
    using jtimer::cluster::NodeInfo;
    const Table table("Nodes", {{"Node"},
                                {"Number", true},
                                {"Lease left"},
                                {"Running"},
                                {"Started"},
                                {"Library"},
                                {"Pause"},
                                {"Names"}});
    return tableOf(table, nodes, rows, [&](const NodeInfo& node) -> std::vector<std::string> {
        jtimer::cluster::Filter filter;
        filter.runningOn = node.name;
        return {link(tasksReference(filter), bdi(node.name)),
                std::to_string(node.number),
                leaseHtml(node),
                slotsHtml(node),
                relative(node.started, context.now),
                node.library.empty() ? "<span class=none>does not tell</span>" : bdi(node.library),
                pauseCell(node, context),
                namesOf(node)};
    });
}

std::string pausesTable(const std::vector<Pause>& pauses, const Context& context) {
    std::vector<Table::Column> columns{{"Scope"}, {"Name"}, {"Since"}, {"By"}, {"Note"}};
    if (context.actions) columns.push_back({"Action"});
    return tableOf(Table("Pauses", columns), pauses, kRows, [&](const Pause& pause) {
        std::vector<std::string> cells{cluster_tool::nameOf(pause.scope), pauseName(pause),
                                       relative(pause.since, context.now), bdi(pause.by),
                                       bdi(pause.note)};
        if (context.actions) {
            const Subject subject{pause.scope, pause.name, pause.id, {}};
            cells.push_back(
                actionLink(Action::Resume, subject, context,
                           "Resume<span class=unseen> " + subjectHtml(subject) + "</span>\u2026"));
        }
        return cells;
    });
}

std::string runsTable(const std::vector<PastRun>& runs, std::size_t rows, bool ofOneTask,
                      const Context& context) {
    std::vector<Table::Column> columns{{"Finished"}};
    if (!ofOneTask) columns.insert(columns.end(), {{"Id"}, {"Name"}});
    columns.insert(columns.end(), {{"Outcome"},
                                   {"Took", true},
                                   {"Late", true},
                                   {"Attempt", true},
                                   {"Node"},
                                   {"Token", true},
                                   {"Error"}});
    return tableOf(Table("Past runs", columns), runs, rows, [&](const PastRun& run) {
        std::vector<std::string> cells{relative(run.finished, context.now)};
        if (!ofOneTask) cells.insert(cells.end(), {taskLink(run.name, run.id), nameLink(run.name)});
        cells.insert(cells.end(),
                     {outcomeBadge(run.outcome), inWords(run.finished - run.started),
                      inWords(run.started - run.due), std::to_string(run.attempt), bdi(run.node),
                      std::to_string(run.fencingToken), bdiCut(run.error, kErrorWidth)});
        return cells;
    });
}

}  // namespace page
