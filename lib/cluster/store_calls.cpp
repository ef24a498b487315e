// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.

// The operations of a Store that callers use.

#include "cluster/checks.hpp"
#include "cluster/columns.hpp"
#include "cluster/cron_dues.hpp"
#include "cluster/prefix.hpp"
#include "cluster/store.hpp"
#include "cluster/time_out.hpp"

#include <jtimer/cluster/exceptions.hpp>
#include <jtimer/exceptions.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace jtimer::cluster::detail {

namespace {

/// \param since the first of three columns: since, by and note
/// \returns nothing if they are null
std::optional<Pause> pauseIn(const Result& result, int row, int since, Pause pause) {
    if (result.isNull(row, since)) return {};
    pause.since = toDate(result.time(row, since));
    pause.by = result.text(row, since + 1);
    pause.note = result.text(row, since + 2);
    return pause;
}

std::optional<Date> dateIn(const Result& result, int row, int column) {
    if (result.isNull(row, column)) return {};
    return toDate(result.time(row, column));
}

TaskInfo taskInfo(const Result& result, int row) {
    namespace task = columns::task;
    TaskInfo info;
    info.name = result.text(row, task::Name);
    info.id = result.text(row, task::Id);
    info.state = static_cast<State>(result.number(row, task::State));
    info.scheduledExecutionTime = toDate(result.time(row, task::Due));
    info.nextAttempt = toDate(result.time(row, task::NextAttempt));
    info.attempt = static_cast<int>(result.number(row, task::Attempt));
    info.crashes = static_cast<int>(result.number(row, task::Crashes));
    info.fencingToken = result.number(row, task::Token);
    info.runningOn = result.text(row, task::Node);
    info.lastError = result.text(row, task::LastError);
    info.payload = result.text(row, task::Payload);
    info.payloadSize = static_cast<std::size_t>(result.number(row, task::PayloadSize));
    info.kind = result.text(row, task::Kind);
    info.cron = result.text(row, task::Cron);
    info.zone = result.text(row, task::Zone);
    info.period = std::chrono::microseconds(result.number(row, task::Period));
    info.missedRuns = fromName(kMissedRuns, result.text(row, task::Missed), MissedRuns::Once);
    info.runningSince = dateIn(result, row, task::Started);
    info.paused =
        pauseIn(result, row, task::PausedSince, {Scope::Task, info.name, info.id, {}, {}, {}});
    return info;
}

/// For the statements that take a filter.
Params paramsOf(const Filter& filter, const std::pair<std::string, std::string>& after,
                std::size_t limit) {
    constexpr std::size_t kMost = std::numeric_limits<std::int32_t>::max();
    Params params;
    params.text(filter.name).text(filter.idPrefix).text(endOfPrefix(filter.idPrefix));
    params.text(filter.runningOn);
    params.time(filter.dueBefore ? std::optional<Micros>(toMicros(When(*filter.dueBefore)))
                                 : std::nullopt);
    params.text(after.first).text(after.second);
    params.number(static_cast<std::int64_t>(std::min(limit, kMost)));
    return params;
}

}  // namespace

void Store::checkZone(const std::string& zone) {
    if (zones_.count(zone) != 0) return;
    // Not asked of the server, which would refuse it as text.
    const bool valid =
        isText(zone, 200) &&
        execute(statements::isZone(), Params().text(zone)).boolean(0, columns::kOnly);
    if (!valid) throw IllegalArgumentException("Unknown time zone: " + zone);
    zones_.insert(zone);
}

void Store::addRow(Rows& rows, const NewTask& task) {
    const Recurrence& recurrence = task.schedule.recurrence_;
    const When& first = task.schedule.first_;
    const bool isCron = recurrence.kind == Kind::Cron;
    const bool isDelay = !isCron && !first.isDate();
    Micros due = toMicros(first);
    if (isCron) {
        checkZone(recurrence.zone);
        due = nextCronDue(*this, recurrence, {}).due;
    }
    rows.begin();
    rows.bytes(task.name).bytes(task.id).text(kKinds[static_cast<int>(recurrence.kind)]);
    rows.number(valueIf(recurrence.period > 0, recurrence.period));
    rows.bytes(valueIf(isCron, std::string_view(recurrence.expression)));
    rows.bytes(valueIf(isCron, std::string_view(recurrence.zone)));
    rows.text(kMissedRuns[static_cast<int>(recurrence.missedRuns)]);
    rows.time(valueIf(!isDelay, due)).number(valueIf(isDelay, due)).bytes(task.payload);
}

