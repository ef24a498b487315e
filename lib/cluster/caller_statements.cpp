// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.

// What callers read and change, but for what schedules tasks: that is in write_statements.cpp.

#include "cluster/prefix.hpp"
#include "cluster/statements.hpp"

#include <string>

namespace jtimer::cluster::detail {

Statement statements::cancel() {
    return {"cancel", R"(
        with deleted as (
            delete from @.task where name = $1 and id = $2
            returning (owner is null and coalesce(held, wake) < 'infinity') or kind <> 'once'
                as prevented)
        select exists (select from deleted where prevented),
            pg_catalog.pg_current_xact_id_if_assigned())"};
}

namespace {

/// The token of the task when the statement began. If it is another one where the row is locked,
/// the task has run meanwhile, and the statement's clock may be before a period that has ended.
constexpr const char* kSeen = "(select token from @.task where name = $1 and id = $2) as seen";

}  // namespace

/// The periods of a fixed rate or cron task count from its due: an earlier one would repeat those
/// that have ended.
Statement statements::reschedule() {
    return {"reschedule", R"(
        with changed as (
            update @.task set attempt = 0, crashes = 0,
                wake = case when held is null then new.due else 'infinity' end,
                held = case when held is null then null else new.due end,
                due = greatest(new.due, case when kind in ('fixed rate', 'cron')
                    then least(task.due, @.now()) end)
            from (select least(coalesce($3, @.now() + $4 * interval '1 microsecond'),
                timestamptz '2262-04-11 00:00:00+00') as due, )" +
                              std::string(kSeen) + R"() new
            where name = $1 and id = $2 and owner is null and token = seen returning id)
        select exists (select from changed), pg_catalog.pg_current_xact_id_if_assigned())"};
}

/// One that waits for its time is due now, and later periods stay as they are. Of one that has come
/// due already, the due stays: from there its missed runs count. A paused one keeps what it is to
/// go on with, see `held` in the schema.
Statement statements::runNow() {
    return {"run_now", R"(
        with changed as (
            update @.task set wake = least(wake, now),
                due = case when coalesce(held, wake) = 'infinity' then now
                    else least(due, now) end,
                attempt = case when coalesce(held, wake) = 'infinity' then 0 else attempt end,
                crashes = case when coalesce(held, wake) = 'infinity' then 0 else crashes end
            from (select @.now() as now, )" +
                           std::string(kSeen) + R"() clock
            where name = $1 and id = $2 and owner is null and token = seen returning id)
        select exists (select from changed), pg_catalog.pg_current_xact_id_if_assigned())"};
}

namespace {

static_assert(static_cast<int>(State::Scheduled) == 0 && static_cast<int>(State::Retrying) == 1 &&
                  static_cast<int>(State::Running) == 2 && static_cast<int>(State::Dead) == 3 &&
                  static_cast<int>(State::Paused) == 4,
              "the states in taskInfo() and the order of kStates");

/// \param payload the expression for it
std::string taskInfo(const char* payload) {
    return std::string(R"(
        select task.name, task.id,
            case when owner is not null then 2 when held is not null then 4
                when wake = 'infinity' then 3 when attempt > 0 then 1 else 0 end,
            due, case when owner is null then coalesce(nullif(held, '-infinity'), wake) else wake end,
            attempt, crashes, token, coalesce(node.name, ''),
            coalesce(last_error, ''), )") +
           payload + R"(, pg_catalog.octet_length(payload), kind, cron, zone, period, missed,
            task.started, paused_since, paused_by, paused_note
        from @.task left join @.node on node.id = task.owner)";
}

/// By State, and by the columns of the indexes.
constexpr const char* kStates[] = {
    "owner is null and attempt = 0 and wake < 'infinity' and held is null",
    "owner is null and attempt > 0 and wake < 'infinity' and held is null", "owner is not null",
    "owner is null and wake = 'infinity' and held is null", "owner is null and held is not null"};

/// Which tasks the filter selects, but for its `after`. Not by the index task_name: its condition
/// seems to leave so few tasks that all of them would be read and sorted.
std::string selected(const Filter& filter) {
    std::string where = "true";
    const auto add = [&](const std::string& condition) { where += " and " + condition; };
    if (filter.name) add("task.name = $1");
    if (!filter.idPrefix.empty()) {
        add("task.id >= $2");
        if (endOfPrefix(filter.idPrefix)) add("task.id < $3");
    }
    if (filter.state) add(kStates[static_cast<int>(*filter.state)]);
    if (!filter.runningOn.empty())
        add("owner = any (array(select id from @.node where name = $4))");
    if (filter.dueBefore) add("owner is null and wake < $5");
    return where;
}

constexpr const char* kAfter = "(task.name, task.id) > ($6, $7)";

}  // namespace

