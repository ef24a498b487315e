#!/bin/sh
# Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#
# jtimer-cluster serve beside a server: each case has one of its own. Requests go through bash, which has sockets.
#
# shellcheck disable=SC2016 # what is in quotes is for other shells
set -u

. test/support/cases.sh
. test/support/jtimer_cluster.sh

if "$BUILD/tools/jtimer-cluster" serve --listen 192.0.2.1:1 --host a 2>&1 | grep -q 'built without HTTP'; then
    echo 'not run: HTTP=no'
    sum_up
    exit
fi

cat >>"$tmp/lib.sh" <<'END'
rm -rf "$tmp/case" && mkdir "$tmp/case" && cd "$tmp/case" || exit 1
pid=
trap 'test -z "$pid" || kill $pid' EXIT
token=0123456789abcdefghijklmnopqrstuvwxyz
serve() { # OPTION...
    (umask 077 && echo $token >token)
    rm -f serve.err
    $tool serve --listen 127.0.0.1:0 --secret token "$@" 2>serve.err </dev/null &
    pid=$!
    await grep -qs serving serve.err || exit 1
    port=$(sed -n 's/^jtimer-cluster: serving http:..127.0.0.1:\([0-9]*\)\/$/\1/p' serve.err)
    own="Host: 127.0.0.1:$port"
    test -n "$port" || { cat serve.err; exit 1; }
}
# Sends the text, in which the backslashes of printf's %b count, and prints what comes back.
ask() { # TEXT
    bash -c 'exec 5<>"/dev/tcp/127.0.0.1/$0" && printf "%b" "$1" >&5 && cat <&5' "$port" "$1" | tr -d '\r'
}
get() { ask "GET $1 HTTP/1.1\r\n$own\r\n${2-}Connection: close\r\n\r\n"; } # TARGET [FIELDS]
post() { # TARGET BODY [FIELDS]
    ask "POST $1 HTTP/1.1\r\n$own\r\nContent-Length: ${#2}\r\n${3-}Connection: close\r\n\r\n$2"
}
status() { sed -n '1s/^HTTP\/1.1 \([0-9]*\) .*/\1/p'; }
field() { sed -n "/^\$/q; s/^$1: //p"; } # NAME
is() { # EXPECTED ACTUAL
    test "$1" = "$2" || { printf 'expected\n%s\nand not\n%s\n' "$1" "$2"; cat serve.err; exit 1; }
}
# Whether the status of a page is that.
answers() { test "$(get "$2" | status)" = "$1"; } # STATUS TARGET
finish() {
    kill -s TERM $pid && wait $pid
    is 0 $?
    pid=
}
END

o56_it_is_read_only_without_allow_actions() {
    beside_server <<'END'
$tool migrate >/dev/null && add a 1
serve
for page in / /tasks /names /nodes /history '/task?name=a&id=1' '/name?name=a'; do
    get "$page" >page
    is 200 "$(status <page)"
    ! grep -Eiq '<form[^>]*post' page || { cat page; exit 1; }
done
for path in / /run /pause /resume /cancel /revive /reschedule /nix; do
    post $path "token=$token&name=a&id=1" >page
    is '405 GET, HEAD' "$(status <page) $(field Allow <page)"
done
is 404 "$(get '/confirm?do=cancel&name=a' | status)"
is 'a/1 ' "$(tasks)"
finish
END
}

o57_a_task_is_run_paused_resumed_rescheduled_and_cancelled() {
    beside_server <<'END'
$tool migrate >/dev/null && add a 'x&y'
serve --allow-actions
key="token=$token&name=a&id=x%26y"
gives() { # RESULT PATH BODY
    post "$2" "$3" >page
    is 303 "$(status <page)"
    field Location <page >location
    grep -q "did=${2#/}&result=$1" location || { cat location; exit 1; }
    get "/$(cat location)" >page
    expected=200
    test "$1" != absent || expected=404
    case $(status <page) in 200 | $expected) ;; *) cat location page; exit 1 ;; esac
}
gives changed /pause "$key&scope=task&note=why+%E2%82%AC"
is 'why €' "$(sql "select paused_note from jtimer.task")"
gives already /pause "$key&scope=task"
gives changed /run "$key"
gives changed /resume "$key&scope=task&missed=skip"
gives already /resume "$key&scope=task"
gives changed /reschedule "$key&when=2031-01-01T00:00:00Z"
is t "$(sql "select due = '2031-01-01Z' from jtimer.task")"
gives changed /run "$key"
is t "$(sql "select wake <= now() from jtimer.task")"
gives changed /cancel "$key&scope=task&confirmed=1"
is '' "$(tasks)"
for path in /run /pause /resume /cancel; do gives absent $path "$key&scope=task&confirmed=1"; done
gives absent /reschedule "$key&when=1h"
is 'pause task "a" "x&y": changed
pause task "a" "x&y": already
run task "a" "x&y": changed
resume task "a" "x&y": changed
resume task "a" "x&y": already
reschedule task "a" "x&y": changed
run task "a" "x&y": changed
cancel task "a" "x&y": changed
run task "a" "x&y": absent
pause task "a" "x&y": absent
resume task "a" "x&y": absent
cancel task "a" "x&y": absent
reschedule task "a" "x&y": absent' "$(sed -n 's/^jtimer-cluster: 127.0.0.1:[0-9]*: //p' serve.err)"
finish
END
}