Store::Change Store::insert(const std::vector<NewTask>& tasks) {
    Change all{0, {}};
    for (const IfExists policy : {IfExists::Keep, IfExists::Update, IfExists::Replace}) {
        Rows rows;
        for (const NewTask& task : tasks) {
            if (task.ifExists == policy) addRow(rows, task);
        }
        if (rows.size() == 0) continue;
        const bool one = rows.size() == 1;
        const Params params = one ? Params().values(rows) : Params().arrays(rows);
        const Change some = changeOf(execute(statements::schedule(policy, one), params));
        all.value += some.value;
        if (some.transaction) all.transaction = some.transaction;
    }
    return all;
}

bool Store::scheduleIn(const NewTask& task) { return insert({task}).value != 0; }

namespace {

/// Added to the message of what may have failed because the tasks are too many or too large.
std::string notSplit(const std::vector<NewTask>& tasks) {
    std::size_t bytes = 0;
    for (const NewTask& task : tasks) bytes += task.payload.size();
    return "; scheduleAll writes its " + std::to_string(tasks.size()) + " tasks, with " +
           std::to_string(bytes) + " bytes of payloads, in one transaction, which is not split";
}

}  // namespace

std::size_t Store::schedule(const std::vector<NewTask>& tasks) {
    if (tasks.empty()) return 0;
    bool sent = false;  // else it was not the tasks that took too long
    const auto use = [&] {
        sent = true;
        return insert(tasks);
    };
    const auto isTooMuch = [&](const DatabaseException& e) {
        const bool timedOut = e.sqlState().empty() || e.sqlState() == kCancelled;
        return tasks.size() > 1 && sent && timedOut;
    };
    try {
        return static_cast<std::size_t>(write(use, Key(tasks[0].name, tasks[0].id)));
    } catch (const OutcomeUnknownException& e) {
        if (!isTooMuch(e)) throw;
        throw OutcomeUnknownException(e.what() + notSplit(tasks), e.sqlState());
    } catch (const DatabaseException& e) {
        if (!isTooMuch(e)) throw;
        throw DatabaseException(e.what() + notSplit(tasks), e.sqlState());
    }
}

bool Store::cancel(const std::string& name, const std::string& id) {
    return write(statements::cancel(), Params().text(name).text(id), {}) != 0;
}

bool Store::reschedule(const std::string& name, const std::string& id, When when) {
    const Micros micros = toMicros(when);
    Params params;
    params.text(name).text(id);
    params.time(valueIf(when.isDate(), micros)).number(valueIf(!when.isDate(), micros));
    return write(statements::reschedule(), params, Key(name, id)) != 0;
}

bool Store::runNow(const std::string& name, const std::string& id) {
    return write(statements::runNow(), Params().text(name).text(id), Key(name, id)) != 0;
}

std::optional<TaskInfo> Store::find(const std::string& name, const std::string& id) {
    const Result result = read(statements::find(), Params().text(name).text(id));
    if (result.rows() == 0) return {};
    return taskInfo(result, 0);
}

std::vector<TaskInfo> Store::list(const Filter& filter) {
    const Result result =
        read(statements::list(filter), paramsOf(filter, filter.after, filter.limit));
    std::vector<TaskInfo> tasks;
    tasks.reserve(static_cast<std::size_t>(result.rows()));
    for (int i = 0; i < result.rows(); ++i) tasks.push_back(taskInfo(result, i));
    return tasks;
}

namespace {

/// In one transaction.
constexpr std::size_t kBatch = 10'000;

}  // namespace

