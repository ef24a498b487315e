// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "cluster/statements.hpp"

#include "cluster/checks.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string_view>

namespace jtimer::cluster::detail {

namespace {

/// With each of these characters twice.
std::string doubled(const std::string& text, std::string_view characters) {
    std::string result;
    for (const char c : text)
        result.append(characters.find(c) == std::string_view::npos ? 1 : 2, c);
    return result;
}

/// The argument of nextval, which does not know the escapes of quoteIdentifier().
std::string sequenceLiteral(const std::string& schema) {
    return "E'" + doubled('"' + doubled(schema, "\"") + "\".token", "'\\") + '\'';
}

/// Whatever is not ASCII is escaped, so that the encoding in which a caller's connection sends SQL
/// does not matter, and PQescapeIdentifier is not enough.
std::string quoteIdentifier(const std::string& name) {
    const auto isAscii = [](char c) { return static_cast<unsigned char>(c) < 0x80; };
    if (std::all_of(name.begin(), name.end(), isAscii)) return '"' + doubled(name, "\"") + '"';
    std::string quoted;
    for (std::size_t at = 0; at < name.size();) {
        const std::uint32_t character = takeCharacter(name, at).value();
        if (character < 0x80) {
            quoted += doubled({static_cast<char>(character)}, "\"\\");
        } else {
            char escape[16];
            std::snprintf(escape, sizeof escape, "\\+%06X", unsigned{character});
            quoted += escape;
        }
    }
    return "U&\"" + quoted + '"';
}

}  // namespace

std::string channelOf(const std::string& schema) { return "jtimer." + schema; }

std::string inSchema(const std::string& sql, const std::string& schema) {
    std::string text;
    for (std::size_t at = 0;;) {
        const std::size_t length = std::strcspn(sql.c_str() + at, "@#");
        text.append(sql, at, length);
        at += length;
        if (at == sql.size()) return text;
        text += sql[at++] == '@' ? quoteIdentifier(schema) : sequenceLiteral(schema);
    }
}

Statement statements::begin() { return {"begin", "begin isolation level read committed"}; }

Statement statements::limitTransaction() {
    return {"limit_transaction", R"(
        select pg_catalog.set_config('statement_timeout', $1, true),
            pg_catalog.set_config('idle_in_transaction_session_timeout', $1, true))"};
}

std::string statements::transactionLimit(Micros timeout) {
    return std::to_string(std::clamp<Micros>(timeout / 1000, 1, 2'147'483'647));
}

std::string statements::beginLimited(Micros timeout) {
    const std::string limit = transactionLimit(timeout);
    return begin().sql + "; set local statement_timeout = " + limit +
           "; set local idle_in_transaction_session_timeout = " + limit;
}

/// stats_reset changes when the server recovers from a crash.
Statement statements::checkSchema() {
    return {nullptr, R"(
        select version, serves,
            pg_catalog.current_setting('transaction_read_only')::boolean,
            for_tests,
            (select stats_reset from pg_catalog.pg_stat_bgwriter)
        from @.meta)"};
}

Statement statements::isReadOnly() {
    return {nullptr, "select pg_catalog.current_setting('transaction_read_only')::boolean"};
}

Statement statements::outcome() {
    return {nullptr, R"(
        select pg_catalog.pg_xact_status($1::text::xid8),
            (select stats_reset from pg_catalog.pg_stat_bgwriter))"};
}

/// A row knows only the lower half of the number.
Statement statements::writtenBy() {
    return {nullptr, R"(
        select exists (select from @.task
            where name = $2 and id = $3 and xmin::text::bigint = $1 % 4294967296))"};
}

namespace {

/// What all claims do with `due`, the places of at most $3 rows that they have locked. The array
/// makes the subquery run once, and the update a scan by ctid, under every plan. The node's row is
/// locked only if there is something to claim: else nothing is written. A node that does not know
/// the latest pauses gets nothing, which is why a claim need not look at their table.
///
/// `oldest` tells a look whether the task that has been due longest is another name's. Read before
/// the update, so it may be one that this claim takes.
///
/// \param pauses the parameter that has the number of pauses that the node knows
/// \param left the names that have due tasks left; nothing: there is no such column
std::string claimDue(const std::string& due, const char* pauses, const std::string& oldest,
                     const std::string& next, const std::string& more,
                     const std::string& left = {}) {
    return "with " + due + R"(,
        me as materialized (
            select id from @.node where id = $1 and pauses = )" +
           pauses + R"( and exists (select from due) for key share),
        claimed as (
            update @.task set owner = me.id, token = pg_catalog.nextval(#),
                attempt = attempt + 1, started = pg_catalog.statement_timestamp()
            from me where task.ctid = any (array(select place from due))
            returning task.*)
        select state.now, state.gone,
            (extract(epoch from state.next - state.now) * 1000000)::bigint,
            name, claimed.id, payload, kind, period, cron, zone, missed, due, wake, token,
            attempt, crashes, missed_runs, state.others, state.more)" +
           (left.empty() ? "" : ", state.remaining") + R"(
        from (select @.now() as now,
                exists (select from due) and not exists (select from me) as gone,
                )" +
           oldest + R"( as others,
                case when (select pg_catalog.count(*) from due) < $3 then )" +
           next +
           R"( end as next,
                (select pg_catalog.count(*) from due) < $3 and )" +
           more + R"( as more)" + (left.empty() ? left : ", " + left + " as remaining") +
           R"() state
            left join claimed on true)";
}

constexpr const char* kOldestIsOthers =
    R"((select name <> all ((select $2::text[])::text[]) from @.task
                    where owner is null and wake <= @.now() order by wake limit 1))";