o57_a_page_says_that_the_task_is_running() {
    beside_server <<'END'
$tool migrate >/dev/null && add a 1
sql "insert into jtimer.node (id, name, lease, lease_until, names) values (1, 'n1', '1 h', now() + '1 h', '{a}')"
sql "update jtimer.task set owner = (select id from jtimer.node), started = now(), attempt = 1"
serve --allow-actions
key="token=$token&name=a&id=1"
for action in run "reschedule when=1h"; do
    post "/${action% *}" "$key&${action#* }" | field Location >location
    grep -q 'result=running' location || { cat location serve.err; exit 1; }
done
post /cancel "$key&scope=task&confirmed=1" | field Location >location
grep -q 'did=cancel&result=running' location || { cat location serve.err; exit 1; }
is '' "$(tasks)"
finish
END
}

o57_names_nodes_and_everything_are_paused_and_resumed() {
    beside_server <<'END'
$tool migrate >/dev/null && add a 1
serve --allow-actions
for target in 'scope=name&name=a' 'scope=node&name=n%201' 'scope=everything'; do
    post /pause "token=$token&$target&note=why&confirmed=1" | field Location >location
    grep -q 'did=pause&result=changed' location || { cat location serve.err; exit 1; }
done
is 'everything - why|name a why|node n 1 why' "$($tool pauses --json | sed 's/.*"scope":"\([a-z]*\)","name":\(null\|"\([^"]*\)"\),.*"note":"\([a-z]*\)".*/\1 \3 \4/; s/  / - /' | sort | paste -s -d '|')"
for target in 'scope=name&name=a' 'scope=node&name=n%201' 'scope=everything'; do
    post /resume "token=$token&$target&missed=run&confirmed=1" | field Location >location
    grep -q 'did=resume&result=changed' location || { cat location serve.err; exit 1; }
done
is '' "$($tool pauses --json)"
finish
END
}

o57_what_deletes_or_changes_several_is_shown_first() {
    beside_server <<'END'
$tool migrate >/dev/null && add a 1 && add a 2 infinity why && add b 1 && add b 2 infinity why
serve --allow-actions
for body in /cancel,name=a '/cancel,name=a&id=1&scope=task' '/cancel,state=dead' '/revive,name=a' '/pause,scope=name&name=a' \
    '/pause,scope=node&name=a' /pause,scope=everything /resume,scope=everything; do
    post "${body%%,*}" "token=$token&${body#*,}" >page
    is 303 "$(status <page)"
    field Location <page >location
    grep -q "^confirm?do=$(echo "${body%%,*}" | tr -d /)" location || { cat location; exit 1; }
    get "/$(cat location)" >page
    test "$(status <page)" = 200 || { cat location page; exit 1; }
done
is 'a/1 a/2 b/1 b/2 ' "$(tasks)"
is '' "$($tool pauses --json)"
is 1 "$(get '/confirm?do=cancel&state=dead&name=a' | grep -c 'value="1"')"
post /revive "token=$token&name=a&confirmed=1" | field Location | grep -q 'count=1' || exit 1
is 'b/2' "$(sql "select name || '/' || id from jtimer.task where wake = 'infinity'")"
post /cancel "token=$token&name=b&confirmed=2" | field Location | grep -q 'count=2' || exit 1
is 'a/1 a/2 ' "$(tasks)"
grep -q ': cancel tasks name="b": 2 tasks$' serve.err || exit 1
# Nothing selects everything.
is 400 "$(post /cancel "token=$token&confirmed=9" | status)"
is 400 "$(post /cancel "token=$token&scope=everything&confirmed=9" | status)"
is 'a/1 a/2 ' "$(tasks)"
finish
END
}

o57_a_form_that_cannot_be_used_changes_nothing() {
    beside_server <<'END'
$tool migrate >/dev/null && add a 1
serve --allow-actions
for body in 'name=a&id=%ff' 'name=a&id=1&id=1' 'name=a' 'name=&id=1' "name=a&id=$(printf '%0201d' 0)"; do
    is 400 "$(post /run "token=$token&$body" | status)"
done
is 400 "$(post /reschedule "token=$token&name=a&id=1&when=tomorrow" | status)"
is 400 "$(post /pause "token=$token&scope=all&name=a" | status)"
is 400 "$(post /pause "token=$token&scope=task&name=a&id=1&note=$(printf '%0201d' 0)" | status)"
is 400 "$(post /resume "token=$token&scope=task&name=a&id=1&missed=perhaps" | status)"
is 404 "$(post /nix "token=$token&name=a&id=1" | status)"
is 400 "$(get '/tasks?state=odd' | status)"
is 404 "$(get /run | status)"
is t "$(sql "select wake = '2030-01-01Z' and held is null from jtimer.task")"
finish
END
}

o58_a_post_needs_the_token_and_comes_from_no_other_site() {
    beside_server <<'END'
$tool migrate >/dev/null && add a 1
serve --allow-actions
key="scope=task&confirmed=1&name=a&id=1"
is 403 "$(post /cancel "$key" | status)"
is 403 "$(post /cancel "$key&token=" | status)"
is 403 "$(post /cancel "$key&token=${token}x" | status)"
is 403 "$(post "/cancel?token=$token" "$key" | status)"
for field in 'Sec-Fetch-Site: cross-site' 'Sec-Fetch-Site: same-site' 'Origin: null' "Origin: http://localhost:$port" \
    'Origin: http://evil.example'; do
    is "$field 403" "$field $(post /cancel "$key&token=$token" "$field\r\n" | status)"
done
is 'a/1 ' "$(tasks)"
is 303 "$(post /cancel "$key&token=$token" "Sec-Fetch-Site: same-origin\r\nOrigin: http://127.0.0.1:$port\r\n" | status)"
is '' "$(tasks)"
get / >page
is '' "$(field Set-Cookie <page)"
finish
END
}

o58_each_process_has_a_token_of_its_own_without_secret() {
    beside_server <<'END'
$tool migrate >/dev/null
tokens=
for i in 1 2; do
    rm -f serve.err
    $tool serve --listen 127.0.0.1:0 --allow-actions 2>serve.err &
    pid=$!
    await grep -qs serving serve.err || exit 1
    port=$(sed 's/.*:\([0-9]*\)\/$/\1/' serve.err) own="Host: localhost:$port"
    get '/confirm?do=pause&scope=everything' | grep -Eo '[0-9a-f]{64}' | sort -u >found
    is 1 "$(wc -l <found)"
    tokens="$tokens $(cat found)"
    finish
done
is 2 "$(echo "$tokens" | tr ' ' '\n' | grep -c . )"
is 2 "$(echo "$tokens" | tr ' ' '\n' | grep . | sort -u | wc -l)"
END
}

o59_a_name_that_is_not_the_servers_reads_nothing() {
    beside_server <<'END'
$tool migrate >/dev/null
serve --host ops.example
for host in "evil.example:$port" 127.0.0.1 localhost:1 "192.0.2.1:$port"; do
    own="Host: $host"
    for page in / /metrics /healthz /style.css; do is "$host 421" "$host $(get $page | status)"; done
done
for host in "127.0.0.1:$port" "localhost:$port" ops.example "ops.example:$port"; do
    own="Host: $host"
    is "$host 200" "$host $(get /healthz | status)"
done
is 421 "$(ask 'GET / HTTP/1.1\r\nConnection: close\r\n\r\n' | status)"
finish
END
}

o60_what_others_reach_needs_a_host_and_for_actions_a_password() {
    beside_server <<'END'
others='jtimer-cluster: --listen: others than this computer can reach'
refused() { # MESSAGE OPTION...
    message=$1
    shift
    $tool serve "$@" >out 2>err
    is "2 $message" "$? $(sed -n 1p err)"
}
refused "$others \"0.0.0.0:0\": expected also --host NAME, which is what browsers call this server" --listen 0.0.0.0:0
refused "$others \"0.0.0.0:0\": expected also --auth FILE, or no --allow-actions" --listen 0.0.0.0:0 --host a --allow-actions
refused 'jtimer-cluster: --listen: cannot listen on 192.0.2.1:1: Cannot assign requested address' --listen 192.0.2.1:1 --host a
refused 'jtimer-cluster: --listen: "9100" has no port: expected HOST:PORT, such as 127.0.0.1:9100 or [::1]:9100' --listen 9100
refused 'jtimer-cluster: --auth: "nix" cannot be read: No such file or directory' --auth nix
(umask 077 && echo ann >bad && echo short >short && echo ann:secret >auth)
refused 'jtimer-cluster: --auth: "bad" holds no credentials: expected one line USER:PASSWORD' --auth bad
refused 'jtimer-cluster: --secret: "short" holds no secret: expected one line of 32 to 1000 letters and digits, such as `openssl rand -hex 32` prints' --secret short
chmod 640 auth
refused 'jtimer-cluster: --auth: "auth" is for others, too: expected mode 0600' --auth auth
refused 'jtimer-cluster: --json cannot be used with serve' --json
END
}

o60_each_request_but_that_for_health_needs_the_password() {
    beside_server <<'END'
$tool migrate >/dev/null && (umask 077 && echo ann:secret >auth)
serve --auth auth --allow-actions
right='Authorization: Basic YW5uOnNlY3JldA==\r\n'
for page in / /tasks /metrics /style.css /nix; do
    get $page >page
    is '401 Basic realm="jtimer-cluster", charset="UTF-8"' "$(status <page) $(field WWW-Authenticate <page)"
done
is 401 "$(post /run "token=$token" | status)"
is 200 "$(get /healthz | status)"
is 200 "$(get / "$right" | status)"
is 303 "$(post /cancel "token=$token&name=a" "$right" | status)"
for i in 1 2 3 4 5; do get / 'Authorization: Basic x\r\n' | status; done >statuses
is '401 401 401 401 401' "$(paste -s -d ' ' statuses)"
# Unless these took a second.
get / "$right" | status >last
await answers 401 / || exit 1
case $(cat last) in 429 | 200) ;; *) cat last; exit 1 ;; esac
right() { test "$(get / "$right" | status)" = 200; }
await right || exit 1
finish
END
}

