#!/bin/sh
# Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#
# Runs the programs that use libjtimer-cluster, each beside a server of its own: the samples, the
# demo, and copies of run_schedule with --cluster.
set -u

. test/support/cases.sh
: "${BUILD:=build}"

beside_server() { "$BUILD/test/cluster/with_server" "$@"; }

# What the sample $1 prints is in samples/expected.
prints_what_is_expected() {
    beside_server "$BUILD/samples/cluster/$1" >"$tmp/out" 2>"$tmp/err" &&
        diff "samples/expected/cluster/$1.txt" "$tmp/out"
}

the_nightly_report_is_one_for_the_cluster() { prints_what_is_expected nightly_report && test ! -s "$tmp/err"; }

the_outbox_sends_what_was_committed() { prints_what_is_expected outbox && test ! -s "$tmp/err"; }

a_dead_task_is_reported_and_revived() {
    prints_what_is_expected retry_with_backoff &&
        test "$(cat "$tmp/err")" = 'Task "charge" "order 2" is dead after 8 attempts: connection refused'
}

# The account is the demo's own; it fails if a promise was broken.
the_demo_shows_a_take_over() {
    beside_server "$BUILD/tools/cluster_demo" >"$tmp/out" && grep -q 'kill -9 worker' "$tmp/out" &&
        grep -q 'taken over' "$tmp/out" && grep -q '^Each one-shot had its effect once' "$tmp/out"
}

# Three copies at once, until ten ticks have come, and one afterwards, until three more have: a line
# that runs once does so once for all of them. Ten ticks of one line take four seconds and more;
# those of three copies by themselves would take two.
copies_of_a_schedule_run_each_line_once() {
    cat >"$tmp/three.sh" <<'END'
schedule=$1/three.schedule out=$1
cat >"$schedule" <<'LINES'
after 300ms once echo x >>"$OUT/once"
rate 500ms overlap=skip tick date +%s%3N >>"$OUT/tick"
LINES
export OUT=$out
copy() { "$run_schedule" --cluster 'application_name=test' --node "$1" "$schedule" >"$out/$1" & }
ticks() {
    while [ "$(cat "$out/tick" 2>/dev/null | wc -l)" -lt "$1" ]; do sleep 0.1; done
    kill -s TERM $2 && wait
}
run_schedule=$2
copies=
for node in a b c; do
    copy $node
    copies="$copies $!"
done
ticks 10 "$copies" || exit 1
seen=$(wc -l <"$out/tick")
copy late
ticks $((seen + 3)) $!
END
    beside_server sh "$tmp/three.sh" "$tmp" "$BUILD/tools/run_schedule" || return 1
    runs() { awk -v task="$1" '$1 == task { sum += $3 } END { print sum }' "$tmp/a" "$tmp/b" "$tmp/c" "$tmp/late"; }
    test "$(wc -l <"$tmp/once")" -eq 1 && test "$(runs once)" -eq 1 &&
        test "$(wc -l <"$tmp/tick")" -eq "$(runs tick)" &&
        test "$(($(sed -n 10p "$tmp/tick") - $(sed -n 1p "$tmp/tick")))" -ge 3500 &&
        grep -q '^task  node  runs' "$tmp/a" && grep -q '^tick     a ' "$tmp/a"
}

# What was due during a run is decided by the database.
a_line_that_skips_what_overlaps_does_so_in_the_cluster() {
    cat >"$tmp/skip.schedule" <<'END'
rate 1h after 1h               rate-waits  true
rate 1h after 1h overlap=skip  rate-skips  true
cron "0 0 1 1 *" UTC               cron-waits  true
cron "0 0 1 1 *" UTC overlap=skip  cron-skips  true
after 1ms                       ends  kill $PPID
END
    cat >"$tmp/skip.sh" <<'END'
"$2" --cluster 'application_name=test' "$1/skip.schedule" >/dev/null &&
    psql -AtF ' ' -c "select name, missed from run_schedule.task where name like '%-%' order by name"
END
    beside_server sh "$tmp/skip.sh" "$tmp" "$BUILD/tools/run_schedule" >"$tmp/missed" &&
        printf '%s\n' 'cron-skips skip' 'cron-waits once' 'rate-skips skip' 'rate-waits once' |
        diff - "$tmp/missed"
}

a_line_that_cannot_be_shared_is_refused() {
    refuses() {
        echo "$1" >"$tmp/bad.schedule"
        beside_server "$BUILD/tools/run_schedule" --cluster application_name=test \
            "$tmp/bad.schedule" >/dev/null 2>"$tmp/err"
        test $? -eq 2 && grep -qF "$2" "$tmp/err" || { cat "$tmp/err" && return 1; }
    }
    refuses 'daily 08:00 report echo' '"report" has no time zone: expected one with --cluster' &&
        refuses 'every 1s overlap=kill poll echo' '"poll" has overlap=kill: expected wait or skip'
}

check the_nightly_report_is_one_for_the_cluster
check the_outbox_sends_what_was_committed
check a_dead_task_is_reported_and_revived
check the_demo_shows_a_take_over
check copies_of_a_schedule_run_each_line_once
check a_line_that_skips_what_overlaps_does_so_in_the_cluster
check a_line_that_cannot_be_shared_is_refused
sum_up
