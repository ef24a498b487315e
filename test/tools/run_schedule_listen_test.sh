#!/bin/sh
# Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#
# tools/run_schedule: --listen and --probe. Requests go through bash, which has sockets.
#
#     BUILD=build sh test/tools/run_schedule_listen_test.sh
#
# shellcheck disable=SC2016,SC2154 # what is in quotes is for other shells; what is used here is set there
set -u
# shellcheck source=test/support/run_schedule.sh
. "$(dirname "$0")/../support/run_schedule.sh"
without_http=${run_schedule%/tools/run_schedule}/test/tools/run_schedule_without_http

# Plays the file schedule until it is ended; its process is $pid, and its address $address.
start() {  # OPTION...
    rm -f notices
    mkfifo notices
    "$run_schedule" --listen 127.0.0.1:0 "$@" schedule >out 2>notices </dev/null &
    pid=$!
    exec 3<notices
    read -r notice <&3
    address=${notice#run_schedule: listening on }
    expect notice "run_schedule: listening on 127.0.0.1:${address#*:}" "$notice"
}

# Ends it by SIGTERM; then its notices are in the file err.
finish() {  # No arguments.
    kill -s TERM "$pid"
    wait "$pid"
    status=$?
    cat <&3 >err
    exec 3<&-
}

# Sends the text $1, in which printf's backslashes count, and prints what comes back.
ask() {  # TEXT
    bash -c 'exec 5<>"/dev/tcp/${0%:*}/${0#*:}" && printf "$1" >&5 && cat <&5' "$address" "$1"
}

get() { ask "GET $1 HTTP/1.1\r\nHost: $address\r\n\r\n" | tr -d '\r'; }

# Sends the text $1, says what has come back if it is to wait for that, and keeps the connection until it is closed.
hang() {  # TEXT [WAIT]
    bash -c 'exec 5<>"/dev/tcp/${0%:*}/${0#*:}" && printf "$1" >&5 && { [ -z "$2" ] || head -n 1 <&5; } && echo connected && cat <&5 && echo closed' \
        "$address" "$1" "${2-}"
}

# Waits until a line of the page $1 is $2.
expect_line() {  # TARGET LINE
    for i in $(seq 200); do
        get "$1" | grep -qxF "$2" && return
        sleep 0.05
    done
    expect "$1" "$2" "$(get "$1")"
}

r32_metrics_and_health_are_served() {
    printf '%s\n' 'after 0s a exit 3' 'every 1h after 1h b true' >schedule
    start
    expect_line /metrics 'run_schedule_failures_total{task="a"} 1'
    get '/metrics?x=y' >page
    expect metrics 'HTTP/1.1 200 OK
Content-Type: text/plain; version=0.0.4; charset=utf-8
Cache-Control: no-store
Connection: close' "$(sed -n 1,4p page)"
    expect tasks 'run_schedule_tasks 2' "$(grep '^run_schedule_tasks' page)"
    # A command that fails is no ill health.
    expect health 'HTTP/1.1 200 OK ok' "$(get /healthz | sed -n '1p;$p' | paste -s -d ' ')"
    expect other 'HTTP/1.1 404 Not Found no such page: expected /metrics or /healthz' \
        "$(get / | sed -n '1p;$p' | paste -s -d ' ')"
    expect post 'HTTP/1.1 405 Method Not Allowed' "$(ask 'POST /metrics HTTP/1.1\r\nContent-Length: 9\r\n\r\n' | tr -d '\r' | head -n 1)"
    finish
    expect status 0 $status
    expect errors '' "$(cat err)"
}

r32_a_port_in_use_or_a_wrong_address_ends_it_before_anything_runs() {
    echo 'every 1h after 1h a true' >schedule
    start
    echo 'after 0s a touch ran' >second
    echo kept >m
    run --listen "$address" --metrics m second
    expect status 2 $status
    expect message "run_schedule: --listen: cannot listen on $address: Address already in use" "$(cat err)"
    expect_true 'nothing ran' ! -e ran
    expect 'the metrics of the other copy' kept "$(cat m)"
    finish
    form='expected HOST:PORT, such as 127.0.0.1:9100 or [::1]:9100'
    wrong() {  # MESSAGE OPTION...
        message=$1
        shift
        run "$@"
        expect "$*: status" 2 $status
        expect "$*" "run_schedule: $message" "$(sed -n 1p err)"
    }
    for option in --listen --probe; do
        wrong "$option: \"9100\" has no port: $form" $option 9100 second
        wrong "$option: \"::1:9100\" is not an address: $form" $option ::1:9100 second
        wrong "$option: \"a:65536\" has no valid port: expected 0 to 65535" $option a:65536 second
    done
    wrong '--listen cannot be used with --dry-run' --listen a:1 --dry-run second
    wrong '--probe cannot be used with FILE' --probe a:1 second
    wrong '--listen: cannot listen on 192.0.2.1:1: Cannot assign requested address' --listen 192.0.2.1:1 second
    expect_true 'nothing ran' ! -e ran
}

r32_a_name_and_an_address_of_ipv6_are_listened_on() {
    echo 'every 1h after 1h a true' >schedule
    for host in localhost '[::1]' 0.0.0.0; do
        : >err
        "$run_schedule" --listen "$host:0" schedule >out 2>err </dev/null &
        pid=$!
        for i in $(seq 400); do
            ! grep -q . err || break
            sleep 0.05
        done
        address=$(sed -n 's/^run_schedule: listening on //p' err)
        if [ "$host" = '[::1]' ] && grep -q 'Cannot assign requested address' err; then
            skip 'no IPv6'
            continue
        fi
        expect "$host: health" ok "$("$run_schedule" --probe "$address")"
        expect "$host" "$host:${address##*:}" "$address"
        kill -s TERM $pid
        wait $pid
    done
}

r32_a_program_without_http_refuses_to_listen() {
    echo 'after 0s a touch ran' >schedule
    for option in '--listen localhost:0' '--check --listen localhost:0' '--probe localhost:1'; do
        # shellcheck disable=SC2086
        "$without_http" $option schedule >out 2>err
        expect "$option: status" 2 $?
        expect "$option" "run_schedule: --$(echo "$option" | sed 's/.*--\([a-z]*\) .*/\1/'): this program was built without HTTP: expected one of \`make HTTP=yes\`" "$(sed -n 1p err)"
    done
    expect_true 'nothing ran' ! -e ran
    "$without_http" schedule >out 2>err
    expect 'without it' 0 $?
    expect_true 'it ran' -e ran
}

r33_a_probe_prints_the_health_and_exits_with_0_or_1() {
    echo 'every 1h after 1h a true' >schedule
    start
    run --probe "$address"
    expect status 0 $status
    expect text ok "$(cat out)"
    expect errors '' "$(cat err)"
    "$run_schedule" --probe "$address" >/dev/full 2>err
    expect 'full: status' 1 $?
    finish
    run --probe "$address"
    expect 'ended: status' 1 $status
    expect 'ended: stderr' "run_schedule: $address: Connection refused" "$(cat err)"
    run --probe 'no host:1'
    expect 'no host: status' 2 $status
    command -v python3 >/dev/null || { skip 'no python3'; return; }
    # Something that answers with 503, and then something that is no server of ours.
    python3 - >port <<'END' &
import socket
s = socket.create_server(("127.0.0.1", 0))
print(s.getsockname()[1], flush=True)
for answer in b"HTTP/1.1 503 x\r\nContent-Length: 4\r\n\r\nwhy\n", b"SSH-2.0-x\r\n":
    c = s.accept()[0]
    c.recv(4096)
    c.sendall(answer)
    c.close()
END
    while [ ! -s port ]; do sleep 0.01; done
    run --probe "127.0.0.1:$(cat port)"
    expect 'ill: status' 1 $status
    expect 'ill: text' why "$(cat out)"
    run --probe "127.0.0.1:$(cat port)"
    expect 'no HTTP: status' 1 $status
    expect 'no HTTP: text' "run_schedule: 127.0.0.1:$(cat port): bad version" "$(cat err)"
    wait
}

r34_r31_the_exit_status_is_the_same_while_a_client_hangs() {
    mkfifo go
    echo 'after 0s a read line <go; exit 1' >schedule
    start --stop-on-failure
    hang 'GET' >client &
    client=$!
    while [ ! -s client ]; do sleep 0.01; done
    echo >go
    wait "$pid"
    expect status 3 $?
    exec 3<&-
    wait $client
    expect client 'connected closed' "$(paste -s -d ' ' client)"
}

r36_metrics_are_the_same_in_a_file_and_by_http() {
    echo 'every 1h after 1h a true' >schedule
    earlier=$(date +%s)
    start --metrics m
    get /metrics | sed '1,/^$/d' >page
    # Until the first run is planned, there is no next one.
    sed '/next_run/d' m >file
    sed '/next_run/d' page | cmp - file || expect 'by HTTP' "$(cat file)" "$(cat page)"
    sed -n 's/^\(run_schedule_[a-z_]*\) .*/\1/p' page >names
    expect 'without a task' 'run_schedule_tasks
run_schedule_start_time_seconds
run_schedule_last_reload_successful
run_schedule_lost_lines_total' "$(cat names)"
    began=$(sed -n 's/^run_schedule_start_time_seconds \([0-9]*\).*/\1/p' page)
    expect_true 'it began then' "$began" -ge "$earlier"
    expect_true 'it began before now' "$began" -le "$(date +%s)"
    expect 'reloaded' 'run_schedule_last_reload_successful 1' "$(grep '^run_schedule_last_reload' page)"

    echo 'every' >schedule
    kill -s USR2 "$pid"
    expect_line /metrics 'run_schedule_last_reload_successful 0'
    expect_line /metrics 'run_schedule_tasks 1'
    printf '%s\n' 'every 1h after 1h b true' 'every 1h after 1h c true' 'every 1h after 1h d true' >schedule
    kill -s USR2 "$pid"
    expect_line /metrics 'run_schedule_last_reload_successful 1'
    expect_line /metrics 'run_schedule_tasks 3'
    finish
    expect 'tasks in the file' 'run_schedule_tasks 3' "$(grep '^run_schedule_tasks' m)"
}

r36_lines_that_are_lost_are_counted() {
    echo 'after 0s a echo one; echo two' >schedule
    echo 'every 1h after 1h b true' >>schedule
    rm -f notices
    mkfifo notices
    "$run_schedule" --listen 127.0.0.1:0 schedule >/dev/full 2>notices </dev/null &
    pid=$!
    exec 3<notices
    read -r notice <&3
    address=${notice#run_schedule: listening on }
    expect_line /metrics 'run_schedule_lost_lines_total 2'
    finish
    expect status 1 $status
}

r37_no_command_inherits_a_descriptor_while_a_connection_is_open() {
    mkfifo go
    echo 'after 0s a read line <go; ls /proc/$$/fd; true' >schedule
    # Two connections, one in the middle of its request, and a descriptor that run_schedule inherits.
    exec 9>inherited
    start
    exec 9>&-
    hang 'GET' >half &
    first=$!
    hang 'GET /healthz HTTP/1.1\r\n\r\n' wait >whole &
    second=$!
    while [ ! -s half ] || ! grep -q connected whole; do sleep 0.01; done
    echo >go
    wait "$pid"
    exec 3<&-
    wait $first $second
    case $(uname -r) in
    [0-4].* | 5.[0-9].* | 5.10.*) skip 'what is inherited: no close_range() with a flag' ;;
    *) expect descriptors '0 1 2' "$(lines | sed 's/^a  //' | paste -s -d ' ')" ;;
    esac
}

