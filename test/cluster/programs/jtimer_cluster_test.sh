#!/bin/sh
# Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#
# jtimer-cluster beside a server: each case has one of its own. Copies of run_schedule are the nodes.
set -u

. test/support/cases.sh
. test/support/jtimer_cluster.sh

# Runs a command on a terminal of 60 columns, and types a line if it is asked.
cat >"$tmp/terminal.py" <<'END'
import fcntl, os, pty, struct, sys, termios
answer, command = sys.argv[1], sys.argv[2:]
pid, terminal = pty.fork()
if pid == 0:
    fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 60, 0, 0))
    os.execvp(command[0], command)
said, asked = b"", False
while True:
    try:
        more = os.read(terminal, 1000)
    except OSError:
        break
    if not more:
        break
    said += more
    if not asked and b"[y/N] " in said:
        asked = True
        os.write(terminal, answer.encode() + b"\n")
sys.stdout.write(said.decode().replace("\r", ""))
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
END

o47_the_database_is_the_option_s_the_environment_s_or_libpq_s() {
    beside_server <<'END'
gives 1 '' 'jtimer-cluster: Schema "jtimer" does not exist: call migrate()' $tool list
gives 0 'the schema "jtimer" is ready' '' $tool migrate
gives 0 'the schema "it'"'"'s" is ready' '' $tool --schema "it's" migrate
add a 1
gives 0 '1' '' sh -c "$tool list --json | grep -c '\"name\":\"a\"'"
host=$PGHOST database=$(sql 'select current_database()')
unset PGHOST
JTIMER_CLUSTER="host=$host" $tool list a | grep -q '^a  *1 ' || exit 1
JTIMER_CLUSTER=host=/nowhere $tool --conninfo "host=$host dbname=$database" list a | grep -q '^a  *1 ' || exit 1
for conninfo in "host=/nowhere password=secret" "postgresql://u:secret@h:x/db" "password=secret nonsense"; do
    $tool --conninfo "$conninfo" list >out 2>err
    test $? -eq 1 && test -s err && test ! -s out && ! grep secret err || { cat out err; exit 1; }
done
END
}

o47_a_pause_tells_who_and_why() {
    beside_server <<'END'
$tool migrate >/dev/null && add a 1
gives 0 'the name "mail" is paused' '' $tool pause mail --note 'smtp is away'
gives 0 '"a" "1" is paused' '' $tool pause a 1
who="$(id -un)@$(uname -n)"
$tool pauses | grep -q "^name   *mail  *20[^ ]*+00:00  $who  *smtp is away$" || { $tool pauses; exit 1; }
$tool show a 1 | grep -q "^paused  *since 20[^ ]* by $who$"
END
}

o48_tasks_are_listed_by_a_selection() {
    beside_server <<'END'
$tool migrate >/dev/null
add mail a1 && add mail a2 infinity 'no route' && add mail b1 && add report 1 2029-01-01Z
listed() { # IDS ARGUMENT...
    expected=$1
    shift
    test "$($tool list "$@" | sed 1d | awk '{ print $1 "/" $2 }' | tr '\n' ' ')" = "$expected" ||
        { echo "$*"; $tool list "$@"; exit 1; }
}
listed 'mail/a1 mail/a2 mail/b1 report/1 '
listed 'mail/a1 mail/a2 mail/b1 ' mail
listed 'mail/a2 ' mail a2
listed '' mail nix
listed 'mail/a2 ' --state dead
listed 'mail/a1 mail/a2 ' mail --id-prefix a
listed 'report/1 ' --due-before 2029-06-01T00:00:00Z
listed '' --due-before 1h
listed '' --node n1
gives 0 'name  id  state      due                        node  last error
mail  a1  scheduled  2030-01-01T00:00:00+00:00  -     -' 'jtimer-cluster: there are more than 1 task: see --limit' $tool list --limit 1
# Of more than a page.
sql "insert into jtimer.task (name, id, kind, missed, origin, due, wake, payload)
    select 'many', i, 'once', 'once', now(), now(), now(), '' from generate_series(1, 2500) i"
test "$($tool list many --limit 2400 --json 2>err | sort -u | wc -l)" = 2400 &&
    test "$($tool list many --limit 2500 --json 2>err | sort -u | wc -l)" = 2500 && test ! -s err
END
}

