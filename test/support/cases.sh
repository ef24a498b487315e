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
skipped=0

# One case: its name is a sentence, its function that sentence in lower_snake.
check() {
    rm -f "$tmp/skipped"
    if ! "$1" >"$tmp/log" 2>&1; then
        failed=$((failed + 1))
        echo "FAILED: $1"
        cat "$tmp/log"
    elif [ -e "$tmp/skipped" ]; then
        skipped=$((skipped + 1))
        echo "$1: skipped: $(cat "$tmp/skipped")"
    else
        passed=$((passed + 1))
    fi
}

# A case that cannot run here calls this, says why, and returns.
skip() { echo "$1" >"$tmp/skipped"; }

# The last line of a test script.
sum_up() {
    [ $skipped -eq 0 ] || echo "$skipped skipped"
    echo "$passed passed, $failed failed"
    test $failed -eq 0
}
