#!/bin/sh
# Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#
# tools/run_schedule: what follows a failure, and what a restart makes up for.
#
#     BUILD=build sh test/tools/run_schedule_failure_test.sh
#
# shellcheck disable=SC2016,SC2154 # what is in quotes is for other shells; what is used here is set there
set -u
# shellcheck source=test/support/run_schedule.sh
. "$(dirname "$0")/../support/run_schedule.sh"

r22_a_hook_runs_after_a_run_has_failed_with_all_its_retries() {
    cat >schedule <<'END'
after 0ms retry=1/1ms  a  echo "out $RUN_SCHEDULE_ATTEMPT"; echo err >&2; exit 3
after 1ms              b  true
after 2ms              c  kill -9 $$
END
    cat >hook <<'END'
echo "$RUN_SCHEDULE_TASK: $RUN_SCHEDULE_REASON, $RUN_SCHEDULE_STATUS, attempt $RUN_SCHEDULE_ATTEMPT"
cat
case $RUN_SCHEDULE_STARTED$RUN_SCHEDULE_ENDED in ????-??-??T*Z????-??-??T*Z) ;; *+00:00*+00:00) ;; *) echo wrong ;; esac
END
    run --on-failure "sh $PWD/hook >>told" schedule
    expect status 0 $status
    expect told 'a: exit status 3, 3, attempt 2
c: killed by signal 9 (Killed), 137, attempt 1
err
out 2' "$(sort told)"
    expect stderr '' "$(grep -v 'waiting for --on-failure of' err)"
}

r22_a_hook_gets_the_end_of_the_output_and_its_own_failure_is_a_notice() {
    echo 'after 0s a yes 123456789 | head -n 5000; exit 1' >schedule
    run --on-failure 'wc -c >size; echo said; exit 5' schedule
    expect status 0 $status
    expect size 16384 "$(cat size)"
    expect said 'a  said' "$(lines | tail -n 1)"
    expect notice 'run_schedule: --on-failure of a: exit status 5' "$(grep -v 'waiting for --on-failure of' err)"
    expect table 'a 1 1' "$(table)"
}

r22_at_the_end_a_hook_shares_the_grace() {
    echo 'after 0s a echo $$ >begun; sleep 1000' >schedule
    run_until_begun --grace 100ms --on-failure 'echo "$RUN_SCHEDULE_REASON" >told; trap "" TERM; sleep 1000; sleep 1000'
    expect status 0 $status
    expect told 'ended by run_schedule: killed by signal 15 (Terminated)' "$(cat told)"
    expect 'its end' 'run_schedule: --on-failure of a: ended by run_schedule: killed by signal 9 (Killed)' \
        "$(grep on-failure err)"
}

r31_the_first_run_that_has_failed_may_end_all() {
    cat >schedule <<'END'
after 0ms retry=1/1ms  a    exit 1
after 1s               b    echo never
every 1h               c    true
END
    run --stop-on-failure schedule
    expect status 3 $status
    expect lines 'a  [failed: exit status 1]
a  [retry 1 of 1]
a  [failed: exit status 1]' "$(lines)"
    echo 'after 0s a true' >schedule
    run --stop-on-failure schedule
    expect 'without a failure' 0 $status
}

r24_the_state_is_kept_before_a_command_starts() {
    cat >schedule <<'END'
after 0ms                        a      true
daily 02:00 UTC                  night  true
at 2030-01-01T08:00:00Z          later  true
at 2020-01-01T08:00:00Z          past   cat state
END
    "$run_schedule" --state state --catch-up --for 300ms schedule >out 2>err
    expect status 0 $?
    expect 'what it saw' 'run_schedule state 1
seen DATE later at 2030-01-01T08:00:00Z
seen DATE night cron "0 2 * * *" UTC
begun DATE past at 2020-01-01T08:00:00Z' "$(lines | sed -n 's/^past   //p' | sed 's/ 2[^ ]*Z / DATE /')"
    "$run_schedule" --state state --catch-up --for 300ms schedule >out 2>err
    expect 'what ran never runs again' '' "$(lines | grep past)"
}

