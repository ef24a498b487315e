// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.

// The runs that have ended, but for what writes them: that is in write_statements.cpp. The server's
// clock, as of leases: a TestClock moves dues only. Its key is all that the table has, and rises
// with time, as tokens do.

#include "cluster/statements.hpp"

#include <string>

namespace jtimer::cluster::detail {

Statement statements::keepHistory() {
    return {nullptr, R"(
        with changed as (
            update @.cluster set history = $1, keep = $2 * interval '1 microsecond',
                keep_rows = $3
            returning id)
        select exists (select from changed), pg_catalog.pg_current_xact_id_if_assigned())"};
}

/// The end of a run that is being written wins: then the task is not its owner's any more, and
/// freeTasks() does not find it.
Statement statements::recordLost() {
    return {nullptr, R"(
        insert into @.run (token, name, id, node, attempt, due, started, finished, outcome)
        select token, task.name, task.id, lost.node, attempt, due, started,
            pg_catalog.statement_timestamp(), 'lost'
        from unnest($1::bigint[], $2::text[]) lost (number, node)
            join @.task on owner = lost.number
        where (select history from @.cluster) <> 'off'
        for update of task)"};
}

Statement statements::history(const HistoryFilter& filter) {
    std::string where;
    if (filter.name) where += " and name = $3";
    if (filter.id) where += " and id = $4";
    if (filter.outcome) where += " and outcome = $5";
    // Without a filter, nothing is looked at in vain.
    const std::string first = where.empty() ? "null::bigint" : R"((
                select token from @.run where token < $1 order by token desc offset 200000 limit 1))";
    return {nullptr, R"(
        with state as materialized (select )" +
                         first + R"( as first)
        select first is not null, token, name, id, node, attempt, due, started, finished, outcome,
            coalesce(error, '')
        from state left join lateral (
            select * from @.run where token < $1 and token > coalesce(first, 0))" +
                         where + R"(
            order by token desc limit $2) found on true
        order by token desc)"};
}

/// One node in a minute. Rows up to a token are beyond the last ones that are kept.
Statement statements::beginPruning() {
    return {nullptr, R"(
        with mine as (
            update @.cluster set pruned = pg_catalog.statement_timestamp()
            where pruned < pg_catalog.statement_timestamp() - interval '1 minute'
            returning keep, keep_rows)
        select pg_catalog.statement_timestamp() - keep, coalesce((
            select token from @.run order by token desc offset keep_rows limit 1), 0)
        from mine)"};
}

/// A run of long ago that has ended late is younger than those behind it. So all of some rows are
/// looked at, and the next call goes on behind them.
Statement statements::prune() {
    return {nullptr, R"(
        with looked as materialized (
            select token, finished < $2 or token <= $3 as expired
            from @.run where token > $1 order by token limit $4),
        deleted as (
            delete from @.run
            where token = any (array(select token from looked where expired)) returning token)
        select (select pg_catalog.count(*) from deleted), coalesce(pg_catalog.max(token), 0)
        from looked)"};
}

}  // namespace jtimer::cluster::detail
