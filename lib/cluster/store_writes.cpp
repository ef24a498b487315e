// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.

// How tasks and ends become the parameters of the two large statements.

#include "cluster/checks.hpp"
#include "cluster/cron_dues.hpp"
#include "cluster/store.hpp"

#include <jtimer/exceptions.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace jtimer::cluster::detail {

void Store::checkZone(const std::string& zone) {
    if (zones_.count(zone) != 0) return;
    // Not asked of the server, which would refuse it as text.
    const bool valid =
        isText(zone, 200) && execute(statements::isZone(), Params().text(zone)).boolean(0, 0);
    if (!valid) throw IllegalArgumentException("Unknown time zone: " + zone);
    zones_.insert(zone);
}

/// The parameters of one task.
Params Store::rowOf(const NewTask& task) {
    const Recurrence& recurrence = task.schedule.recurrence_;
    const When& first = task.schedule.first_;
    const bool isCron = recurrence.kind == Kind::Cron;
    const bool isDelay = !isCron && !first.isDate();
    Micros due = toMicros(first);
    if (isCron) {
        checkZone(recurrence.zone);
        due = nextCronDue(*this, recurrence, {}).due;
    }
    Params row;
    row.bytes(task.name).bytes(task.id).bytes(kKinds[static_cast<int>(recurrence.kind)]);
    row.number(valueIf(recurrence.period > 0, recurrence.period));
    row.bytes(valueIf(isCron, recurrence.expression)).bytes(valueIf(isCron, recurrence.zone));
    row.bytes(kMissedRuns[static_cast<int>(recurrence.missedRuns)]);
    row.time(valueIf(!isDelay, due)).number(valueIf(isDelay, due)).bytes(task.payload);
    return row;
}

Store::Written Store::insert(const std::vector<NewTask>& tasks) {
    Written all{0, {}};
    for (const IfExists policy : {IfExists::Keep, IfExists::Update, IfExists::Replace}) {
        std::vector<Params> rows;
        for (const NewTask& task : tasks) {
            if (task.ifExists == policy) rows.push_back(rowOf(task));
        }
        if (rows.empty()) continue;
        const Params params = Params().columns(rows);
        const Written some = written(execute(statements::schedule(policy), params));
        all.value += some.value;
        if (some.transaction) all.transaction = some.transaction;
    }
    return all;
}

namespace {

/// The next due of a cron task, unless its run is repeated or it is dead.
std::optional<CronDue> cronDue(Session& session, End& end) {
    const ClaimedTask& task = *end.task;
    const bool ends = end.kind == End::Kind::Success || end.kind == End::Kind::GiveUp;
    if (task.recurrence.kind != Kind::Cron || !ends || end.again) return {};
    try {
        return nextCronDue(session, task.recurrence, task.due);
    } catch (const DatabaseException& e) {
        // Invalid parameter: the server does not know the zone any more.
        if (e.sqlState() != "22023") throw;
        end.kind = End::Kind::Dead;
        end.error = e.what();
        return {};
    }
}

}  // namespace

Store::WrittenEnds Store::writeEnds(const Statement& statement, std::vector<End>& ends) {
    std::vector<Params> rows;
    for (End& end : ends) {
        const std::optional<CronDue> cron = cronDue(*this, end);
        const bool again = end.again && end.kind == End::Kind::Success;
        const bool isDate = again && end.again->isDate();
        const Micros when = again ? toMicros(*end.again) : 0;
        Params& row = rows.emplace_back();
        row.bytes(end.task->name).bytes(end.task->id).number(end.task->token).time(end.task->due);
        row.number(static_cast<std::int64_t>(end.kind)).number(end.delay);
        row.time(valueIf(isDate, when)).number(valueIf(again && !isDate, when));
        row.time(cron ? std::optional<Micros>(cron->due) : std::nullopt);
        row.number(cron ? cron->missed : 0).bytes(end.payload).bytes(end.error);
    }
    const Result result = execute(statement, Params().columns(rows));

    WrittenEnds written;
    std::map<Token, EndStatus> found;
    for (int i = 0; i < result.rows(); ++i) {
        found[result.number(i, 0)] = result.boolean(i, 1) ? EndStatus::Written : EndStatus::Locked;
        if (result.boolean(i, 1)) written.transaction = result.number(i, 2);
    }
    for (const End& end : ends) {
        const auto status = found.find(end.task->token);
        written.statuses.push_back(status == found.end() ? EndStatus::Fenced : status->second);
    }
    return written;
}

}  // namespace jtimer::cluster::detail
