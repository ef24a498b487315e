#!/bin/sh
# Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#
# tools/run_schedule: commands that run at once, retries, --strict, --reload, --trace, --metrics and
# --watch, with real commands. What happens when is tested on a manual clock.
#
#     BUILD=build sh test/tools/run_schedule_jobs_test.sh
#
# shellcheck disable=SC2154 # what is used here is set there
set -u
# shellcheck source=test/support/run_schedule.sh
. "$(dirname "$0")/../support/run_schedule.sh"

commands_of_different_names_run_at_once() {
    mkfifo one two
    # Each waits for the other.
    cat >schedule <<'END'
after 0s  a  echo a >one; cat two
after 0s  b  cat one; echo b >two
END
    timeout 60 "$run_schedule" schedule >out 2>err
    expect status 0 $?
    expect lines 'a  b
b  a' "$(lines | sort)"
    expect table 'a 1 0
b 1 0' "$(table)"
}

no_more_than_jobs_run_at_once() {
    for i in 1 2 3 4 5 6; do
        echo "after 0s t$i : >running.$i; sleep 0.1; set -- running.*; echo \$#; rm running.$i"
    done >schedule
    timeout 60 "$run_schedule" --jobs 2 schedule >out 2>err
    expect status 0 $?
    expect_true 'at most two' "$(lines | awk '$2 > most { most = $2 } END { print most }')" -le 2
}

a_signal_waits_for_all_commands_and_the_second_kills_them() {
    mkfifo go
    cat >schedule <<'END'
after 0s  a  echo begun; read -r line <go
after 0s  b  echo begun; read -r line <go
END
    "$run_schedule" --grace 1h schedule >out 2>err </dev/null &
    pid=$!
    await ' a  begun'
    await ' b  begun'
    kill -s TERM $pid
    await waiting err
    expect_true 'both are named' "$(grep -c 'waiting for [ab], [ab] to finish' err)" = 1
    kill -s TERM $pid
    wait $pid
    expect status 0 $?
    expect table 'a 1 1
b 1 1' "$(table)"
}

a_failed_command_is_tried_again_and_counts_once() {
    cat >schedule <<'END'
after 0s retry=3/1ms  good  echo x >>tried; [ "$(wc -l <tried)" -ge 3 ]
after 0s retry=1/1ms  bad   exit 3
END
    "$run_schedule" --strict schedule >out 2>err
    expect status 3 $?
    expect good 'good  [failed: exit status 1]
good  [retry 1 of 3]
good  [failed: exit status 1]
good  [retry 2 of 3]' "$(lines | grep '^good')"
    expect bad 'bad   [failed: exit status 3]
bad   [retry 1 of 1]
bad   [failed: exit status 3]' "$(lines | grep '^bad')"
    expect table 'good 1 0 2
bad 1 1 1' "$(sed '1,/^task /d' out | awk '{ print $1, $2, $3, $4 }')"
    grep -v bad schedule >good && rm tried
    "$run_schedule" --strict good >out 2>err
    expect 'without the bad one' 0 $?
}

a_run_that_overlaps_is_dropped_or_ends_the_previous_one() {
    mkfifo go
    cat >schedule <<'END'
every 50ms overlap=skip  s  echo begun; read -r line <go
after 0s                 end  sleep 0.2; kill -TERM $PPID; sleep 0.1; echo >go
END
    timeout 60 "$run_schedule" schedule >out 2>err
    expect status 0 $?
    expect skipped 's    [skipped: the previous run has not ended]' "$(lines | grep skipped | sort -u)"
    expect runs '1 0' "$(table | sed -n 's/^s //p')"

    cat >schedule <<'END'
every 100ms overlap=kill  k  echo begun; exec sleep 1000
after 350ms               end  kill -TERM $PPID
END
    timeout 60 "$run_schedule" --grace 30s schedule >out 2>err
    expect killed 'k    [failed: ended by run_schedule: killed by signal 15 (Terminated)]' \
        "$(lines | grep failed | sort -u)"
    expect_true 'runs' "$(lines | grep -c '^k    begun')" -ge 3
}

