// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.

// The two large statements: of callers' tasks and of the ends of runs. Both may run on a caller's
// connection, whose encoding is anything, so they take text as bytes, unless it is ASCII. Arrays
// are read side by side by a select of several unnest(); as arguments of one, or in "from", each
// would be copied first.

#include "cluster/end.hpp"
#include "cluster/periods.hpp"
#include "cluster/statements.hpp"

namespace jtimer::cluster::detail {

namespace {

/// Joined to the bytes, says what to convert them from: a database of SQL_ASCII refuses everything
/// but its own encoding, and keeps UTF-8 as it is.
const char* const kEncoding = R"((select case pg_catalog.getdatabaseencoding()
                when 'SQL_ASCII' then 'SQL_ASCII' else 'UTF8' end as utf8) encoding)";

/// The name and the type of a parameter, and of what is made of it.
struct Column {
    const char* name;
    const char* type;
};

/// The parameters, in this order, as a row; if they are arrays, as a row for each element.
template <std::size_t n>
std::string given(const Column (&columns)[n], bool arrays) {
    std::string text;
    for (std::size_t i = 0; i < n; ++i) {
        const std::string parameter = '$' + std::to_string(i + 1) + "::" + columns[i].type;
        text += (i == 0 ? "" : ", ") +
                (arrays ? "pg_catalog.unnest(" + parameter + "[])" : parameter) + " as " +
                columns[i].name;
    }
    return "(select " + text + ") given";
}

constexpr Column kTask[] = {{"name", "bytea"},    {"id", "bytea"},       {"kind", "text"},
                            {"period", "bigint"}, {"cron", "bytea"},     {"zone", "bytea"},
                            {"missed", "text"},   {"at", "timestamptz"}, {"delay", "bigint"},
                            {"payload", "bytea"}};

constexpr Column kEnd[] = {
    {"name", "bytea"},           {"id", "bytea"},        {"token", "bigint"},
    {"due", "timestamptz"},      {"outcome", "bigint"},  {"delay", "bigint"},
    {"again_at", "timestamptz"}, {"again_in", "bigint"}, {"next", "timestamptz"},
    {"next_missed", "bigint"},   {"payload", "bytea"},   {"error", "bytea"},
    {"abandoned", "bigint"}};

/// By IfExists: the names of the statements for one task and for several, and what it does where
/// there is a task of the key. A dead task stays dead, and a paused one paused, unless it is
/// replaced. A run in progress counts as none of the new definition's: if its node dies, the next
/// run is a first attempt.
struct Insert {
    const char* one;
    const char* several;
    const char* onConflict;
};

static_assert(static_cast<int>(IfExists::Keep) == 0 && static_cast<int>(IfExists::Update) == 1 &&
              static_cast<int>(IfExists::Replace) == 2);

constexpr Insert kInserts[] = {{"schedule_keep", "schedule_all_keep", "nothing"},
                               {"schedule_update", "schedule_all_update", R"(update set
                kind = excluded.kind, period = excluded.period, cron = excluded.cron,
                zone = excluded.zone, missed = excluded.missed, missed_runs = 0,
                origin = excluded.due, due = excluded.due,
                wake = case
                    when task.owner is null and (task.wake = 'infinity' or task.held is not null)
                    then 'infinity' else excluded.due end,
                held = case when task.owner is null and task.held < 'infinity'
                    then excluded.due else task.held end,
                attempt = 0
            where excluded.kind <> 'once' and
                (task.kind, task.period, task.cron, task.zone, task.missed) is distinct from
                (excluded.kind, excluded.period, excluded.cron, excluded.zone, excluded.missed))"},
                               {"schedule_replace", "schedule_all_replace", R"(update set
                payload = excluded.payload, kind = excluded.kind, period = excluded.period,
                cron = excluded.cron, zone = excluded.zone, missed = excluded.missed,
                missed_runs = 0, origin = excluded.due, due = excluded.due, wake = excluded.due,
                owner = null, token = 0, attempt = 0, crashes = 0, last_error = null,
                started = null, held = null, paused_since = null, paused_by = null,
                paused_note = null)"}};

}  // namespace

