// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "pauses.hpp"

#include "../text/parsing.hpp"
#include "confirm.hpp"
#include "json_text.hpp"
#include "status.hpp"
#include "text.hpp"

#include <optional>
#include <string>

namespace cluster_tool {

namespace {

using jtimer::cluster::Scope;
using jtimer::cluster::Target;

Scope scopeIn(const Options& options) {
    if (options.everything) return Scope::Everything;
    if (!options.filter.runningOn.empty()) return Scope::Node;
    return options.id.empty() ? Scope::Name : Scope::Task;
}

/// Of the task, of its handler, or of the node.
const std::string& nameIn(const Options& options) {
    return scopeIn(options) == Scope::Node ? options.filter.runningOn : options.name;
}

Target targetIn(const Options& options) {
    return targetOf(scopeIn(options), nameIn(options), options.id);
}

std::string targetText(const Options& options) {
    switch (scopeIn(options)) {
    case Scope::Task:
        return keyText(options.name, options.id);
    case Scope::Name:
        return "the name " + inQuotes(options.name);
    case Scope::Node:
        return "the node " + inQuotes(options.filter.runningOn);
    case Scope::Everything:
        break;
    }
    return "everything";
}

int report(Session& session, bool changed, const std::string& what) {
    const Options& options = session.options;
    if (options.json)
        session.console.print(changedJson(scopeIn(options), nameIn(options), options.id, changed));
    if (!changed) Console::tell(targetText(options) + ' ' + what);
    if (changed && !options.json) session.console.print(targetText(options) + ' ' + what + '\n');
    return changed ? kDone : kUnchanged;
}

/// Everything: all tasks are shown before.
std::optional<int> unlessConfirmed(Session& session, const std::string& verb) {
    if (!session.options.everything) return {};
    const jtimer::cluster::Backlog backlog = session.scheduler.backlog();
    jtimer::cluster::Filter filter;
    filter.limit = Selected::kShown;
    Selected all;
    all.count = backlog.due + backlog.scheduled + backlog.paused + backlog.running + backlog.dead;
    all.first = session.scheduler.list(filter);
    return unlessConfirmed(session, all, verb);
}

bool isAbsent(Session& session) {
    return scopeIn(session.options) == Scope::Task && !session.find();
}

}  // namespace

int pause(Session& session) {
    if (const std::optional<int> status = unlessConfirmed(session, "Pause")) return *status;
    if (session.scheduler.pause(targetIn(session.options), session.options.note))
        return report(session, true, "is paused");
    return report(session, false, isAbsent(session) ? "does not exist" : "is paused already");
}

int resume(Session& session) {
    if (const std::optional<int> status = unlessConfirmed(session, "Resume")) return *status;
    const auto missed = session.options.skipMissed ? jtimer::cluster::MissedInPause::Skip
                                                   : jtimer::cluster::MissedInPause::Run;
    if (session.scheduler.resume(targetIn(session.options), missed)) {
        wakeNodes(session.scheduler);
        return report(session, true, "is resumed");
    }
    return report(session, false, isAbsent(session) ? "does not exist" : "is not paused");
}

}  // namespace cluster_tool
