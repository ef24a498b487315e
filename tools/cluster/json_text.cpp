// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "json_text.hpp"

#include "../text/json.hpp"
#include "../text/time_text.hpp"
#include "words.hpp"

#include <jtimer/time.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <optional>

using jtimer::Date;
using jtimer::cluster::Pause;

namespace cluster_tool {

namespace {

std::string dateJson(const std::optional<Date>& date) {
    return date && *date != Date::max() ? inJson(inUtcMicros(*date)) : "null";
}

std::string secondsJson(std::chrono::nanoseconds span) { return inDecimal(span.count() / 1000, 6); }

/// \param text empty: there is none
std::string textJson(const std::string& text) { return text.empty() ? "null" : inJson(text); }

std::string pauseJson(const std::optional<Pause>& pause) {
    if (!pause) return "null";
    return JsonObject()
        .add("since", dateJson(pause->since))
        .addText("by", pause->by)
        .addText("note", pause->note)
        .text();
}

template <class Number>
std::string numberJson(Number number) {
    return std::to_string(number);
}

std::string lineOf(const JsonObject& object) { return object.text() + '\n'; }

}  // namespace

std::string jsonOf(const jtimer::cluster::TaskInfo& task, bool withPayload) {
    const bool hasPeriod = task.kind == "fixed rate" || task.kind == "fixed delay";
    const bool hasMissedRuns = task.kind == "fixed rate" || task.kind == "cron";
    JsonObject object;
    object.addText("name", task.name).addText("id", task.id).addText("state", nameOf(task.state));
    object.add("due", dateJson(task.scheduledExecutionTime));
    object.add("next_attempt", dateJson(task.nextAttempt));
    object.add("attempt", numberJson(task.attempt)).add("crashes", numberJson(task.crashes));
    object.add("fencing_token", numberJson(task.fencingToken));
    object.add("running_on", textJson(task.runningOn));
    object.add("running_since", dateJson(task.runningSince));
    object.add("last_error", textJson(task.lastError));
    object.addText("kind", task.kind);
    object.add("period_seconds", hasPeriod ? secondsJson(task.period.toChrono()) : "null");
    object.add("cron", textJson(task.cron)).add("zone", textJson(task.zone));
    object.add("missed_runs", hasMissedRuns ? inJson(nameOf(task.missedRuns)) : "null");
    object.add("paused", pauseJson(task.paused));
    object.add("payload_size", numberJson(task.payloadSize));
    if (withPayload) object.addText("payload", inBase64(task.payload));
    return lineOf(object);
}

std::string jsonOf(const jtimer::cluster::NameInfo& name) {
    return lineOf(JsonObject()
                      .addText("name", name.name)
                      .add("due", numberJson(name.due))
                      .add("scheduled", numberJson(name.scheduled))
                      .add("running", numberJson(name.running))
                      .add("dead", numberJson(name.dead))
                      .add("paused_tasks", numberJson(name.paused))
                      .add("registering_nodes", numberJson(name.registeringNodes))
                      .add("oldest_due", dateJson(name.oldestDue))
                      .add("next_due", dateJson(name.nextDue))
                      .add("paused", pauseJson(name.pause)));
}

std::string jsonOf(const jtimer::cluster::NodeInfo& node) {
    const bool isOld = node.library.empty();  // and does not tell
    std::string names;
    for (const std::string& name : node.names)
        names.append(names.empty() ? "" : ",").append(inJson(name));
    return lineOf(JsonObject()
                      .add("number", numberJson(node.number))
                      .addText("name", node.name)
                      .add("started", dateJson(node.started))
                      .add("lease_seconds", secondsJson(node.lease.toChrono()))
                      .add("lease_left_seconds", secondsJson(node.leaseLeft.toChrono()))
                      .add("running", numberJson(node.running))
                      .add("concurrency", isOld ? "null" : numberJson(node.concurrency))
                      .add("library", textJson(node.library))
                      .add("names", isOld ? "null" : '[' + names + ']')
                      .add("paused", pauseJson(node.paused)));
}

std::string jsonOf(const Pause& pause) {
    return lineOf(JsonObject()
                      .addText("scope", nameOf(pause.scope))
                      .add("name", textJson(pause.name))
                      .add("since", dateJson(pause.since))
                      .addText("by", pause.by)
                      .addText("note", pause.note));
}

std::string jsonOf(const jtimer::cluster::PastRun& run) {
    return lineOf(JsonObject()
                      .addText("name", run.name)
                      .addText("id", run.id)
                      .add("node", textJson(run.node))
                      .add("attempt", numberJson(run.attempt))
                      .add("fencing_token", numberJson(run.fencingToken))
                      .add("due", dateJson(run.due))
                      .add("started", dateJson(run.started))
                      .add("finished", dateJson(run.finished))
                      .addText("outcome", nameOf(run.outcome))
                      .add("error", textJson(run.error)));
}

std::string jsonOf(const jtimer::cluster::Backlog& backlog) {
    return lineOf(JsonObject()
                      .add("due", numberJson(backlog.due))
                      .add("scheduled", numberJson(backlog.scheduled))
                      .add("running", numberJson(backlog.running))
                      .add("paused_tasks", numberJson(backlog.paused))
                      .add("dead", numberJson(backlog.dead))
                      .add("nodes", numberJson(backlog.nodes))
                      .add("oldest_due_seconds", secondsJson(backlog.oldestDue)));
}

std::string changedJson(std::uint64_t changed, std::uint64_t selected) {
    return lineOf(
        JsonObject().add("changed", numberJson(changed)).add("selected", numberJson(selected)));
}

std::string changedJson(const std::string& name, const std::string& id, bool changed,
                        const std::string& outcome) {
    JsonObject object;
    object.addText("name", name).addText("id", id).add("changed", changed ? "true" : "false");
    if (!outcome.empty()) object.addText("outcome", outcome);
    return lineOf(object);
}

std::string changedJson(jtimer::cluster::Scope scope, const std::string& name,
                        const std::string& id, bool changed) {
    return lineOf(JsonObject()
                      .addText("scope", nameOf(scope))
                      .add("name", textJson(name))
                      .add("id", textJson(id))
                      .add("changed", changed ? "true" : "false"));
}

std::string inBase64(std::string_view bytes) {
    constexpr std::string_view kDigits =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string text;
    for (std::size_t i = 0; i < bytes.size(); i += 3) {
        const std::size_t count = std::min<std::size_t>(3, bytes.size() - i);
        std::uint32_t bits = 0;
        for (std::size_t j = 0; j < 3; ++j)
            bits = bits << 8U | (j < count ? static_cast<unsigned char>(bytes[i + j]) : 0U);
        for (std::size_t j = 0; j < 4; ++j)
            text += j <= count ? kDigits[bits >> (18 - 6 * j) & 0x3fU] : '=';
    }
    return text;
}

}  // namespace cluster_tool
