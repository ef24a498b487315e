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

namespace {

using Texts = std::vector<Params::OptionalText>;
using Numbers = std::vector<Params::OptionalNumber>;
using Times = std::vector<std::optional<Micros>>;

}  // namespace

void Store::checkZone(const std::string& zone) {
    if (zones_.count(zone) != 0) return;
    // Not asked of the server, which would refuse it as text.
    const bool valid =
        isText(zone, 200) && execute(statements().isZone(), Params().text(zone)).boolean(0, 0);
    if (!valid) throw IllegalArgumentException("Unknown time zone: " + zone);
    zones_.insert(zone);
}

Store::Written Store::insert(const std::vector<NewTask>& tasks) {
    Written all{0, {}};
    for (const IfExists policy : {IfExists::Keep, IfExists::Update, IfExists::Replace}) {
        const Written some = insert(tasks, policy);
        all.value += some.value;
        if (some.transaction) all.transaction = some.transaction;
    }
    return all;
}

/// Those of the tasks that have this policy.
Store::Written Store::insert(const std::vector<NewTask>& tasks, IfExists policy) {
    Texts names, ids, kinds, crons, zones, missed, payloads;
    Numbers periods, delays;
    Times times;
    for (const NewTask& task : tasks) {
        if (task.ifExists != policy) continue;
        const Recurrence& recurrence = task.schedule.recurrence_;
        const When& first = task.schedule.first_;
        const bool isCron = recurrence.kind == Kind::Cron;
        names.emplace_back(task.name);
        ids.emplace_back(task.id);
        kinds.emplace_back(kKinds[static_cast<int>(recurrence.kind)]);
        missed.emplace_back(kMissedRuns[static_cast<int>(recurrence.missedRuns)]);
        payloads.emplace_back(task.payload);
        periods.push_back(valueIf(recurrence.period > 0, recurrence.period));
        crons.push_back(valueIf(isCron, recurrence.expression));
        zones.push_back(valueIf(isCron, recurrence.zone));
        Micros due = toMicros(first);
        if (isCron) {
            checkZone(recurrence.zone);
            due = nextCronDue(*this, recurrence, {}).due;
        }
        const bool isDelay = !isCron && !first.isDate();
        times.push_back(valueIf(!isDelay, due));
        delays.push_back(valueIf(isDelay, due));
    }
    if (names.empty()) return {0, {}};
    Params params;
    params.bytesArray(names).bytesArray(ids).bytesArray(kinds).numbers(periods);
    params.bytesArray(crons).bytesArray(zones).bytesArray(missed).times(times);
    params.numbers(delays).bytesArray(payloads);
    return written(execute(statements().schedule(policy), params));
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
    Texts names, ids, payloads, errors;
    Numbers tokens, outcomes, delays, againIns, misses;
    Times dues, againTimes, nexts;
    for (End& end : ends) {
        const std::optional<CronDue> cron = cronDue(*this, end);
        nexts.push_back(cron ? std::optional<Micros>(cron->due) : std::nullopt);
        misses.emplace_back(cron ? static_cast<std::int64_t>(cron->missed) : 0);
        names.emplace_back(end.task->name);
        ids.emplace_back(end.task->id);
        tokens.emplace_back(end.task->token);
        dues.emplace_back(end.task->due);
        outcomes.emplace_back(static_cast<std::int64_t>(end.kind));
        delays.emplace_back(end.delay);
        const bool again = end.again && end.kind == End::Kind::Success;
        const bool isDate = again && end.again->isDate();
        const Micros when = again ? toMicros(*end.again) : 0;
        againTimes.push_back(valueIf(isDate, when));
        againIns.push_back(valueIf(again && !isDate, when));
        payloads.push_back(end.payload);
        errors.emplace_back(end.error);
    }
    Params params;
    params.bytesArray(names).bytesArray(ids).numbers(tokens).times(dues);
    params.numbers(outcomes).numbers(delays).times(againTimes).numbers(againIns);
    params.times(nexts).numbers(misses).bytesArray(payloads).bytesArray(errors);
    const Result result = execute(statement, params);

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