/// When the next task of `names` is due, if that is at most $4 microseconds from now.
constexpr const char* kNextOfNames = R"((
                    select pg_catalog.min(first.wake) from names cross join lateral (
                        select wake from @.task
                        where task.name = names.name and coalesce(owner, 0) = 0
                            and wake > @.now()
                            and wake <= @.now() + $4 * interval '1 microsecond'
                        order by wake limit 1) first))";

}  // namespace

/// Before the first of these names' tasks may lie any number of others'. So the next wake is looked
/// for no farther ahead than is of use; and see claimByName().
///
/// The planner takes a coalesce for true of every second row. By the name alone it would take those
/// that are due for fewer than they are, and then read and sort them all for each claim.
Statement statements::claim() {
    return {"claim",
            claimDue(R"(due as materialized (
            select ctid as place, wake from @.task
            where owner is null and wake <= @.now() and wake >= $4
                and coalesce(name = any ($2), false)
            order by wake limit $3 for update skip locked))",
                     "$6",
                     std::string("case when $4 = '-infinity' then ") + kOldestIsOthers + " end",
                     R"((
                    select task.wake from @.task where owner is null and task.wake > @.now()
                        and task.wake <= @.now() + $5 * interval '1 microsecond'
                        and name = any ($2)
                    order by task.wake limit 1))",
                     "false")};
}

/// Reads no other names' tasks, by the index task_name: hence its condition instead of `owner is
/// null`. As an array in itself, $2 would have each call planned anew. The rows are locked one
/// after the other until there are enough, and four times as many are at hand for those that others
/// have locked; `more` tells whether there may be still more.
Statement statements::claimByName() {
    return {"claim_by_name", claimDue(R"(names as materialized (
            select name from pg_catalog.unnest((select $2::text[])) given (name)),
        candidates as materialized (
            select names.name, first.place, first.wake from names cross join lateral (
                select ctid as place, wake from @.task
                where task.name = names.name and coalesce(owner, 0) = 0 and wake <= @.now()
                order by wake limit 4 * $3) first
            order by first.wake),
        due as materialized (
            select locked.place from candidates cross join lateral (
                select ctid as place from @.task where ctid = candidates.place
                    and coalesce(owner, 0) = 0 and wake <= @.now()
                limit 1 for update skip locked) locked
            limit $3))",
                                      "$5", kOldestIsOthers, kNextOfNames,
                                      R"(exists (
                    select from candidates group by name having pg_catalog.count(*) = 4 * $3))")};
}

namespace {

constexpr const char* kNamesLimitedInNode = R"(names as materialized (
            select name, room
            from unnest((select $2::text[]), (select $6::bigint[])) given (name, room)))";

/// A task counts until its owner is gone from its row, also if that has expired: its lease may be
/// renewed all the same. There is no index of running tasks by name, which each claim and each end
/// would have to pay for.
constexpr const char* kNamesLimitedInCluster = R"(running as materialized (
            select name, pg_catalog.count(*) as runs from @.task where owner is not null
            group by name),
        names as materialized (
            select given.name, least(room, greatest(most - coalesce(runs, 0), 0)) as room
            from unnest((select $2::text[]), (select $6::bigint[]), (select $7::bigint[]))
                given (name, room, most)
                left join running on running.name = given.name))";

}  // namespace

