#!/bin/sh
# Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#
# tools/run_schedule: what a line may take, and when it may begin.
#
#     BUILD=build sh test/tools/run_schedule_limits_test.sh
#
# shellcheck disable=SC2016,SC2154 # what is in quotes is for other shells; what is used here is set there
set -u
# shellcheck source=test/support/run_schedule.sh
. "$(dirname "$0")/../support/run_schedule.sh"

r17_a_command_that_takes_too_long_has_failed_and_is_retried() {
    echo 'after 0s timeout=100ms retry=1/1ms a echo begun; trap "" TERM; sleep 1000; sleep 1000' >schedule
    run --grace 100ms --metrics m --strict schedule
    expect status 3 $status
    expect lines 'a  begun
a  [failed: timed out after 100ms]
a  [retry 1 of 1]
a  begun
a  [failed: timed out after 100ms]' "$(lines)"
    expect table 'a 1 1' "$(table)"
    expect metrics 'run_schedule_timeouts_total{task="a"} 2' "$(grep ^run_schedule_timeouts m)"
    echo 'after 0s timeout=0s a x' >schedule
    run schedule
    expect 'no time' 'schedule:1: "0s" is no time at all: expected at least 1ms' "$(cat err)"
}

r18_jitter_moves_times_and_is_the_same_at_each_start() {
    printf '%s\n' 'daily 08:00 jitter=10m backup x' >schedule
    run --dry-run --for 2d schedule
    sed -n 's/^[^T]*T\([^+]*\).*backup.*/\1/p' out >first
    expect 'one time' 1 "$(sort -u first | wc -l)"
    case $(sed -n 1p first) in 08:0?:*) within=yes ;; *) within=$(sed -n 1p first) ;; esac
    expect 'within ten minutes' yes "$within"
    printf '%s\n' 'RANDOM_DELAY=10' '# run_schedule: backup' '0 8 * * * x' >crontab
    run --crontab --dry-run --for 2d crontab
    expect 'RANDOM_DELAY' "$(cat first)" "$(sed -n 's/^[^T]*T\([^+]*\).*backup.*/\1/p' out)"
    printf '%s\n' 'RANDOM_DELAY=soon' '0 8 * * * x' >crontab
    run --crontab --dry-run crontab
    expect 'no number' 'crontab:1: RANDOM_DELAY: "soon" is not a number of minutes: expected 0 to 10080' "$(cat err)"
}

r19_a_run_that_waited_too_long_is_dropped() {
    cat >schedule <<'END'
after 0s                     first  sleep 0.5
after 1ms start-within=100ms late   echo never
after 2ms start-within=1h    soon   echo soon
END
    run schedule
    expect status 0 $status
    expect lines 'late   [skipped: it is too late: start-within=100ms]
soon   soon' "$(lines)"
    expect skipped 1 "$(awk '$1 == "late" { print $4 }' out | tail -n 1)"
}

r21_a_run_that_is_still_in_progress_is_told_once() {
    cat >schedule <<'END'
rate  100ms  slow  sleep 0.35
after 300ms  end   kill -TERM $PPID
END
    "$run_schedule" --metrics m schedule >out 2>err
    expect 'told once' 1 "$(lines | grep -Ec '^slow  \[still running after [0-9]*ms\]$')"
    expect metrics 'run_schedule_overruns_total{task="slow"} 1' "$(grep '^run_schedule_overruns.*slow' m)"
}

run_all
