// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "actions.hpp"
#include "frame.hpp"
#include "html.hpp"
#include "links.hpp"
#include "pages.hpp"
#include "tables.hpp"

#include "../text.hpp"

#include <cstdint>
#include <string>
#include <utility>

namespace page {

namespace {

using jtimer::cluster::Scope;

std::string tasksCounted(std::uint64_t count) {
    return count >= kCountTo ? std::to_string(kCountTo) + " tasks or more"
                             : cluster_tool::tasksText(count);
}

bool isOfOneTask(const Subject& subject) { return subject.scope == Scope::Task; }

/// What happens if it is done.
std::string meaning(const Confirmation& values) {
    const std::string count = tasksCounted(values.count);
    switch (values.action) {
    case Action::Pause:
        return values.subject.scope == Scope::Node
                   ? "It claims no more tasks, also after a restart, until it is resumed. What "
                     "runs "
                     "there goes on: " +
                         count + "."
                   : "None of its tasks is claimed, later ones included, until it is resumed: " +
                         count + ". Runs in progress go on.";
    case Action::Resume:
        return "Its tasks are claimed again, unless a smaller or larger pause holds them: " +
               count + ".";
    case Action::Cancel:
        return isOfOneTask(values.subject)
                   ? "It is gone for ever. A run in progress goes on, but its end changes nothing."
                   : "They are gone for ever: " + count +
                         ". Runs in progress go on, but their ends change nothing.";
    case Action::Revive:
        return "They are due now, with all their attempts before them: " + count + ".";
    case Action::Run:
    case Action::Reschedule:
        break;
    }
    return {};
}

std::string fieldsOf(Action action) {
    if (action == Action::Pause) return noteField("note");
    if (action == Action::Resume) return missedField("missed");
    return {};
}

std::string subjectOf(const Confirmation& values) {
    return values.subject.scope ? subjectHtml(values.subject) : tasksCounted(values.count);
}

/// What a question is about: words, and what others have named it.
std::pair<std::string, std::string> questionOf(const Confirmation& values) {
    const Subject& subject = values.subject;
    if (!subject.scope) return {' ' + tasksCounted(values.count) + '?', {}};
    switch (*subject.scope) {
    case Scope::Task:
        return {" the task", subject.name + ' ' + subject.id};
    case Scope::Name:
        return {" the name", subject.name};
    case Scope::Node:
        return {" the node", subject.name};
    case Scope::Everything:
        break;
    }
    return {" everything?", {}};
}

/// Where one comes from, and may go back to.
std::string backFrom(const Subject& subject) {
    if (!subject.scope) return tasksReference(subject.filter);
    switch (*subject.scope) {
    case Scope::Task:
        return taskReference(subject.name, subject.id);
    case Scope::Name:
        return nameReference(subject.name);
    case Scope::Node:
        return "nodes";
    case Scope::Everything:
        break;
    }
    return "./";
}

/// A pause of what has no task yet is no mistake.
bool canBeDone(const Confirmation& values) { return values.subject.scope || values.count > 0; }

const char* headingOf(unsigned status) {
    switch (status) {
    case 400:
        return "The request is wrong";
    case 401:
        return "Who are you?";
    case 403:
        return "This is refused";
    case 404:
        return "There is no such page or task";
    case 405:
        return "Actions are not allowed here";
    case 421:
        return "This host is not served";
    case 503:
        return "The database does not answer";
    default:
        return "This did not work";
    }
}

}  // namespace

std::string confirmation(const Confirmation& values, const Context& context) {
    const std::string verb = verbOf(values.action);
    std::string html = "<p>" + meaning(values) + "</p>\n";
    if (canBeDone(values))
        html += form(values.action, values.subject, context,
                     confirmedField(values.count) + '\n' + fieldsOf(values.action),
                     verb + ' ' + subjectOf(values));
    html += "<p>" + link(backFrom(values.subject), "Change nothing") + "</p>\n";
    if (!values.first.empty()) {
        if (values.count > values.first.size())
            html += "<p>The first " + std::to_string(values.first.size()) + " of them:</p>\n";
        html += tasksTable("Tasks that this is for", values.first, kFew, context);
    }
    const auto [kind, name] = questionOf(values);
    return document(context, verb + kind, name, html, Refreshable::No);
}

std::string message(const Message& values, const Context& context) {
    std::string html;
    if (!values.text.empty()) html += "<p>" + escaped(values.text) + "</p>\n";
    html += "<p class=none>Status " + std::to_string(values.status) + "</p>\n";
    return document(context, headingOf(values.status), {}, html, Refreshable::No);
}

}  // namespace page
