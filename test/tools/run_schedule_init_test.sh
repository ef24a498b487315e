#!/bin/sh
# Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#
# tools/run_schedule: as the first process of a container, and what signals do to it.
#
#     BUILD=build sh test/tools/run_schedule_init_test.sh
#
# shellcheck disable=SC2005,SC2016,SC2034,SC2046,SC2119,SC2120,SC2154 # for other shells; what is used here is set there
set -u
# shellcheck source=test/support/run_schedule.sh
. "$(dirname "$0")/../support/run_schedule.sh"

# Becomes run_schedule as process 1 of a container: it has a /proc of its own, a folder that it cannot
# write, no HOME and no input.
in_container() {  # COMMAND...
    unset HOME
    exec unshare --user --map-root-user --mount --pid --fork --mount-proc sh -c \
        'mount --bind . . && mount -o remount,bind,ro . && cd . && exec "$@" <&-' sh "$@"
}

# Whether this system lets us make one. If not, the test is skipped.
has_containers() {  # no test
    (in_container true) 2>/dev/null && return
    skip 'no namespaces for this user'
    return 1
}

# Starts the schedule in the file schedule. $pid is unshare, $first its process 1, for us outside. It
# returns when the command of the schedule has written to the fifo begun.
start_container() {  # OPTION...
    rm -f begun
    mkfifo begun
    (in_container "$run_schedule" "$@" schedule >out 2>err) &
    pid=$!
    read -r said <begun
    first=$(pgrep -P "$pid")
}

end_container() {  # no test
    wait "$pid" 2>/dev/null
    status=$?
}

r45_r64_a_hundred_orphans_leave_no_zombie() {
    has_containers || return
    # Each true is an orphan, as is the cat that run_schedule itself leaves behind for the sleep. A shell
    # becomes its command a moment after it was forked, so we look until all of them have.
    cat >schedule <<'END'
after 0s orphans for i in $(seq 100); do (true & true); done; (sleep 1000 >&2 &)
after 1ms look   for i in $(seq 2000); do found=$(cat /proc/[0-9]*/comm 2>/dev/null); found=$(echo $(echo "$found" | sort)); [ "$found" = "$left" ] && break; done; echo "$found"
END
    left='cat cat run_schedule run_schedule sh sleep'
    (export left && in_container "$run_schedule" --jobs 1 --for 20s schedule >out 2>err)
    expect status 0 $?
    expect stderr '' "$(cat err)"
    expect 'what is left' "look $left" "$(echo $(lines))"
}

r45_r64_it_exits_as_its_schedule_does() {
    has_containers || return
    echo 'after 0s a exit 7' >schedule
    for end in 0 1 2 3; do
        option=
        case $end in 1) option='--trace /dev/full' ;; 2) option='--jobs 0' ;; 3) option=--strict ;; esac
        # shellcheck disable=SC2086
        (in_container "$run_schedule" $option schedule >out 2>err)
        expect "status with $option" $end $?
    done
    expect lines 'a  [failed: exit status 7]' "$(lines)"
}

r45_r48_r64_each_signal_reaches_it_through_process_1() {
    has_containers || return
    for signal in TERM INT QUIT HUP; do
        echo 'after 0s a trap "echo bye; exit 0" TERM; echo >begun; while :; do sleep 0.01; done' >schedule
        start_container --grace 500ms
        kill -s $signal "$first"
        end_container
        expect "$signal: status" 0 $status
        expect "$signal: lines" 'a  bye' "$(lines | grep -v Terminated)"
        expect "$signal: table" 'a 1 0' "$(table)"
    done
}

r45_r64_a_command_that_ignores_sigterm_is_killed_and_so_may_be_the_schedule() {
    has_containers || return
    echo 'after 0s a trap "" TERM; echo >begun; while :; do sleep 1; done' >schedule
    start_container --grace 100ms
    kill -s TERM "$first"
    end_container
    expect status 0 $status
    expect lines 'a  [failed: ended by run_schedule: killed by signal 9 (Killed)]' "$(lines)"

    start_container --grace 1h
    for i in $(seq 100); do
        kill -s KILL "$(pgrep -P "$first" -x run_schedule)" 2>/dev/null || break
        sleep 0.05
    done
    end_container
    expect 'its schedule was killed: status' 137 $status
}