/// Parameters, of one task or arrays with an element for each: name, id, kind, period, cron, zone,
/// missed, time, delay, payload. -> changed, xid
///
/// Rows are written in the order of their keys, so that two processes that schedule the same tasks
/// do not deadlock. One insert for all policies would open the table and its indexes three times.
Statement statements::schedule(IfExists policy, bool one) {
    const Insert& insert = kInserts[static_cast<int>(policy)];
    return {one ? insert.one : insert.several, std::string(R"(
        with input as materialized (
            select pg_catalog.convert_from(name, utf8) collate "C" as name,
                pg_catalog.convert_from(id, utf8) collate "C" as id, payload, kind, period,
                pg_catalog.convert_from(cron, utf8) as cron,
                pg_catalog.convert_from(zone, utf8) as zone, missed,
                least(coalesce(at, @.now() + delay * interval '1 microsecond'),
                    timestamptz '2262-04-11 00:00:00+00') as due
            from )") + given(kTask, !one) + ", " + kEncoding +
                                                   R"(),
        written as (
            insert into @.task (name, id, payload, kind, period, cron, zone, missed, origin, due,
                wake)
            select name, id, payload, kind, period, cron, zone, missed, due, due, due
            from input )" + (one ? "" : "order by name, id ") +
                                                   "on conflict (name, id) do " +
                                                   insert.onConflict + R"( returning id)
        select pg_catalog.count(*), pg_catalog.pg_current_xact_id_if_assigned() from written)"};
}

namespace {

static_assert(static_cast<int>(End::Kind::Success) == 0 &&
                  static_cast<int>(End::Kind::Retry) == 1 &&
                  static_cast<int>(End::Kind::GiveUp) == 2 &&
                  static_cast<int>(End::Kind::Dead) == 3 && static_cast<int>(End::Kind::GoOn) == 4,
              "the outcomes in kAfterRun and writeEnds()");

/// The values of a row after its run. A task that was defined anew during the run has its due
/// already. An `again` before the due is at the due, as in reschedule(). `following` is the run
/// after this one, or the first if this one was moved before it; `latest` and `upcoming` are the
/// last one that is not later than now and the first that is not earlier.
/// \param more columns of `own` that are passed on
std::string afterRun(const char* more) {
    return R"(
            select token, place, payload, error, outcome, outcome = 1 and row_due = due as retries,
                outcome = 3 or (outcome = 2 and kind = 'once') as dies,
                outcome = 0 and kind = 'once' and again_at is null and again_in is null as over,
                now + delay * interval '1 microsecond' as retry,
                least(case
                    when again_at is not null then greatest(again_at,
                        case when kind in ('fixed rate', 'cron') then least(row_due, now) end)
                    when again_in is not null then now + again_in * interval '1 microsecond'
                    when row_due <> due then row_due
                    when kind = 'fixed rate' then origin
                        + (number_of_due * period)::double precision * interval '1 microsecond'
                    when kind = 'fixed delay' then now + period * interval '1 microsecond'
                    when kind = 'cron' then next
                    else row_due end, timestamptz '2262-04-11 00:00:00+00') as due,
                case
                    when row_due <> due or again_at is not null or again_in is not null then 0
                    when kind = 'cron' then next_missed
                    when kind = 'fixed rate' then number_of_due - following
                    else 0 end as missed_runs
                )" +
           std::string(more) + R"(
            from (select *, case missed when 'burst' then following
                    when 'skip' then greatest(following, upcoming)
                    else greatest(following, latest) end as number_of_due
                from periods) grid)";
}

/// A past run for each end that has been written.
/// \param which of them
std::string recorded(const char* which) {
    return std::string(R"(
        recorded as (
            insert into @.run (token, name, id, node, attempt, due, started, finished, outcome,
                error)
            select token, after.name, after.id,
                coalesce((select node.name from @.node where node.id = owner), ''), run_attempt,
                run_due, began, pg_catalog.statement_timestamp(),
                case when abandoned = 1 then 'abandoned' when outcome = 0 then 'succeeded'
                    when outcome = 1 then 'retrying'
                    when dies then 'dead' else 'gave up' end,
                case outcome when 0 then null else error end
            from after join written using (token))") +
           which + ")";
}

/// By whether rows that are locked are skipped, and by History.
constexpr const char* kWriteEnds[2][3] = {
    {"write_end_in", "write_end_in_failures", "write_end_in_all"},
    {"write_ends", "write_ends_failures", "write_ends_all"}};

static_assert(static_cast<int>(History::Off) == 0 && static_cast<int>(History::Failures) == 1 &&
              static_cast<int>(History::All) == 2);

/// Of `input`, those that have not been written, though the row is still the run's.
std::string left(const char* written) {
    return std::string(R"(
        union all
        select token, false, null, null from input where token not in (select token from )") +
           written + R"()
            and exists (select from @.task where task.name = input.name and task.id = input.id
                and coalesce(task.owner, 0) > 0 and task.token = input.token))";
}

}  // namespace

