// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.

// What creates a schema and brings it to this library's version.

#include "cluster/statements.hpp"

namespace jtimer::cluster::detail {

namespace {

const char* const kClock = R"(
create function @.now() returns timestamptz language sql stable parallel safe
    as 'select pg_catalog.statement_timestamp()';
)";

const char* const kTestClock = R"(
create table @.clock (shift interval not null);
insert into @.clock values ('0');
create function @.now() returns timestamptz language sql stable
    as $$ select pg_catalog.statement_timestamp() + (select shift from @.clock) $$;
)";

const char* const kVersion1 = R"(
create table @.meta (
    version integer not null,   -- of the schema
    serves integer not null,    -- the oldest library version that can use it
    for_tests boolean not null  -- whether a TestClock can move now()
);

-- Numbers of nodes, and of claims: fencing tokens.
create sequence @.token;

create table @.node (
    id bigint primary key,
    name text not null,
    started timestamptz not null default pg_catalog.statement_timestamp(),
    lease interval not null,
    lease_until timestamptz not null
);

create table @.task (
    name text collate "C" not null,
    id text collate "C" not null,
    payload bytea not null,
    kind text not null,                   -- once, fixed rate, fixed delay, cron
    period bigint,                        -- or delay, in microseconds
    cron text,
    zone text,
    missed text not null,                 -- burst, skip, once
    origin timestamptz not null,          -- the first due: those of a fixed rate count from here
    due timestamptz not null,             -- of the run in progress, or else of the next
    wake timestamptz not null,            -- when it may be claimed; infinity: dead
    owner bigint,                         -- the node that runs it; null: free
    started timestamptz,                  -- when it was claimed
    token bigint not null default 0,      -- of the last claim
    attempt integer not null default 0,   -- claims in this period
    crashes integer not null default 0,   -- nodes that died with it since its last success
    missed_runs bigint not null default 0,
    last_error text,
    constraint task_key primary key (name, id)
) with (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_cost_delay = 0);

create index task_wake on @.task (wake) where owner is null;
create index task_owner on @.task (owner) where owner is not null;
)";

/// First locks what claims and ends write: with a weaker lock for the index, and this one after it,
/// they would deadlock. The lock of what renewals write comes last, and is short.
///
/// The roles are those that hold the right on the older table, of whoever granted it. What names
/// the schema is not in the block, whose quotes the name may contain.
const char* const kVersion2 = R"(
set local lock_timeout = '5s';
lock table @.task in access exclusive mode;

-- For claims by name. The condition is not "owner is null", which would make it serve others.
-- On a large table, it may be built concurrently before.
create index if not exists task_name on @.task (name, wake) where coalesce(owner, 0) = 0;

alter table @.task
    -- Of a paused task: the wake that it would have; -infinity if paused during its present run.
    -- While it is free, its wake is infinity, unless it is to run once all the same.
    add held timestamptz,
    add paused_since timestamptz,
    add paused_by text,
    add paused_note text;

-- For lists by state. No task that runs in time is in one of them.
create index task_dead on @.task (name, id)
    where owner is null and wake = 'infinity' and held is null;
create index task_paused on @.task (name, id) where owner is null and held is not null;
create index task_retrying on @.task (name, id)
    where owner is null and attempt > 0 and wake < 'infinity' and held is null;

create table @.cluster (
    id integer primary key default 1 check (id = 1),  -- it has one row
    resumed timestamptz not null,         -- when renewals last went on after a gap
    pauses bigint not null,               -- how often the table pause has changed
    history text not null,                -- off, failures, all
    keep interval not null,               -- how long, and how many rows of the table run
    keep_rows bigint not null,
    pruned timestamptz not null           -- when the table run last was
);
insert into @.cluster (resumed, pauses, history, keep, keep_rows, pruned)
    values ('-infinity', 0, 'off', '7 days', 1000000, '-infinity');

create table @.pause (
    scope text not null,                  -- name, node, everything
    name text collate "C" not null,       -- of that; else empty
    since timestamptz not null,
    by text not null,
    note text not null,
    constraint pause_key primary key (scope, name)
);

-- Runs that have ended.
create table @.run (
    token bigint primary key,
    name text collate "C" not null,
    id text collate "C" not null,
    node text not null,
    attempt integer not null,
    due timestamptz not null,
    started timestamptz not null,
    finished timestamptz not null,
    outcome text not null,
    error text
);

