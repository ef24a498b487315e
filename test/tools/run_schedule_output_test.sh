#!/bin/sh
# Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#
# tools/run_schedule: what becomes of output that cannot be written.
#
#     BUILD=build sh test/tools/run_schedule_output_test.sh
#
# shellcheck disable=SC2016 # what is in quotes is for other shells
set -u
# shellcheck source=test/support/run_schedule.sh
. "$(dirname "$0")/../support/run_schedule.sh"

full='run_schedule: cannot write output: No space left on device'

a_full_disk_is_reported_and_what_it_cost_is_counted_and_commands_go_on() {
    printf '%s\n' 'after 0s a echo one; echo two' 'after 1ms b touch ran' >schedule
    "$run_schedule" --jobs 1 schedule >/dev/full 2>err
    expect status 1 $?
    # Two lines, and the four and an empty one of the table.
    expect stderr "$full
run_schedule: lines of output lost: 6" "$(cat err)"
    expect_true 'the other command ran' -e ran
}

a_pipe_that_nobody_reads_is_tried_again_with_each_line() {
    mkfifo out.fifo go_b go_c
    cat >schedule <<'END'
after 0ms  a  echo one
after 1ms  b  read -r line <go_b; echo two; echo three
after 2ms  c  read -r line <go_c
after 3ms  d  echo four
END
    "$run_schedule" --jobs 1 schedule >out.fifo 2>err </dev/null &
    pid=$!
    head -n 1 <out.fifo >out  # and goes away
    echo >go_b
    exec 5>go_c 6<out.fifo  # when c reads, b has ended; then there is a reader again
    echo >&5
    exec 5>&-
    cat <&6 >>out
    exec 6<&-
    wait $pid
    expect status 1 $?
    expect lines 'a  one
d  four' "$(lines)"
    expect stderr 'run_schedule: cannot write output: Broken pipe
run_schedule: writing output again; lines lost: 2
run_schedule: lines of output lost: 2' "$(cat err)"
    expect table 'a 1 0
b 1 0
c 1 0
d 1 0' "$(table)"
}

output_that_was_closed_at_the_start_goes_nowhere_else() {
    printf '%s\n' 'after 0s a echo one; touch ran' >schedule
    "$run_schedule" --jobs 1 schedule >&- 2>err
    expect status 1 $?
    expect stderr 'run_schedule: cannot write output: Bad file descriptor
run_schedule: lines of output lost: 4' "$(cat err)"
    expect_true 'the command ran' -e ran

    rm ran
    "$run_schedule" --jobs 1 schedule >out 2>&- <&-
    expect 'no input and no errors: status' 0 $?
    expect 'no input and no errors: lines' 'a  one' "$(lines)"
}

a_dry_run_ends_where_its_output_cannot_be_written() {
    echo 'rate 1ms a x' >schedule
    timeout 60 "$run_schedule" --jobs 1 --dry-run --for 36500d schedule >/dev/full 2>err
    expect status 1 $?
    expect 'first error' "$full" "$(sed -n 1p err)"
    expect errors 2 "$(wc -l <err)"
}

help_that_cannot_be_written_is_an_error() {
    for option in --help -h --version; do
        "$run_schedule" $option >/dev/full 2>err
        expect "$option: status" 1 $?
        expect "$option: stderr" "$full" "$(cat err)"
    done
}

# Prints the number of the events in the JSON of the standard input, and the last one's name.
events_of() { python3 -c 'import json, sys; e = json.load(sys.stdin); print(len(e), e[-1]["name"] if e else "")'; }

r52_a_trace_on_a_full_disk_is_cut_back_to_its_last_whole_event() {
    command -v python3 >/dev/null || { skip 'no python3'; return; }
    for n in $(seq 9); do echo "after ${n}ms a$n true"; done >schedule
    "$run_schedule" --dry-run --trace whole.json schedule >out 2>err
    expect 'whole: status' 0 $?
    expect 'whole: events' '18 a9' "$(events_of <whole.json)"
    # Files of 512 bytes, and of 1024: the event that begins there is cut.
    for dry in '' --dry-run; do
        for blocks in 1 2; do
            (ulimit -f $blocks && exec "$run_schedule" $dry --jobs 1 --trace cut.json schedule 2>&1 >/dev/null) |
                cat >err
            expect "$dry $blocks: stderr" 'run_schedule: cannot write cut.json: File too large' "$(cat err)"
            expect "$dry $blocks: events" "$(sed "\$d" cut.json | wc -l)" "$(($(events_of <cut.json | cut -d ' ' -f 1) + 1))"
            expect_true "$dry $blocks: some" "$(wc -c <cut.json)" -gt $((blocks * 512 - 300))
            expect_true "$dry $blocks: not more" "$(wc -c <cut.json)" -le $((blocks * 512))
        done
    done
}

r52_a_trace_goes_on_as_soon_as_the_disk_has_room() {
    command -v python3 >/dev/null || { skip 'no python3'; return; }
    # The only command that runs after the disk was full makes room.
    printf '%s\n' 'after 0s a true' 'after 1ms b head -c 1000000 /dev/zero >disk/zeros 2>/dev/null; exit 0' \
        "after 2ms $(printf '%04096d' 0 | tr 0 c) true" 'after 3ms d rm disk/zeros' 'after 4ms e true' >schedule
    mkdir disk
    unshare --user --map-root-user --mount sh -c \
        'mount -t tmpfs -o size=64k none disk && "$@" >out 2>err; echo $? >status; cp disk/t.json .' sh \
        "$run_schedule" --jobs 1 --trace disk/t.json schedule 2>/dev/null || { skip 'no tmpfs for this user'; return; }
    expect status 1 "$(cat status)"
    expect stderr 'run_schedule: cannot write disk/t.json: No space left on device
run_schedule: writing disk/t.json again; events lost: 2' "$(cat err)"
    expect events '8 e' "$(events_of <t.json)"
}

r52_a_trace_into_a_pipe_ends_as_json() {
    command -v python3 >/dev/null || { skip 'no python3'; return; }
    echo 'after 0s a true' >schedule
    mkfifo pipe
    "$run_schedule" --trace pipe schedule >out 2>err </dev/null &
    pid=$!
    expect events '2 a' "$(events_of <pipe)"
    wait $pid
    expect status 0 $?
}

run_all