/// A batch that has missed a task, because that was changed meanwhile, is repeated once.
std::size_t Store::inBatches(const Statement& statement,
                             const std::function<Params(const Key& after)>& params) {
    std::size_t all = 0;
    Key after;
    for (bool repeats = false;;) {
        std::int64_t chosen = 0;
        Key last;
        const auto batch = [&] {
            const Result result = execute(statement, params(after));
            chosen = result.number(0, columns::batch::Chosen);
            last = {result.text(0, columns::batch::LastName),
                    result.text(0, columns::batch::LastId)};
            return changeOf(result);
        };
        const std::int64_t changed = write(batch, {});
        all += static_cast<std::size_t>(changed);
        repeats = changed < chosen && !repeats;
        if (repeats) continue;
        if (chosen < static_cast<std::int64_t>(kBatch)) return all;
        after = last;
    }
}

std::size_t Store::revive(const Filter& filter) {
    return inBatches(statements::revive(filter),
                     [&](const Key& after) { return paramsOf(filter, after, kBatch); });
}

std::size_t Store::cancelAll(const Filter& filter) {
    return inBatches(statements::cancelAll(filter),
                     [&](const Key& after) { return paramsOf(filter, after, kBatch); });
}

std::size_t Store::cancelOthers(const std::string& name, const std::vector<std::string>& ids) {
    return inBatches(statements::cancelOthers(), [&](const Key& after) {
        return Params().text(name).texts(ids).text(after.second).number(kBatch);
    });
}

std::vector<NodeInfo> Store::nodes() {
    namespace node = columns::node;
    const Result result = read(statements::nodes(), {});
    std::vector<NodeInfo> nodes;
    for (int row = 0; row < result.rows(); ++row) {
        NodeInfo& info = nodes.emplace_back();
        info.number = result.number(row, node::Number);
        info.name = result.text(row, node::Name);
        info.library = result.text(row, node::Library);
        info.started = toDate(result.time(row, node::Started));
        info.lease = std::chrono::microseconds(result.number(row, node::Lease));
        info.leaseLeft = std::chrono::microseconds(result.number(row, node::LeaseLeft));
        info.concurrency = static_cast<int>(result.number(row, node::Concurrency));
        info.running = static_cast<int>(result.number(row, node::Running));
        info.names = result.texts(row, node::Names);
        info.paused =
            pauseIn(result, row, node::PausedSince, {Scope::Node, info.name, {}, {}, {}, {}});
    }
    return nodes;
}

std::vector<NameInfo> Store::names(std::uint64_t countTo) {
    namespace name = columns::name;
    constexpr std::uint64_t kMost = std::numeric_limits<std::int64_t>::max();
    const auto limit = static_cast<std::int64_t>(std::min(countTo, kMost));
    const Result result = read(statements::names(), Params().number(limit));
    std::vector<NameInfo> names;
    for (int row = 0; row < result.rows(); ++row) {
        const auto count = [&](name::Column column) {
            return static_cast<std::uint64_t>(result.number(row, column));
        };
        NameInfo& info = names.emplace_back();
        info.name = result.text(row, name::Name);
        info.due = count(name::Due);
        info.scheduled = count(name::Scheduled);
        info.paused = count(name::Paused);
        info.dead = count(name::Dead);
        info.running = count(name::Running);
        info.registeringNodes = count(name::RegisteringNodes);
        info.oldestDue = dateIn(result, row, name::OldestDue);
        info.nextDue = dateIn(result, row, name::NextDue);
        info.pause =
            pauseIn(result, row, name::PausedSince, {Scope::Name, info.name, {}, {}, {}, {}});
    }
    return names;
}

Backlog Store::backlog() {
    const Result result = read(statements::backlog(), {});
    namespace backlog = columns::backlog;
    const auto count = [&](backlog::Column column) {
        return static_cast<std::uint64_t>(result.number(0, column));
    };
    return {count(backlog::Due),
            count(backlog::Scheduled),
            count(backlog::Paused),
            count(backlog::Running),
            count(backlog::Dead),
            count(backlog::Nodes),
            std::chrono::microseconds(result.number(0, backlog::OldestDue))};
}

}  // namespace jtimer::cluster::detail