o60_payloads_are_shown_only_if_it_is_told_to() {
    beside_server <<'END'
$tool migrate >/dev/null
sql "insert into jtimer.task (name, id, kind, missed, origin, due, wake, payload)
    values ('a', '1', 'once', 'once', now(), '2030-01-01Z', '2030-01-01Z', (repeat('s', 4094) || 'ecret')::bytea)"
serve
get '/task?name=a&id=1' >page
is '200 0 1' "$(status <page) $(grep -c ssss page) $(grep -c '4,\{0,1\}099' page)"
finish
serve --show-payloads
get '/task?name=a&id=1' >page
is '200' "$(status <page)"
grep -q 'ssssec' page || exit 1
! grep -q 'ssssecr' page || exit 1
finish
END
}

o61_pages_show_only_what_this_server_sends_and_are_in_no_frame() {
    beside_server <<'END'
$tool migrate >/dev/null && add a 1
serve --allow-actions
for page in / /tasks /names /nodes /history '/task?name=a&id=1' '/name?name=a' '/confirm?do=cancel&name=a' /style.css /icon.svg /nix \
    /metrics /healthz; do
    get "$page" >page
    is "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'" \
        "$(field Content-Security-Policy <page)"
    is 'nosniff no-store same-origin' "$(field X-Content-Type-Options <page) $(field Cache-Control <page) $(field Referrer-Policy <page)"
done
is 'text/css; charset=utf-8' "$(get /style.css | field Content-Type)"
is 'text/html; charset=utf-8' "$(get / | field Content-Type)"
own='Host: evil.example'
is no-store "$(get / | field Cache-Control)"
finish
END
}