r24_a_second_copy_is_refused() {
    echo 'after 0s a echo $PPID >begun; read -r line <go' >schedule
    mkfifo begun go
    "$run_schedule" --state state schedule >out1 2>err1 &
    pid=$!
    read -r its <begun
    run --state state schedule
    expect status 2 $status
    expect stderr "run_schedule: --state: process $its uses state: expected a file for each copy of run_schedule" "$(cat err)"
    echo >go
    wait $pid
    expect 'the first' 0 $?
    (: <begun) &
    for options in '--dry-run schedule' '--cluster x schedule' '-'; do
        # shellcheck disable=SC2086 # several words
        run --state state $options
        expect "$options" 2 $status
    done
    kill $! 2>/dev/null
    wait
}

# Writes a state as of a time, `date -d $1`, of a schedule that it has.
state_of() {  # TIME KIND NAME RULE
    printf 'run_schedule state 1\n%s %s %s %s\n' "$2" "$(date -u -d "$1" +%Y-%m-%dT%H:%M:%SZ)" "$3" "$4" >state
}

r25_a_start_makes_up_once_for_what_was_missed() {
    echo 'cron "* * * * *" UTC a echo "$RUN_SCHEDULE_DUE"' >schedule
    state_of '10 minutes ago' begun a 'cron "* * * * *" UTC'
    due=$(date -u -d '9 minutes ago' +%Y-%m-%dT%H:%M:00.000+00:00)
    run --state state --for 300ms schedule
    expect status 0 $status
    expect 'one run for the first time that was missed' "a  $due" "$(lines | head -n 1)"
    expect_true 'and no more' "$(lines | wc -l)" -le 2  # a minute may begin meanwhile
    run --state state --for 300ms schedule
    expect_true 'nothing is missed now' "$(lines | wc -l)" -le 1

    echo 'cron "0 0 1 1 *" UTC a echo ran' >schedule
    for begin in 'begun a cron "0 0 2 1 *" UTC' 'begun b cron "0 0 1 1 *" UTC'; do
        # shellcheck disable=SC2086 # several words
        state_of '2 years ago' $begin
        run --state state --for 100ms schedule
        expect "$begin" '' "$(lines)"
    done
    state_of '2 years ago' seen a 'cron "0 0 1 1 *" UTC'
    run --state state --for 100ms schedule
    expect 'one that was only seen' 'a  ran' "$(lines)"
    state_of 'tomorrow' begun a 'cron "0 0 1 1 *" UTC'
    run --state state --for 100ms schedule
    expect 'the future is now' '' "$(lines)"
}

r25_an_at_that_was_missed_runs_once() {
    echo 'at 2020-01-01T08:00:00Z a echo ran' >schedule
    run --state state schedule
    expect 'the first start' 'run_schedule: the time of a is past: 2020-01-01T08:00:00.000+00:00; --catch-up runs it' "$(cat err)"
    state_of '2019-12-31' seen a 'at 2020-01-01T08:00:00Z'
    run --state state schedule
    expect 'missed' 'a  ran' "$(lines)"
    run --state state schedule
    expect 'never again' '' "$(lines)"
    state_of '2019-12-31' seen a 'at 2020-01-01T08:00:00Z'
    echo 'at 2020-01-01T08:00:00Z start-within=1h a echo ran' >schedule
    run --state state schedule
    expect 'too late' 'a  [skipped: it is too late: start-within=1h]' "$(lines)"
}

r25_a_damaged_state_is_refused() {
    echo 'at 2030-01-01T08:00:00Z a true' >schedule
    for text in '' 'something else' 'run_schedule state 1\nbegun yesterday a at 08:00' 'run_schedule state 1\nbegun 2020-01-01T08:00:00Z a'; do
        # shellcheck disable=SC2059 # it has newlines
        printf "$text" >state
        run --state state schedule
        expect "$text: status" 2 $status
        expect_true "$text: stderr" -n "$(grep -E '^run_schedule: --state: state(:2:| is damaged)' err)"
    done
    run --state no/state schedule
    expect 'no folder' 'run_schedule: cannot write no/state.lock: No such file or directory' "$(cat err)"
}

r9_names_of_lines_that_are_kept_do_not_depend_on_their_order() {
    printf '%s\n' '0 1 * * * php a' '0 2 * * * php b' >crontab
    run --state state --crontab crontab
    expect status 2 $status
    expect stderr 'crontab:2: two lines would be called "php": expected "# run_schedule: NAME" above each' "$(cat err)"
}

run_all
