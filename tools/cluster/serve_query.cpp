// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "serve_query.hpp"

#include "../text/parsing.hpp"
#include "../text/time_text.hpp"
#include "moment.hpp"
#include "words.hpp"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <stdexcept>
#include <system_error>

using jtimer::cluster::Filter;
using jtimer::cluster::Scope;

namespace cluster_tool {

namespace {

constexpr Scope kScopes[] = {Scope::Task, Scope::Name, Scope::Node, Scope::Everything};

/// A name or an id; empty if it is not there.
std::string optionalKeyIn(const http::Form& form, const std::string& field) {
    const std::string text = fieldOf(form, field);
    return text.empty() ? text : keyOf(field, text);
}

std::string optionalNoteIn(const http::Form& form) {
    const std::string text = fieldOf(form, "note");
    return text.empty() ? text : noteOf(text);
}

bool selectsAll(const Filter& filter) {
    return !filter.name && !filter.state && filter.idPrefix.empty() && filter.runningOn.empty() &&
           !filter.dueBefore;
}

page::Subject subjectOf(page::Action action, const http::Form& form, jtimer::Date now) {
    using page::Action;
    page::Subject subject;
    if (action == Action::Run || action == Action::Reschedule)
        subject.scope = Scope::Task;
    else if (const std::string scope = fieldOf(form, "scope"); !scope.empty())
        subject.scope = scopeOf(scope);
    if (!subject.scope) {
        if (action == Action::Pause || action == Action::Resume) failExpecting("no scope", "one");
        subject.filter = selectionOf(form, now);
        if (action == Action::Revive) subject.filter.state = jtimer::cluster::State::Dead;
        if (selectsAll(subject.filter))
            failExpecting("that is all tasks", "a field that selects some");
        return subject;
    }
    if (action == Action::Revive || (action == Action::Cancel && subject.scope != Scope::Task))
        failExpecting(inQuotes(nameOf(*subject.scope)) + " is no scope of it", "a selection");
    if (subject.scope != Scope::Everything) subject.name = keyIn(form, "name");
    if (subject.scope == Scope::Task) subject.id = keyIn(form, "id");
    return subject;
}

template <class Number>
bool parse(const std::string& text, Number& number) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc() && end == text.data() + text.size();
}

}  // namespace

const std::set<std::string> kPassingParameters{"did",     "result", "count",  "on",
                                               "on-name", "on-id",  "refresh"};

std::string fieldOf(const http::Form& form, const std::string& name) {
    const auto found = form.find(name);
    return found == form.end() ? std::string() : found->second;
}

std::string keyIn(const http::Form& form, const std::string& field) {
    return keyOf(field, fieldOf(form, field));
}

std::int64_t numberIn(const http::Form& form, const std::string& field) {
    const std::string text = fieldOf(form, field);
    std::int64_t number = 0;
    if (text.empty() || (parse(text, number) && number >= 0)) return number;
    failExpecting(field + ": " + inQuotes(text) + " is not such a number", "0 or more");
}

Filter selectionOf(const http::Form& form, jtimer::Date now) {
    Filter filter;
    if (const std::string name = optionalKeyIn(form, "name"); !name.empty()) filter.name = name;
    filter.idPrefix = optionalKeyIn(form, "prefix");
    filter.runningOn = optionalKeyIn(form, "node");
    if (const std::string state = fieldOf(form, "state"); !state.empty())
        filter.state = stateOf(state);
    if (const std::string time = fieldOf(form, "due-before"); !time.empty())
        filter.dueBefore = parseWhen(time).at(now);
    return filter;
}

Filter filterOf(const http::Form& form, jtimer::Date now) {
    Filter filter = selectionOf(form, now);
    filter.limit = page::kRows + 1;
    const std::string order = fieldOf(form, "order");
    if (order == "due") {
        filter.order = jtimer::cluster::Order::Due;
        return filter;
    }
    if (!order.empty() && order != "key")
        failExpecting("order: " + inQuotes(order) + " is none", "due or key");
    filter.after = {optionalKeyIn(form, "after-name"), optionalKeyIn(form, "after-id")};
    return filter;
}