o48_names_nodes_and_the_backlog_are_shown() {
    beside_server <<'END'
printf '%s\n' 'every 1h after 1h good true' 'every 1h after 1h bad false' >s.schedule
start n1 s.schedule || exit 1
on="$tool --schema run_schedule"
$on nodes | grep -Eq '^ *[0-9]+  n1  .*  0/[0-9]+ .* bad, good' || { $on nodes; exit 1; }
$on names | grep -Eq '^good +0 +1 +0 +0 +0 +1 ' || { $on names; exit 1; }
$on pause good >out && $on names | grep -q '^good .* paused since ' || { $on names; exit 1; }
$on backlog | awk '{ print $NF }' | tr '\n' ' ' | grep -qx '0 1 0 1 0 1 - ' || { $on backlog; exit 1; }
kill $node && wait $node
$on names | grep -q '^bad .* no node registers it$'
END
}

o48_a_task_is_rescheduled_paused_resumed_and_cancelled() {
    beside_server <<'END'
$tool migrate >/dev/null && add a 1
gives 0 '"a" "1" is rescheduled' '' $tool reschedule a 1 2031-01-01T00:00:00.000001+01:00
test "$(sql "select due = '2030-12-31T23:00:00.000001Z' from jtimer.task")" = t || exit 1
gives 0 '"a" "1" is rescheduled' '' $tool reschedule a 1 1h
test "$(sql "select due between now() + '59min' and now() + '61min' from jtimer.task")" = t || exit 1
for target in 'a' 'a 1' '--node n1' '--everything --yes'; do
    $tool pause $target >out 2>err || exit 1
    $tool pause $target >out 2>err; test $? -eq 3 && grep -q 'is paused already$' err || { cat out err; exit 1; }
    $tool resume $target >out 2>err || exit 1
    $tool resume $target --skip-missed >out 2>err; test $? -eq 3 && grep -q 'is not paused$' err || { cat out err; exit 1; }
done
gives 0 '{"scope":"node","name":"n1","id":null,"changed":true}' '' $tool pause --node n1 --json
gives 0 '"a" "1" is deleted' '' $tool cancel a 1
test -z "$(tasks)"
END
}

o48_past_runs_are_kept_and_listed() {
    beside_server <<'END'
$tool migrate >/dev/null
gives 0 'runs that fail are kept for 30d, the last 5 of them' '' $tool keep-history failures --age 30d --rows 5
test "$(sql 'select history, keep, keep_rows from jtimer.cluster')" = 'failures 720:00:00 5' || exit 1
gives 0 'runs that end are not kept any more' '' $tool keep-history off
past() { # TOKEN ID OUTCOME [ERROR]
    sql "insert into jtimer.run values ($1, 'mail', '$2', 'n1', 1, '2030-01-01Z', '2030-01-01Z', '2030-01-01T00:00:02Z', '$3', nullif('${4-}', ''))"
}
past 1 a succeeded && past 2 b 'gave up' 'no route' && past 3 a succeeded
listed() { # TOKENS ARGUMENT...
    expected=$1
    shift
    test "$($tool history "$@" 2>err | sed 1d | awk '{ print $1 }' | tr '\n' ' ')" = "$expected" ||
        { echo "$*"; $tool history "$@"; exit 1; }
}
listed '3 2 1 '
listed '3 1 ' mail a
listed '2 ' --outcome gave-up
listed '2 1 ' --before 3
listed '3 2 ' --limit 2
test "$(cat err)" = 'jtimer-cluster: there may be earlier runs: see --limit and --before' || exit 1
listed '' report
gives 0 '{"name":"mail","id":"b","node":"n1","attempt":1,"fencing_token":2,"due":"2030-01-01T00:00:00.000000Z","started":"2030-01-01T00:00:00.000000Z","finished":"2030-01-01T00:00:02.000000Z","outcome":"gave-up","error":"no route"}' '' $tool history mail b --json
END
}