r48_r64_sigusr2_reaches_the_schedule_through_process_1() {
    has_containers || return
    mkfifo go
    echo 'after 0s a echo >begun; read -r line <go; echo >&2' >schedule
    start_container
    printf '%s\n' 'after 0s b echo two; echo >go' >>schedule
    kill -s USR2 "$first"
    end_container
    expect status 0 $status
    expect lines 'b  two' "$(lines | grep -v '^a')"
}

r45_a_child_subreaper_reaps_too_and_takes_its_schedule_along() {
    command -v python3 >/dev/null || { skip 'no python3'; return; }
    mkfifo begun lines
    cat >schedule <<'END'
after 0s orphan (true & true)
after 1ms look  reaper=$(sed -n 's/^PPid:\t//p' /proc/$PPID/status); while grep -q "^State:.Z" $(grep -ls "^PPid:.$reaper$" /proc/[0-9]*/status); do :; done 2>/dev/null; cat /proc/$reaper/comm; echo $reaper $PPID $$ >begun; exec sleep 1000
END
    # 36 is PR_SET_CHILD_SUBREAPER.
    python3 -c 'import ctypes, os, sys; ctypes.CDLL(None).prctl(36, 1, 0, 0, 0); os.execv(sys.argv[1], sys.argv[1:])' \
        "$run_schedule" --jobs 1 schedule >lines 2>err </dev/null &
    pid=$!
    exec 3<lines
    read -r reaper scheduler command <begun
    expect 'its first process' $pid "$reaper"
    head -n 1 <&3 >out
    exec 3<&-
    expect lines 'look    run_schedule' "$(lines)"
    kill -s KILL $pid
    wait $pid 2>/dev/null
    expect_gone "$scheduler"
    kill "$command"
}

r46_r64_a_ctrl_c_at_the_terminal_counts_once() {
    has_containers || return
    command -v python3 >/dev/null || { skip 'no python3'; return; }
    cat >schedule <<'END'
after 0s a trap 'exit 5' TERM; echo begun; sleep 0.5; echo finished
END
    # The container's terminal is one of its own. A second interrupt would kill the command at once.
    cat >terminal.py <<'END'
import os, pty, sys
pid, terminal = pty.fork()
if pid == 0:
    os.execvp(sys.argv[1], sys.argv[1:])
said = b""
while b"begun\r\n" not in said:
    said += os.read(terminal, 1000)
os.write(terminal, b"\x03")
while True:
    try:
        more = os.read(terminal, 1000)
    except OSError:
        break
    if not more:
        break
    said += more
sys.stdout.write(said.decode().replace("\r", ""))
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
END
    for container in '' 'unshare --user --map-root-user --pid --fork --mount-proc'; do
        # shellcheck disable=SC2086
        python3 terminal.py $container "$run_schedule" schedule >out 2>err
        expect "$container: status" 0 $?
        expect "$container: lines" 'a  begun
a  finished' "$(lines | grep '^a')"
        expect "$container: table" 'a 1 0' "$(table)"
    done
}

# Descriptor 3 is what it reads; it has opened that when this returns.
start_reading() {  # OPTION...
    rm -f input
    mkfifo input
    "$run_schedule" "$@" input >out 2>err </dev/null &
    pid=$!
    exec 3>input
}

r47_a_signal_before_the_schedule_is_read_ends_it_in_order() {
    for signal in TERM INT QUIT HUP; do
        start_reading
        echo 'after 0s a touch ran' >&3
        kill -s $signal $pid
        wait $pid
        expect "$signal: status" 0 $?
        exec 3>&-
        expect "$signal: output" '' "$(cat out err)"
    done
    expect_true 'nothing ran' ! -e ran
}