o55_a_page_that_refreshes_says_so_in_its_head() {
    beside_server <<'END'
$tool migrate >/dev/null
serve
is '' "$(get / | field Refresh)"
get '/tasks?state=dead&refresh=10' | field Refresh | grep -q '^10' || exit 1
is '' "$(get '/?refresh=1' | field Refresh)"
finish
END
}

o62_requests_have_limits() {
    beside_server <<'END'
serve --allow-actions
kib8=$(printf '%08192d' 0)
is 431 "$(get "/?$kib8" | status)"
is 431 "$(get / "x: $kib8\r\n" | status)"
is 413 "$(ask "POST /run HTTP/1.1\r\n$own\r\nContent-Length: 16385\r\n\r\n" | status)"
is 403 "$(post /run "$kib8$kib8" | status)"
is 411 "$(ask "POST /run HTTP/1.1\r\n$own\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" | status)"
for method in PUT DELETE OPTIONS TRACE PATCH CONNECT BREW; do
    ask "$method / HTTP/1.1\r\n$own\r\nConnection: close\r\n\r\n" >page
    is '405 GET, HEAD, POST' "$(status <page) $(field Allow <page)"
done
is 400 "$(ask 'nonsense\r\n\r\n' | status)"
ask "HEAD /healthz?process HTTP/1.1\r\n$own\r\nConnection: close\r\n\r\n" >page
is '200 3 ' "$(status <page) $(field Content-Length <page) $(sed '1,/^$/d' page)"
# The connection stays open.
is 2 "$(ask "GET /healthz?process HTTP/1.1\r\n$own\r\n\r\nGET /healthz?process HTTP/1.1\r\n$own\r\nConnection: close\r\n\r\n" | grep -c '^HTTP/1.1 200')"
finish
END
}

