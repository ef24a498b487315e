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
#include "../words.hpp"

#include <algorithm>
#include <cstddef>

namespace page {

namespace {

using jtimer::cluster::Filter;
using jtimer::cluster::NameInfo;
using jtimer::cluster::NodeInfo;
using jtimer::cluster::PastRuns;
using jtimer::cluster::State;
using jtimer::cluster::TaskInfo;

/// Bytes of a payload that are shown.
constexpr std::size_t kPayloadShown = 4096;

/// Runs in the table of a name's page.
constexpr std::size_t kRunsOfName = 20;

bool hasMissedRuns(const TaskInfo& task) {
    return task.kind == "fixed rate" || task.kind == "cron";
}

bool isDue(const TaskInfo& task, Date now) {
    return (task.state == State::Scheduled || task.state == State::Retrying) &&
           task.nextAttempt <= now;
}

std::string causeHtml(const Cause& cause) {
    return cause.words.empty() ? "" : ' ' + badge(cause.kind, cause.words);
}

std::vector<Entry> entriesOf(const TaskInfo& task, const std::string& cause,
                             const Context& context) {
    const Date now = context.now;
    std::vector<Entry> entries{{"State", stateBadge(task) + (isDue(task, now) ? cause : "")},
                               {"Name", link(nameReference(task.name), bdi(task.name))},
                               {"Id", bdi(task.id)},
                               {"Schedule", bdi(cluster_tool::scheduleText(task))}};
    if (hasMissedRuns(task))
        entries.push_back({"Missed runs", cluster_tool::nameOf(task.missedRuns)});
    entries.push_back({"Due", exact(task.scheduledExecutionTime, now)});
    if (task.state != State::Running)
        entries.push_back({"Next attempt", exact(task.nextAttempt, now)});
    if (task.runningSince) entries.push_back({"Running since", exact(*task.runningSince, now)});
    if (!task.runningOn.empty()) entries.push_back({"Running on", bdi(task.runningOn)});
    if (task.paused) entries.push_back({"Paused", pauseHtml(*task.paused, now)});
    entries.push_back({"Attempt", std::to_string(task.attempt)});
    entries.push_back({"Crashes of its nodes", std::to_string(task.crashes)});
    entries.push_back({"Fencing token", std::to_string(task.fencingToken)});
    entries.push_back({"Payload", std::to_string(task.payloadSize) +
                                      (task.payloadSize == 1 ? " byte" : " bytes")});
    return entries;
}

std::string payloadHtml(const TaskInfo& task, const Context& context) {
    if (!context.payloads || task.payload.empty()) return {};
    std::string html = preformatted(task.payload.substr(0, kPayloadShown));
    if (task.payload.size() > kPayloadShown)
        html += "<p>The first " + std::to_string(kPayloadShown) + " bytes of it.</p>\n";
    return section("payload", "Payload", html);
}

std::string rescheduleField() {
    return "<label for=when>Due, from now or at a time</label>\n"
           "<input id=when name=when required autocomplete=off aria-describedby=when-hint>\n"
           "<small id=when-hint>Such as 10m, or 2030-01-01T08:00:00Z</small>\n";
}

std::string taskForms(const TaskInfo& task, const Context& context) {
    if (!context.actions) return {};
    const Subject subject = ofTask(task.name, task.id);
    std::string html;
    if (task.state != State::Running) {
        html += form(Action::Run, subject, context, {}, verbOf(Action::Run));
        html += form(Action::Reschedule, subject, context, rescheduleField(),
                     verbOf(Action::Reschedule));
    }
    html +=
        task.paused
            ? form(Action::Resume, subject, context, missedField("missed"), verbOf(Action::Resume))
            : form(Action::Pause, subject, context, noteField("note"), verbOf(Action::Pause));
    html +=
        "<p>" + actionLink(Action::Cancel, subject, context, "Delete the task\u2026") + "</p>\n";
    return section("actions", "Actions", "<div class=forms>\n" + html + "</div>\n");
}

std::string runsHtml(const PastRuns& past, std::size_t rows, bool ofOneTask, const std::string& all,
                     const Context& context) {
    if (past.runs.empty())
        return past.complete ? "<p class=empty>No run is kept.</p>\n"
                             : "<p class=empty>None of the last 200,000 runs that were kept.</p>\n";
    std::string html = runsTable(past.runs, rows, ofOneTask, context);
    if (past.runs.size() > rows || !past.complete)
        html += "<p>" + link(all, "More of its runs") + "</p>\n";
    return html;
}

std::string allRuns(const std::string& name, const std::string& id) {
    return reference("history", {{"name", name}, {"id", id}});
}

std::string nameFigures(const NameInfo& info, const Surroundings& around, const Context& context) {
    using cluster_tool::countText;
    Filter filter;
    filter.name = info.name;
    const auto tasksIn = [&](State state, std::uint64_t count) {
        filter.state = state;
        return link(tasksReference(filter), countText(count));
    };
    const Date now = context.now;
    std::string due = countText(info.due);
    if (info.oldestDue) due += ", the oldest " + relative(*info.oldestDue, now);
    std::string scheduled = tasksIn(State::Scheduled, info.scheduled);
    if (info.nextDue) scheduled += ", the next " + relative(*info.nextDue, now);
    std::vector<Entry> entries{{"Due", due + causeHtml(causeOf(info, around, context.read))},
                               {"Running", tasksIn(State::Running, info.running)},
                               {"Scheduled", scheduled},
                               {"Paused themselves", tasksIn(State::Paused, info.paused)},
                               {"Dead", tasksIn(State::Dead, info.dead)},
                               {"Nodes that run it", std::to_string(info.registeringNodes)}};
    if (info.pause) entries.push_back({"The name is paused", pauseHtml(*info.pause, now)});
    return descriptions(entries);
}

std::string nameActions(const std::string& name, bool isPaused, const Context& context) {
    if (!context.actions) return {};
    Filter filter;
    filter.name = name;
    Filter dead = filter;
    dead.state = State::Dead;
    return "<p class=actions>" +
           actionLink(isPaused ? Action::Resume : Action::Pause, ofName(name), context,
                      isPaused ? "Resume the name\u2026" : "Pause the name\u2026") +
           actionLink(Action::Revive, ofSelection(dead), context, "Revive the dead tasks\u2026") +
           actionLink(Action::Cancel, ofSelection(filter), context, "Delete all its tasks\u2026") +
           "</p>\n";
}

std::string nodesOfName(const std::string& name, std::vector<NodeInfo> nodes,
                        const Context& context) {
    nodes.erase(std::remove_if(nodes.begin(), nodes.end(),
                               [&](const NodeInfo& node) {
                                   return std::find(node.names.begin(), node.names.end(), name) ==
                                          node.names.end();
                               }),
                nodes.end());
    return nodesTable(nodes, kRows, context);
}

std::string tasksOf(const std::string& name, State state) {
    Filter filter;
    filter.name = name;
    filter.state = state;
    return tasksReference(filter);
}

}  // namespace

std::string task(const TaskPage& values, const Context& context) {
    const TaskInfo& task = values.task;
    std::string cause;
    if (values.name.value && *values.name.value)
        cause = causeHtml(
            causeOf(**values.name.value, surroundings(values.nodes, values.pauses), context.read));
    std::string html = descriptions(entriesOf(task, cause, context));
    if (!task.lastError.empty())
        html += section("error", "Last error", preformatted(task.lastError));
    html += taskForms(task, context) + payloadHtml(task, context);
    html += section("history", "Past runs", rendered(values.history, [&](const PastRuns& past) {
                        return charts(past) +
                               runsHtml(past, kRows, true, allRuns(task.name, task.id), context);
                    }));
    return document(context, "Task", task.name + ' ' + task.id, html, Refreshable::Yes);
}

std::string name(const NamePage& values, const Context& context) {
    const Surroundings around = surroundings(values.nodes, values.pauses);
    bool isPaused = false;
    std::string html = rendered(values.info, [&](const std::optional<NameInfo>& info) {
        if (!info)
            return std::string("<p class=empty>There is no task of this name, and no node "
                               "runs it.</p>\n");
        isPaused = info->pause.has_value();
        return nameFigures(*info, around, context);
    });
    html += nameActions(values.name, isPaused, context);
    html += section("dead", "Dead",
                    few(values.dead, tasksOf(values.name, State::Dead), context, deadTable));
    html +=
        section("running", "Running",
                few(values.running, tasksOf(values.name, State::Running), context, runningTable));
    html +=
        section("next", "Scheduled",
                few(values.next, tasksOf(values.name, State::Scheduled), context, waitingTable));
    html += section("nodes", "Nodes that run it",
                    rendered(values.nodes, [&](const std::vector<NodeInfo>& nodes) {
                        return nodesOfName(values.name, nodes, context);
                    }));
    html += section("history", "Past runs", rendered(values.history, [&](const PastRuns& past) {
                        return charts(past) + runsHtml(past, kRunsOfName, false,
                                                       allRuns(values.name, {}), context);
                    }));
    return document(context, "Name", values.name, html, Refreshable::Yes);
}

}  // namespace page
