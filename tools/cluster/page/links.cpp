// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "links.hpp"

#include "../../text/time_text.hpp"
#include "../words.hpp"

#include <array>
#include <cstdio>

namespace page {

namespace {

using jtimer::cluster::Filter;
using jtimer::cluster::HistoryFilter;
using jtimer::cluster::Scope;

bool isUnreserved(char c) {
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '-' ||
           c == '.' || c == '_' || c == '~';
}

std::string percentEncoded(std::string_view text) {
    std::string result;
    for (const char c : text) {
        std::array<char, 4> hex{};
        std::snprintf(hex.data(), hex.size(), "%%%02X",
                      static_cast<unsigned>(static_cast<unsigned char>(c)));
        result += isUnreserved(c) ? std::string(1, c) : hex.data();
    }
    return result;
}

Subject selected(const Filter& filter) {
    Subject subject;
    subject.filter = filter;
    return subject;
}

/// The page that shows what there is of a subject once that is changed.
std::string pathAfter(const Done& done, std::vector<Parameter>& parameters) {
    const Subject& subject = done.subject;
    if (!subject.scope) {
        parameters = parametersOf(selected(subject.filter));
        return "tasks";
    }
    switch (*subject.scope) {
    case Scope::Task:
        parameters = {{"name", subject.name}};
        if (done.action == Action::Cancel || done.result == Result::Absent) return "tasks";
        parameters.emplace_back("id", subject.id);
        return "task";
    case Scope::Name:
        parameters = {{"name", subject.name}};
        return "name";
    case Scope::Node:
        return "nodes";
    case Scope::Everything:
        break;
    }
    return "./";
}

}  // namespace

std::string reference(std::string_view path, const std::vector<Parameter>& parameters) {
    std::string result(path);
    char separator = '?';
    for (const auto& [name, value] : parameters) {
        if (value.empty()) continue;
        result += separator + name + '=' + percentEncoded(value);
        separator = '&';
    }
    return result;
}

std::vector<Parameter> parametersOf(const Filter& filter) {
    return {{"name", filter.name.value_or("")},
            {"prefix", filter.idPrefix},
            {"state", filter.state ? cluster_tool::nameOf(*filter.state) : ""},
            {"node", filter.runningOn},
            {"due-before", filter.dueBefore ? inUtcMicros(*filter.dueBefore) : ""}};
}

std::vector<Parameter> parametersOf(const Subject& subject) {
    if (!subject.scope) return parametersOf(subject.filter);
    return {{"scope", cluster_tool::nameOf(*subject.scope)},
            {"name", subject.name},
            {"id", subject.id}};
}

std::vector<Parameter> parametersOf(const HistoryFilter& filter) {
    return {{"name", filter.name.value_or("")},
            {"id", filter.id.value_or("")},
            {"outcome", filter.outcome ? cluster_tool::nameOf(*filter.outcome) : ""}};
}

bool selectsAll(const Filter& filter) { return reference({}, parametersOf(filter)).empty(); }

std::string tasksReference(const Filter& filter) {
    return reference("tasks", parametersOf(filter));
}

std::string taskReference(const std::string& name, const std::string& id) {
    return reference("task", {{"name", name}, {"id", id}});
}

std::string nameReference(const std::string& name) { return reference("name", {{"name", name}}); }

std::string locationAfter(const Done& done) {
    std::vector<Parameter> parameters;
    const std::string path = pathAfter(done, parameters);
    parameters.emplace_back("did", nameOf(done.action));
    parameters.emplace_back("result", nameOf(done.result));
    if (done.subject.scope) {
        parameters.emplace_back("on", cluster_tool::nameOf(*done.subject.scope));
        parameters.emplace_back("on-name", done.subject.name);
        parameters.emplace_back("on-id", done.subject.id);
    } else {
        parameters.emplace_back("count", std::to_string(done.count));
    }
    return reference(path, parameters);
}

std::string confirmationOf(Action action, const Subject& subject) {
    std::vector<Parameter> parameters = parametersOf(subject);
    parameters.insert(parameters.begin(), {"do", nameOf(action)});
    return reference("confirm", parameters);
}

}  // namespace page