o48_migrate_and_schema_are_those_of_the_library() {
    beside_server <<'END'
gives 0 'the schema "own" is ready' '' $tool --schema own migrate
gives 0 'the schema "own" is ready' '' $tool --schema own migrate
$tool schema >schema.sql && psql -q -v ON_ERROR_STOP=1 -f schema.sql >/dev/null &&
    gives 0 'name  id  state  due  node  last error' '' $tool list
$tool --schema own schema --from 1 | grep -q '"own"' &&
    gives 2 '' 'jtimer-cluster: from: expected 0 to 2' $tool schema --from 99
END
}

o47_the_manual_page_has_each_command_and_option_of_the_help() {
    "$BUILD/tools/jtimer-cluster" --help >"$tmp/help" || return 1
    sed -n -e 's/^  \([a-z][a-z-]*\) .*/\1/p' -e 's/^  \(-h \[ \)\{0,1\}\(--[a-z-]*\).*/\2/p' "$tmp/help" >"$tmp/words"
    test "$(wc -l <"$tmp/words")" -eq 49 || { cat "$tmp/words" && return 1; }
    while read -r word; do
        grep -q -e "^| .*\`$word[] \`=[].* |" doc/reference/jtimer-cluster.md || { echo "no $word" && return 1; }
    done <"$tmp/words"
}

o49_json_is_an_object_a_line() {
    beside_server <<'END'
$tool migrate >/dev/null && add a 1 && sql "update jtimer.task set last_error = E'a\nb\u202e'"
gives 0 '{"name":"a","id":"1","state":"scheduled","due":"2030-01-01T00:00:00.000000Z","next_attempt":"2030-01-01T00:00:00.000000Z","attempt":0,"crashes":0,"fencing_token":0,"running_on":null,"running_since":null,"last_error":"a\u000ab\u202e","kind":"once","period_seconds":null,"cron":null,"zone":null,"missed_runs":null,"paused":null,"payload_size":3}' '' $tool list --json
$tool show a 1 --json --payload | grep -q '"payload_size":3,"payload":"YWJj"}$' || exit 1
for command in names backlog pauses nodes; do
    $tool $command --json | "$PYTHON" -c 'import json, sys; [json.loads(line) for line in sys.stdin]' || exit 1
done
gives 0 '{"name":"a","id":"1","changed":true}' '' $tool run a 1 --json
gives 3 '{"name":"a","id":"2","changed":false}' 'jtimer-cluster: "a" "2" does not exist' $tool cancel a 2 --json
gives 0 '{"changed":1,"selected":1}' '' $tool cancel a --json --yes
END
}

o49_a_table_fits_the_terminal() {
    beside_server <<'END'
$tool migrate >/dev/null && add 'a name of more than ten' an-id-of-more-than-ten infinity "$(printf 'e%.0s' $(seq 100))"
"$PYTHON" terminal.py '' $tool list >out || exit 1
test "$(wc -l <out)" -eq 2 && grep -q '…' out && ! sed 's/…/./g' out | grep '.\{61\}' || { cat out; exit 1; }
# Elsewhere nothing is cut.
$tool list | grep -q "^a name of more than ten  an-id-of-more-than-ten  dead .*e\{100\}$"
END
}

