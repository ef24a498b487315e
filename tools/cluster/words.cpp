// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "words.hpp"

#include "../text/parsing.hpp"
#include "../text/utf8.hpp"

#include <cstddef>

using jtimer::cluster::History;
using jtimer::cluster::Outcome;
using jtimer::cluster::State;

namespace cluster_tool {

namespace {

constexpr State kStates[] = {State::Scheduled, State::Retrying, State::Running, State::Dead,
                             State::Paused};

/// Those of past runs.
constexpr Outcome kOutcomes[] = {Outcome::Succeeded, Outcome::Retrying,  Outcome::GaveUp,
                                 Outcome::Dead,      Outcome::Abandoned, Outcome::Lost};

constexpr std::size_t kLongestKey = 200;
constexpr std::size_t kLongestSchema = 48;

void checkText(const std::string& what, const std::string& text, std::size_t longest) {
    if (!text.empty() && text.size() <= longest && inUtf8(text) == text) return;
    failExpecting(what + ": " + inQuotes(text) + " cannot be one",
                  "1 to " + std::to_string(longest) + " bytes of UTF-8");
}

}  // namespace

const char* nameOf(State state) {
    switch (state) {
    case State::Retrying:
        return "retrying";
    case State::Running:
        return "running";
    case State::Dead:
        return "dead";
    case State::Paused:
        return "paused";
    case State::Scheduled:
        break;
    }
    return "scheduled";
}

State stateOf(const std::string& name) {
    for (const State state : kStates) {
        if (name == nameOf(state)) return state;
    }
    failExpecting(inQuotes(name) + " is not a state",
                  "scheduled, retrying, running, dead or paused");
}

const char* nameOf(jtimer::MissedRuns missedRuns) {
    switch (missedRuns) {
    case jtimer::MissedRuns::Burst:
        return "burst";
    case jtimer::MissedRuns::Skip:
        return "skip";
    case jtimer::MissedRuns::Once:
        break;
    }
    return "once";
}

std::string keyOf(const std::string& what, const std::string& text) {
    checkText(what, text, kLongestKey);
    return text;
}

const char* nameOf(jtimer::cluster::Scope scope) {
    switch (scope) {
    case jtimer::cluster::Scope::Task:
        return "task";
    case jtimer::cluster::Scope::Name:
        return "name";
    case jtimer::cluster::Scope::Node:
        return "node";
    case jtimer::cluster::Scope::Everything:
        break;
    }
    return "everything";
}

const char* nameOf(Outcome outcome) {
    switch (outcome) {
    case Outcome::Succeeded:
        return "succeeded";
    case Outcome::Retrying:
        return "retrying";
    case Outcome::GaveUp:
        return "gave-up";
    case Outcome::Dead:
        return "dead";
    case Outcome::Abandoned:
        return "abandoned";
    case Outcome::Fenced:
        return "fenced";
    case Outcome::Lost:
        break;
    }
    return "lost";
}

Outcome outcomeOf(const std::string& name) {
    for (const Outcome outcome : kOutcomes) {
        if (name == nameOf(outcome)) return outcome;
    }
    failExpecting(inQuotes(name) + " is not an outcome",
                  "succeeded, retrying, gave-up, dead, abandoned or lost");
}

History historyOf(const std::string& name) {
    if (name == "off") return History::Off;
    if (name == "failures") return History::Failures;
    if (name == "all") return History::All;
    failExpecting(inQuotes(name) + " is no history", "off, failures or all");
}

std::string noteOf(const std::string& text) {
    checkText("the note", text, kLongestKey);
    return text;
}

std::string schemaOf(const std::string& name) {
    checkText("the name", name, kLongestSchema);
    return name;
}

}  // namespace cluster_tool