/// As claimByName(), but of each name at most as many as it has `room`. The first tasks of all
/// names, at most $3, say how many of them each name may have; these are the first that are not
/// locked. One more than there is room for is looked at, for `remaining`. In a cluster, what runs
/// must be counted by a snapshot that is later than the locks of lockNames().
Statement statements::claimLimited(bool inCluster) {
    const std::string names = inCluster ? kNamesLimitedInCluster : kNamesLimitedInNode;
    return {inCluster ? "claim_in_cluster" : "claim_limited",
            claimDue(names + R"(,
        candidates as materialized (
            select names.name, room, wake,
                pg_catalog.row_number() over (partition by names.name order by wake) as nth
            from names cross join lateral (
                select wake from @.task
                where task.name = names.name and coalesce(owner, 0) = 0 and wake <= @.now()
                order by wake limit room + 1) first),
        shares as materialized (
            select name, pg_catalog.count(*) as share from (
                select name from candidates where nth <= room order by wake limit $3) first
            group by name),
        due as materialized (
            select name, first.place from shares cross join lateral (
                select ctid as place from @.task
                where task.name = shares.name and coalesce(owner, 0) = 0 and wake <= @.now()
                order by wake limit share for update skip locked) first))",
                     "$5", "false", kNextOfNames, "false", R"(array(
                    select name from candidates group by name having pg_catalog.count(*) >
                        (select pg_catalog.count(*) from due where due.name = candidates.name)))")};
}

/// By try, so that no node waits for another, and the order does not matter. The locks are those of
/// the database, so the schema is part of the key; names whose keys are the same by chance exclude
/// each other, which only delays their claims.
Statement statements::lockNames() {
    return {"lock_names", R"(
        select given.name, pg_catalog.pg_try_advisory_xact_lock(pg_catalog.hashtextextended(
                given.name, pg_catalog.hashtextextended($1, 0)))
        from pg_catalog.unnest((select $2::text[])) given (name) cross join lateral (
            select from @.task
            where task.name = given.name and coalesce(owner, 0) = 0 and wake <= @.now()
            order by wake limit 1) due)"};
}

Statement statements::firstDue() {
    return {nullptr, R"(
        select first.* from pg_catalog.unnest((select $1::text[])) names (name)
            cross join lateral (
                select task.name, id, pg_catalog.octet_length(payload), wake from @.task
                where task.name = names.name and coalesce(owner, 0) = 0 and wake <= @.now()
                order by wake limit 1) first
        order by first.wake limit 1)"};
}

/// By key, as writeEnds().
Statement statements::owns() {
    return {nullptr, R"(
        select exists (select from @.task
            where name = $1 and id = $2 and coalesce(owner, 0) > 0 and token = $3))"};
}

Statement statements::notify() { return {"notify", "select pg_catalog.pg_notify($1, $2)"}; }

std::string statements::listen(const std::string& schema) {
    return "listen " + quoteIdentifier(channelOf(schema));
}

Statement statements::isZone() {
    return {nullptr, "select exists (select from pg_catalog.pg_timezone_names where name = $1)"};
}

Statement statements::unknownZones() {
    return {nullptr, R"(
        select given from pg_catalog.unnest(pg_catalog.string_to_array($1, E'\n')) as given
        except select name from pg_catalog.pg_timezone_names order by 1)"};
}

Statement statements::localTimes() {
    return {"local_times", R"(
        select moment, moment at time zone $1, (moment - interval '25 hours') at time zone $1,
            (moment + interval '25 hours') at time zone $1,
            given, given at time zone $1, (given - interval '25 hours') at time zone $1,
            (given + interval '25 hours') at time zone $1
        from (select @.now() as moment, coalesce($2, @.now()) as given) clock)"};
}

Statement statements::instants() {
    return {"instants", R"(
        select local at time zone $1 as instant from pg_catalog.unnest($2) local
        order by instant)"};
}

// The clocks change at most once in these 50 hours, so one of the two offsets applies.
Statement statements::instantsByInterval() {
    return {"instants_by_interval", R"(
        select distinct instant
        from pg_catalog.unnest($2) local,
            (values (interval '-25 hours'), (interval '25 hours')) around (away),
            lateral (select (local + away) at time zone 'UTC' as nearby) near,
            lateral (select (local - (nearby at time zone $1 - (local + away)))
                at time zone 'UTC' as instant) candidate
        where instant at time zone $1 = local
        order by instant)"};
}

Statement statements::now() { return {nullptr, "select @.now()"}; }

Statement statements::advance() {
    return {nullptr, R"(
        with changed as (
            update @.clock set shift = shift + $1 * interval '1 microsecond' returning shift)
        select exists (select from changed), pg_catalog.pg_current_xact_id_if_assigned())"};
}

}  // namespace jtimer::cluster::detail
