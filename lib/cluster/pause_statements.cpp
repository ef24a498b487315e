// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.

// Pauses. That of a task is kept in its row, see `held` in the schema; the others in a table, and
// each node's row has the number of changes of that table which the node must know to claim.

#include "cluster/periods.hpp"
#include "cluster/statements.hpp"

#include <string>

namespace jtimer::cluster::detail {

/// The pause of a run in progress begins when that is over.
Statement statements::pauseTask() {
    return {"pause_task", R"(
        with changed as (
            update @.task set
                held = case when owner is null then wake else '-infinity' end,
                wake = case when owner is null then 'infinity' else wake end,
                paused_since = pg_catalog.statement_timestamp(), paused_by = $3, paused_note = $4
            where name = $1 and id = $2 and held is null returning id)
        select exists (select from changed), pg_catalog.pg_current_xact_id_if_assigned())"};
}

/// A run that runNow() has asked for, and that has not begun, is still to be. If a node of an older
/// library has ended one, wake is right, and held is of before that.
Statement statements::resumeTask() {
    return {"resume_task", R"(
        with changed as (
            update @.task set
                wake = case when owner is null and wake = 'infinity' and held > '-infinity' then held
                    else wake end,
                held = null, paused_since = null, paused_by = null, paused_note = null
            where name = $1 and id = $2 and held is not null returning id)
        select exists (select from changed), pg_catalog.pg_current_xact_id_if_assigned())"};
}

/// Locks the row: nodes that register wait for the end of the transaction.
Statement statements::raisePauses() {
    return {"raise_pauses", "update @.cluster set pauses = pauses + 1 returning pauses"};
}

namespace {

/// What changes the table of pauses, and tells every node. Its snapshot must be later than
/// raisePauses(), to see all nodes.
/// \param number the parameter that has the number
Statement change(const char* name, const char* change, const char* number) {
    return {name, std::string(R"(
        with changed as ()") +
                      change + R"( returning scope),
        told as (
            update @.node set pauses = )" +
                      number + R"( where exists (select from changed))
        select exists (select from changed), pg_catalog.pg_current_xact_id_if_assigned())"};
}

}  // namespace

Statement statements::writePause() {
    return change("write_pause", R"(
            insert into @.pause (scope, name, since, by, note)
            values ($1, $2, pg_catalog.statement_timestamp(), $3, $4)
            on conflict (scope, name) do nothing)",
                  "$5");
}

Statement statements::deletePause() {
    return change("delete_pause", "delete from @.pause where scope = $1 and name = $2", "$3");
}

Statement statements::pauses() {
    return {nullptr, R"(
        select scope, name, since, by, note from @.pause
        order by pg_catalog.array_position(array['name', 'node', 'everything'], scope), name)"};
}

/// One snapshot: the number and the table belong together.
Statement statements::pausesOf() {
    return {"pauses_of", R"(
        select pauses, exists (select from @.pause where scope = 'everything'
                or (scope = 'node' and pause.name = node.name)),
            array(select name from @.pause where scope = 'name' and name = any ($2))
        from @.node where id = $1)"};
}

namespace {

/// Which tasks have nothing but that pause to wait for: with the target's name as $1, its id as $2.
std::string onlyHeldBy(Scope scope) {
    switch (scope) {
    case Scope::Task:
        return "task.name = $1 and task.id = $2";
    case Scope::Name:
        return "exists (select from pause) and task.name = $1";
    case Scope::Node:
        // A node of an older library, which does not tell its names, may run any.
        return R"(exists (select from pause) and task.name = any (array(
                select registered collate "C" from @.node, pg_catalog.unnest(names) registered
                where node.name = $1
                except select pause.name from @.pause where pause.scope = 'name'))
            and not exists (select from @.node
                where node.name <> $1 and (names is null or task.name = any (names))))";
    case Scope::Everything:
        return "exists (select from pause) and not exists (select from @.pause where "
               "pause.scope = 'name' and pause.name = task.name)";
    }
    return "false";
}

}  // namespace

/// The pause cannot end before the transaction. Where the new due is null, it is a cron task's, and
/// to be computed from the old one.
Statement statements::missedInPause(Scope scope) {
    const std::string following = periodAfter("due");
    const std::string next = "greatest(" + following + ", " + periods("ceil", "@.now()") + ")";
    return {nullptr, std::string(R"(
        with pause as materialized (
            select scope from @.pause where scope = $3 and name = $1 for key share)
        select name, id, due, cron, zone, case when kind <> 'cron' then least(
                timestamptz '2262-04-11 00:00:00+00', case kind
                when 'fixed rate' then origin
                    + ()") +
                         next + R"( * period)::double precision * interval '1 microsecond'
                else @.now() + period * interval '1 microsecond' end) end,
            case kind when 'fixed rate' then ()" +
                         next + " - " + following + R"( + 1)::bigint else 1 end
        from @.task
        where owner is null and held is null and wake < @.now() and kind <> 'once'
            and )" + onlyHeldBy(scope) +
                         R"( and (task.name, task.id) > ($4, $5)
        order by task.name, task.id limit $6 for update)"};
}

/// The rows have been locked, and none of these can be gone.
Statement statements::skipMissed() {
    return {nullptr, R"(
        with changed as (
            update @.task set due = new.due, wake = new.due, attempt = 0,
                missed_runs = missed_runs + new.missed
            from (select name, id, missed,
                    timestamptz 'epoch' + micros * interval '1 microsecond' as due
                from unnest($1::text[], $2::text[], $3::bigint[], $4::bigint[])
                as given (name, id, micros, missed)) new
            where task.name = new.name and task.id = new.id returning task.id)
        select pg_catalog.count(*), pg_catalog.pg_current_xact_id_if_assigned() from changed)"};
}

}  // namespace jtimer::cluster::detail