-- The new tables belong to whoever has the same rights on the older ones.
select pg_catalog.set_config('jtimer.sequence', #, true);
do $$
declare
    statement text;
begin
    for statement in
        select pg_catalog.format('grant %s on %I.%I to %s%s',
            -- Whoever ends runs adds to those that are past.
            case when added = 'run' and privilege_type = 'UPDATE' then 'UPDATE, INSERT'
                else privilege_type end, nspname, added,
            case grantee when 0 then 'public' else grantee::regrole::text end,
            case when is_grantable and grantee <> 0 then ' with grant option' else '' end)
        from pg_catalog.pg_class sequence
            join pg_catalog.pg_namespace on pg_namespace.oid = sequence.relnamespace
            cross join (values ('task', 'run'), ('task', 'pause'), ('node', 'cluster'))
                as pair (older, added)
            join pg_catalog.pg_class on pg_class.relname = older
                and pg_class.relnamespace = pg_namespace.oid
            cross join pg_catalog.aclexplode(coalesce(pg_class.relacl,
                pg_catalog.acldefault('r', pg_class.relowner))) acl
        where sequence.oid = pg_catalog.current_setting('jtimer.sequence')::regclass
            and grantee <> (select oid from pg_catalog.pg_roles where rolname = current_user)
    loop
        execute statement;
    end loop;
end
$$;

update @.meta set version = 2;

alter table @.node
    add names text[],                     -- that it registers; null: of an older library
    add concurrency integer,
    add library text,                     -- its version
    add pauses bigint not null default 0; -- as many of them as it knows
)";

}  // namespace

Statement statements::lockMigration() {
    return {nullptr, "select pg_catalog.pg_advisory_xact_lock("
                     "pg_catalog.hashtextextended('jtimer.' || $1, 0))"};
}

Statement statements::schemaExists() {
    return {nullptr, R"(
        select pg_catalog.bool_or(true), coalesce(pg_catalog.bool_or(exists (
            select from pg_catalog.pg_class where relnamespace = n.oid and relname = 'meta')), false)
        from pg_catalog.pg_namespace n where nspname = $1)"};
}

std::string statements::migration(int from, bool forTests) {
    std::string sql;
    if (from < 1) {
        sql += std::string(kVersion1) + (forTests ? kTestClock : kClock) +
               "\ninsert into @.meta values (1, 1, " + (forTests ? "true" : "false") + ");\n";
    }
    if (from < 2) sql += kVersion2;
    return sql.empty() ? sql : sql.substr(1);
}

Statement statements::lackingRight() {
    return {nullptr, R"(
        select current_user, privilege, relname
        from (values (1, 'task', 'SELECT'), (2, 'task', 'UPDATE'), (3, 'task', 'DELETE'),
                (4, 'node', 'SELECT'), (5, 'node', 'INSERT'), (6, 'node', 'UPDATE'),
                (7, 'node', 'DELETE'), (8, 'cluster', 'SELECT'), (9, 'cluster', 'UPDATE'),
                (10, 'pause', 'SELECT'), (11, 'token', 'USAGE'), (12, 'run', 'SELECT'),
                (13, 'run', 'INSERT'), (14, 'run', 'DELETE')) as needed (place, subject, privilege)
            join pg_catalog.pg_class on relname = subject
            join pg_catalog.pg_namespace on pg_namespace.oid = relnamespace and nspname = $1
        where not case privilege
            when 'USAGE' then pg_catalog.has_sequence_privilege(pg_class.oid, privilege)
            when 'DELETE' then pg_catalog.has_table_privilege(pg_class.oid, privilege)
            else pg_catalog.has_any_column_privilege(pg_class.oid, privilege) end
        order by place limit 1)"};
}

namespace {

/// Of the roles of programs, as a comment.
const char* const kPrivileges = R"(-- What a program needs to run tasks:
--
-- grant usage on schema @ to ROLE;
-- grant select on @.meta to ROLE;
-- grant select, insert, update, delete on @.task, @.run, @.pause, @.node, @.cluster to ROLE;
-- grant usage on sequence @.token to ROLE;
--
-- To schedule only, it needs the same without @.run, @.pause, @.node and @.cluster; find(), list()
-- and backlog() then fail.
)";

}  // namespace

std::string statements::script(int from) {
    const std::string create = from == 0 ? "create schema if not exists @;\n\n" : "";
    return "begin;\n\n" + create + migration(from, false) + "\ncommit;\n\n" + kPrivileges;
}

}  // namespace jtimer::cluster::detail
