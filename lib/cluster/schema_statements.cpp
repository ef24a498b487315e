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
    if (from >= kSchemaVersion) return {};
    const std::string version = std::to_string(kSchemaVersion);
    return std::string(kVersion1).substr(1) + (forTests ? kTestClock : kClock) +
           "\ninsert into @.meta values (" + version + ", 1, " + (forTests ? "true" : "false") +
           ");\n";
}

/// Of the roles of programs, as a comment.
std::string statements::privileges() {
    return R"(-- What a program needs to run tasks:
--
-- grant usage on schema @ to ROLE;
-- grant select on @.meta to ROLE;
-- grant select, insert, update, delete on @.task, @.node to ROLE;
-- grant usage on sequence @.token to ROLE;
--
-- To schedule only, it needs the same without @.node; find(), list() and backlog() then fail.
)";
}

}  // namespace jtimer::cluster::detail