Statement statements::find() {
    return {"find", taskInfo("payload") + " where task.name = $1 and task.id = $2"};
}

/// By wake alone: where many tasks have the same one, sorting them would need all of them.
Statement statements::list(const Filter& filter) {
    const bool byKey = filter.order == Order::Key;
    const std::string where = selected(filter) + (byKey ? std::string(" and ") + kAfter : "");
    const std::string order = byKey ? "task.name, task.id" : "task.wake";
    return {nullptr, taskInfo("''") + " where " + where + " order by " + order + " limit $8"};
}

namespace {

/// What changes tasks in batches. A row that another transaction has changed since the statement
/// began is chosen, but cannot be found by ctid: then it is not changed.
/// \param chosen selects the place, name and id of a batch, in the order of keys
/// \param change what is done to the rows at those places
Statement inBatch(const std::string& chosen, const std::string& change) {
    return {nullptr, R"(
        with chosen as materialized ()" +
                         chosen + R"(),
        changed as ()" + change +
                         R"( where ctid = any (array(select place from chosen)) returning id)
        select (select pg_catalog.count(*) from changed),
            pg_catalog.pg_current_xact_id_if_assigned(),
            (select pg_catalog.count(*) from chosen), last.name, last.id
        from (select) one left join (
            select name, id from chosen order by name desc, id desc limit 1) last on true)"};
}

std::string batchOf(const std::string& where) {
    return "select ctid as place, name, id from @.task where " + where + " and " + kAfter +
           " order by name, id limit $8 for update";
}

}  // namespace

Statement statements::revive(const Filter& filter) {
    const std::string dead = kStates[static_cast<int>(State::Dead)];
    return inBatch(batchOf(selected(filter) + " and " + dead), R"(
            update @.task set due = @.now(), wake = @.now(), attempt = 0, crashes = 0)");
}

Statement statements::cancelAll(const Filter& filter) {
    return inBatch(batchOf(selected(filter)), "delete from @.task");
}

Statement statements::cancelOthers() {
    return inBatch(R"(
            select ctid as place, name, id from @.task
            where name = $1 and id > $3 and id not in (select pg_catalog.unnest($2))
            order by id limit $4 for update)",
                   "delete from @.task");
}

namespace {

/// How many tasks of paused names there are.
std::string countOfPaused(const char* condition) {
    return std::string(R"((select coalesce(pg_catalog.sum(tasks), 0)::bigint from names
                    cross join lateral (select pg_catalog.count(*) as tasks from @.task
                        where task.name = names.name and coalesce(owner, 0) = 0
                            and )") +
           condition + ") each)";
}

constexpr const char* kWaitsNow = "wake <= @.now()";
constexpr const char* kWaitsLater = "wake > @.now() and wake < 'infinity'";

std::string countOfFree(const char* condition) {
    return std::string("(select pg_catalog.count(*) from @.task where owner is null and ") +
           condition + ")";
}

}  // namespace

/// Tasks of paused names are counted twice, and then subtracted: without a pause, that costs
/// nothing.
Statement statements::backlog() {
    return {nullptr, R"(
        with names as materialized (select name from @.pause where scope = 'name'),
        everything as materialized (
            select exists (select from @.pause where scope = 'everything') as paused),
        free as materialized (
            select paused, )" +
                         countOfFree(kWaitsNow) + " as due, " + countOfFree(kWaitsLater) +
                         " as scheduled, " + countOfPaused(kWaitsNow) + " as paused_due, " +
                         countOfPaused(kWaitsLater) + R"( as paused_scheduled
            from everything)
        select case when paused then 0 else due - paused_due end,
            case when paused then 0 else scheduled - paused_scheduled end,
            case when paused then due + scheduled else paused_due + paused_scheduled end + )" +
                         countOfFree("held is not null and wake = 'infinity'") + R"(,
            (select pg_catalog.count(*) from @.task where owner is not null),
            )" + countOfFree("held is null and wake = 'infinity'") +
                         R"(,
            (select pg_catalog.count(*) from @.node),
            coalesce(greatest((extract(epoch from @.now() -
                (select wake from @.task where owner is null and wake <= @.now() and not paused
                    and name <> all (array(select name from names))
                order by wake limit 1)) * 1000000)::bigint, 0), 0)
        from free)"};
}

}  // namespace jtimer::cluster::detail
