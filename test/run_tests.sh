#!/bin/sh
# Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#
# Runs test programs, as many at a time as there are processors or TEST_JOBS says; prints a line for
# each, then the whole output of those that have failed, and at the end how many cases were skipped,
# for what this system cannot do (test/support/abilities.hpp), passed and failed.
#
#     BUILD=build test/run_tests.sh build/test/jdk/task_queue_test test/install/make_test.sh ...
#
# A program is a Boost.Test module, one suite of it (build/test/jdk/group1:purge_test), or a script
# whose last line is `N passed, M failed`. One that has not ended after TEST_TIMEOUT seconds (900) has
# failed. What they print stays in LOGS (build/test/logs). EMULATOR runs programs of another processor.
#
# What cannot run here is skipped: a case that says so (support/abilities.hpp), or what a script counts in
# a line `N skipped`. The reasons are printed, and the line before the last is `N skipped`. Boost.Test
# calls skipped what belongs to other suites.
set -u

BUILD=${BUILD:-build}
export BUILD

# Nanoseconds where date knows them, else whole seconds.
now() { date +%s%N | sed 's/N$/000000000/'; }

# What to run the program $1 with. A script runs what it starts with $EMULATOR by itself.
launcher() {
    if command -v timeout >/dev/null; then
        echo "timeout --foreground -k 10 ${TEST_TIMEOUT:-900}"
    fi
    # ThreadSanitizer of older compilers cannot run where the kernel scatters the address space
    # widely.
    if [ "${SANITIZE-}" = thread ] && setarch "$(uname -m)" -R true 2>/dev/null; then
        echo "setarch $(uname -m) -R"
    fi
    case $1 in *.sh) echo sh ;; *) echo "${EMULATOR-}" ;; esac
}

run_one() {
    test=${1%%:*}
    report=
    case $1 in *.sh) ;; *) report='--report_level=short --color_output=no' ;; esac
    # The folder tells apart those of the same name: "jdk/timing_test".
    name=${test#"$BUILD"/}
    case $1 in *:*) name=${name%/*}/${1#*:} report="$report --run_test=${1#*:}" ;; esac
    name=${name#test/}
    name=${name%.sh}
    log=$LOGS/$name.log
    mkdir -p "$(dirname "$log")"
    begin=$(now)
    # shellcheck disable=SC2046,SC2086 # both are lists of words
    $(launcher "$test") "$test" $report >"$log" 2>&1 </dev/null
    status=$?
    elapsed=$(( ($(now) - begin) / 1000000 ))
    counts=$(awk '
        /^Test (module|suite) .* has (passed|failed|been aborted|timed out)/ { boost = 1 }
        boost && /test cases? out of [0-9]+ passed/ { passed += $1 }
        boost && /test cases? out of [0-9]+ (failed|aborted)/ { failed += $1 }
        /^skipped for want of / { inside++ }
        !boost && /^[0-9]+ passed, [0-9]+ failed$/ { passed = $1; failed = $3 }
        !boost && /^[0-9]+ skipped$/ { skipped = $1 }
        END { print passed - inside, failed + 0, skipped + inside }' "$log")
    # shellcheck disable=SC2086 # three numbers
    set -- $counts
    passed=$1 failed=$2 skipped=$3
    # A crash, a sanitizer report or an empty run fails though no case has.
    if [ $status -ne 0 ] || [ $((passed + skipped)) -eq 0 ] || [ "$failed" -gt 0 ]; then
        [ "$failed" -gt 0 ] || failed=1
        why="exit status $status"
        [ $status -ne 124 ] || why="not ended after ${TEST_TIMEOUT:-900} s"
        echo "$why" >"$LOGS/$name.failed"
    fi
    not_run=
    [ "$skipped" -eq 0 ] || not_run=" $skipped skipped"
    printf '    %-36s %4d passed %3d failed %6d ms%s\n' "$name" "$passed" "$failed" "$elapsed" "$not_run"
    echo "$passed $failed $skipped" >"$LOGS/$name.count"
}

if [ "${1-}" = --one ]; then
    run_one "$2"
    exit 0
fi

if [ $# -eq 0 ]; then
    echo "run_tests.sh: no tests" >&2
    exit 1
fi
LOGS=${LOGS:-$BUILD/test/logs}
export LOGS
rm -rf "$LOGS"
mkdir -p "$LOGS"
jobs=${TEST_JOBS:-$(nproc 2>/dev/null || sysctl -n hw.ncpu 2>/dev/null || echo 2)}
printf '%s\n' "$@" | xargs -P "$jobs" -n 1 "$0" --one
find "$LOGS" -name '*.failed' | sort | while read -r failed; do
    name=${failed#"$LOGS"/}
    name=${name%.failed}
    printf '%s\n' "--- $name: $(cat "$failed"), its output: ---"
    cat "$LOGS/$name.log"
done
find "$LOGS" -name '*.log' -exec sed -n 's/^\(skipped for want of .*\):.*/\1/p; /^[^ ]*: skipped: /p' {} + | sort | uniq -c |
    sed 's/ *\([0-9]*\) /    \1 /'
find "$LOGS" -name '*.count' -exec cat {} + | awk -v programs=$# '
    { passed += $1; failed += $2; skipped += $3 }
    END {
        if (NR != programs) failed += programs - NR
        if (skipped) printf "%d skipped\n", skipped
        printf "%d passed, %d failed\n", passed, failed
        exit failed > 0
    }'
