// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "actions.hpp"

#include "../text.hpp"
#include "../words.hpp"
#include "html.hpp"
#include "links.hpp"

namespace page {

namespace {

using jtimer::cluster::Scope;

constexpr Action kActions[] = {Action::Run,    Action::Pause,  Action::Resume,
                               Action::Cancel, Action::Revive, Action::Reschedule};
constexpr Result kResults[] = {Result::Changed, Result::Already, Result::Absent, Result::Running};

std::string hidden(const Parameter& field) {
    return "<input type=hidden name=" + field.first + " value=\"" + escaped(field.second) + "\">";
}

/// What has become of all that is not a selection, after its name.
std::string changeText(Action action, Result result) {
    switch (action) {
    case Action::Run:
        return "is due now";
    case Action::Reschedule:
        return "is rescheduled";
    case Action::Pause:
        return result == Result::Already ? "has been paused before, and stays so" : "is paused";
    case Action::Resume:
        return result == Result::Already ? "is not paused" : "is resumed";
    case Action::Cancel:
        return result == Result::Running ? "is deleted, and its run goes on" : "is deleted";
    case Action::Revive:
        break;
    }
    return "is due now";
}

std::string selectionText(const Done& done) {
    if (done.count == 0) return "There is no such task: nothing has changed.";
    return cluster_tool::tasksText(done.count) + (done.count == 1 ? " is " : " are ") +
           (done.action == Action::Cancel ? "deleted." : "due now.");
}

}  // namespace

const char* nameOf(Action action) {
    switch (action) {
    case Action::Run:
        return "run";
    case Action::Pause:
        return "pause";
    case Action::Resume:
        return "resume";
    case Action::Cancel:
        return "cancel";
    case Action::Revive:
        return "revive";
    case Action::Reschedule:
        break;
    }
    return "reschedule";
}

std::optional<Action> actionOf(const std::string& name) {
    for (const Action action : kActions) {
        if (name == nameOf(action)) return action;
    }
    return std::nullopt;
}

const char* nameOf(Result result) {
    switch (result) {
    case Result::Changed:
        return "changed";
    case Result::Already:
        return "already";
    case Result::Absent:
        return "absent";
    case Result::Running:
        break;
    }
    return "running";
}

std::optional<Result> resultOf(const std::string& name) {
    for (const Result result : kResults) {
        if (name == nameOf(result)) return result;
    }
    return std::nullopt;
}

const char* verbOf(Action action) {
    switch (action) {
    case Action::Run:
        return "Run now";
    case Action::Pause:
        return "Pause";
    case Action::Resume:
        return "Resume";
    case Action::Cancel:
        return "Delete";
    case Action::Revive:
        return "Revive";
    case Action::Reschedule:
        break;
    }
    return "Reschedule";
}

std::string subjectHtml(const Subject& subject) {
    switch (*subject.scope) {
    case Scope::Task:
        return "the task " + bdi(subject.name) + ' ' + bdi(subject.id);
    case Scope::Name:
        return "the name " + bdi(subject.name);
    case Scope::Node:
        return "the node " + bdi(subject.name);
    case Scope::Everything:
        break;
    }
    return "everything";
}

std::string sentence(std::string html) {
    if (!html.empty() && html[0] >= 'a' && html[0] <= 'z')
        html[0] = static_cast<char>(html[0] - 'a' + 'A');
    return html;
}

std::string doneHtml(const Done& done) {
    if (!done.subject.scope) return selectionText(done);
    const std::string subject = sentence(subjectHtml(done.subject)) + ' ';
    if (done.result == Result::Absent) return subject + "does not exist: nothing has changed.";
    if (done.result == Result::Running && done.action != Action::Cancel)
        return subject + "is running: nothing has changed.";
    return subject + changeText(done.action, done.result) + '.';
}

std::string form(Action action, const Subject& subject, const Context& context,
                 const std::string& html, const std::string& verb) {
    if (!context.actions) return {};
    std::string result = "<form method=post action=" + std::string(nameOf(action)) + ">\n" +
                         hidden({"token", context.token});
    for (const Parameter& field : parametersOf(subject)) {
        if (!field.second.empty()) result += hidden(field);
    }
    return result + '\n' + html + "<button class=" + nameOf(action) + '>' + verb +
           "</button>\n</form>\n";
}

std::string confirmedField(std::uint64_t count) {
    return hidden({"confirmed", std::to_string(count)});
}

std::string noteField(const std::string& id) {
    return "<label for=" + id + ">Note, for those who find it paused</label>\n<input id=" + id +
           " name=note maxlength=200 autocomplete=off>\n";
}

std::string missedField(const std::string& id) {
    return "<label for=" + id + ">Runs that came due meanwhile</label>\n<select id=" + id +
           " name=missed><option value=run>run as after an outage"
           "<option value=skip>are dropped</select>\n";
}

std::string actionLink(Action action, const Subject& subject, const Context& context,
                       const std::string& html) {
    if (!context.actions) return {};
    return "<a class=\"button " + std::string(nameOf(action)) + "\" href=\"" +
           escaped(confirmationOf(action, subject)) + "\">" + html + "</a>\n";
}

Subject everything() { return {Scope::Everything, {}, {}, {}}; }
Subject ofName(const std::string& name) { return {Scope::Name, name, {}, {}}; }
Subject ofNode(const std::string& node) { return {Scope::Node, node, {}, {}}; }
Subject ofTask(const std::string& name, const std::string& id) {
    return {Scope::Task, name, id, {}};
}
Subject ofSelection(const jtimer::cluster::Filter& filter) {
    return {std::nullopt, {}, {}, filter};
}

}  // namespace page
