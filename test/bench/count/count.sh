#!/bin/sh
# Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#
# Usage: count.sh compare|record PROGRAM, from the project's folder; `make bench-count` calls it.
#
# Counts the instructions of the timer's calls under callgrind. `compare` prints how they differ from
# test/bench/instructions.txt; `record` writes that file. Fewer instructions are no goal: simple code
# that takes a few more is better. A commit that changes a count by more than 3% says why.
# Instructions, unlike seconds, come out the same on a busy machine; but each compiler, C library and
# Boost makes its own. The file says which ones it is about, and with others nothing is compared.
set -u

mode=$1
program=$2
committed=test/bench/instructions.txt
: "${VALGRIND:=valgrind}" "${FLAGS=}" "${SCRATCH:=build/test/bench/count}"
limit=3

if ! valgrind=$(command -v "$VALGRIND"); then
    echo "bench-count: no $VALGRIND here, nothing was counted; \`make deps-dev' installs it" >&2
    [ "$mode" = compare ]
    exit
fi
mkdir -p "$SCRATCH" || exit 1

# Addresses and the environment do not get into what is counted; nothing shall begin to.
if setarch "$(uname -m)" -R true 2>/dev/null; then
    fixed_addresses="setarch $(uname -m) -R"
else
    fixed_addresses=
fi

conditions() {
    "$program" versions && echo "flags: $FLAGS" && echo "architecture: $(uname -m)"
}

# The instructions between the two marks, of the thread that came by both: callgrind writes them to
# a part of its own.
count() {  # OPERATION SIZE
    rm -f "$SCRATCH"/callgrind.*
    # shellcheck disable=SC2086 # two words and an option, or nothing
    env -i LC_ALL=C LD_LIBRARY_PATH="${LD_LIBRARY_PATH-}" PATH="$PATH" $fixed_addresses \
        "$valgrind" --tool=callgrind --separate-threads=yes \
        --zero-before=countBegin --dump-before=countEnd \
        --callgrind-out-file="$SCRATCH/callgrind" "$program" "$1" "$2" \
        >"$SCRATCH/log" 2>&1 || return 1
    awk '/^summary:/ { print $2; found = 1 } END { exit !found }' "$SCRATCH"/callgrind.1-*
}

# `operation size instructions`, by line.
count_all() {
    "$program" runs | while read -r operation size calls; do
        if ! instructions=$(count "$operation" "$size"); then
            cat "$SCRATCH/log" >&2
            echo "bench-count: $operation $size has failed, see above" >&2
            exit 1
        fi
        awk -v i="$instructions" -v c="$calls" -v name="$operation $size" \
            'BEGIN { printf "%s %.2f\n", name, i / c }'
    done
}

conditions >"$SCRATCH/conditions" || exit 1
count_all >"$SCRATCH/counted" || exit 1

if [ "$mode" = record ]; then
    {
        echo "# Instructions a call, by operation and number of pending tasks. Written by"
        echo "# \`make bench-count-record'; \`make bench-count' prints how they have changed since."
        echo "# They hold for this compiler with these flags, and these libraries:"
        echo "#"
        sed 's/^/# /' "$SCRATCH/conditions"
        echo
        cat "$SCRATCH/counted"
    } >"$SCRATCH/instructions.txt" && cp "$SCRATCH/instructions.txt" "$committed" || exit 1
    echo "bench-count: written to $committed"
    cat "$SCRATCH/counted"
    exit
fi

sed -n 's/^# \([a-z]*: .*\)/\1/p' "$committed" >"$SCRATCH/recorded-conditions" || exit 1
comparable=yes
if ! cmp -s "$SCRATCH/conditions" "$SCRATCH/recorded-conditions"; then
    comparable=no
    echo "bench-count: nothing is compared. $committed was recorded with"
    sed 's/^/    /' "$SCRATCH/recorded-conditions"
    echo "and here is"
    sed 's/^/    /' "$SCRATCH/conditions"
fi

awk -v limit=$limit -v comparable=$comparable -v committed=$committed '
    /^#/ || NF == 0 { next }
    FILENAME == committed { old[$1 " " $2] = $3; next }
    FNR == 1 { printf "%-20s %7s %14s %14s %8s\n", "operation", "pending", "instr./call", "committed", "change" }
    {
        key = $1 " " $2
        seen[key] = 1
        before = comparable == "yes" && key in old ? old[key] : ""
        if (before == "") {
            printf "%-20s %7d %14.2f %14s %8s\n", $1, $2, $3, "-", "-"
            if (comparable == "yes") unknown = unknown "\n    " key
            next
        }
        change = ($3 - before) / before * 100
        printf "%-20s %7d %14.2f %14.2f %+7.2f%%\n", $1, $2, $3, before, change
        if (change > limit || change < -limit)
            changed = changed "\n    " key sprintf(": %+.2f%%", change)
    }
    END {
        if (comparable != "yes") exit 0
        for (key in old) if (!(key in seen)) unknown = unknown "\n    " key
        if (unknown != "") {
            print "\nOnly one of this and " committed " has these:" unknown
            print "`make bench-count-record'\'' brings them together."
        }
        if (changed != "") {
            print "\nChanged by more than " limit "%:" changed
            print "The commit says why, and `make bench-count-record'\'' writes " committed "."
        }
    }' "$committed" "$SCRATCH/counted"
