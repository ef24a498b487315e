#!/bin/sh
# Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#
# Runs each sample, and compares what it prints with samples/expected/NAME.txt, byte by byte.
#
#     BUILD=build sh test/samples/samples_test.sh
set -u

BUILD=${BUILD:-build}
passed=0
failed=0
dir=$(mktemp -d) || exit 1
unset JAVA_TOOL_OPTIONS JDK_JAVA_OPTIONS _JAVA_OPTIONS  # java says on stderr that it has seen them
trap 'rm -rf "$dir"' EXIT

# check NAME EXPECTED COMMAND...: it must print EXPECTED, nothing on stderr, and succeed.
check() {
    name=$1 expected=$2
    shift 2
    "$@" >"$dir/out" 2>"$dir/err" </dev/null
    status=$?
    if [ $status -eq 0 ] && cmp -s "$expected" "$dir/out" && [ ! -s "$dir/err" ]; then
        passed=$((passed + 1))
        return
    fi
    failed=$((failed + 1))
    echo "$name: exit status $status; expected (<) and printed (>), and stderr:"
    diff "$expected" "$dir/out"
    cat "$dir/err"
}

for source in samples/*.cpp; do
    name=$(basename "$source" .cpp)
    argument=
    [ "$name" != reminder ] || argument=1
    check "$name" "samples/expected/$name.txt" "$BUILD/samples/$name" $argument
done

# The Java original prints what its port prints.
if command -v javac >/dev/null && command -v java >/dev/null; then
    if javac -d "$dir" samples/Reminder.java; then
        "$BUILD/samples/reminder" 1 >"$dir/port"
        check Reminder.java "$dir/port" java -cp "$dir" Reminder 1
    else
        failed=$((failed + 1))
        echo 'Reminder.java: does not compile'
    fi
else
    echo 'Reminder.java: not run, there is no JDK here'
fi

echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