jtimer::cluster::HistoryFilter historyFilterOf(const http::Form& form) {
    jtimer::cluster::HistoryFilter filter;
    if (const std::string name = optionalKeyIn(form, "name"); !name.empty()) filter.name = name;
    if (const std::string id = optionalKeyIn(form, "id"); !id.empty()) filter.id = id;
    if (const std::string outcome = fieldOf(form, "outcome"); !outcome.empty())
        filter.outcome = outcomeOf(outcome);
    filter.before = numberIn(form, "before");
    filter.limit = page::kRows;
    return filter;
}

Scope scopeOf(const std::string& name) {
    for (const Scope scope : kScopes) {
        if (name == nameOf(scope)) return scope;
    }
    failExpecting("scope: " + inQuotes(name) + " is none", "task, name, node or everything");
}

Instruction instructionOf(page::Action action, const http::Form& form, jtimer::Date now) {
    using page::Action;
    Instruction instruction;
    instruction.action = action;
    instruction.subject = subjectOf(action, form, now);
    instruction.isConfirmed = !fieldOf(form, "confirmed").empty();
    if (action == Action::Pause) instruction.note = optionalNoteIn(form);
    if (action == Action::Reschedule) instruction.when = parseWhen(fieldOf(form, "when"));
    const std::string missed = fieldOf(form, "missed");
    if (action != Action::Resume || missed.empty() || missed == "run") return instruction;
    if (missed != "skip") failExpecting("missed: " + inQuotes(missed) + " is none", "run or skip");
    instruction.missed = jtimer::cluster::MissedInPause::Skip;
    return instruction;
}

bool needsConfirmation(const Instruction& instruction) {
    return instruction.subject.scope != Scope::Task || instruction.action == page::Action::Cancel;
}

std::optional<page::Done> doneOf(const http::Form& form) {
    try {
        const std::optional<page::Action> action = page::actionOf(fieldOf(form, "did"));
        const std::optional<page::Result> result = page::resultOf(fieldOf(form, "result"));
        if (!action || !result) return {};
        page::Done done;
        done.action = *action;
        done.result = *result;
        done.count = static_cast<std::uint64_t>(numberIn(form, "count"));
        if (const std::string scope = fieldOf(form, "on"); !scope.empty()) {
            done.subject.scope = scopeOf(scope);
            done.subject.name = optionalKeyIn(form, "on-name");
            done.subject.id = optionalKeyIn(form, "on-id");
        }
        return done;
    } catch (const std::invalid_argument&) {
        return {};
    }
}

std::optional<int> refreshOf(const http::Form& form) {
    int seconds = 0;
    const bool isOne =
        parse(fieldOf(form, "refresh"), seconds) &&
        std::count(std::begin(page::kRefreshes), std::end(page::kRefreshes), seconds) > 0;
    return isOne ? std::optional(seconds) : std::nullopt;
}

std::string textOf(const page::Subject& subject) {
    if (subject.scope) {
        std::string text = nameOf(*subject.scope);
        for (const std::string& each : {subject.name, subject.id}) {
            if (!each.empty()) text += ' ' + inQuotes(each);
        }
        return text;
    }
    std::string text = "tasks";
    const auto add = [&text](const char* field, const std::string& value) {
        if (!value.empty()) text.append(" ").append(field).append("=").append(inQuotes(value));
    };
    const Filter& filter = subject.filter;
    add("name", filter.name.value_or(""));
    add("prefix", filter.idPrefix);
    add("state", filter.state ? nameOf(*filter.state) : "");
    add("node", filter.runningOn);
    add("due-before", filter.dueBefore ? inUtcMicros(*filter.dueBefore) : "");
    return text;
}

}  // namespace cluster_tool
