#!/bin/sh
# Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#
# samples/run_schedule from end to end.
#
#     BUILD=build sh test/samples/run_schedule_test.sh
#
# shellcheck disable=SC2012,SC2013,SC2016 # no odd names; what is in quotes is for other shells
set -u

BUILD=${BUILD:-build}
run_schedule=$PWD/$BUILD/samples/run_schedule
passed=0
failed=0
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1
export TZ=UTC0

# --- helpers -------------------------------------------------------------------------------------

# Each test is a function. It calls `expect` any number of times, and has failed if one of them has.
run_test() {
    test_name=$1
    wrong=0
    rm -rf "${dir:?}"/*
    "$1"
    if [ $wrong -eq 0 ]; then passed=$((passed + 1)); else failed=$((failed + 1)); fi
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

# Runs with these arguments; what comes of it is in the files out and err, and in $status.
run() {
    "$run_schedule" "$@" >out 2>err </dev/null
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
    "$run_schedule" schedule >out.fifo 2>err.fifo </dev/null &
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

# --- tests ---------------------------------------------------------------------------------------

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

times_are_local_and_have_milliseconds() {
    echo 'after 0s a echo one; sleep 0.01; echo two' >schedule
    before=$(TZ=IST-5:30 date +%Y-%m-%dT%H:%M:%S)
    TZ=IST-5:30 run schedule
    after=$(TZ=IST-5:30 date +%Y-%m-%dT%H:%M:%S.999)
    one=$(awk '/ a  one$/ { print $1 }' out)
    two=$(awk '/ a  two$/ { print $1 }' out)
    shape='^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3} a  '
    expect shape 2 "$(grep -Ec "$shape" out)"
    expect order "$(printf '%s\n' "$before" "$one" "$two" "$after" | sort)" \
        "$(printf '%s\n' "$before" "$one" "$two" "$after")"
    # It slept for ten milliseconds: the time is that of the line, not of the start of the command.
    expect_true 'the second line is later' "$one" != "$two"
}

a_past_time_runs_at_once_and_the_lateness_tells() {
    printf '%s\n' 'after 0s now echo now' 'at 2000-01-01T00:00:00 past echo past' >schedule
    run schedule
    expect lines 'past  past
now   now' "$(lines)"
    late_years=$(awk '$1 == "past" { print int($6 / 1000 / 86400 / 365) }' out)
    expect_true 'late by decades' "$late_years" -ge 26
}

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

an_empty_schedule_ends_at_once() {
    echo '# nothing' >schedule
    run schedule
    expect status 0 $status
    expect output '
task  runs  failures  median lateness  worst lateness' "$(cat out)"
}

a_signal_lets_the_running_command_finish() {
    for signal in INT TERM; do
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

a_second_signal_does_not_wait() {
    for signal in INT TERM; do
        start_slow
        signal_slow $signal
        kill -s $signal $pid
        finish_slow
        expect "$signal: status" $signal "$(kill -l $status)"
        expect "$signal: lines" 'slow   one' "$(lines)"
        expect "$signal: table" '' "$(table)"
        echo >go  # the command is still there, and must not stay
    done
}

a_failing_command_is_reported_counted_and_stops_nothing() {
    cat >schedule <<'END'
after 0ms  status  echo before; exit 3
after 1ms  killed  kill -9 $$
after 2ms  lost    no-such-command 2>/dev/null
after 3ms  good    exit 0
rate  1ms  often   false
END
    run --for 200ms schedule
    expect status 0 $status
    expect lines 'status  before
status  [failed: exit status 3]
killed  [failed: killed by signal 9 (Killed)]
lost    [failed: exit status 127]' "$(lines | grep -v '^often')"
    expect 'kinds of failures of often' 'often   [failed: exit status 1]' \
        "$(lines | grep '^often' | sort -u)"
    often=$(lines | grep -c '^often')
    expect table "status 1 1
killed 1 1
lost 1 1
good 1 0
often $often $often" "$(table)"
}

a_command_that_cannot_be_started_is_a_failure() {
    # Linux takes no argument of more than 128 KiB.
    printf '%s %200000s\n%s\n' 'after 0s a echo' never 'after 1ms b echo next' >schedule
    run schedule
    expect status 0 $status
    expect lines 'a  [failed: cannot be started: Argument list too long]
b  next' "$(lines)"
    expect table 'a 1 1
b 1 0' "$(table)"
}

a_background_process_does_not_hold_the_timer() {
    cat >schedule <<'END'
after 0ms  quiet  sleep 1000 & echo $!; printf 'last'
after 1ms  loud   yes & echo $!
after 2ms  next   echo next
END
    run schedule
    expect status 0 $status
    kill "$(lines | awk '$1 == "quiet" { print $2; exit }')"
    expect quiet 'quiet  last' "$(lines | grep '^quiet' | tail -n 1)"
    expect next 'next   next' "$(lines | tail -n 1)"
    expect table 'quiet 1 0
loud 1 0
next 1 0' "$(table)"
}

a_command_that_closes_its_output_is_waited_for() {
    echo 'after 0s a exec >&- 2>&-; sleep 0.2; exit 4' >schedule
    run schedule
    expect lines 'a  [failed: exit status 4]' "$(lines)"
}

a_command_has_an_empty_input_its_own_group_default_signals_and_no_descriptors_of_ours() {
    cat >schedule <<'END'
after 0ms  input    cat; echo end
after 1ms  group    read -r pid name state parent group rest </proc/$$/stat; echo $((group - $$))
after 2ms  signals  . ./signals
after 3ms  files    ls /proc/self/fd | tr '\n' ' '
after 4ms  status   exit 3
END
    # Without those of glibc, which are beyond 31.
    cat >signals <<'END'
while read -r key mask; do
    case $key in SigBlk: | SigIgn:) echo $key $((0x$mask & 0x7fffffff)) ;; esac
done </proc/self/status
END
    # Started with signals ignored and blocked, which a process hands on to those that it starts.
    unusual='env --ignore-signal=INT,USR1,CHLD,PIPE --block-signal=USR2'
    $unusual true 2>/dev/null || unusual='env'
    $unusual "$run_schedule" schedule >out 2>err </dev/null
    expect lines "input    end
group    0
signals  SigBlk: 0
signals  SigIgn: 0
files    $(ls /proc/self/fd | tr '\n' ' ')
status   [failed: exit status 3]" "$(lines)"
    expect table 'input 1 0
group 1 0
signals 1 0
files 1 0
status 1 1' "$(table)"
}

a_line_without_end_comes_in_pieces() {
    printf '%s\n' 'after 0s a head -c 200000 /dev/zero | tr "\0" x' >schedule
    run schedule
    expect lengths '65536 65536 65536 3392 ' "$(lines | awk '{ printf "%d ", length($2) }')"
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
task   runs  failures  median lateness  worst lateness
r         5         0         0.000 ms        0.000 ms
e         3         0         0.000 ms        0.000 ms
once      1         0         0.000 ms        0.000 ms
later     0         0                -               -' "$(sed -n '/^$/,$p' out)"
    expect_true 'nothing ran' ! -e ran
    expect stderr '' "$(cat err)"
}

a_dry_run_starts_now() {
    echo 'rate 1s a x' >schedule
    before=$(date +%Y-%m-%dT%H:%M:%S)
    run --dry-run --for 0s schedule
    first=$(awk 'NR == 1 { print $1 }' out)
    after=$(date +%Y-%m-%dT%H:%M:%S.999)
    expect order "$(printf '%s\n' "$before" "$first" "$after" | sort)" \
        "$(printf '%s\n' "$before" "$first" "$after")"
}

a_dry_run_of_what_repeats_is_a_day_and_takes_seconds() {
    printf '%s\n' 'rate 250ms r x' 'every 1m e x' 'after 1d last x' 'after 86400001ms beyond x' \
        >schedule
    begin=$(date +%s)
    run --dry-run schedule
    expect_true 'it took seconds' $(($(date +%s) - begin)) -le 10
    expect table 'r 345601 0
e 1441 0
last 1 0
beyond 0 0' "$(table)"
    expect lines $((345601 + 1441 + 1)) "$(lines | wc -l)"
}

a_dry_run_of_what_does_not_repeat_goes_to_the_last_run() {
    printf '%s\n' 'at 2199-12-31T23:59:59.250 last echo bye' 'after 3d b x' >schedule
    run --dry-run schedule
    expect status 0 $status
    expect last '2199-12-31T23:59:59.250 last  echo bye' "$(sed -n 2p out)"
    expect table 'last 1 0
b 1 0' "$(table)"
}

bad_lines_are_all_reported_and_nothing_runs() {
    printf '%s\n' 'after 0s good touch ran' 'every 0s a x' '' 'at 2030-02-31T08:00:00 b x' \
        'rate 1s' >schedule
    for dry in '' --dry-run; do
        run $dry schedule
        expect status 2 $status
        expect stdout '' "$(cat out)"
        expect stderr 'schedule:2: "0s" is not a period: expected at least 1ms
schedule:4: "2030-02-31T08:00:00" has an impossible day: expected 01 to 28
schedule:5: the line has no name: expected a name and a command after the time' "$(cat err)"
        expect_true 'nothing ran' ! -e ran
    done
}

a_local_time_that_the_clocks_skip_is_a_bad_line() {
    echo 'at 2030-03-31T02:30:00 a x' >schedule
    TZ=CET-1CEST,M3.5.0,M10.5.0/3 run --dry-run schedule
    expect status 2 $status
    expect stderr 'schedule:1: "2030-03-31T02:30:00" is skipped by the clocks here: expected a local time that exists, earlier or later that day' "$(cat err)"
    TZ=UTC0 run --dry-run schedule
    expect status 0 $status
}

wrong_usage_and_unreadable_files_end_with_2() {
    echo 'after 0s a touch ran' >schedule
    mkdir folder
    usage='Usage: run_schedule [--for DURATION] [--dry-run] FILE
`run_schedule --help` tells more.'

    wrong_usage() {
        message=$1
        shift
        run "$@"
        expect "$*: status" 2 $status
        expect "$*: stderr" "run_schedule: $message
$usage" "$(cat err)"
        expect "$*: stdout" '' "$(cat out)"
    }
    wrong_usage 'no FILE is given: expected one'
    wrong_usage 'no FILE is given: expected one' --dry-run
    wrong_usage "unrecognised option '--dry'" --dry schedule
    wrong_usage '--for: "5" is not a duration: expected a whole number and its unit, such as 500ms, 10s, 5m, 2h or 1d' \
        --for 5 schedule
    wrong_usage '--for: "36501d" is too long: expected at most 36500d' --for=36501d schedule

    run schedule schedule
    expect 'two files' 2 $status
    run --for
    expect 'no duration' 2 $status

    run nothing
    expect 'nothing: status' 2 $status
    expect 'nothing: stderr' 'nothing: cannot be read: No such file or directory' "$(cat err)"
    run folder
    expect 'folder: status' 2 $status
    expect 'folder: stderr' 'folder: cannot be read: Is a directory' "$(cat err)"
    expect_true 'nothing ran' ! -e ran
}

help_goes_to_stdout() {
    run --help
    expect status 0 $status
    expect stderr '' "$(cat err)"
    expect usage 'Usage: run_schedule [--for DURATION] [--dry-run] FILE' "$(sed -n 1p out)"
    expect 'longest line' 100 "$(awk 'length > 100 { print "more"; exit } END { print 100 }' out)"
    # Its example is a schedule.
    sed -n 's/^  \(\(after\|at\|every\|rate\) .*\)/\1/p' out >schedule
    expect 'lines of the example' 5 "$(wc -l <schedule)"
    run --dry-run --for 1s schedule
    expect 'status of the example' 0 $status
}

output_that_cannot_be_written_is_an_error() {
    echo 'after 0s a echo one' >schedule
    "$run_schedule" schedule >/dev/full 2>err
    expect status 1 $?
    expect stderr 'run_schedule: the output cannot be written' "$(cat err)"
}

for test in $(sed -n 's/^\([a-z0-9_]*\)() {$/\1/p' "$OLDPWD/test/samples/run_schedule_test.sh"); do
    case $test in
    run_test | expect | expect_true | run | timeline | *_slow) ;;
    *) run_test "$test" ;;
    esac
done

echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
