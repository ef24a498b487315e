#!/bin/sh
# Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#
# tools/run_schedule: --output=json, and what the other forms of output print where.
#
#     BUILD=build sh test/tools/run_schedule_json_test.sh
#
# shellcheck disable=SC2016,SC2154 # what is in quotes is for other shells; what is used here is set there
set -u
# shellcheck source=test/support/run_schedule.sh
. "$(dirname "$0")/../support/run_schedule.sh"

# Prints the objects of the file out, one a line: the values of their members, without times and durations.
objects() {  # of the file out
    python3 -c '
import datetime, json, sys
for line in open("out", "rb").read().decode("utf-8").split("\n")[:-1]:
    o = json.loads(line)
    datetime.datetime.fromisoformat(o.pop("time"))
    for name in "due", "duration", "lateness_p50", "lateness_max":
        if name in o and type(o.pop(name)) not in (str, float): raise ValueError(line)
    print(*(v if v != "" else "-" for v in o.values()))
'
}

r26_prefixed_output_has_one_pipe_for_a_command_and_notices_go_to_stderr() {
    printf '%s\n' 'after 0ms  a  echo one; echo two >&2; echo three' 'at 2020-01-01T08:00:00Z b echo' >schedule
    run schedule
    expect status 0 $status
    expect 'one after the other' 'a  one
a  two
a  three' "$(lines)"
    expect notice 'run_schedule: the time of b is past: 2020-01-01T08:00:00.000+00:00; --catch-up runs it' "$(cat err)"
}

r28_each_line_event_and_notice_is_an_object() {
    command -v python3 >/dev/null || { skip 'no python3'; return; }
    cat >schedule <<'END'
MAILTO=root
after 0ms                 a  echo '{"x":"\y"}'; printf 'a\tb'
after 10ms                b  exit 3
after 20ms  retry=1/1ms   c  kill -9 $$
at 2020-01-01T08:00:00Z   d  echo
END
    run --output=json --on-failure 'echo hook: $RUN_SCHEDULE_TASK; exit 1' schedule
    expect status 0 $status
    expect stderr '' "$(cat err)"
    grep -v 'to finish' out >told  # the hook may take longer than the rest
    grep -v '"stream"\|--on-failure of' told >events
    grep '"stream"\|--on-failure of' told >out
    expect 'lines' 'a stdout a	b
a stdout {"x":"\y"}
b stdout hook: b
c stdout hook: c
warning --on-failure of b: exit status 1
warning --on-failure of c: exit status 1' "$(objects | LC_ALL=C sort)"
    mv events out
    expect 'events' 'warning MAILTO is not used: see --on-failure
warning the time of d is past: 2020-01-01T08:00:00.000+00:00; --catch-up runs it
a started 1
a succeeded 1 0
b started 1
b failed 1 3 exit status 3
c started 1
c failed 1 9 killed by signal 9 (Killed)
c retried 2
c started 2
c failed 2 9 killed by signal 9 (Killed)
a summary 1 0 0 0 0
b summary 1 1 0 0 0
c summary 1 1 1 0 0
d summary 0 0 0 0 0' "$(objects)"
}

r28_the_two_streams_are_told_apart_and_hold_any_bytes() {
    command -v python3 >/dev/null || { skip 'no python3'; return; }
    cat >schedule <<'END'
after 0s a printf 'one\n\377\303\0\033[m\342\202\254 end' >&2; printf '%s\n' '' two
END
    run --output=json schedule
    expect status 0 $status
    printf 'a stdout -\na stdout two\na stderr one\na stderr \357\277\275\357\277\275\0\033[m\342\202\254 end\n' >expected
    grep '"stream":"stdout"' out >sorted
    grep '"stream":"stderr"' out >>sorted
    mv sorted out
    objects >values
    expect_true 'the same bytes' "$(cmp values expected && echo same)" = same
}

