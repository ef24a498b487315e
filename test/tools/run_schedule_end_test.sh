#!/bin/sh
# Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#
# tools/run_schedule: how it ends.
#
#     BUILD=build sh test/tools/run_schedule_end_test.sh
#
# shellcheck disable=SC2016,SC2154 # for other shells; what is used here is set there
set -u
# shellcheck source=test/support/run_schedule.sh
. "$(dirname "$0")/../support/run_schedule.sh"

for_ends_a_schedule_that_repeats() {
    printf '%s\n' 'rate 100ms r echo r' 'every 100ms e echo e' 'after 1h n echo n' >schedule
    begin=$(date +%s)
    run --for 1100ms schedule
    expect status 0 $status
    expect_true 'it took a second' $(($(date +%s) - begin)) -ge 1
    expect_true 'runs of the rate' "$(grep -c ' r  r$' out)" -ge 1
    # Never early: 0, 100, ... 1100 is all there can be.
    expect_true 'runs of the rate' "$(grep -c ' r  r$' out)" -le 12
    expect_true 'runs of every' "$(grep -c ' e  e$' out)" -le 12
    expect table "r $(grep -c ' r  r$' out) 0
e $(grep -c ' e  e$' out) 0
n 0 0" "$(table)"
}

for_nothing_ends_at_once() {
    echo 'every 1h a true' >schedule
    run --for 0s schedule
    expect status 0 $status
    expect_true 'runs' "$(table | cut -d ' ' -f 2)" -le 1
}

a_signal_lets_the_running_command_finish() {
    for signal in INT TERM HUP; do
        start_slow
        expect "$signal: printed while the command runs" 'slow   one' "${first#* }"
        signal_slow $signal
        expect "$signal: notice" 'run_schedule: waiting for slow to finish' "$notice"
        echo >go
        finish_slow
        expect "$signal: status" 0 $status
        expect "$signal: lines" 'slow   one
slow   two' "$(lines)"
        expect "$signal: table" 'slow 1 0
next 0 0
again 0 0' "$(table)"
    done
}

a_second_signal_kills_the_command_at_once() {
    for signal in INT TERM; do
        start_slow
        signal_slow HUP
        kill -s $signal $pid
        finish_slow
        expect "$signal: status" 0 $status
        expect "$signal: lines" 'slow   one
slow   [failed: ended by run_schedule: killed by signal 9 (Killed)]' "$(lines)"
        expect "$signal: table" 'slow 1 1
next 0 0
again 0 0' "$(table)"
    done
}

a_second_hang_up_is_no_reason_to_hurry() {
    start_slow
    signal_slow HUP
    kill -s HUP $pid
    echo >go
    finish_slow
    expect status 0 $status
    expect lines 'slow   one
slow   two' "$(lines)"
}

a_third_signal_ends_it_even_while_nobody_reads_its_output() {
    echo 'after 0s a echo $$ >pid; yes; sleep 1000' >schedule
    mkfifo out.fifo
    "$run_schedule" --jobs 1 --grace 1h schedule >out.fifo 2>err </dev/null &
    pid=$!
    exec 3<out.fifo
    read -r first <&3
    expect 'first line' 'a  y' "${first#* }"
    for i in $(seq 100); do
        kill -s TERM $pid 2>/dev/null || break
        sleep 0.05
    done
    wait $pid 2>/dev/null
    expect status TERM "$(kill -l $?)"
    expect_true 'it took three signals' "$i" -ge 3
    expect_gone "$(cat pid)"
    exec 3<&-
}

nohup_keeps_the_hang_up_away() {
    mkfifo go
    printf '%s\n' 'after 0s a echo one; read line <go' 'after 1ms b echo two' >schedule
    (trap '' HUP && exec "$run_schedule" --jobs 1 schedule >out 2>err </dev/null) &
    pid=$!
    exec 3>go  # when the command runs
    kill -s HUP $pid
    echo >&3
    exec 3>&-
    wait $pid
    expect status 0 $?
    expect lines 'a  one
b  two' "$(lines)"
    expect stderr '' "$(cat err)"
}

a_hung_command_does_not_hold_up_the_end_of_for() {
    echo 'after 0s hung echo $$ >pid; sleep 1000; echo never' >schedule
    run --for 1s --grace 30s schedule
    expect status 0 $status
    expect lines 'hung  [failed: ended by run_schedule: killed by signal 15 (Terminated)]' "$(lines)"
    expect table 'hung 1 1' "$(table)"
    expect 'it is gone' '' "$(lives "$(cat pid)" && echo there)"
}

a_hung_command_is_killed_if_sigterm_does_not_end_it() {
    echo 'after 0s hung trap "" TERM; echo $$ >begun; sleep 1000; sleep 1000' >schedule
    run_until_begun --grace 100ms
    expect status 0 $status
    expect lines 'hung  [failed: ended by run_schedule: killed by signal 9 (Killed)]' "$(lines)"
    expect stderr 'run_schedule: waiting for hung to finish' "$(cat err)"
    expect 'it is gone' '' "$(lives "$command" && echo there)"
}

a_command_that_ends_by_itself_on_sigterm_has_not_failed() {
    echo 'after 0s a trap "echo bye; exit 0" TERM; echo $$ >begun; sleep 1000' >schedule
    run_until_begun --grace 1s
    expect lines 'a  bye' "$(lines | grep -v Terminated)"
    expect table 'a 1 0' "$(table)"
}

a_hung_command_leaves_no_orphan_behind() {
    # SIGTERM ends the shell, and not its child.
    cat >schedule <<'END'
after 0s  a  sh -c 'trap "" TERM; echo $$ >begun; sleep 1000; sleep 1000' & wait
END
    run_until_begun --grace 2s
    expect lines 'a  [failed: ended by run_schedule: killed by signal 15 (Terminated)]' "$(lines)"
    expect_gone "$command"
}

a_stopped_command_is_ended_too() {
    echo 'after 0s a echo $$ >begun; kill -STOP $$; echo never' >schedule
    run_until_begun --grace 30s
    expect lines 'a  [failed: ended by run_schedule: killed by signal 15 (Terminated)]' "$(lines)"
}

what_an_earlier_command_left_in_the_background_is_not_ended() {
    mkfifo go end
    cat >schedule <<'END'
after 0ms  a  { read -r line <go; echo survived >end; } &
after 1ms  b  echo $$ >begun; sleep 1000
END
    run_until_begun --grace 100ms
    expect table 'a 1 0
b 1 1' "$(table)"
    echo >go
    expect 'in the background' survived "$(timeout 20 cat end)"
}

run_all