sighup_reads_the_file_again_if_told_to() {
    echo 'every 1h a echo one' >schedule
    (trap '' HUP && exec "$run_schedule" --reload schedule >out 2>err </dev/null) &
    pid=$!
    await 'one'
    printf '%s\n' 'every 1h a echo one' 'every 1h b echo two' >schedule
    kill -s HUP $pid
    await ' b  two'
    await 'read again' err
    expect notice 'run_schedule: schedule read again: 1 added, 0 changed, 0 removed' "$(cat err)"
    echo 'evry 1h a echo' >schedule
    kill -s HUP $pid
    await stays err
    expect error 'schedule:1: "evry" is not a kind of schedule: expected after, at, every, rate, daily or cron
run_schedule: the schedule stays as it was' "$(sed 1d err)"
    echo 'after 0s c echo three' >schedule
    kill -s HUP $pid
    wait $pid
    expect status 0 $?
    expect lines 'a  one
b  two
c  three' "$(lines)"
}

a_trace_and_metrics_are_written() {
    printf '%s\n' 'after 0s a echo one' 'after 0s b exit 3' >schedule
    "$run_schedule" --trace trace.json --metrics m.prom schedule >out 2>err
    expect status 0 $?
    expect events 2 "$(grep -c '"ph":"X"' trace.json)"
    expect 'begin and end' '[ ]' "$(sed -n '1p;$p' trace.json | tr '\n' ' ' | sed 's/ $//')"
    expect failures 'run_schedule_failures_total{task="a"} 0
run_schedule_failures_total{task="b"} 1' "$(grep '^run_schedule_failures' m.prom)"
    expect 'nothing else' 'm.prom' "$(ls m.prom*)"
    "$run_schedule" --dry-run --trace dry.json schedule >out 2>err
    expect 'dry: events' 2 "$(grep -c '"ph":"X"' dry.json)"
}

files_that_cannot_be_written_are_told_and_nothing_runs() {
    echo 'after 0s a touch ran' >schedule
    for option in --trace --metrics; do
        "$run_schedule" $option no/file schedule >out 2>err
        expect "$option: status" 2 $?
        expect "$option: stderr" 'run_schedule: cannot write no/file: No such file or directory' "$(cat err)"
        expect_true "$option: nothing ran" ! -e ran
    done
    "$run_schedule" --trace /dev/full schedule >out 2>err
    expect 'full: status' 1 $?
    expect 'full: stderr' 'run_schedule: cannot write /dev/full: No space left on device' "$(cat err)"
    expect_true 'full: it ran' -e ran
}

metrics_that_cannot_be_written_any_more_are_told_once() {
    mkdir there
    echo 'after 0s a rm -r there; exit 0' >schedule
    echo 'after 2s b exit 0' >>schedule
    "$run_schedule" --metrics there/m schedule >out 2>err
    expect status 1 $?
    expect stderr 'run_schedule: cannot write there/m: No such file or directory' "$(cat err)"
}

watch_shows_lines_where_there_is_no_terminal() {
    echo 'after 0s a echo one' >schedule
    "$run_schedule" --watch schedule >out 2>err
    expect status 0 $?
    expect lines 'a  one' "$(lines)"
}

watch_draws_a_table_on_a_terminal() {
    command -v script >/dev/null || return
    printf '%s\n' 'after 0s a echo one; sleep 0.5' 'at 2000-01-01T00:00:00 b x' >schedule
    TERM=xterm script -qec "$run_schedule --watch schedule" typescript >out 2>err </dev/null
    expect_true 'running' "$(grep -c 'a     runs [0-9]*ms ' out)" -ge 1
    expect_true 'no lines' "$(grep -c ' a  one' out)" = 0
    expect notice 1 "$(grep -c 'the time of b is past' out)"
    expect 'the table at the end' 'a 1 0
b 0 0' "$(tr -d '\r' <out | table_of)"
}
table_of() { sed '1,/^task  runs/d' | awk '{ print $1, $2, $3 }'; }

run_all
