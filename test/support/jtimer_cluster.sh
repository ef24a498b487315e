# Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#
# For the tests of jtimer-cluster, which source it after cases.sh: scripts that run beside a server, and what these
# have in common.
#
# shellcheck shell=sh
# shellcheck disable=SC2154 # tmp is set in cases.sh

: "${BUILD:=build}" "${PYTHON:=python3}"

cat >"$tmp/lib.sh" <<'END'
cd "$tmp" || exit 1
# An end that takes too long ends the process beside its threads, and ThreadSanitizer waits for a second.
export TSAN_OPTIONS='report_thread_leaks=0 atexit_sleep_ms=0' TZ=UTC0
unset JTIMER_CLUSTER
tool="$BUILD/tools/jtimer-cluster"
# Not a function: in the background, $! would be the shell that waits for the program.
play="$BUILD/tools/run_schedule --cluster application_name=test --connect-within 5s"
sql() { psql -qAtF ' ' -c "$1"; }
await() { # until the command succeeds, for 20 s
    tries=0
    until "$@"; do tries=$((tries + 1)); test $tries -lt 400 || return 1; sleep 0.05; done
}
# The status of the command, what it prints, and what it says.
gives() { # STATUS OUTPUT ERROR COMMAND...
    status=$1 output=$2 error=$3
    shift 3
    "$@" >out 2>err </dev/null
    is=$?
    test $is -eq "$status" && test "$(cat out)" = "$output" && test "$(cat err)" = "$error" ||
        { echo "$*: status $is"; cat out err; exit 1; }
}
# A one-shot that no node runs.
add() { # NAME ID [WAKE [LAST_ERROR]]
    sql "insert into jtimer.task (name, id, kind, missed, origin, due, wake, payload, last_error)
        values ('$1', '$2', 'once', 'once', now(), '2030-01-01Z', '${3:-2030-01-01Z}', 'abc', nullif('${4-}', ''))"
}
tasks() { sql "select name || '/' || id from jtimer.task order by name, id" | tr '\n' ' '; }
# Starts a node of a schedule, and waits until it runs.
start() { # NAME FILE
    $play --node "$1" "$2" >>node.out 2>>node.err &
    node=$!
    await sh -c "psql -Atc \"select count(*) from run_schedule.node where name = '$1'\" 2>/dev/null | grep -qx 1"
}
END

# Runs a script, standard input, beside a server.
beside_server() {
    { cat "$tmp/lib.sh" && cat; } >"$tmp/script.sh"
    rm -f "$tmp"/node.*
    tmp=$tmp PYTHON=$PYTHON BUILD=$(cd "$BUILD" && pwd) \
        "$BUILD/test/cluster/with_server" sh -u "$tmp/script.sh"
}
