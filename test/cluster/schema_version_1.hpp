// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

namespace test {

/// What migrate() made of an empty schema when that had version 1; `@` stands for the schema. Not
/// to be changed.
inline constexpr const char* kSchemaVersion1 = R"(
create schema @;
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

create function @.now() returns timestamptz language sql stable parallel safe
    as 'select pg_catalog.statement_timestamp()';

insert into @.meta values (1, 1, false);
)";

}  // namespace test