/// Parameters, arrays with an element for each end: name, id, token, due, outcome (0 to 4 as
/// End::Kind), delay, time and delay of again, next due and missed runs of a cron task, payload,
/// error, whether the run was abandoned. -> token, whether the end was written, xid, when the task
/// may begin again; of a fenced end nothing
///
/// A row that another transaction has locked is left alone if `skipLocked`. So is one that has
/// changed since the statement began: its new version cannot be found by ctid. Then the end can be
/// written by another try.
///
/// A freed task keeps its token, so the row must have an owner. That is not asked in a way that the
/// index by owner serves: where the statistics say that no task is running, it seems as good as the
/// key, but each end would then read the rows of all that are.
///
/// What is kept of past runs is in the same statement, so that it is there if the end is. Without
/// history, nothing of that is in it.
Statement statements::writeEnds(bool skipLocked, History history) {
    const bool records = history != History::Off;
    const char* const known =
        records ? ", task.owner, attempt as run_attempt, started as began" : "";
    const char* const passedOn =
        records ? ", name, id, due as run_due, owner, run_attempt, began, abandoned" : "";
    const char* const kept = history == History::Failures ? " where outcome <> 0" : "";
    return {
        kWriteEnds[skipLocked ? 1 : 0][static_cast<int>(history)], std::string(R"(
        with input as materialized (
            select pg_catalog.convert_from(given.name, utf8) as name,
                pg_catalog.convert_from(given.id, utf8) as id, token, due, outcome, delay,
                again_at, again_in, next, next_missed, payload,
                pg_catalog.convert_from(error, utf8) as error, abandoned
            from )") + given(kEnd, true) + ", " + kEncoding + R"(
            order by name, id),
        own as materialized (
            select input.*, found.* from input cross join lateral (
                select ctid as place, kind, task.due as row_due, origin, period, missed,
                    @.now() as now)" + known + R"(
                from @.task where task.name = input.name and task.id = input.id
                    and coalesce(task.owner, 0) > 0 and task.token = input.token
                limit 1 for update)" + (skipLocked ? " skip locked" : "") +
                                                                       R"() found),
        periods as (
            select *, )" + periodAfter("row_due") + " as following, " + periods("floor", "now") +
                                                                       " as latest, " +
                                                                       periods("ceil", "now") +
                                                                       R"( as upcoming from own),
        after as materialized ()" + afterRun(passedOn) + R"(),
        deleted as (
            delete from @.task where ctid = any (array(select place from after where over))
            returning token, null::timestamptz as next),
        updated as (
            update @.task set owner = null, started = null,
                due = case when retries or dies then task.due else after.due end,
                wake = case when dies or held is not null then 'infinity' when retries then retry
                    else after.due end,
                held = case when held is null then null when dies then 'infinity'
                    when retries then retry else after.due end,
                attempt = case when retries or dies then attempt else 0 end,
                crashes = case when outcome in (0, 4) then 0 else crashes end,
                missed_runs = case when retries or dies then task.missed_runs
                    else after.missed_runs end,
                payload = coalesce(after.payload, task.payload),
                last_error = case outcome when 0 then null else error end
            from after
            where task.ctid = any (array(select place from after where not over))
                and task.ctid = after.place
            returning task.token, coalesce(task.held, task.wake)),
        written as (select * from deleted union all select * from updated))" +
                                                                       (records
                                                                            ? ',' + recorded(kept)
                                                                            : std::string()) +
                                                                       R"(
        select token, true, pg_catalog.pg_current_xact_id_if_assigned(), next from written)" +
                                                                       left("written")};
}

/// Parameters, arrays with an element for each end: name, id, token. -> as writeEnds()
///
/// What writeEnds(true) does of one-shots that have succeeded, for a third to a half of the
/// server's time less. A task that repeats by now is left as one that is locked.
Statement statements::deleteEnds() {
    constexpr Column kKey[] = {{"name", "bytea"}, {"id", "bytea"}, {"token", "bigint"}};
    return {"delete_ends", std::string(R"(
        with input as materialized (
            select pg_catalog.convert_from(name, utf8) as name,
                pg_catalog.convert_from(id, utf8) as id, token
            from )") + given(kKey, true) +
                               ", " + kEncoding + R"(
            order by name, id),
        own as materialized (
            select place from input cross join lateral (
                select ctid as place from @.task where task.name = input.name
                    and task.id = input.id and coalesce(task.owner, 0) > 0
                    and task.token = input.token and kind = 'once'
                limit 1 for update skip locked) found),
        deleted as (
            delete from @.task where ctid = any (array(select place from own)) returning token)
        select token, true, pg_catalog.pg_current_xact_id_if_assigned(), null::timestamptz
        from deleted)" + left("deleted")};
}

}  // namespace jtimer::cluster::detail