r37_slow_clients_delay_no_command_and_no_other_client() {
    echo 'rate 10ms a true' >schedule
    start
    clients=
    for i in 1 2 3 4 5 6 7 8 9 10; do
        hang 'GET /metrics HTTP/1.1\r\nHost: ' >"client$i" &
        clients="$clients $!"
    done
    for i in 1 2 3 4 5 6 7 8 9 10; do
        while [ ! -s "client$i" ]; do sleep 0.01; done
    done
    runs() { get /metrics | sed -n 's/^run_schedule_runs_total{task="a"} //p'; }
    earlier=$(runs)
    sleep 0.2
    expect_true 'it goes on' "$(runs)" -gt "$earlier"
    finish
    expect status 0 $status
    # shellcheck disable=SC2086
    wait $clients
    expect 'the clients' "$(printf 'connected\nclosed\n%.0s' 1 2 3 4 5 6 7 8 9 10)" "$(cat client*)"
}

r37_a_request_that_is_too_long_is_refused() {
    echo 'every 1h after 1h a true' >schedule
    start
    expect status 'HTTP/1.1 431 Request Header Fields Too Large' \
        "$(ask "GET /$(printf '%09000d' 0) HTTP/1.1\r\n\r\n" | tr -d '\r' | head -n 1)"
    finish
}

if "$run_schedule" --probe localhost:1 2>&1 | grep -q 'built without HTTP'; then
    echo 'not run: HTTP=no'
    echo '0 passed, 0 failed'
    exit
fi
run_all