o62_a_request_that_takes_ten_seconds_is_cut_off() {
    beside_server <<'END'
serve
begin=$(date +%s%3N)
is '' "$(ask "GET / HTTP/1.1\r\nHo")"
took=$(($(date +%s%3N) - begin))
test $took -ge 9900 || { echo $took; exit 1; }
finish
END
}

o62_pages_need_no_right_but_to_read() {
    beside_server <<'END'
$tool migrate >/dev/null && add a 1
sql "create role reader login; grant usage on schema jtimer to reader; grant select on all tables in schema jtimer to reader"
JTIMER_CLUSTER='user=reader' serve --allow-actions
for page in / /tasks /names /nodes /history '/task?name=a&id=1' '/name?name=a' '/confirm?do=cancel&name=a' /healthz /metrics; do
    get "$page" >page
    is 200 "$(status <page)"
    ! grep -q 'permission denied' page || { cat page; exit 1; }
done
post /run "token=$token&name=a&id=1" >page
is 503 "$(status <page)"
grep -q 'permission denied' page || { cat page; exit 1; }
grep -q 'run task "a" "1": ERROR: permission denied' serve.err || { cat serve.err; exit 1; }
finish
END
}

o62_a_part_that_takes_longer_than_two_seconds_says_so() {
    beside_server <<'END'
$tool migrate >/dev/null && add a 1
serve
is 200 "$(get / | status)"
mkfifo go
{ echo 'begin; lock jtimer.run;'; cat go; } | psql -qAt & locker=$!
locked() { test "$(sql "select count(*) from pg_locks where mode = 'AccessExclusiveLock' and relation = 'jtimer.run'::regclass")" = 1; }
await locked || exit 1
get /history >page
is 200 "$(status <page)"
grep -q 'This took longer than 2 s' page || { cat page; exit 1; }
# The server has ended it.
is 0 "$(sql "select count(*) from pg_stat_activity where wait_event_type = 'Lock'")"
: >go && wait $locker
history() { get /history >page && ! grep -q 'This took longer' page; }
await history || exit 1
finish
END
}

# Goes to the server by a link, which can be removed.
cat >>"$tmp/lib.sh" <<'END'
by_link() { ln -sfn "$PGHOST" link && JTIMER_CLUSTER="host=$PWD/link" "$@"; }
lose() {
    rm link
    sql "select count(pg_terminate_backend(pid)) from pg_stat_activity where pid <> pg_backend_pid() and application_name = 'jtimer'" >/dev/null
}
END

