// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.

// The nodes: their leases, what becomes of their tasks, and what callers see of them.

#include "cluster/statements.hpp"

#include <string>

namespace jtimer::cluster::detail {

namespace {

/// When a node last renewed, and the shortest lease, as committed before this statement.
constexpr const char* kBefore = R"(
        before as materialized (
            select pg_catalog.max(lease_until - lease) as latest, pg_catalog.min(lease) as shortest
            from @.node))";

/// That no node has renewed for so long means that none could: the database was away. It may also
/// have been so between the last renewal and this very statement.
constexpr const char* kIsGap =
    "(select pg_catalog.statement_timestamp() - latest > shortest * 0.4 from before)";

/// All leases begin anew when renewals go on after a gap. That is now, and not when the statement
/// arrived: it may have waited for a lock, or its process may have been stopped.
std::string noted() {
    return std::string(kBefore) + R"(,
        noted as (
            update @.cluster set resumed = pg_catalog.clock_timestamp()
            where )" +
           kIsGap + " returning resumed, pauses)";
}

/// When the lease of a row of node ends.
std::string leaseEnd(const std::string& resumed) {
    return "greatest(lease_until, " + resumed + " + lease)";
}

}  // namespace

/// The row of cluster is locked: a pause that is being written is either seen here, or sees this
/// node. If a gap is noted, that locks it; a weaker lock first would deadlock.
Statement statements::registerNode() {
    return {nullptr, "with" + noted() + R"(,
        locked as materialized (select pauses from @.cluster for share)
        insert into @.node (id, name, lease, lease_until, names, concurrency, library, pauses)
        values (pg_catalog.nextval(#), $1, $2 * interval '1 microsecond',
            pg_catalog.statement_timestamp() + $2 * interval '1 microsecond', $3, $4, $5,
            coalesce((select pauses from noted), (select pauses from locked)))
        returning id, coalesce(lease < (select shortest from before), false),
            (select history from @.cluster))"};
}

Statement statements::renew() {
    const std::string resumed =
        "coalesce((select resumed from noted), (select resumed from @.cluster))";
    return {"renew", "with" + noted() + R"(,
        renewed as (
            update @.node set lease_until = pg_catalog.statement_timestamp() + lease
            where id = $1 returning id)
        select exists (select from renewed),
            (select (extract(epoch from pg_catalog.min()" +
                         leaseEnd(resumed) +
                         R"() - pg_catalog.statement_timestamp()) * 1000000)::bigint
            from @.node where id <> $1),
            (select (extract(epoch from shortest) * 1000000)::bigint from before),
            (select pauses from @.node where id = $1),
            history, pruned < pg_catalog.statement_timestamp() - interval '1 minute'
                and (history <> 'off' or exists (select from @.run))
        from @.cluster)"};
}

/// A row that has changed meanwhile is looked at again, twice: where it is locked, and where it is
/// deleted.
Statement statements::deleteExpired() {
    const std::string expired =
        leaseEnd("(select resumed from @.cluster)") + " < pg_catalog.statement_timestamp()";
    return {nullptr, std::string("with") + kBefore + R"(
        delete from @.node where )" +
                         expired + R"( and id = any (array(
            select id from @.node where id <> $1 and )" +
                         expired + " and not " + kIsGap + R"(
            for update skip locked))
        returning id, name)"};
}

namespace {

/// Frees a task whose run has not ended. If it was paused during the run, its pause begins; if it
/// was paused before, the run was asked for by runNow(), and is still to be.
constexpr const char* kFree = R"(owner = null, started = null,
                held = case when held = '-infinity' then wake else held end,
                wake = case when held = '-infinity' then 'infinity' else wake end)";

}  // namespace

Statement statements::freeTasks() {
    return {nullptr, std::string(R"(
        with freed as (
            update @.task set )") +
                         kFree + R"(, crashes = crashes + $2::integer
            where owner = any ($1) returning id)
        select pg_catalog.count(*) from freed)"};
}

/// A claim whose answer was lost never began: it does not count, unless the task has been defined
/// anew, which has reset the count.
Statement statements::release() {
    return {nullptr, std::string(R"(
        with freed as (
            update @.task set )") +
                         kFree + R"(, attempt = greatest(attempt - 1, 0)
            where owner = $1 and token <> all ($2) returning id)
        select pg_catalog.count(*) from freed)"};
}

/// Not one statement with freeTasks(): rechecking a row that has changed meanwhile, it would not
/// see a node that is as new as the change.
Statement statements::findOrphans() {
    return {nullptr, R"(
        select distinct owner from @.task where owner is not null
            and not exists (select from @.node where node.id = task.owner))"};
}

Statement statements::deleteNode() { return {nullptr, "delete from @.node where id = $1"}; }

Statement statements::nodes() {
    return {nullptr, R"(
        select node.id, node.name, library, node.started,
            (extract(epoch from lease) * 1000000)::bigint,
            (extract(epoch from )" +
                         leaseEnd("(select resumed from @.cluster)") +
                         R"( - pg_catalog.statement_timestamp()) * 1000000)::bigint,
            concurrency, (select pg_catalog.count(*) from @.task where owner = node.id), names,
            since, by, note
        from @.node left join @.pause on scope = 'node' and pause.name = node.name
        order by node.id)"};
}

namespace {

/// How many tasks of the name of `known` there are, but at most $1.
std::string countOf(const char* condition) {
    return std::string(R"((select pg_catalog.count(*) from (
                select from @.task where task.name = known.name and )") +
           condition + " limit $1) counted)";
}

constexpr const char* kDue = "coalesce(owner, 0) = 0 and wake <= @.now()";
constexpr const char* kScheduled =
    "coalesce(owner, 0) = 0 and wake > @.now() and wake < 'infinity'";

/// When the first of them may begin.
std::string firstOf(const char* condition) {
    return std::string("(select wake from @.task where task.name = known.name and ") + condition +
           " order by wake limit 1)";
}

}  // namespace

/// By the key, from name to name: there are few of them. What runs is few, too. The rest is read by
/// indexes that begin with the name.
Statement statements::names() {
    return {nullptr, R"(
        with recursive keys as (
            (select name from @.task order by name limit 1)
            union all
            select (select name from @.task where task.name > keys.name order by name limit 1)
            from keys where keys.name is not null),
        alive as materialized (
            select names from @.node where )" +
                         leaseEnd("(select resumed from @.cluster)") +
                         R"( >= pg_catalog.statement_timestamp()),
        running as materialized (
            select name, pg_catalog.count(*) as tasks from @.task where owner is not null
            group by name),
        known as (
            select name from keys where name is not null
            union select pg_catalog.unnest(names) collate "C" from alive
            union select name from @.pause where scope = 'name')
        select known.name, )" +
                         countOf(kDue) + ", " + countOf(kScheduled) + ", " +
                         countOf("owner is null and held is not null and wake = 'infinity'") +
                         ", " + countOf("owner is null and held is null and wake = 'infinity'") +
                         R"(, least(coalesce(running.tasks, 0), $1),
            (select pg_catalog.count(*) from alive where known.name = any (names)), )" +
                         firstOf(kDue) + ", " + firstOf(kScheduled) + R"(, since, by, note
        from known left join running on running.name = known.name
            left join @.pause on scope = 'name' and pause.name = known.name
        order by known.name)"};
}

}  // namespace jtimer::cluster::detail
