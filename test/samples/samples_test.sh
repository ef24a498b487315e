#!/bin/sh
# Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#
# Runs each sample, samples/NAME.cpp or samples/ROOM/NAME.cpp, and compares what it prints with
# samples/expected/NAME.txt or samples/expected/ROOM/NAME.txt, byte by byte. One that cannot run here
# says what it needs and exits with 77. The Java programs that samples are ports of are compared too,
# where there is a JDK.
#
#     BUILD=build sh test/samples/samples_test.sh
#
# With EMULATOR set, that runs them, and the Java programs are left out.
set -u

BUILD=${BUILD:-build}
passed=0
failed=0
skipped=0
dir=$(mktemp -d) || exit 1
unset JAVA_TOOL_OPTIONS JDK_JAVA_OPTIONS _JAVA_OPTIONS  # java says on stderr that it has seen them
trap 'rm -rf "$dir"' EXIT

# check NAME EXPECTED COMMAND...: it must print EXPECTED, nothing on stderr, and succeed.
check() {
    name=$1 expected=$2
    shift 2
    "$@" >"$dir/out" 2>"$dir/err" </dev/null
    status=$?
    if [ "${EMULATOR-}" = wine ]; then # lines end as on Windows
        tr -d '\r' <"$dir/out" >"$dir/plain" && mv "$dir/plain" "$dir/out"
    fi
    if [ $status -eq 77 ]; then
        skipped=$((skipped + 1))
        echo "$name: skipped: $(cat "$dir/out")"
        return
    fi
    if [ $status -eq 0 ] && cmp -s "$expected" "$dir/out" && [ ! -s "$dir/err" ]; then
        passed=$((passed + 1))
        return
    fi
    failed=$((failed + 1))
    echo "$name: exit status $status; expected (<) and printed (>), and stderr:"
    diff "$expected" "$dir/out"
    cat "$dir/err"
}

# What the sample $1 takes on its command line.
arguments() {
    case $1 in
    reminder) echo 1 ;;
    esac
}

# What the Java original of the sample $1 tells the JVM: it writes a private field of TimerTask.
java_options() {
    case $1 in
    porting/updatable_period) echo --add-opens java.base/java.util=ALL-UNNAMED ;;
    esac
}

for source in samples/*.cpp samples/*/*.cpp; do
    name=${source#samples/}
    name=${name%.cpp}
    case $name in cluster/*) continue ;; esac # those need a server: make check-cluster
    # shellcheck disable=SC2046,SC2086 # lists of words
    check "$name" "samples/expected/$name.txt" ${EMULATOR-} "$BUILD/samples/$name" $(arguments "$name")
done

# The Java original of name_of_port.cpp, NameOfPort.java beside it, prints what the port prints.
originals=$(ls samples/*.java samples/*/*.java)
if [ -n "${EMULATOR-}" ]; then
    :
elif ! command -v javac >/dev/null || ! command -v java >/dev/null; then
    echo 'The Java originals are not run: there is no JDK here.'
elif ! javac -d "$dir" $originals; then
    failed=$((failed + 1))
    echo 'The Java originals do not compile.'
else
    for original in $originals; do
        class=$(basename "$original" .java)
        name=$(echo "${original#samples/}" |
            sed 's/\.java$//; s/\([a-z]\)\([A-Z]\)/\1_\2/g' | tr '[:upper:]' '[:lower:]')
        # shellcheck disable=SC2046
        check "$original" "samples/expected/$name.txt" java $(java_options "$name") -cp "$dir" "$class" $(arguments "$name")
    done
fi

[ $skipped -eq 0 ] || echo "$skipped skipped"
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
