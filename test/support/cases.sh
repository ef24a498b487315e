# Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#
# For the test scripts, which source it: cases, and a folder $tmp that is removed at the end.
#
# shellcheck shell=sh

tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
trap 'exit 1' HUP INT TERM
passed=0
failed=0

# One case: its name is a sentence, its function that sentence in lower_snake.
check() {
    if "$1" >"$tmp/log" 2>&1; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAILED: $1"
        cat "$tmp/log"
    fi
}

# The last line of a test script.
sum_up() {
    echo "$passed passed, $failed failed"
    test $failed -eq 0
}
