#!/bin/sh
# Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#
# tools/run_schedule: what it prints, for real and in a dry run.
#
#     BUILD=build sh test/tools/run_schedule_test.sh
#
# shellcheck disable=SC2154 # what is used here is set there
set -u
# shellcheck source=test/support/run_schedule.sh
. "$(dirname "$0")/../support/run_schedule.sh"

each_line_of_output_is_printed_with_its_name() {
    cat >schedule <<'END'
# a comment
after 0ms   talk   echo one; echo; echo '  two  ' >&2; printf 'three' # not told
after 50ms  longer.name  echo  four   "#5"
END
    run schedule
    expect status 0 $status
    expect lines 'talk         one
talk         
talk           two  
talk         three
longer.name  four #5' "$(lines)"
    expect stderr '' "$(cat err)"
    expect table 'talk 1 0
longer.name 1 0' "$(table)"
}

times_are_local_and_have_milliseconds_and_the_utc_offset() {
    echo 'after 0s a echo one; sleep 0.01; echo two' >schedule
    earlier=$(TZ=IST-5:30 date +%Y-%m-%dT%H:%M:%S)
    TZ=IST-5:30 run schedule
    after=$(TZ=IST-5:30 date +%Y-%m-%dT%H:%M:%S.999)
    one=$(awk '/ a  one$/ { print $1 }' out)
    two=$(awk '/ a  two$/ { print $1 }' out)
    shape='^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}\+05:30 a  '
    expect shape 2 "$(grep -Ec "$shape" out)"
    expect order "$(printf '%s\n' "$earlier" "$one" "$two" "$after" | sort)" \
        "$(printf '%s\n' "$earlier" "$one" "$two" "$after")"
    # It slept for ten milliseconds: the time is that of the line, not of the start of the command.
    expect_true 'the second line is later' "$one" != "$two"
}

a_past_time_is_skipped_with_a_notice() {
    printf '%s\n' 'after 0s now echo now' 'at 2000-01-01T00:00:00 past echo past' >schedule
    for dry in '' --dry-run; do
        run $dry schedule
        expect "$dry: status" 0 $status
        expect "$dry: stderr" 'run_schedule: the time of past is past: 2000-01-01T00:00:00.000+00:00; --catch-up runs it' "$(cat err)"
        expect "$dry: table" 'now 1 0
past 0 0' "$(table)"
    done
}

a_past_time_runs_at_once_with_catch_up_and_the_lateness_tells() {
    printf '%s\n' 'after 0s now echo now' 'at 2000-01-01T00:00:00 past echo past' >schedule
    run --catch-up schedule
    expect stderr '' "$(cat err)"
    expect lines 'past  past
now   now' "$(lines)"
    late_years=$(awk '$1 == "past" { print int($6 / 1000 / 86400 / 365) }' out)
    expect_true 'late by decades' "$late_years" -ge 26
}

a_dry_run_plays_the_exact_timeline_and_runs_nothing() {
    cat >schedule <<'END'
rate  250ms             r     touch ran   # fixed rate
every 400ms after 100ms e     touch ran
after 500ms             once  touch ran
after 2s                later touch ran
END
    run --dry-run --for 1s schedule
    expect status 0 $status
    expect timeline '0 r touch ran # fixed rate
100 e touch ran
250 r touch ran # fixed rate
500 r touch ran # fixed rate
500 e touch ran
500 once touch ran
750 r touch ran # fixed rate
900 e touch ran
1000 r touch ran # fixed rate' "$(timeline)"
    expect table '
task   runs  failures  lateness p50  lateness max
r         5         0      0.000 ms      0.000 ms
e         3         0      0.000 ms      0.000 ms
once      1         0      0.000 ms      0.000 ms
later     0         0             -             -' "$(sed -n '/^$/,$p' out)"
    expect_true 'nothing ran' ! -e ran
    expect stderr '' "$(cat err)"
}

a_dry_run_starts_now() {
    echo 'rate 1s a x' >schedule
    earlier=$(date +%Y-%m-%dT%H:%M:%S)
    run --dry-run --for 0s schedule
    first=$(awk 'NR == 1 { print $1 }' out)
    after=$(date +%Y-%m-%dT%H:%M:%S.999)
    expect order "$(printf '%s\n' "$earlier" "$first" "$after" | sort)" \
        "$(printf '%s\n' "$earlier" "$first" "$after")"
}

a_dry_run_of_what_repeats_is_a_day_and_takes_seconds() {
    printf '%s\n' 'rate 250ms r x' 'every 1m e x' 'after 1d last x' 'after 86400001ms beyond x' \
        >schedule
    times >begin
    run --dry-run schedule
    times >end
    expect status 0 $status
    case ${SANITIZE-} in '') limit=10 ;; *) limit=100 ;; esac  # it takes 1, with a sanitizer up to 12
    expect_true 'it took seconds' $(($(cpu_seconds <end) - $(cpu_seconds <begin))) -le $limit
    expect table 'r 345601 0
e 1441 0
last 1 0
beyond 0 0' "$(table)"
    expect lines $((345601 + 1441 + 1)) "$(lines | wc -l)"
}

a_dry_run_of_what_does_not_repeat_goes_to_the_last_run() {
    printf '%s\n' 'at 2199-12-31T23:59:59.250Z last echo bye' 'after 3d b x' >schedule
    run --dry-run schedule
    expect status 0 $status
    expect last '2199-12-31T23:59:59.250+00:00 last  echo bye' "$(sed -n 2p out)"
    expect table 'last 1 0
b 1 0' "$(table)"
}

a_dry_run_prints_as_it_goes_and_holds_the_schedule_once() {
    # 40 MB.
    awk 'BEGIN {
        while (length(x) < 8000) x = x "xxxxxxxxxx"
        for (i = 0; i < 5000; ++i) print "after " i "ms n" i " echo " x
    }' >schedule
    mkfifo out.fifo
    "$run_schedule" --dry-run schedule >out.fifo 2>err </dev/null &
    pid=$!
    exec 3<out.fifo
    read -r first <&3
    # Now it waits for somebody to read more.
    peak=$(awk '$1 == "VmHWM:" { print int($2 / 1000) }' "/proc/$pid/status")
    case ${SANITIZE-} in '') limit=70 ;; *) limit=1000 ;; esac  # they need much for themselves
    expect_true "less than $limit MB" "$peak" -lt $limit
    expect 'first line' 'n0     echo xxxxx' "$(echo "${first#* }" | cut -c 1-17)"
    expect 'other lines, and those of the table' $((4999 + 5002)) "$(wc -l <&3)"
    exec 3<&-
    wait $pid
    expect status 0 $?
}

run_all