r47_a_signal_at_any_moment_of_the_start_ends_it_in_order() {
    echo 'every 1h a true' >schedule
    # Until its first statement, env has blocked the signal.
    env --block-signal=TERM true 2>/dev/null || { skip 'env has no --block-signal'; return; }
    mkfifo begun
    for pause in 0 0.002 0.004 0.008; do
        env --block-signal=TERM sh -c 'echo >begun; exec "$@"' sh "$run_schedule" schedule >out 2>err </dev/null &
        pid=$!
        read -r line <begun
        sleep $pause
        kill -s TERM $pid
        wait $pid
        expect "after $pause s: status" 0 $?
    done
}

r48_sigquit_ends_it_like_sigterm() {
    start_slow
    signal_slow QUIT
    expect notice 'run_schedule: waiting for slow to finish' "$notice"
    kill -s QUIT $pid
    finish_slow
    expect status 0 $status
    expect lines 'slow   one
slow   [failed: ended by run_schedule: killed by signal 9 (Killed)]' "$(lines)"
}

r48_sigusr2_reads_the_file_again() {
    mkfifo go
    echo 'after 0s a read -r line <go' >schedule
    for option in '' --reload; do
        # shellcheck disable=SC2086
        "$run_schedule" $option schedule >out 2>err </dev/null &
        pid=$!
        exec 3>go  # when the command runs
        printf '%s\n' 'after 0s a read -r line <go' 'after 0s b echo two; echo >go' >schedule
        kill -s USR2 $pid
        wait $pid
        expect "$option: status" 0 $?
        exec 3>&-
        expect "$option: lines" 'b  two' "$(lines)"
        expect "$option: notice" 'run_schedule: schedule read again: 1 added, 0 changed, 0 removed' "$(cat err)"
        echo 'after 0s a read -r line <go' >schedule
    done
}

r48_what_cannot_be_read_again_stays_as_it_is() {
    mkfifo go err.fifo
    echo 'after 0s a read -r line <go' | "$run_schedule" - >out 2>err.fifo &
    pid=$!
    exec 4<err.fifo 3>go
    kill -s USR2 $pid
    read -r notice <&4
    expect notice 'run_schedule: standard input cannot be read again: the schedule stays as it was' "$notice"
    echo >&3
    exec 3>&- 4<&-
    wait $pid
    expect status 0 $?
}

r49_a_change_of_a_file_is_noticed_also_behind_a_link() {
    mkfifo go notices
    mkdir -p v1 v2
    echo 'after 0s a read -r line <go' | tee v1/schedule >v2/schedule
    echo 'after 0s b echo two' >>v2/schedule
    # As Kubernetes updates a ConfigMap: the name stays a link to a link to a folder that changes.
    ln -s v1 data
    ln -s data/schedule schedule
    "$run_schedule" --reload-every 10ms schedule >out 2>notices </dev/null &
    pid=$!
    exec 4<notices 3>go  # when the command runs
    ln -s v2 next
    mv -T next data
    read -r notice <&4
    expect 'another folder' 'run_schedule: schedule read again: 1 added, 0 changed, 0 removed' "$notice"
    # A wrong file is reported once, and so is one that is not there.
    echo 'after' >v3
    mv v3 v2/schedule
    read -r notice <&4
    expect 'what is wrong' 'schedule:1: nothing follows "after": expected a duration, such as 500ms, 10s, 5m, 2h or 1d' "$notice"
    read -r notice <&4
    expect 'a wrong file' 'run_schedule: the schedule stays as it was' "$notice"
    rm schedule
    read -r notice <&4
    expect 'no file' 'run_schedule: cannot read schedule: No such file or directory' "$notice"
    read -r notice <&4
    cp v1/schedule schedule
    read -r notice <&4
    expect 'the file is back' 'run_schedule: schedule read again: 0 added, 0 changed, 1 removed' "$notice"
    echo >&3
    exec 3>&-
    expect 'nothing else' '' "$(cat <&4)"
    exec 4<&-
    wait $pid
    expect status 0 $?
    expect lines 'b  two' "$(lines)"
}

run_all
