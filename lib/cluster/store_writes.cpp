// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.

// How tasks and ends become the parameters of the two large statements.

#include "cluster/checks.hpp"
#include "cluster/cron_dues.hpp"
#include "cluster/schedule_access.hpp"
#include "cluster/store.hpp"

#include <jtimer/exceptions.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <optional>
#include <vector>

namespace jtimer::cluster::detail {

namespace {

constexpr const char* kKinds[] = {"once", "fixed rate", "fixed delay", "cron"};
constexpr std::size_t kMaxError = 2000;

using Texts = std::vector<Params::OptionalText>;
using Numbers = std::vector<Params::OptionalNumber>;
using Times = std::vector<std::optional<Micros>>;

/// What the server takes as text: without NUL, valid, and not too long.
std::string cleaned(const std::string& error) {
    std::string text;
    for (std::size_t at = 0; at < error.size();) {
        const std::size_t begin = at;
        const bool valid = takeCharacter(error, at).has_value();
        if (!valid) ++at;
        if (text.size() + at - begin > kMaxError) break;
        text += valid ? error.substr(begin, at - begin) : "?";
    }
    return text;
}

}  // namespace

const char* nameOf(Kind kind) { return kKinds[static_cast<int>(kind)]; }

const char* nameOf(MissedRuns missedRuns) {
    switch (missedRuns) {
    case MissedRuns::Burst:
        return "burst";
    case MissedRuns::Skip:
        return "skip";
    case MissedRuns::Once:
        break;
    }
    return "once";
}

Kind kindOf(const std::string& name) {
    const auto* const found = std::find(std::begin(kKinds), std::end(kKinds), name);
    return static_cast<Kind>(found == std::end(kKinds) ? 0 : found - std::begin(kKinds));
}

MissedRuns missedRunsOf(const std::string& name) {
    return name == "burst"  ? MissedRuns::Burst
           : name == "skip" ? MissedRuns::Skip
                            : MissedRuns::Once;
}

void Store::checkZone(Connection& connection, Deadline deadline, const std::string& zone) {
    if (zones_.count(zone) != 0) return;
    // Not asked of the server, which would refuse it as text.
    const bool valid =
        isText(zone, 200) &&
        connection.execute(statements().isZone(), Params().text(zone), deadline).boolean(0, 0);
    if (!valid) throw IllegalArgumentException("Unknown time zone: " + zone);
    zones_.insert(zone);
}

Store::Written Store::schedule(Connection& connection, const std::vector<NewTask>& tasks,
                               Deadline deadline) {
    Texts names, ids, kinds, crons, zones, missed, payloads;
    Numbers periods, delays, policies;
    Times times;
    for (const NewTask& task : tasks) {
        using Access = ScheduleAccess;
        const Schedule& schedule = task.schedule;
        const Kind kind = Access::kind(schedule);
        const When& first = Access::first(schedule);
        const bool isCron = kind == Kind::Cron;
        const bool hasPeriod = kind == Kind::FixedRate || kind == Kind::FixedDelay;
        names.emplace_back(task.name);
        ids.emplace_back(task.id);
        kinds.emplace_back(nameOf(kind));
        missed.emplace_back(nameOf(Access::missedRuns(schedule)));
        payloads.emplace_back(task.payload);
        policies.emplace_back(static_cast<std::int64_t>(task.ifExists));
        periods.push_back(hasPeriod ? Params::OptionalNumber(Access::period(schedule))
                                    : std::nullopt);
        const std::string& zone = Access::zone(schedule);
        crons.push_back(isCron ? Params::OptionalText(Access::expression(schedule)) : std::nullopt);
        zones.push_back(isCron ? Params::OptionalText(zone) : std::nullopt);
        const Micros when = toMicros(first);
        if (isCron) {
            checkZone(connection, deadline, zone);
            times.emplace_back(nextCronDue(connection, statements(), deadline,
                                           Access::expression(schedule), zone, MissedRuns::Burst,
                                           {})
                                   .due);
        } else {
            times.push_back(first.isDate() ? std::optional<Micros>(when) : std::nullopt);
        }
        delays.push_back(first.isDate() || isCron ? std::nullopt : Params::OptionalNumber(when));
    }
    Params params;
    params.bytesArray(names).bytesArray(ids).bytesArray(kinds).numbers(periods);
    params.bytesArray(crons).bytesArray(zones).bytesArray(missed).times(times);
    params.numbers(delays).bytesArray(payloads).numbers(policies);
    return written(connection.execute(statements().schedule(), params, deadline));
}

namespace {

/// The next due of a cron task, unless its run is repeated or it is dead.
std::optional<CronDue> cronDue(Connection& connection, const Statements& statements,
                               Deadline deadline, End& end) {
    const ClaimedTask& task = *end.task;
    const Recurrence& cron = task.recurrence;
    const bool ends = end.kind == End::Kind::Success || end.kind == End::Kind::GiveUp;
    if (cron.kind != Kind::Cron || !ends || end.again) return {};
    try {
        return nextCronDue(connection, statements, deadline, cron.expression, cron.zone,
                           cron.missedRuns, task.due);
    } catch (const DatabaseException& e) {
        // Invalid parameter: the server does not know the zone any more.
        if (e.sqlState() != "22023") throw;
        end.kind = End::Kind::Dead;
        end.error = e.what();
        return {};
    }
}

}  // namespace

Store::WrittenEnds Store::writeEnds(Connection& connection, const Statement& statement,
                                    const std::vector<End>& ends, Deadline deadline) {
    Texts names, ids, payloads, errors;
    Numbers tokens, outcomes, delays, againIns, misses;
    Times dues, againTimes, nexts;
    for (End end : ends) {
        const std::optional<CronDue> cron = cronDue(connection, statements(), deadline, end);
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
        againTimes.push_back(isDate ? std::optional<Micros>(when) : std::nullopt);
        againIns.push_back(again && !isDate ? Params::OptionalNumber(when) : std::nullopt);
        payloads.push_back(end.payload);
        errors.emplace_back(cleaned(end.error));
    }
    Params params;
    params.bytesArray(names).bytesArray(ids).numbers(tokens).times(dues);
    params.numbers(outcomes).numbers(delays).times(againTimes).numbers(againIns);
    params.times(nexts).numbers(misses).bytesArray(payloads).bytesArray(errors);
    const Result result = connection.execute(statement, params, deadline);

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
