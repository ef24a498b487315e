#!/bin/sh
# Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#
# tools/run_schedule: --check, and the forms of its output.
#
#     BUILD=build sh test/tools/run_schedule_check_test.sh
#
# shellcheck disable=SC2016,SC2154 # what is in quotes is for other shells; what is used here is set there
set -u
# shellcheck source=test/support/run_schedule.sh
. "$(dirname "$0")/../support/run_schedule.sh"

r27_raw_output_is_that_of_the_commands_and_nothing_else() {
    cat >schedule <<'END'
after 0ms  a  printf '{"a":1}\n\001\377no newline'
after 1ms  b  echo error >&2; test -p /dev/stdout && echo a pipe; exit 3
END
    run --output=raw --metrics m schedule
    expect status 0 $status
    printf '{"a":1}\n\001\377no newline' >expected
    expect_true 'every byte' "$(cmp out expected && echo same)" = same
    expect 'stderr' 'error
b  [failed: exit status 3]
task runs failures
a 1 0
b 1 1' "$(sed -e 's/^[0-9][^ ]* //' -e '/^$/d' err | awk '/^(task|a|b) .* ms$|lateness/ { print $1, $2, $3; next } { print }')"
    # A hook has no input then.
    run --output=raw --on-failure 'wc -c >size' schedule
    expect 'hook' 0 "$(cat size)"
    for form in xml '' Raw; do
        run --output "$form" schedule
        expect "$form: status" 2 $status
        expect "$form" "run_schedule: --output: \"$form\" is not a form of output: expected prefixed, raw or json" "$(sed -n 1p err)"
    done
    run --output=prefixed schedule
    expect 'the default' 'a  {"a":1}' "$(lines | head -n 1)"
}

r29_verbose_tells_when_commands_begin_and_succeed() {
    cat >schedule <<'END'
after 0ms                a  echo one
after 1ms retry=1/1ms    b  false
END
    run --verbose schedule
    expect lines 'a  [started]
a  one
a  [succeeded after Nms]
b  [started]
b  [failed: exit status 1]
b  [retry 1 of 1]
b  [started]
b  [failed: exit status 1]' "$(lines | sed 's/after [0-9]*ms/after Nms/')"
    expect notice 'run_schedule: 2 tasks; the local zone is UTC0 (TZ)' "$(cat err)"
    unset TZ
    run --verbose schedule
    export TZ=UTC0
    case $(cat err) in
    'run_schedule: 2 tasks; the local zone is '*' (/etc/localtime)' | 'run_schedule: 2 tasks; the local zone is UTC (none)') ;;
    *) expect 'without TZ' 'another notice' "$(cat err)" ;;
    esac
}

r30_a_check_does_all_checks_and_prints_what_is_due_next() {
    cat >schedule <<'END'
after 1h                       once    touch ran
cron "0 0 1 1 *" UTC           yearly  touch ran
at 2020-01-01T08:00:00Z        past    touch ran
every 1m                       often   touch ran
END
    run --check --metrics m --trace t --state s schedule
    expect status 0 $status
    expect names 'once
yearly
past
often' "$(awk '{ print $1 }' out)"
    year=$(date -u +%Y)
    expect yearly "yearly  $((year + 1))-01-01T00:00:00.000+00:00" "$(sed -n 2p out)"
    expect past 'past    2020-01-01T08:00:00.000+00:00 (past)' "$(sed -n 3p out)"
    expect notice 'run_schedule: a time of a fixed line that the clocks show twice is due the second time; cronie takes the first' \
        "$(cat err)"
    expect_true 'nothing ran' ! -e ran
    expect 'nothing was written' 'err out schedule' "$(ls | tr '\n' ' ' | sed 's/ $//')"

    for option in --metrics --trace --state; do
        run --check $option no/file schedule
        expect "$option: status" 2 $status
        expect "$option" 'run_schedule: cannot write no/file: No such file or directory' "$(cat err)"
    done
    run --check --metrics /dev/null schedule
    expect 'a device' 'run_schedule: cannot write /dev/null: it is not a regular file' "$(cat err)"
    echo state >s
    run --check --state s schedule
    expect 'damaged: status' 2 $status
    expect 'damaged' 'run_schedule: --state: s is damaged, or another file: expected one that run_schedule has written, or none' \
        "$(cat err)"
    printf '%s\n' 'evry 1m a x' 'daily 25:00 b x' 'every 1m cwd=nowhere c x' >bad
    run --check bad
    expect 'bad: status' 2 $status
    expect 'all errors' 3 "$(wc -l <err)"
    expect 'no times' '' "$(cat out)"
}

# Both are replaced: it does not help that the old file can be written.
r30_metrics_and_the_state_need_a_folder_that_can_be_written() {
    as_nobody=
    [ "$(id -u)" != 0 ] || as_nobody='setpriv --reuid 65534 --regid 65534 --clear-groups'
    [ -z "$as_nobody" ] || command -v setpriv >/dev/null || { skip 'there is no setpriv'; return; }
    chmod 755 .
    echo 'every 1m a x' >schedule
    mkdir folder
    echo 'run_schedule state 1' >folder/file
    chmod 666 folder/file
    chmod 555 folder
    for options in '--metrics folder/file' '--state folder/file' '--check --metrics folder/file' '--check --state folder/file'; do
        # shellcheck disable=SC2086
        $as_nobody "$run_schedule" $options schedule >out 2>err
        expect "$options: status" 2 $?
        expect "$options" 'run_schedule: cannot write folder/file: Permission denied' "$(sed 's/file.lock/file/' err)"
    done
    $as_nobody "$run_schedule" --check --trace folder/file schedule >out 2>err
    expect 'a trace' 0 $?
    chmod 755 folder  # to be removed
}

r5_r30_a_check_names_each_line_with_an_input() {
    printf '%s\n' '*/5 * * * * date +%F' '*/5 * * * * date +\%F' >crontab
    run --check --crontab crontab
    expect status 0 $status
    expect notice 'run_schedule: crontab:1: what follows % is the input of the command; \% is a %' "$(cat err)"
}

run_all
