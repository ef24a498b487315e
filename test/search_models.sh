#!/bin/sh
# Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#
# Has spin search the models, test/*/model/*.pml: as they are, without an error, and with each of the
# deliberate mistakes, where it must find an error. Takes a minute and half a gigabyte.
#
#     SPIN=spin sh test/search_models.sh
set -u

: "${SPIN:=spin}" "${CC:=cc}"
for tool in "$SPIN" "$CC"; do
    if ! command -v "$tool" >/dev/null; then
        echo "make: $tool not found: the models were not searched"
        exit 0
    fi
done
tests=$PWD/test
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
passed=0
failed=0

# search ERRORS MODEL SETTING...: the search must end with so many errors. With none it must be
# complete.
search() {
    errors=$1 model=$2
    shift 2
    (cd "$dir" && rm -f pan* && "$SPIN" "$@" -a "$tests/$model" &&
        "$CC" -O2 -w -DCOLLAPSE -DSAFETY -o pan pan.c && ./pan -m100000) >"$dir/out" 2>&1
    if grep -q "errors: $errors\$" "$dir/out" &&
        { [ "$errors" -ne 0 ] || ! grep -q 'not completed\|max search depth' "$dir/out"; }; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "$model $*: there should be $errors errors:"
        cat "$dir/out"
    fi
}

mutex=sync/model/mutex.pml
search 0 $mutex
search 0 $mutex -DMUTEXES=1
search 0 $mutex -DALTERNATING
search 0 $mutex -DEXCHANGES -DALTERNATING
search 1 $mutex -DMISTAKE=1
search 1 $mutex -DMISTAKE=2
search 1 $mutex -DMISTAKE=3
search 1 $mutex -DMISTAKE=4 -DALTERNATING
search 1 $mutex -DMISTAKE=5

wake=brpc/model/nearest.pml
search 0 $wake -DBUCKETS=1
search 0 $wake -DBUCKETS=2
search 0 $wake -DTASKS_EACH=2 -DTASKS=2
search 1 $wake -DMISTAKE=1
search 1 $wake -DMISTAKE=2
search 1 $wake -DMISTAKE=3

search 0 tokio/model/extension.pml

echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
