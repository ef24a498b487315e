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

#include "../words.hpp"

#include <algorithm>
#include <cstddef>

namespace page {

namespace {

using jtimer::cluster::Filter;
using jtimer::cluster::HistoryFilter;
using jtimer::cluster::NameInfo;
using jtimer::cluster::NodeInfo;
using jtimer::cluster::Order;
using jtimer::cluster::Outcome;
using jtimer::cluster::Pause;
using jtimer::cluster::State;
using jtimer::cluster::TaskInfo;

constexpr State kStates[] = {State::Scheduled, State::Retrying, State::Running, State::Paused,
                             State::Dead};
constexpr Outcome kOutcomes[] = {Outcome::Succeeded, Outcome::Retrying,  Outcome::GaveUp,
                                 Outcome::Dead,      Outcome::Abandoned, Outcome::Lost};

/// A link of a row of links, of which one stands for what is shown.
std::string choice(const std::string& reference, const std::string& words, bool isShown) {
    return "<li><a href=\"" + escaped(reference) + '"' + (isShown ? " aria-current=true>" : ">") +
           escaped(words) + "</a>\n";
}

std::string choices(std::string_view label, const std::string& items) {
    return "<nav class=choices aria-label=\"" + escaped(label) + "\"><ul>\n" + items +
           "</ul></nav>\n";
}

std::string stateChoices(const Filter& filter) {
    Filter other = filter;
    other.state.reset();
    std::string items = choice(tasksReference(other), "any state", !filter.state);
    for (const State state : kStates) {
        other.state = state;
        items += choice(tasksReference(other), cluster_tool::nameOf(state), filter.state == state);
    }
    return choices("State", items);
}

std::string outcomeChoices(const HistoryFilter& filter) {
    HistoryFilter other = filter;
    other.outcome.reset();
    const auto to = [&] { return reference("history", parametersOf(other)); };
    std::string items = choice(to(), "any outcome", !filter.outcome);
    for (const Outcome outcome : kOutcomes) {
        other.outcome = outcome;
        items += choice(to(), cluster_tool::nameOf(outcome), filter.outcome == outcome);
    }
    return choices("Outcome", items);
}

std::string field(const std::string& name, const std::string& label, const std::string& value) {
    return "<p><label for=f-" + name + ">" + label + "</label>\n<input id=f-" + name +
           " name=" + name + " value=\"" + escaped(value) +
           "\" maxlength=200 autocomplete=off></p>\n";
}

/// With actions only: there is no form without.
std::string searchForm(const Filter& filter, const Context& context) {
    if (!context.actions) return {};
    const std::vector<Parameter> values = parametersOf(filter);
    std::string html = "<details class=search><summary>Select by name, id, node or time</summary>\n"
                       "<form method=get action=tasks>\n" +
                       field("name", "Name", values[0].second) +
                       field("prefix", "Id begins with", values[1].second);
    if (filter.state)
        html += "<input type=hidden name=state value=" +
                std::string(cluster_tool::nameOf(*filter.state)) + ">\n";
    return html + field("node", "Running on the node", values[3].second) +
           field("due-before", "Due before (10m, or 2030-01-01T08:00:00Z)", values[4].second) +
           "<button>Select</button>\n</form></details>\n";
}

std::string selectionHtml(const Filter& filter, Date now) {
    std::vector<Entry> entries;
    if (filter.name)
        entries.push_back({"Name", link(nameReference(*filter.name), bdi(*filter.name))});
    if (!filter.idPrefix.empty()) entries.push_back({"Id begins with", bdi(filter.idPrefix)});
    if (!filter.runningOn.empty()) entries.push_back({"Running on", bdi(filter.runningOn)});
    if (filter.dueBefore) entries.push_back({"Due before", exact(*filter.dueBefore, now)});
    if (entries.empty()) return {};
    return descriptions(entries) + "<p>" + link("tasks", "All tasks") + "</p>\n";
}

/// What can be done to all that are selected.
std::string selectionActions(const Filter& filter, const Context& context) {
    if (!context.actions || selectsAll(filter)) return {};
    std::string html;
    if (filter.state.value_or(State::Dead) == State::Dead && filter.runningOn.empty() &&
        !filter.dueBefore) {
        Filter dead = filter;
        dead.state = State::Dead;
        html +=
            actionLink(Action::Revive, ofSelection(dead), context, "Revive the dead ones\u2026");
    }
    html += actionLink(Action::Cancel, ofSelection(filter), context, "Delete all of these\u2026");
    return "<p class=actions>" + html + "</p>\n";
}

std::string nextLink(const std::string& reference) {
    return "<p class=next>" + link(reference, "Next page") + "</p>\n";
}

std::string nextTasks(const TasksPage& values, const std::vector<TaskInfo>& tasks) {
    if (tasks.size() <= kRows) return {};
    if (values.filter.order == Order::Due)
        return "<p>There are more. " + link(tasksReference(values.filter), "All, by name and id") +
               "</p>\n";
    std::vector<Parameter> parameters = parametersOf(values.filter);
    parameters.emplace_back("after-name", tasks[kRows - 1].name);
    parameters.emplace_back("after-id", tasks[kRows - 1].id);
    return nextLink(reference("tasks", parameters));
}

}  // namespace

std::string tasks(const TasksPage& values, const Context& context) {
    const Filter& filter = values.filter;
    std::string html =
        stateChoices(filter) + searchForm(filter, context) + selectionHtml(filter, context.now);
    if (!filter.after.first.empty())
        html += "<p>After " + bdi(filter.after.first) + ' ' + bdi(filter.after.second) + ". " +
                link(tasksReference(filter), "First page") + "</p>\n";
    html += rendered(values.tasks, [&](const std::vector<TaskInfo>& tasks) {
        return tasksTable("Tasks", tasks, kRows, context) + nextTasks(values, tasks);
    });
    html += selectionActions(filter, context);
    return document(context, "Tasks", {}, html, Refreshable::Yes);
}

std::string names(const NamesPage& values, const Context& context) {
    const Surroundings around = surroundings(values.nodes, values.pauses);
    std::string html;
    if (!values.after.empty())
        html += "<p>After " + bdi(values.after) + ". " + link("names", "First page") + "</p>\n";
    html += rendered(values.names, [&](std::vector<NameInfo> names) {
        std::sort(names.begin(), names.end(),
                  [](const NameInfo& a, const NameInfo& b) { return a.name < b.name; });
        names.erase(names.begin(),
                    std::find_if(names.begin(), names.end(),
                                 [&](const NameInfo& name) { return name.name > values.after; }));
        std::string table = namesTable(names, kRows, around, context);
        if (names.size() > kRows)
            table += nextLink(reference("names", {{"after", names[kRows - 1].name}}));
        return table;
    });
    return document(context, "Names", {}, html, Refreshable::Yes);
}

std::string nodes(const NodesPage& values, const Context& context) {
    std::string html;
    if (values.after != 0)
        html += "<p>After number " + std::to_string(values.after) + ". " +
                link("nodes", "First page") + "</p>\n";
    html += rendered(values.nodes, [&](std::vector<NodeInfo> nodes) {
        std::sort(nodes.begin(), nodes.end(),
                  [](const NodeInfo& a, const NodeInfo& b) { return a.number < b.number; });
        nodes.erase(nodes.begin(),
                    std::find_if(nodes.begin(), nodes.end(),
                                 [&](const NodeInfo& node) { return node.number > values.after; }));
        std::string table = nodesTable(nodes, kRows, context);
        if (nodes.size() > kRows)
            table +=
                nextLink(reference("nodes", {{"after", std::to_string(nodes[kRows - 1].number)}}));
        return table;
    });
    html += section(
        "pauses", "Paused nodes", rendered(values.pauses, [&](std::vector<Pause> pauses) {
            pauses.erase(std::remove_if(pauses.begin(), pauses.end(),
                                        [](const Pause& pause) {
                                            return pause.scope != jtimer::cluster::Scope::Node;
                                        }),
                         pauses.end());
            return pausesTable(pauses, context);
        }));
    return document(context, "Nodes", {}, html, Refreshable::Yes);
}

std::string history(const HistoryPage& values, const Context& context) {
    const HistoryFilter& filter = values.filter;
    std::string html = outcomeChoices(filter);
    std::vector<Entry> entries;
    if (filter.name)
        entries.push_back({"Name", link(nameReference(*filter.name), bdi(*filter.name))});
    if (filter.id)
        entries.push_back(
            {"Id", filter.name ? link(taskReference(*filter.name, *filter.id), bdi(*filter.id))
                               : bdi(*filter.id)});
    if (!entries.empty())
        html += descriptions(entries) + "<p>" + link("history", "All runs") + "</p>\n";
    if (values.charted) html += rendered(*values.charted, charts);
    html += rendered(values.history, [&](const jtimer::cluster::PastRuns& past) {
        std::string table = runsTable(past.runs, kRows, false, context);
        if (past.complete) return table;
        if (past.runs.empty())
            return table + "<p>Of the last 200,000 runs. Earlier ones were not looked at.</p>\n";
        std::vector<Parameter> parameters = parametersOf(filter);
        parameters.emplace_back("before", std::to_string(past.runs.back().fencingToken));
        return table + nextLink(reference("history", parameters));
    });
    return document(context, "History", {}, html, Refreshable::Yes);
}

}  // namespace page
