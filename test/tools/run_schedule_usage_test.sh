#!/bin/sh
# Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#
# tools/run_schedule: its command line, and files that are wrong.
#
#     BUILD=build sh test/tools/run_schedule_usage_test.sh
#
# shellcheck disable=SC2016,SC2154 # literal backquotes; what is used here is set there
set -u
# shellcheck source=test/support/run_schedule.sh
. "$(dirname "$0")/../support/run_schedule.sh"

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
    expect stderr 'schedule:1: "2030-03-31T02:30:00" is skipped by the clocks here: expected a local time that exists, or a UTC offset' "$(cat err)"
    TZ=UTC0 run --dry-run schedule
    expect status 0 $status
}

wrong_usage_and_unreadable_files_end_with_2() {
    echo 'after 0s a touch ran' >schedule
    mkdir folder
    usage='Usage: run_schedule [OPTION...] FILE...
See `run_schedule --help`.'

    wrong_usage() {
        message=$1
        shift
        "$run_schedule" "$@" >out 2>err </dev/null
        expect "$*: status" 2 $?
        expect "$*: stderr" "run_schedule: $message
$usage" "$(cat err)"
        expect "$*: stdout" '' "$(cat out)"
    }
    wrong_usage 'no FILE given'
    wrong_usage 'no FILE given' --dry-run
    wrong_usage "unrecognised option '--dry'" --dry schedule
    wrong_usage '--for: "5" is not a duration: expected a whole number and its unit, such as 500ms, 10s, 5m, 2h or 1d' \
        --for 5 schedule
    wrong_usage '--for: "36501d" is too long: expected at most 36500d' --for=36501d schedule

    wrong_usage '--grace: "soon" is not a duration: expected a whole number and its unit, such as 500ms, 10s, 5m, 2h or 1d' \
        --grace soon schedule

    for jobs in 0 1001 x '' 1x; do
        wrong_usage "--jobs: \"$jobs\" is not a number of commands: expected 1 to 1000" --jobs "$jobs" schedule
    done
    wrong_usage '--trace: the name is empty: expected a file' --trace '' schedule
    wrong_usage '--watch cannot be used with --dry-run' --watch --dry-run schedule
    wrong_usage '--metrics cannot be used with --dry-run' --metrics m --dry-run schedule
    wrong_usage '--reload cannot be used with --dry-run' --reload --dry-run schedule
    wrong_usage '--reload cannot be used with standard input' --reload -
    for option in --list --prune '--schema x' '--revive x' '--node x'; do
        # shellcheck disable=SC2086
        wrong_usage "${option%% *} cannot be used without --cluster" $option schedule
    done
    wrong_usage '--list cannot be used with FILE' --cluster x --list schedule
    wrong_usage '--prune cannot be used with --check' --cluster x --prune --check schedule
    wrong_usage '--schema: "" cannot be a schema: expected 1 to 48 bytes of UTF-8' --cluster x --schema '' schedule
    wrong_usage '--reload-every cannot be used with --dry-run' --reload-every 1s --dry-run schedule
    wrong_usage '--reload-every cannot be used with standard input' --reload-every 1s -
    wrong_usage '--reload-every: "0s" would be all the time: expected a duration such as 10s' \
        --reload-every 0s schedule

    cp schedule ./--for
    run --dry-run -- --for
    expect 'a name that looks like an option' 0 $status
    run --for
    expect 'no duration' 2 $status

    run nothing
    expect 'nothing: status' 2 $status
    expect 'nothing: stderr' 'run_schedule: cannot read nothing: No such file or directory' "$(cat err)"
    run folder
    expect 'folder: status' 2 $status
    expect 'folder: stderr' 'run_schedule: cannot read folder: Is a directory' "$(cat err)"
    expect_true 'nothing ran' ! -e ran
}

