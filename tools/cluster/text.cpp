// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "text.hpp"

#include "../text/parsing.hpp"
#include "../text/time_text.hpp"
#include "../text/utf8.hpp"
#include "table.hpp"
#include "words.hpp"

#include <jtimer/time.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

using jtimer::Date;
using jtimer::cluster::Backlog;
using jtimer::cluster::NameInfo;
using jtimer::cluster::NodeInfo;
using jtimer::cluster::PastRun;
using jtimer::cluster::Pause;
using jtimer::cluster::State;
using jtimer::cluster::TaskInfo;

namespace cluster_tool {

namespace {

constexpr Column::Kind kWhole = Column::Kind::Whole;
constexpr Column::Kind kNumber = Column::Kind::Number;

/// Local time, to the second; empty if there is none.
std::string dateText(const std::optional<Date>& date) {
    constexpr std::size_t kSeconds = 19, kMillis = 4;  // of 2030-01-01T08:00:00.250+01:00
    if (!date || *date == Date::max()) return {};
    return formatDate(*date).erase(kSeconds, kMillis);
}

std::string preciseText(const std::optional<Date>& date) {
    return date && *date != Date::max() ? formatDate(*date) : std::string();
}

std::string pauseText(const std::optional<Pause>& pause) {
    if (!pause) return {};
    std::string text = "since " + dateText(pause->since) + " by " + inPrintable(pause->by);
    if (!pause->note.empty()) text += ": " + inPrintable(pause->note);
    return text;
}

/// A task that waits may begin at another time than its run is due, after a failure.
std::string nextText(const TaskInfo& task) {
    return dateText(task.state == State::Running ? task.scheduledExecutionTime : task.nextAttempt);
}

/// Why the due tasks of a name do not begin, if that is known.
std::string causeText(const NameInfo& name) {
    if (name.pause) return "paused " + pauseText(name.pause);
    return name.registeringNodes == 0 ? "no node registers it" : std::string();
}

std::string spanText(jtimer::TimeSpan span) { return inWords(span.toChrono()); }

bool hasMissedRuns(const TaskInfo& task) {
    return task.kind == "fixed rate" || task.kind == "cron";
}

}  // namespace

std::string textOf(const std::vector<TaskInfo>& tasks, Width width) {
    std::vector<Row> rows;
    rows.reserve(tasks.size());
    for (const TaskInfo& task : tasks) {
        rows.push_back({inPrintable(task.name), inPrintable(task.id), nameOf(task.state),
                        nextText(task), inPrintable(task.runningOn), inPrintable(task.lastError)});
    }
    return tableOf({{"name"}, {"id"}, {"state", kWhole}, {"due", kWhole}, {"node"}, {"last error"}},
                   rows, width);
}

std::string textOf(const std::vector<NameInfo>& names, Width width) {
    std::vector<Row> rows;
    rows.reserve(names.size());
    for (const NameInfo& name : names) {
        rows.push_back({inPrintable(name.name), countText(name.due), countText(name.scheduled),
                        countText(name.running), countText(name.dead), countText(name.paused),
                        std::to_string(name.registeringNodes), dateText(name.oldestDue),
                        dateText(name.nextDue), causeText(name)});
    }
    return tableOf({{"name"},
                    {"due", kNumber},
                    {"scheduled", kNumber},
                    {"running", kNumber},
                    {"dead", kNumber},
                    {"paused", kNumber},
                    {"nodes", kNumber},
                    {"oldest due", kWhole},
                    {"next due", kWhole},
                    {"remark"}},
                   rows, width);
}

std::string textOf(const std::vector<NodeInfo>& nodes, Width width) {
    std::vector<Row> rows;
    rows.reserve(nodes.size());
    for (const NodeInfo& node : nodes) {
        const bool isOld = node.library.empty();  // and does not tell
        const bool isOver = node.leaseLeft <= jtimer::TimeSpan(0);
        rows.push_back(
            {std::to_string(node.number), inPrintable(node.name), dateText(node.started),
             isOver ? "expired" : spanText(node.leaseLeft),
             std::to_string(node.running) + '/' + (isOld ? "?" : std::to_string(node.concurrency)),
             inPrintable(node.library), inPrintable(joined(node.names, ", ")),
             pauseText(node.paused)});
    }
    return tableOf({{"number", kNumber},
                    {"name"},
                    {"started", kWhole},
                    {"lease", kWhole},
                    {"running", kNumber},
                    {"library", kWhole},
                    {"names"},
                    {"paused"}},
                   rows, width);
}

std::string textOf(const std::vector<Pause>& pauses, Width width) {
    std::vector<Row> rows;
    rows.reserve(pauses.size());
    for (const Pause& pause : pauses) {
        rows.push_back({nameOf(pause.scope), inPrintable(pause.name), dateText(pause.since),
                        inPrintable(pause.by), inPrintable(pause.note)});
    }
    return tableOf({{"scope", kWhole}, {"name"}, {"since", kWhole}, {"by"}, {"note"}}, rows, width);
}

std::string textOf(const std::vector<PastRun>& runs, Width width) {
    std::vector<Row> rows;
    rows.reserve(runs.size());
    for (const PastRun& run : runs) {
        rows.push_back({std::to_string(run.fencingToken), inPrintable(run.name),
                        inPrintable(run.id), nameOf(run.outcome), std::to_string(run.attempt),
                        dateText(run.started), inWords(run.finished - run.started),
                        inPrintable(run.node), inPrintable(run.error)});
    }
    return tableOf({{"token", kNumber},
                    {"name"},
                    {"id"},
                    {"outcome", kWhole},
                    {"attempt", kNumber},
                    {"started", kWhole},
                    {"took", kWhole},
                    {"node"},
                    {"error"}},
                   rows, width);
}

std::string textOf(const Backlog& backlog) {
    return listOf({{"due", std::to_string(backlog.due)},
                   {"scheduled", std::to_string(backlog.scheduled)},
                   {"running", std::to_string(backlog.running)},
                   {"paused", std::to_string(backlog.paused)},
                   {"dead", std::to_string(backlog.dead)},
                   {"nodes", std::to_string(backlog.nodes)},
                   {"oldest due", backlog.due == 0 ? "" : inWords(backlog.oldestDue) + " ago"}},
                  {});
}

std::string textOf(const TaskInfo& task, bool withPayload) {
    std::vector<Row> rows{{"name", inPrintable(task.name)},
                          {"id", inPrintable(task.id)},
                          {"state", nameOf(task.state)},
                          {"schedule", scheduleText(task)}};
    if (hasMissedRuns(task)) rows.push_back({"missed runs", nameOf(task.missedRuns)});
    rows.push_back({"due", preciseText(task.scheduledExecutionTime)});
    rows.push_back({"next attempt", preciseText(task.nextAttempt)});
    rows.push_back({"attempt", std::to_string(task.attempt)});
    rows.push_back({"crashes", std::to_string(task.crashes)});
    rows.push_back({"fencing token", std::to_string(task.fencingToken)});
    rows.push_back({"running on", inPrintable(task.runningOn)});
    rows.push_back({"running since", preciseText(task.runningSince)});
    rows.push_back({"paused", pauseText(task.paused)});
    rows.push_back({"last error", inPrintable(task.lastError)});
    rows.push_back({"payload size", std::to_string(task.payloadSize)});
    if (withPayload) rows.push_back({"payload", inPrintable(task.payload)});
    return listOf(rows, {});
}

std::string keyText(const std::string& name, const std::string& id) {
    return inQuotes(name) + ' ' + inQuotes(id);
}

std::string scheduleText(const TaskInfo& task) {
    if (task.kind == "cron")
        return "cron \"" + inPrintable(task.cron) + "\" " + inPrintable(task.zone);
    if (task.kind == "once") return task.kind;
    const auto millis = std::chrono::floor<std::chrono::milliseconds>(task.period.toChrono());
    return task.kind + ", each " + inCanonicalForm(millis);
}

std::string countText(std::uint64_t count) {
    return std::to_string(count) + (count >= kCountTo ? "+" : "");
}

std::string tasksText(std::uint64_t count) {
    return std::to_string(count) + (count == 1 ? " task" : " tasks");
}

std::string previewText(std::uint64_t count, const std::vector<TaskInfo>& first, Width width) {
    std::string text = tasksText(count);
    if (count > first.size())
        text += ", of which the first " + std::to_string(first.size()) + " are";
    return text + ":\n" + textOf(first, width);
}

std::string keptText(jtimer::cluster::History what, std::chrono::milliseconds age,
                     std::uint64_t rows) {
    using jtimer::cluster::History;
    if (what == History::Off) return "runs that end are not kept any more\n";
    return std::string(what == History::All ? "runs that end" : "runs that fail") +
           " are kept for " + inCanonicalForm(age) + ", the last " + std::to_string(rows) +
           " of them\n";
}

std::string linesForTerminal(const std::string& text) {
    std::string result;
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        result += (begin == 0 ? "" : "\n") + inPrintable(text.substr(begin, end - begin));
        begin = end + 1;
    }
    return result;
}

}  // namespace cluster_tool
