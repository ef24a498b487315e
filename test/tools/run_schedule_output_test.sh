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

run_all