a_schedule_without_a_task_is_refused() {
    echo '# nothing' >schedule
    for dry in '' --dry-run; do
        run $dry schedule
        expect status 2 $status
        expect stdout '' "$(cat out)"
        expect stderr 'run_schedule: schedule has no task: expected a line such as: every 1m load uptime' "$(cat err)"
    done
    : | "$run_schedule" - >out 2>err
    expect 'input: status' 2 $?
    expect 'input: stderr' 'run_schedule: standard input has no task: expected a line such as: every 1m load uptime' "$(cat err)"
}

a_dash_is_the_standard_input() {
    echo 'after 0s a touch ran' | "$run_schedule" --dry-run - >out 2>err
    expect 'dry: status' 0 $?
    expect 'dry: lines' 'a  touch ran' "$(lines)"
    expect_true 'dry: nothing ran' ! -e ran
    # Its commands do not read it.
    printf '\357\273\277after 0s a cat; echo end' | "$run_schedule" - >out 2>err
    expect status 0 $?
    expect lines 'a  end' "$(lines)"

    printf 'after 1s after 2s a echo\nafter 0s a # nothing\n' | "$run_schedule" - >out 2>err
    expect 'bad: status' 2 $?
    expect 'bad: stderr' 'standard input:1: "after" cannot be a name: expected a word other than after, at, every, rate, daily and cron
standard input:2: "a" has only a comment as its command: expected a command after the name' "$(cat err)"
    "$run_schedule" - <. >out 2>err
    expect 'folder: status' 2 $?
    expect 'folder: stderr' 'run_schedule: cannot read standard input: Is a directory' "$(cat err)"
    "$run_schedule" - <&- >out 2>err
    expect 'closed: status' 2 $?
    expect 'closed: stderr' 'run_schedule: cannot read standard input: Bad file descriptor' "$(cat err)"
}

a_file_without_lines_is_not_read_into_memory() {
    timeout 20 "$run_schedule" /dev/zero >out 2>err
    expect status 2 $?
    expect stderr '/dev/zero:1: the line is too long: expected at most 1 MiB' "$(cat err)"
}

the_version_is_jtimers() {
    run --version
    expect status 0 $status
    version=$("$(dirname "$script")/../../build-aux/version")
    expect stdout "run_schedule (jtimer) $version" "$(cat out)"
    expect stderr '' "$(cat err)"
}

r66_help_is_usage_options_and_five_examples() {
    run -h
    expect '-h: status' 0 $status
    mv out short
    run --help
    expect status 0 $status
    expect 'with -h' "$(cat out)" "$(cat short)"
    expect stderr '' "$(cat err)"
    expect usage 'Usage: run_schedule [OPTION...] FILE...' "$(sed -n 1p out)"
    expect 'longest line' 100 "$(awk 'length > 100 { print "more"; exit } END { print 100 }' out)"
    # Its example is a schedule.
    sed -n 's/^  \(\(after\|at\|every\|rate\|daily\|cron\) .*\)/\1/p' out >schedule
    expect 'lines of the example' 5 "$(wc -l <schedule)"
    run --dry-run --for 1s schedule
    expect 'status of the example' 0 $status
}

# The page has the option and the text of each line, wherever the help breaks it.
the_manual_page_has_the_options_of_the_help() {
    page=$(dirname "$script")/../../doc/reference/run_schedule.md
    tr -d '`' <"$page" | sed -n '/^## Options/,/^## /s/^| \(--*[a-z].*\) |$/\1/p' >page
    run --help
    sed -n '/^Options:/,/^$/p' out | awk '
        /^  -/ { if (text != "") print text; text = "" }
        /^  / { text = text " " $0 }
        END { print text }' | tr -s ' ' | tr -d '`' |
        sed -e 's/^ //' -e 's/-h \[ --help \]/-h, --help/' -e 's/ arg / /' |
        sort >help
    sed 's/ | / /' page | sort >said
    expect_true 'many options' "$(wc -l <help)" -gt 15
    expect 'options and their texts' "$(cat help)" "$(cat said)"
}

run_all