o63_while_the_database_is_away_pages_are_the_last_ones_with_503() {
    beside_server <<'END'
$tool migrate >/dev/null && add mail 1
by_link serve --allow-actions
for page in / /names '/task?name=mail&id=1'; do is 200 "$(get "$page" | status)"; done
lose
await answers 503 / || exit 1
for page in / /names '/task?name=mail&id=1'; do
    get "$page" >page
    is 503 "$(status <page)"
    grep -q mail page || { cat page; exit 1; }
done
is 503 "$(get '/task?name=mail&id=2' | status)"
is 503 "$(post /run "token=$token&name=mail&id=1" | status)"
is 'jtimer_cluster_up 0' "$(get /metrics | grep '^jtimer')"
by_link await answers 200 / || exit 1
is 200 "$(get '/task?name=mail&id=1' | status)"
finish
END
}

o63_it_starts_also_while_the_database_is_away() {
    beside_server <<'END'
JTIMER_CLUSTER="host=$PWD/link" serve
is 503 "$(get / | status)"
is 503 "$(get /healthz | status)"
is 200 "$(get '/healthz?process' | status)"
by_link true
# There is a server, and no schema.
schema() { get / | grep -q 'call migrate()'; }
await schema || exit 1
$tool migrate >/dev/null
await answers 200 / || exit 1
await answers 200 /healthz || exit 1
finish
END
}

o63_a_signal_ends_it_within_five_seconds_also_if_the_database_hangs() {
    beside_server <<'END'
$tool migrate >/dev/null
for signal in TERM INT; do
    serve
    is 200 "$(get / | status)"
    kill -s $signal $pid && wait $pid
    is 0 $?
    pid=
done
serve
server=$(head -n 1 "$(sql 'show data_directory')/postmaster.pid")
is 200 "$(get / | status)"
for each in $(pgrep -P "$server") $server; do kill -STOP "$each"; done
sleep 1.1 # what was read is not shared any more
get / >page & viewer=$!
get /tasks >tasks & other=$!
sleep 0.3
begin=$(date +%s%3N)
finish
took=$(($(date +%s%3N) - begin))
for each in $(pgrep -P "$server") $server; do kill -CONT "$each"; done
test $took -lt 5000 || { echo $took; exit 1; }
wait $viewer $other
END
}

o65_metrics_are_those_of_names_nodes_and_pauses() {
    beside_server <<'END'
$tool migrate >/dev/null && add mail 1 && add mail 2 infinity why
$tool pause mail >/dev/null
sql "insert into jtimer.node (id, name, lease, lease_until, names) values (1, 'n1', '1 h', now() + '1 h', '{mail}')"
serve
get /metrics >page
is 'text/plain; version=0.0.4; charset=utf-8' "$(field Content-Type <page)"
is 'jtimer_cluster_up 1
jtimer_cluster_tasks{name="mail",state="due"} 0
jtimer_cluster_tasks{name="mail",state="scheduled"} 1
jtimer_cluster_tasks{name="mail",state="paused"} 0
jtimer_cluster_tasks{name="mail",state="running"} 0
jtimer_cluster_tasks{name="mail",state="dead"} 1
jtimer_cluster_oldest_due_seconds{name="mail"} 0
jtimer_cluster_registering_nodes{name="mail"} 1
jtimer_cluster_nodes 1
jtimer_cluster_lease_seconds{node="n1"} x
jtimer_cluster_pauses 1' "$(grep '^jtimer' page | sed '/lease/s/ .*/ x/')"
finish
END
}

o66_health_is_that_of_the_database_or_of_the_process() {
    beside_server <<'END'
$tool migrate >/dev/null
by_link serve
get /healthz >page
is '200 ok' "$(status <page) $(sed '1,/^$/d' page)"
lose
await answers 503 /healthz || exit 1
is 200 "$(get '/healthz?process' | status)"
by_link await answers 200 /healthz || exit 1
sql 'update jtimer.meta set version = 99, serves = 99'
psql -qAtc "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'jtimer'" >/dev/null
await answers 503 /healthz || exit 1
newer() { get /healthz | grep -q 'which needs a newer library'; }
await newer || { get /healthz; exit 1; }
finish
END
}

o62_a_build_without_http_says_so() {
    "$BUILD/test/tools/jtimer-cluster_without_http" serve >"$tmp/out" 2>"$tmp/err"
    test $? -eq 2 && test "$(cat "$tmp/err")" = \
        'jtimer-cluster: serve: this program was built without HTTP: expected one of `make HTTP=yes`'
}

for case in $(sed -n 's/^\(o[0-9][a-z0-9_]*\)() {$/\1/p' "$0"); do
    if [ $# -eq 0 ] || echo "$case" | grep -q "$1"; then check "$case"; fi
done
sum_up