o50_the_exit_status_tells_what_has_become_of_it() {
    beside_server <<'END'
gives 1 '' 'jtimer-cluster: Schema "jtimer" does not exist: call migrate()' $tool backlog
$tool migrate >/dev/null
gives 0 'name  id  state  due  node  last error' '' $tool list
gives 3 '' 'jtimer-cluster: "a" "1" does not exist' $tool show a 1
for command in run cancel revive pause resume; do
    gives 3 '' 'jtimer-cluster: "a" "1" does not exist' $tool $command a 1
done
gives 3 '' 'jtimer-cluster: "a" "1" does not exist' $tool reschedule a 1 1h
gives 3 '' 'jtimer-cluster: there is no such task' $tool cancel a --yes
gives 3 '' 'jtimer-cluster: there is no such task' $tool revive --yes
add a 1
gives 3 '' 'jtimer-cluster: "a" "1" is not dead' $tool revive a 1
sql "update jtimer.task set owner = 1, token = 1, started = now()"
gives 3 '' 'jtimer-cluster: "a" "1" is running' $tool run a 1
gives 3 '' 'jtimer-cluster: "a" "1" is running' $tool reschedule a 1 1h
gives 0 '"a" "1" is deleted, and its run goes on' '' $tool cancel a 1
add a 1 infinity
gives 0 '"a" "1" is due now' '' $tool revive a 1
test "$(sql 'select wake <= now() from jtimer.task')" = t || exit 1
$tool lost 2>err
test $? -eq 2 && grep -q '^See `jtimer-cluster --help`' err && $tool list >/dev/full 2>err
test $? -eq 1 && test "$(cat err)" = 'jtimer-cluster: cannot write to the standard output'
END
}

o50_run_waits_for_the_end_of_the_run() {
    beside_server <<'END'
printf '%s\n' 'every 1h after 1h good true' 'every 1h after 1h bad false' 'every 1h after 1h slow exec sleep 600' \
    'after 1h retry=3/1h again false' >s.schedule
start n1 s.schedule || exit 1
on="$tool --schema run_schedule"
gives 0 '"good" "repeats" is due now
"good" "repeats" has succeeded' '' $on run good repeats --wait
gives 5 '"bad" "repeats" is due now' 'jtimer-cluster: "bad" "repeats" has failed: the command failed' $on run bad repeats --wait=60s
gives 5 '{"name":"again after 1h","id":"once","changed":true,"outcome":"failed"}' \
    'jtimer-cluster: "again after 1h" "once" has failed: the command failed' $on run 'again after 1h' once --wait --json
gives 5 '"slow" "repeats" is due now' 'jtimer-cluster: "slow" "repeats" has not ended in time' $on run slow repeats --wait=300ms
await sh -c "$on list --node n1 | grep -q '^slow '" || exit 1
gives 3 '' 'jtimer-cluster: "slow" "repeats" is running' $on run slow repeats --wait
# One that is gone has succeeded.
$tool migrate >/dev/null && add one shot
$tool run one shot --wait --json >out 2>err &
await sh -c "psql -Atc 'select wake <= now() from jtimer.task' | grep -qx t" && sql 'delete from jtimer.task' && wait $! &&
    test "$(cat out)" = '{"name":"one","id":"shot","changed":true,"outcome":"succeeded"}'
status=$?
kill $node
exit $status
END
}

o51_what_changes_many_is_shown_and_asked_for() {
    beside_server <<'END'
$tool migrate >/dev/null
for i in 1 2 3 4 5 6 7 8 9 10 11 12; do add m $i infinity; done
all=$(tasks)
for command in 'cancel m' 'revive' 'pause --everything' 'resume --everything'; do
    $tool $command >out 2>err </dev/null
    test $? -eq 4 && test ! -s out && grep -q ' 12 tasks? Nothing has changed: without a terminal, --yes confirms it$' err || { cat out err; exit 1; }
    $tool $command --dry-run >out 2>err || exit 1
    test "$(head -1 out)" = '12 tasks, of which the first 10 are:' && test "$(wc -l <out)" -eq 12 || { cat out err; exit 1; }
    "$PYTHON" terminal.py n $tool $command >out
    test $? -eq 4 && grep -q '^12 tasks, of which' out && grep -q ' 12 tasks? \[y/N\] n$' out &&
        grep -qx 'jtimer-cluster: nothing has changed' out && test "$(grep -c '^m ' out)" -eq 10 || { cat out; exit 1; }
done
gives 0 '{"changed":0,"selected":12}' '' $tool cancel m --dry-run --json
test "$(tasks)" = "$all" && test -z "$($tool pauses --json)" && test "$($tool list --state dead --json | wc -l)" -eq 12 || exit 1
"$PYTHON" terminal.py y $tool revive m --id-prefix 1 >out && grep -qx '4 tasks are due now' out || { cat out; exit 1; }
"$PYTHON" terminal.py yes $tool pause --everything >out && grep -qx 'everything is paused' out || { cat out; exit 1; }
gives 0 'everything is resumed' '' $tool resume --everything --yes
gives 0 '12 tasks are deleted' '' $tool cancel m --yes
test -z "$(tasks)"
END
}

