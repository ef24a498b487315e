#!/bin/sh
# Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#
# Copies of run_schedule that share a schedule: what is checked before they start, what becomes of
# lines that change, of commands that end their copies, and of a copy that ends while the database
# is away. Each case has a server of its own.
set -u

. test/support/cases.sh
: "${BUILD:=build}"

cat >"$tmp/lib.sh" <<'END'
cd "$tmp" || exit 1
# An end that takes too long ends the process beside its threads, and ThreadSanitizer waits for a second.
export TSAN_OPTIONS='report_thread_leaks=0 atexit_sleep_ms=0'
# Not a function: in the background, $! would be the shell that waits for the program.
play="$BUILD/tools/run_schedule --cluster application_name=test --connect-within 5s"
sql() { psql -AtF ' ' -c "$1"; }
await() { # until the command succeeds, for 20 s
    tries=0
    until "$@"; do tries=$((tries + 1)); test $tries -lt 400 || return 1; sleep 0.05; done
}
millis() { date +%s%3N; }
# Stands for the expiry of the leases of nodes that were killed.
bury() { sql "update run_schedule.task set owner = null, started = null, crashes = crashes + 1
    where owner is not null; delete from run_schedule.node" >/dev/null; }
END

# What another case has printed is gone, for this one may wait for what it prints.
anew() { rm -f "$tmp/out" "$tmp/err"; }

# Runs a script, standard input, beside a server.
beside_server() {
    anew
    { cat "$tmp/lib.sh" && cat; } >"$tmp/script.sh"
    tmp=$tmp BUILD=$(cd "$BUILD" && pwd) "$BUILD/test/cluster/with_server" sh -u "$tmp/script.sh"
}

r4_r18_r30_r44_r59_every_line_is_checked_before_anything_is_written() {
    long=$(printf '%0151d' 0)
    cat >"$tmp/bad.schedule" <<END
every 1s first touch ran
daily 08:00 local echo
at 08:00 alarm echo
at 2031-01-01T08:00:00 date echo
at 2031-01-01T08:00:00.250+01:00 offset echo
at 2031-01-01T08:00:00Z utc echo
at 08:00 Europe/Berlin zone echo
every 1s overlap=kill kill echo
every 1s $long echo
every 1s jitter=1s moved echo
END
    cat >"$tmp/expected" <<END
bad.schedule:2: "local" has no time zone: expected one with --cluster, such as daily 08:00 Europe/Berlin
bad.schedule:3: "alarm" has no time zone: expected one with --cluster, such as at 08:00 Europe/Berlin
bad.schedule:4: "date" has no UTC offset: expected one with --cluster, such as at 2030-01-01T08:00:00+01:00
bad.schedule:8: "kill" has overlap=kill: expected wait or skip with --cluster
bad.schedule:9: "$long" is too long: expected a name of at most 150 bytes with --cluster
bad.schedule:10: "moved" has a jitter: expected none with --cluster
END
    beside_server <<'END'
printf '%s\n' CRON_TZ=UTC '@reboot true' >crontab
for check in '' --check; do
    $play $check bad.schedule >out 2>err
    test $? -eq 2 && diff expected err && test ! -s out || exit 1
    $play $check --crontab crontab >out 2>err
    test $? -eq 2 && test "$(cat err)" = 'crontab:2: "true" runs at @reboot: expected another time with --cluster' || { cat err; exit 1; }
done
# A check needs no server.
"$BUILD/tools/run_schedule" --cluster host=nowhere.invalid --check bad.schedule 2>err
test $? -eq 2 && diff expected err && test ! -e ran &&
    test "$(sql "select count(*) from pg_namespace where nspname = 'run_schedule'")" = 0
END
}

# A check needs no server.
r65_the_schedule_of_the_pods_that_share_one_passes_a_check() {
    sed -n '/^  schedule: |$/,/^---$/s/^    //p' packaging/kubernetes-cluster.yaml >"$tmp/pods.schedule"
    test "$(grep -c '^' "$tmp/pods.schedule")" -ge 3 &&
        "$BUILD/tools/run_schedule" --cluster host=nowhere.invalid --check "$tmp/pods.schedule"
}

# A zone that this computer has and the server does not.
r59_a_zone_that_the_server_does_not_know_is_an_error_of_its_lines() {
    beside_server <<'END'
mkdir -p zones/Own && cp /usr/share/zoneinfo/UTC zones/Own/Zone && cp /usr/share/zoneinfo/UTC zones/UTC
printf '%s\n' 'every 1s first touch ran' 'daily 08:00 Own/Zone a echo' \
    'cron "0 1 * * *" UTC b echo' 'cron "0 1 * * *" Own/Zone c echo' >zones.schedule
TZDIR=$tmp/zones $play zones.schedule >out 2>err
test $? -eq 2 && test ! -e ran &&
    test "$(cat err)" = 'zones.schedule:2: the server does not know the time zone "Own/Zone": expected a name in its view pg_timezone_names
zones.schedule:4: the server does not know the time zone "Own/Zone": expected a name in its view pg_timezone_names' &&
    test "$(sql "select count(*) from pg_namespace where nspname = 'run_schedule'")" = 0
END
}

r53_r54_r55_a_line_is_a_task_by_its_name_kind_and_rule() {
    beside_server <<'END'
cat >a.schedule <<'LINES'
after 60s                            once  echo
at 2199-01-01T08:00:00+01:00         date  echo
at 08:05 Europe/Berlin               time  echo
every 60s after 60s                  often echo
daily 02:00 UTC                      night echo
LINES
# The same lines: blanks, options, commands, and other ways to write a rule.
cat >b.schedule <<'LINES'
  after   1m   retry=2   once  true
at 2199-01-01T07:00:00.000Z date true
at   08:05   Europe/Berlin time   true
every 1m   after 1m overlap=skip often true
cron   "0 2 * * *"  UTC night true
LINES
$play a.schedule >/dev/null 2>a.err &
await sh -c "psql -Atc 'select count(*) from run_schedule.task' 2>/dev/null | grep -qx 5" &&
    kill $! && wait $! && tasks=$(sql "select name, id from run_schedule.task order by name") &&
    test "$tasks" = "date at 2199-01-01T07:00:00Z once
night repeats
often repeats
once after 1m once
time at 08:05 Europe/Berlin once" &&
    $play --for 3s b.schedule >/dev/null 2>b.err &&
    test "$tasks" = "$(sql "select name, id from run_schedule.task order by name")" &&
    test ! -s a.err && test ! -s b.err || { echo "$tasks"; cat a.err b.err; exit 1; }
# Another rule and another kind: a start deletes nothing, and names the others.
printf '%s\n' 'after 2m once true' 'after 60s often true' >c.schedule
$play c.schedule >/dev/null 2>c.err &
await test -s c.err && kill $! && wait $!
test "$(sql "select count(*) from run_schedule.task")" = 7 &&
    test "$(cat c.err)" = 'run_schedule: in the cluster, but not in this schedule: "date at 2199-01-01T07:00:00Z", "night", "often", "once after 1m", "time at 08:05 Europe/Berlin"' ||
    { cat c.err; exit 1; }
END
}

r53_in_a_rolling_update_an_old_copy_leaves_the_new_lines_alone() {
    beside_server <<'END'
for i in 1 2 3 4; do
    echo "after 60s x$i echo OLD >>$tmp/old$i"
    echo "after 300ms x$i echo NEW >>$tmp/new$i" >&3
done >old.schedule 3>new.schedule
$play --node old old.schedule >old.out 2>&1 &
old=$!
await sh -c "psql -Atc 'select count(*) from run_schedule.node' 2>/dev/null | grep -qx 1" || exit 1
$play --node new new.schedule >new.out 2>&1 || exit 1
kill $old && wait $old
cat old.out new.out
for i in 1 2 3 4; do test "$(cat new$i)" = NEW && test ! -e old$i || exit 1; done
END
}

r28_each_object_of_json_names_the_node() {
    beside_server <<'END'
echo 'after 1ms a echo one; exit 3' >j.schedule
$play --node n1 --output=json j.schedule >out 2>err
test $? -eq 0 && test ! -s err && ! grep -v '^{"time":"[^"]*","node":"n1",.*}$' out &&
    grep -q '"task":"a","stream":"stdout","message":"one"}$' out &&
    grep -q '"task":"a","event":"failed".*"exit_status":3,"reason":"exit status 3"}$' out &&
    grep -q '"level":"warning","message":"Task .* after 1 attempt: the command failed"}$' out || { cat out err; exit 1; }
END
}

r56_the_tasks_are_listed_and_those_that_no_file_has_are_pruned() {
    beside_server <<'END'
cat >all.schedule <<'LINES'
after 1ms         once  true
after 2ms         bad   false
every 1h after 1h often true
every 1h          hang  exec sleep 600
LINES
test "$($play --list 2>&1)" = 'run_schedule: Schema "run_schedule" does not exist: a start of run_schedule sets it up, if its role may' || exit 1
$play --node n1 --grace 100ms all.schedule >out 2>err &
pid=$!
listed() {
    $play --list >list 2>list.err || return 1
    sed -i 's/20..-..-..T..:..:..[.][0-9]*[+-]..:../DATE/' list
    diff expected list
}
cat >expected <<'LINES'
name            state      node  due                            last error
bad after 2ms   dead       -     -                              the command failed
hang            running    n1    DATE  -
often           scheduled  -     DATE  -
once after 1ms  done       -     -                              -
LINES
await listed >log || { cat log list.err out err; exit 1; }
# A line with another rule is another task, if it runs once; what runs is left alone.
printf '%s\n' 'every 2h often true' 'after 5ms once true' >some.schedule
test "$($play --prune some.schedule)" = '"bad after 2ms" is deleted
"once after 1ms" is deleted' || exit 1
test "$(sql 'select name from run_schedule.task order by name' | tr '\n' ' ')" = 'hang often ' || exit 1
kill $pid
wait $pid
test "$($play --prune some.schedule)" = '"hang" is deleted' && test -z "$($play --prune some.schedule)" || exit 1
echo 'daily 02:00 night true' >local.schedule
$play --prune local.schedule 2>err
test $? -eq 2 && test "$(cat err)" = 'local.schedule:1: "night" has no time zone: expected one with --cluster, such as daily 08:00 Europe/Berlin'
END
}

r56_each_schema_is_a_schedule_of_its_own() {
    beside_server <<'END'
echo 'after 1ms once echo ran' >s.schedule
for schema in one 'the other'; do
    $play --schema "$schema" s.schedule >out 2>err && grep -q 'once  ran' out && test ! -s err || { cat out err; exit 1; }
    $play --schema "$schema" --list | grep -q '^once after 1ms  done ' || exit 1
done
$play --list 2>err
test $? -eq 1 && test "$(sql "select count(*) from pg_namespace where nspname = 'run_schedule'")" = 0
END
}

r57_a_repeating_line_goes_on_after_three_killed_copies() {
    beside_server <<'END'
echo "every 1s long sh -c 'echo run >>$tmp/runs; exec sleep 600'" >s.schedule
for i in 1 2 3; do
    $play s.schedule >/dev/null 2>&1 &
    await sh -c "test \$(cat $tmp/runs 2>/dev/null | wc -l) -ge $i" || exit 1
    kill -9 $! && wait $! 2>/dev/null

    bury
done
$play --grace 100ms s.schedule >out 2>err &
pid=$!
await sh -c "test \$(wc -l <$tmp/runs) -eq 4" &&
    await grep -qx 'Task "long" "repeats" has failed after 3 attempts: its process died 3 times' err ||
    { cat out err runs; exit 1; }
kill $pid && wait $pid
END
}

r58_a_start_names_a_dead_line_and_revive_runs_it_again() {
    beside_server <<'END'
echo "after 1ms retry=2/1ms migrate test -e $tmp/ready" >m.schedule
$play m.schedule >/dev/null 2>&1 || exit 1
message='run_schedule: "migrate" is dead after 3 attempts: the command failed: --revive migrate runs it again'
$play --metrics metrics m.schedule >out 2>err && test "$(cat err)" = "$message" &&
    grep -qx 'run_schedule_dead{task="migrate"} 1' metrics || { cat out err metrics; exit 1; }
$play --strict m.schedule >out 2>err
test $? -eq 3 && test "$(cat err)" = "$message" || { cat err; exit 1; }
touch ready
$play --revive other 2>err; test $? -eq 1 && test "$(cat err)" = 'run_schedule: "other" is not dead' || exit 1
test "$($play --revive migrate)" = '"migrate after 1ms" is due now' &&
    $play --strict m.schedule >out 2>err && test ! -s err && grep -q '^migrate .* 1 *0 ' out || { cat out err; exit 1; }
END
}

r60_a_start_waits_for_the_database_and_a_signal_ends_it() {
    echo 'every 1s a touch ran' >"$tmp/a.schedule"
    away() { "$BUILD/tools/run_schedule" --cluster "host=$tmp" "$@" "$tmp/a.schedule" >"$tmp/out" 2>"$tmp/err"; }
    away --connect-within 500ms
    test $? -eq 1 && test "$(grep -c 'waiting for the database' "$tmp/err")" -eq 1 || return 1
    rm "$tmp/err"
    away --connect-within 60s &
    pid=$!
    until grep -qs waiting "$tmp/err"; do sleep 0.05; done
    kill -USR2 "$(pgrep -P $pid)"  # read again when there is a database
    sleep 0.2
    kill "$(pgrep -P $pid)" || return 1
    begin=$(date +%s%3N)
    wait $pid
    test $? -eq 0 && test $(($(date +%s%3N) - begin)) -lt 2000 && test ! -e "$tmp/ran"
}

r60_without_the_other_program_the_message_says_what_installs_it() {
    cp "$BUILD/tools/run_schedule" "$tmp/run_schedule" && echo 'every 1s a echo' >"$tmp/a.schedule"
    "$tmp/run_schedule" --cluster host=x "$tmp/a.schedule" 2>"$tmp/err"
    test $? -eq 2 && grep -q 'the package jtimer-cluster-tools or `make install-cluster`' "$tmp/err"
}

r34_a_run_that_is_retried_has_not_failed() {
    beside_server <<'END'
printf '%s\n' "after 0s retry=1/10ms flaky test -e $tmp/tried || { touch $tmp/tried; false; }" 'after 0s good true' >s.schedule
$play --strict s.schedule >out 2>err || { cat out err; exit 1; }
test "$(sed 1,/^task/d out | awk '{ print $1, $3, $4, $5 }' | sort)" = 'flaky 1 0 1
good 1 0 0' || { cat out err; exit 1; }
END
}

r61_a_reload_starts_the_new_lines_and_lets_old_runs_end() {
    beside_server <<'END'
mkfifo end
echo "every 1h old touch $tmp/began; read -r line <$tmp/end; echo old ended" >s.schedule
echo 'every 1h after 1h same true' >>s.schedule
$play --jobs 1 --reload s.schedule >out 2>err &
pid=$!
await test -e began || exit 1
printf '%s\n' 'every 1h new echo new ran' 'every 1h after 1h same echo' >s.schedule
kill -HUP $pid
await grep -qx 'run_schedule: s.schedule read again: 1 added, 1 changed, 1 removed' err || { cat out err; exit 1; }
# The run of the new line waits for the only slot.
test "$(sql "select count(*) from run_schedule.task where name = 'new'")" = 1 || exit 1
await sh -c "psql -Atc \"select name from run_schedule.task where owner is not null order by name\" | tr '\n' ' ' | grep -qx 'new old '" ||
    { cat out err; exit 1; }
! grep -q 'new ran' out || exit 1
echo >end
await grep -q 'new ran' out && grep -q 'old ended' out || { cat out err; exit 1; }
await sh -c "psql -Atc 'select count(*) from run_schedule.node' | grep -qx 1" || exit 1
kill $pid
wait $pid || exit 1
test "$(sed 1,/^task/d out | awk '{ print $1, $3, $4 }' | sort)" = 'new 1 0
old 1 0
same 0 0' || { cat out err; exit 1; }
END
}

r61_an_error_changes_nothing() {
    beside_server <<'END'
echo 'every 1s again echo ran' >s.schedule
$play s.schedule >out 2>err &
pid=$!
await grep -q ran out || exit 1
reload() { # LINE NOTICE
    echo "$1" >s.schedule
    kill -USR2 $pid
    await grep -q "$2" err || { cat out err; exit 1; }
}
reload 'after' '^run_schedule: the schedule stays as it was$'
reload 'daily 02:00 a echo' '^run_schedule: the schedule stays as it was: s.schedule:1: "a" has no time zone: '
database=$(sql 'select current_database()')
allow() { PGDATABASE=template1 sql "update pg_database set datallowconn = $1 where datname = '$database'" >/dev/null; }
allow false
reload 'every 1h a echo' '^run_schedule: the schedule stays as it was: .*not currently accepting connections'
allow true
test "$(sql 'select name from run_schedule.task')" = again || exit 1
runs=$(grep -c ran out)
await sh -c "test \$(grep -c ran out) -gt $runs" || exit 1
# An end while the new lines wait for the database, which is frozen.
server=$(head -n 1 "$(sql 'show data_directory')/postmaster.pid")
for each in $(pgrep -P "$server") $server; do kill -STOP "$each"; done
kill -USR2 $pid
sleep 0.2
begin=$(millis)
kill $pid
wait $pid
took=$(($(millis) - begin))
for each in $server $(pgrep -P "$server"); do kill -CONT "$each"; done
test $took -le 11000 || { echo "$took ms"; cat out err; exit 1; }
END
}

# The new node cannot start, or it has started and the new lines cannot be written.
r61_an_error_of_any_step_changes_nothing() {
    beside_server <<'END'
echo 'every 100ms again echo old' >s.schedule
$play --reload s.schedule >out 2>err &
pid=$!
await grep -q old out || exit 1
sql "create function refuse() returns trigger language plpgsql as
    'begin perform pg_sleep(0.5); raise exception ''refused: %'', tg_table_name; end'" >/dev/null
printf '%s\n' 'every 100ms again echo new' 'every 1h other echo new' >s.schedule
for table in node task; do
    sql "create trigger refuse before insert on run_schedule.$table execute function refuse()" >/dev/null
    kill -HUP $pid
    await grep -q "the schedule stays as it was: .*refused: $table" err || { cat out err; exit 1; }
    sql "drop trigger refuse on run_schedule.$table" >/dev/null
    test "$(sql 'select name from run_schedule.task')" = again || { echo "$table: the lines are written"; exit 1; }
    runs=$(grep -c old out)
    await sh -c "test \$(grep -c old out) -gt $runs" || exit 1
    await sh -c "psql -Atc 'select count(*) from run_schedule.node' | grep -qx 1" || exit 1
done
! grep -q new out || exit 1
kill -HUP $pid
await grep -q '1 added, 1 changed' err && await grep -q 'other.*new' out && kill $pid && wait $pid
END
}

r51_while_the_database_is_away_an_end_takes_two_graces_and_a_second() {
    beside_server <<'END'
server=$(head -n 1 "$PGHOST/postmaster.pid" 2>/dev/null || head -n 1 "$(sql 'show data_directory')/postmaster.pid")
echo "every 1h job sh -c 'touch $tmp/begun; sleep 2; echo done'" >j.schedule
"$BUILD/tools/run_schedule" --cluster application_name=test --grace 1500ms j.schedule >out 2>err &
pid=$!
await test -e begun || exit 1
# Frozen: connections stay, and nothing answers.
for each in $(pgrep -P "$server") $server; do kill -STOP "$each"; done
begin=$(millis)
kill $pid
wait $pid
status=$?
took=$(($(millis) - begin))
for each in $server $(pgrep -P "$server"); do kill -CONT "$each"; done
test $status -eq 1 && test $took -le 6000 &&
    grep -qx 'run_schedule: waiting for the database' err &&
    grep -qx 'run_schedule: the end of job is not written: another copy will run it again' err ||
    { echo "status $status, $took ms"; cat out err; exit 1; }
END
}

r51_without_a_command_an_end_takes_one_grace_and_a_second() {
    beside_server <<'END'
server=$(head -n 1 "$(sql 'show data_directory')/postmaster.pid")
echo 'every 1h after 1h job true' >j.schedule
"$BUILD/tools/run_schedule" --cluster application_name=test --grace 1s j.schedule >out 2>err &
pid=$!
await sh -c "psql -Atc 'select count(*) from run_schedule.node' 2>/dev/null | grep -qx 1" || exit 1
sleep 1.2
for each in $(pgrep -P "$server") $server; do kill -STOP "$each"; done
begin=$(millis)
kill $pid
wait $pid
status=$?
took=$(($(millis) - begin))
for each in $server $(pgrep -P "$server"); do kill -CONT "$each"; done
test $status -eq 0 && test $took -le 4000 || { echo "status $status, $took ms"; cat out err; exit 1; }
END
}

r35_r36_health_and_metrics_tell_whether_the_database_answers() {
    "$BUILD/tools/run_schedule" --probe localhost:1 2>&1 | grep -q 'built without HTTP' && return
    anew
    echo 'every 1h after 1h job true' >"$tmp/j.schedule"
    "$BUILD/tools/run_schedule" --cluster "host=$tmp" --listen 127.0.0.1:0 --metrics "$tmp/m" --connect-within 60s \
        "$tmp/j.schedule" >"$tmp/out" 2>"$tmp/err" &
    pid=$!
    until grep -qs 'waiting for the database' "$tmp/err"; do sleep 0.05; done
    said=$("$BUILD/tools/run_schedule" --probe "$(sed -n 's/.*listening on //p' "$tmp/err")")
    status=$?
    kill $pid
    wait $pid
    test $status -eq 1 && test "$said" = 'the database has not answered yet' &&
        grep -qx 'run_schedule_database_up 0' "$tmp/m" || { echo "$status, $said" && return 1; }
    beside_server <<'END'
server=$(head -n 1 "$(sql 'show data_directory')/postmaster.pid")
"$BUILD/tools/run_schedule" --cluster application_name=test --listen 127.0.0.1:0 --metrics m --grace 1s j.schedule >out 2>err &
pid=$!
await grep -qs listening err
address=$(sed -n 's/.*listening on //p' err)
probe() { "$BUILD/tools/run_schedule" --probe "$address" >said; }
await probe && await grep -qx 'run_schedule_database_up 1' m || { cat said m; exit 1; }
begin=$(millis)
# Frozen: connections stay, and nothing answers.
for each in $(pgrep -P "$server") $server; do kill -STOP "$each"; done
await grep -qx 'run_schedule_database_up 0' m && probe && test "$(cat said)" = ok || { cat said m; exit 1; }
while probe && test $(($(millis) - begin)) -lt 60000; do sleep 0.2; done
took=$(($(millis) - begin))
for each in $server $(pgrep -P "$server"); do kill -CONT "$each"; done
grep -q '^the database has not answered for 3[0-9.]*s$' said && test $took -ge 29000 || { echo "$took ms"; cat said; exit 1; }
await probe && await grep -qx 'run_schedule_database_up 1' m || { cat said m; exit 1; }
kill $pid
wait $pid
END
}

r32_r51_the_pages_of_the_cluster_are_served_and_the_end_does_not_wait_for_them() {
    beside_server <<'END'
echo 'every 1h after 1h mail true' >s.schedule
$play --listen 127.0.0.1:0 --node n1 --grace 100ms s.schedule >out 2>err &
pid=$!
await grep -q listening err || exit 1
address=$(sed -n 's/^run_schedule: listening on //p' err)
get() { # TARGET [HOST [METHOD]]
    bash -c 'exec 5<>"/dev/tcp/${0%:*}/${0#*:}" && printf "%s %s HTTP/1.1\r\nHost: %s\r\n\r\n" "${3:-GET}" "$1" "$2" >&5 && cat <&5' \
        "$address" "$1" "${2:-$address}" "${3-}" | tr -d '\r'
}
status() { sed -n '1s/^HTTP\/1.1 \([0-9]*\) .*/\1/p'; }
shows() { get "$1" >page && test "$(status <page)" = 200 && grep -q "$2" page; } # TARGET TEXT
fail() { cat page err; exit 1; }
await shows /names mail && await shows /nodes n1 && shows / mail && shows '/name?name=mail' mail || fail
shows /metrics '^run_schedule_tasks 1$' && shows /healthz '^ok$' && shows /style.css color || fail
get / >page
! grep -Eiq '<form[^>]*post' page || fail
test "$(get / evil.example | status)" = 421 && test "$(get / "$(uname -n):${address##*:}" | status)" = 200 || fail
test "$(get /run '' POST | status)" = 405 && test "$(get /nix | status)" = 404 || fail
# Somebody waits for a page, and so for the database.
server=$(head -n 1 "$(sql 'show data_directory')/postmaster.pid")
sleep 1.1 # what was read is not shared any more
for each in $(pgrep -P "$server") $server; do kill -STOP "$each"; done
get / >page &
viewer=$!
sleep 0.3
begin=$(millis)
kill $pid
wait $pid
took=$(($(millis) - begin))
for each in $server $(pgrep -P "$server"); do kill -CONT "$each"; done
wait $viewer
test $took -lt 5000 || { echo "$took ms"; exit 1; }
END
}

check r4_r18_r30_r44_r59_every_line_is_checked_before_anything_is_written
check r65_the_schedule_of_the_pods_that_share_one_passes_a_check
check r59_a_zone_that_the_server_does_not_know_is_an_error_of_its_lines
check r53_r54_r55_a_line_is_a_task_by_its_name_kind_and_rule
check r53_in_a_rolling_update_an_old_copy_leaves_the_new_lines_alone
check r56_the_tasks_are_listed_and_those_that_no_file_has_are_pruned
check r56_each_schema_is_a_schedule_of_its_own
check r57_a_repeating_line_goes_on_after_three_killed_copies
check r58_a_start_names_a_dead_line_and_revive_runs_it_again
check r60_a_start_waits_for_the_database_and_a_signal_ends_it
check r60_without_the_other_program_the_message_says_what_installs_it
check r34_a_run_that_is_retried_has_not_failed
check r61_a_reload_starts_the_new_lines_and_lets_old_runs_end
check r61_an_error_changes_nothing
check r61_an_error_of_any_step_changes_nothing
check r51_while_the_database_is_away_an_end_takes_two_graces_and_a_second
check r51_without_a_command_an_end_takes_one_grace_and_a_second
check r35_r36_health_and_metrics_tell_whether_the_database_answers
check r32_r51_the_pages_of_the_cluster_are_served_and_the_end_does_not_wait_for_them
sum_up
