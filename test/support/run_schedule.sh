#!/bin/sh
# Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#
# What the tests of tools/run_schedule have in common: each of them reads this at its beginning,
# and ends with `run_all`. A test is a function that begins with `NAME() {`; it runs in an empty
# folder, calls `expect` any number of times, and has failed if one of them has.
#
# shellcheck disable=SC2013,SC2034 # no odd names; what is set here is used there

BUILD=${BUILD:-build}
run_schedule=$PWD/$BUILD/tools/run_schedule
case $0 in /*) script=$0 ;; *) script=$PWD/$0 ;; esac
passed=0
failed=0
skipped=0
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1
export TZ=UTC0

run_test() {
    test_name=$1
    wrong=0
    before=$skipped
    rm -rf "${dir:?}"/*
    "$1"
    if [ $wrong -eq 1 ]; then
        failed=$((failed + 1))
    elif [ $skipped -eq "$before" ]; then
        passed=$((passed + 1))
    fi
}

run_all() {
    for test in $(sed -n 's/^\([a-z0-9_]*\)() {$/\1/p' "$script"); do run_test "$test"; done
    [ $skipped -eq 0 ] || echo "$skipped skipped"
    echo "$passed passed, $failed failed"
    [ $failed -eq 0 ]
}

# expect WHAT EXPECTED ACTUAL
expect() {
    [ "$2" = "$3" ] && return
    wrong=1
    printf '%s: %s: expected\n%s\nand not\n%s\n' "$test_name" "$1" "$2" "$3"
}

# expect_true WHAT CONDITION...: a condition of test(1).
expect_true() {
    what=$1
    shift
    [ "$@" ] && return
    wrong=1
    printf '%s: %s: not true: %s\n' "$test_name" "$what" "$*"
}

# Says that the rest of a test does not run here, and why.
skip() {
    skipped=$((skipped + 1))
    echo "$test_name: skipped: $1"
}

# Runs with these arguments, one command at a time; what comes of it is in the files out and err, and in $status.
run() {
    "$run_schedule" --jobs 1 "$@" >out 2>err </dev/null
    status=$?
}

# What was printed before the table, without the times.
lines() { sed -e '/^$/,$d' -e 's/^[^ ]* //' out; }

# The same with times: milliseconds from the first line's.
timeline() {
    sed '/^$/,$d' out | awk '
        {
            split(substr($1, 12), t, ":")
            time = int(t[1] * 3600000 + t[2] * 60000 + t[3] * 1000 + 0.5)
            if (NR == 1) first = time
            $1 = (time - first + 86400000) % 86400000  # it may pass midnight
            print
        }'
}

# The table: name, runs, failures.
table() { sed '1,/^task /d' out | awk '{ print $1, $2, $3 }'; }

# Waits until $1 is in a file, at most 20 seconds.
await() {  # TEXT [FILE]
    for i in $(seq 400); do
        grep -qs "$1" "${2:-out}" && return
        sleep 0.05
    done
    expect "$1" there "$(cat "${2:-out}")"
}

# What `times` printed, on the standard input: the CPU time of all commands that have ended.
cpu_seconds() { awk -F '[ms ]+' 'NR == 2 { print int($1 * 60 + $2 + $3 * 60 + $4) }'; }

# Whether the process $1 is there, and not only waiting for its parent to look at it.
lives() { grep -qs '^State:.[^ZX]' "/proc/$1/status"; }

# The process $1, whose parent run_schedule is not or no more, has been killed: it is gone as soon as
# the system gets round to it.
expect_gone() {
    for i in $(seq 400); do
        lives "$1" || return
        sleep 0.05
    done
    expect "process $1" 'gone' 'there'
}

# Starts a command that says something and then waits for a word in the fifo go. Returns when the
# first line has come, in $first. Descriptors 3 and 4 are the output and the errors of run_schedule.
start_slow() {
    rm -f go out.fifo err.fifo
    mkfifo go out.fifo err.fifo
    cat >schedule <<'END'
after 0s  slow   echo one; read line <go; echo two
after 0s  next   echo never
every 1h  again  echo never
END
    "$run_schedule" --jobs 1 --grace 1h schedule >out.fifo 2>err.fifo </dev/null &
    pid=$!
    exec 3<out.fifo 4<err.fifo
    read -r first <&3
}

# Sends signal $1, and reads what is said about it.
signal_slow() {
    kill -s "$1" "$pid"
    read -r notice <&4
}

# Collects the whole output in the file out and the exit status in $status.
finish_slow() {
    { echo "$first" && cat <&3; } >out
    wait "$pid" 2>/dev/null
    status=$?
    exec 3<&- 4<&-
}

# Plays the file schedule, and sends SIGTERM when a command has written its pid to the fifo begun.
# That is in $command then; what comes of it, in the files out and err, and in $status.
run_until_begun() {  # OPTION...
    rm -f begun
    mkfifo begun
    "$run_schedule" --jobs 1 "$@" schedule >out 2>err </dev/null &
    pid=$!
    read -r command <begun
    kill -s TERM "$pid"
    wait "$pid"
    status=$?
}