o52_prune_deletes_what_a_file_does_not_keep() {
    beside_server <<'END'
$tool migrate >/dev/null && add m 1 && add m 2 && add m 'three 3' && add other 1
printf '%s\n' 1 '' 'three 3' >ids
gives 4 '' 'jtimer-cluster: Delete 1 task? Nothing has changed: without a terminal, --yes confirms it' $tool prune m --keep ids
gives 0 '1 task is deleted' '' $tool prune m --keep ids --yes
test "$(tasks)" = 'm/1 m/three 3 other/1 ' || { tasks; exit 1; }
gives 3 '' 'jtimer-cluster: there is no such task' $tool prune m --keep ids --yes
echo 1 | $tool prune m --keep - --yes >out && test "$(tasks)" = 'm/1 other/1 ' || exit 1
gives 2 '' 'jtimer-cluster: "/dev/null" has no id: expected one a line, for cancel deletes all tasks of a name' $tool prune m --keep /dev/null --yes
gives 2 '' 'jtimer-cluster: cannot read "nix": No such file or directory' $tool prune m --keep nix --yes
END
}

o52_prune_deletes_old_tasks_of_names_that_no_node_registers() {
    beside_server <<'END'
printf '%s\n' 'every 1h after 1h known true' 'after 1h gone true' >s.schedule
start n1 s.schedule || exit 1
kill $node && wait $node
# A signal during its start would leave its row there until the lease ends.
sql 'delete from run_schedule.node'
echo 'every 1h after 1h known true' >s.schedule
start n2 s.schedule || exit 1
on="$tool --schema run_schedule"
gives 3 '' 'jtimer-cluster: there is no such task' $on prune --unregistered --older 1s --yes
sql "update run_schedule.task set wake = now() - interval '2 days', due = now() - interval '2 days' where name = 'gone after 1h'"
gives 3 '' 'jtimer-cluster: there is no such task' $on prune --unregistered --older 3d --yes
# A node of an old library tells neither its version nor its names.
sql "insert into run_schedule.node (id, name, lease, lease_until) values (0, 'old', '1 h', now() + interval '1 h')"
gives 3 '' 'jtimer-cluster: the node "old" has an old library, which does not tell the names that it registers' $on prune --unregistered --older 1d --yes
sql 'delete from run_schedule.node where id = 0'
gives 0 '1 task is deleted' '' $on prune --unregistered --older 1d --yes
test "$(sql 'select name from run_schedule.task')" = known
status=$?
kill $node
exit $status
END
}

check o47_the_database_is_the_option_s_the_environment_s_or_libpq_s
check o47_a_pause_tells_who_and_why
check o48_tasks_are_listed_by_a_selection
check o48_names_nodes_and_the_backlog_are_shown
check o48_a_task_is_rescheduled_paused_resumed_and_cancelled
check o48_past_runs_are_kept_and_listed
check o48_migrate_and_schema_are_those_of_the_library
check o47_the_manual_page_has_each_command_and_option_of_the_help
check o49_json_is_an_object_a_line
check o49_a_table_fits_the_terminal
check o50_the_exit_status_tells_what_has_become_of_it
check o50_run_waits_for_the_end_of_the_run
check o51_what_changes_many_is_shown_and_asked_for
check o52_prune_deletes_what_a_file_does_not_keep
check o52_prune_deletes_old_tasks_of_names_that_no_node_registers
sum_up