r28_a_long_line_comes_in_objects_of_whole_characters() {
    command -v python3 >/dev/null || { skip 'no python3'; return; }
    # 100,000 characters of three bytes: as many as fit into 64 KiB, and one that does not end there.
    cat >schedule <<'END'
after 0s a head -c 100000 /dev/zero | tr '\0' x | sed "s/x/$(printf '\342\202\254')/g"
END
    run --output=json schedule
    grep '"stream"' out >lines
    expect 'pieces' '21846 21846 21846 21846 12616' "$(python3 -c '
import json
pieces = [json.loads(line)["message"] for line in open("lines", encoding="utf-8")]
assert "".join(pieces) == 100000 * "\u20ac"
print(*map(len, pieces))')"
}

# Appends what comes from descriptor 3 to the file out, up to a line with $1.
read_until() {  # TEXT
    while read -r line <&3; do
        printf '%s\n' "$line" >>out
        case $line in *"$1"*) return ;; esac
    done
}

r28_skipped_runs_and_overruns_are_events() {
    command -v python3 >/dev/null || { skip 'no python3'; return; }
    mkfifo go out.fifo
    echo 'rate 100ms overlap=skip a read -r line <go' >schedule
    "$run_schedule" --output=json schedule >out.fifo 2>err </dev/null &
    pid=$!
    exec 3<out.fifo
    read_until skipped
    kill -s TERM $pid
    read_until 'waiting for a to finish'
    echo >go
    cat <&3 >>out
    exec 3<&-
    wait $pid
    expect status 0 $?
    expect 'the begin' 'a started 1
a overrun 1
a skipped 1 the previous run has not ended' "$(objects | sed -n 1,3p)"
    expect 'the end' 'info waiting for a to finish
a succeeded 1 0' "$(objects | sed -n '/waiting/,/succeeded/p')"
}

r28_a_dry_run_is_events_and_a_summary() {
    command -v python3 >/dev/null || { skip 'no python3'; return; }
    printf '%s\n' 'every 20s a echo' 'at 2020-01-01T08:00:00Z b echo' >schedule
    run --output=json --dry-run --for 30s schedule
    expect status 0 $status
    expect events 'warning the time of b is past: 2020-01-01T08:00:00.000+00:00; --catch-up runs it
a started 1
a started 1
a summary 2 0 0 0 0
b summary 0 0 0 0 0' "$(objects)"
    expect stderr '' "$(cat err)"
}

r28_errors_before_the_start_stay_text() {
    echo 'evry 1m a x' >schedule
    run --output=json schedule
    expect status 2 $status
    expect stdout '' "$(cat out)"
    expect stderr 'schedule:1: "evry" is not a kind of schedule: expected after, at, every, rate, daily or cron' "$(cat err)"
    echo 'after 0s a true' >schedule
    run --output=json --metrics no/file schedule
    expect 'a file: status' 2 $status
    expect 'a file: stdout' '' "$(cat out)"
    for form in raw json; do
        run --output=$form --watch schedule
        expect "$form and --watch" "run_schedule: --watch cannot be used with --output=$form" "$(sed -n 1p err)"
    done
}

r28_what_a_full_disk_costs_is_told_on_stderr() {
    echo 'after 0s a echo one' >schedule
    "$run_schedule" --output=json schedule >/dev/full 2>err </dev/null
    expect status 1 $?
    # Its start, its line, its end, and the summary.
    expect stderr 'run_schedule: cannot write output: No space left on device
run_schedule: lines of output lost: 4' "$(cat err)"
}

r34_the_exit_status_says_what_has_become_of_all() {
    printf '%s\n' 'after 0s a exit 3' 'every 1h b true' >schedule
    run --for 100ms schedule
    expect 'a command failed' 0 $status
    run --for 100ms --strict schedule
    expect '--strict' 3 $status
    run --stop-on-failure schedule
    expect '--stop-on-failure' 3 $status
    "$run_schedule" --for 100ms --strict schedule >/dev/full 2>err </dev/null
    expect 'output was lost' 1 $?
    run --strict no-such-file
    expect 'nothing ran' 2 $status
    echo 'every 1h c echo $$ >begun' >schedule
    run_until_begun --strict
    expect 'SIGTERM' 0 "$status"
}

run_all
