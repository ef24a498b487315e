-- Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
--
-- What the pages show in the test and in the picture of doc/pictures: tasks in each state, nodes whose
-- lease lasts for a day, and runs of the last two hours. No node is alive, so nothing but the actions of
-- the page changes it.

insert into jtimer.node (id, name, started, lease, lease_until, names, concurrency, library)
    select id, 'worker-' || id, now() - id * interval '7 hours', '30 s', now() + interval '1 day',
        case id when 3 then array['export'] else array['mail', 'report', 'invoice'] end,
        case id when 3 then 2 else 8 end, '1.2.0'
    from generate_series(1, 3) as id;

create function task(name text, id text, wake timestamptz, owner bigint, attempt int, error text) returns void
language sql as $$
    insert into jtimer.task (name, id, payload, kind, period, missed, origin, due, wake, owner, started,
            token, attempt, last_error)
        values (name, id, '{"to": "ann@example.org"}', 'fixed rate', 600000000, 'once', now(),
            case when wake = 'infinity' then now() - interval '50 min' else wake end, wake, owner,
            case when owner is not null then now() - interval '2 s' * attempt end, 1000, attempt, error)
$$;
select task('mail', 'welcome-' || n, now() + n * interval '20 s', null, 0, null)
    from generate_series(1, 240) as n;
select task('report', 'nightly-' || n, now() + n * interval '1 hour', null, 0, null)
    from generate_series(1, 24) as n;
select task('invoice', 'order-' || n, now() - interval '2 min', null, 2, 'The printer is out of paper.')
    from generate_series(4711, 4714) as n;
select task('mail', 'reminder-' || n, now() - interval '1 s', 1 + n % 2, n, null) from generate_series(1, 5) as n;
select task('export', 'table-' || n, now() - interval '1 s', 3, 40 + n, null) from generate_series(1, 2) as n;
select task('export', 'table-' || n, now() - n * interval '90 s', null, 0, null)
    from generate_series(3, 9) as n;
select task('cleanup', 'cache-' || n, now() - n * interval '4 min', null, 0, null)
    from generate_series(1, 3) as n;
select task('mail', 'invitation-' || n, 'infinity', null, 20,
        'connect to smtp.example.org:25: Connection timed out') from generate_series(1, 3) as n;
select task('report', 'quarter', 'infinity', null, 20, E'No data for 2029-Q3\nsee ledger 7') ;
update jtimer.task set wake = 'infinity', held = wake, paused_since = now() - interval '1 day',
        paused_by = 'ann@ops-1', paused_note = 'until the new template is there'
    where name = 'report' and id = 'nightly-7';

insert into jtimer.pause (scope, name, since, by, note)
    values ('name', 'invoice', now() - interval '35 min', 'ben@ops-2', 'printer is out of paper');

insert into jtimer.run (token, name, id, node, attempt, due, started, finished, outcome, error)
    select n, case n % 5 when 0 then 'report' else 'mail' end, 'welcome-' || n % 240, 'worker-' || 1 + n % 2,
        1, begun - interval '1 ms' * (3 + n * 37 % 40), begun, begun + interval '1 ms' * (80 + n * 131 % 900),
        case when n % 61 = 0 then 'dead' when n % 17 = 0 then 'retrying' when n % 233 = 0 then 'lost'
            else 'succeeded' end,
        case when n % 61 = 0 or n % 17 = 0 then 'connect to smtp.example.org:25: Connection timed out' end
    from generate_series(1, 900) as n,
        lateral (select now() - interval '8 s' * (901 - n) + interval '1 s' * (n * n % 7)) as run (begun);
update jtimer.cluster set history = 'all';
