#!/bin/sh
# Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#
# tools/run_schedule: the files of packaging/ for containers and systemd, and doc/containers.md.
#
#     BUILD=build sh test/tools/run_schedule_container_test.sh
#
# shellcheck disable=SC2016,SC2046,SC2086,SC2154 # in quotes is Markdown; words are split; what is used here is set there
set -u
# shellcheck source=test/support/run_schedule.sh
. "$(dirname "$0")/../support/run_schedule.sh"

root=$(dirname "$script")/../..
packaging=$root/packaging
page=$root/doc/containers.md

# The words of a list in JSON that stands in one line of the file $1, after $2 and blanks.
words() {  # FILE BEFORE
    sed -n "s/^ *$2 *\[\(.*\)\]\$/\1/p" "$1" | tr -d '",'
}

# What in the file $1 follows $2, in seconds.
seconds() {  # FILE BEFORE
    sed -n "s/.*$2\([0-9]*\)s\{0,1\}\( .*\|\"*, .*\)\{0,1\}\$/\1/p" "$1" | head -n 1
}

# Checks a command line whose files are here: conf is /etc/run_schedule, and state /var/lib/run_schedule.
check_here() {  # WHAT OPTION...
    what=$1
    shift
    mkdir -p state
    run --check $(echo "$*" | sed "s#/etc/run_schedule/#$PWD/conf/#; s#/var/lib/run_schedule/#$PWD/state/#")
    expect "$what: stderr" 'run_schedule: a time of a fixed line that the clocks show twice is due the second time; cronie takes the first' \
        "$(cat err)"
    expect "$what: status" 0 $status
    expect "$what: lines" 'load poll backup ' "$(cut -d ' ' -f 1 out | tr '\n' ' ')"
}

r63_the_command_lines_of_the_image_and_of_compose_pass_a_check() {
    cp -R "$packaging/docker/schedule" conf
    expect 'entry point' run_schedule "$(words "$packaging/docker/Dockerfile" ENTRYPOINT)"
    check_here Dockerfile $(words "$packaging/docker/Dockerfile" CMD)
    check_here compose.yaml $(words "$packaging/docker/compose.yaml" command:)
}

r33_r63_the_health_of_the_image_is_that_of_its_schedule() {
    cp -R "$packaging/docker/schedule" conf
    probe=$(words "$packaging/docker/Dockerfile" 'HEALTHCHECK .* CMD')
    expect 'how it is asked' 'run_schedule --probe 127.0.0.1:8080' "$probe"
    # With a port that is free.
    : >err
    "$run_schedule" $(words "$packaging/docker/Dockerfile" CMD |
        sed "s#/etc/run_schedule/#$PWD/conf/#; s#0.0.0.0:8080#127.0.0.1:0#") >out 2>err </dev/null &
    pid=$!
    for i in $(seq 400); do
        port=$(sed -n 's/.*127\.0\.0\.1:\([0-9]*\).*/\1/p' err | head -n 1)
        [ -z "$port" ] || break
        sleep 0.05
    done
    "$run_schedule" --probe "127.0.0.1:${port:-0}" >probed 2>&1
    expect 'healthy' 0 $?
    expect 'what it says' ok "$(cat probed)"
    kill $pid
    wait $pid
    "$run_schedule" --probe "127.0.0.1:${port:-0}" >/dev/null 2>&1
    expect 'not there' 1 $?
}

r63_an_image_is_built_and_plays_its_schedule() {
    timeout 20 docker info >/dev/null 2>&1 || { skip 'not run: no Docker daemon answers'; return; }
    docker build -q -f "$packaging/docker/Dockerfile" -t run_schedule_test "$root" >log 2>&1 ||
        { expect 'the image' 'is built' "$(cat log)"; return; }
    docker run --rm --read-only --tmpfs /tmp -e TZ=Europe/Berlin run_schedule_test \
        --for 1s /etc/run_schedule/schedule >out 2>err
    expect status 0 $?
    expect_true 'a line has run' "$(grep -c '^load  *1 ' out)" -eq 1
    docker compose -f "$packaging/docker/compose.yaml" config -q || expect compose.yaml right wrong
    docker image rm run_schedule_test >/dev/null 2>&1
}

r65_the_command_line_of_the_pod_passes_a_check() {
    mkdir conf
    sed -n '/^  schedule: |$/,/^---$/s/^    //p' "$packaging/kubernetes.yaml" >conf/schedule
    check_here kubernetes.yaml $(words "$packaging/kubernetes.yaml" args:)
    expect strategy Recreate "$(sed -n 's/^    type: //p' "$packaging/kubernetes.yaml")"
    expect replicas 1 "$(sed -n 's/^  replicas: //p' "$packaging/kubernetes.yaml")"
}

r65_the_files_for_compose_and_kubernetes_are_yaml() {
    python3 -c 'import yaml' 2>/dev/null || { skip 'no yaml for python3'; return; }
    python3 - "$packaging/docker/compose.yaml" "$packaging/kubernetes.yaml" "$packaging/kubernetes-cluster.yaml" >out 2>&1 <<'END'
import sys, yaml
compose, pod, pods = ([*yaml.safe_load_all(open(name))] for name in sys.argv[1:])
service = compose[0]["services"]["cron"]
print(service["read_only"], service["command"][-1])
for each in (pod, pods):
    print(*(part["kind"] for part in each), each[1]["spec"]["template"]["spec"]["containers"][0]["args"][-1])
END
    expect 'what is in them' 'True /etc/run_schedule/schedule
ConfigMap Deployment /etc/run_schedule/schedule
ConfigMap Deployment /etc/run_schedule/schedule' "$(cat out)"
}

r65_each_stop_waits_for_twice_the_grace() {
    for file in docker/compose.yaml:--grace\",\ \":stop_grace_period:\  kubernetes.yaml:--grace\",\ \":terminationGracePeriodSeconds:\  \
        kubernetes-cluster.yaml:--grace\",\ \":terminationGracePeriodSeconds:\  \
        systemd/run_schedule.service:--grace\ :TimeoutStopSec=; do
        name=$packaging/${file%%:*}
        rest=${file#*:}
        grace=$(seconds "$name" "${rest%%:*}")
        stop=$(seconds "$name" "${rest#*:}")
        expect_true "$name: $stop s for twice $grace s" "${stop:-0}" -gt $((2 * ${grace:-999}))
    done
}

r65_systemd_finds_nothing_wrong_with_the_unit() {
    command -v systemd-analyze >/dev/null || { skip 'no systemd-analyze'; return; }
    sed "s#/usr/bin/run_schedule#$run_schedule#" "$packaging/systemd/run_schedule.service" >run_schedule.service
    expect 'the unit' '' "$(systemd-analyze verify --man=no ./run_schedule.service 2>&1)"
    sed -i 's/^Restart=/Restrat=/' run_schedule.service
    expect_true 'a misspelt key' -n "$(systemd-analyze verify --man=no ./run_schedule.service 2>&1)"
}

r65_the_command_line_of_the_unit_passes_a_check() {
    cp -R "$packaging/docker/schedule" conf
    check_here 'the unit' $(sed -n 's#^ExecStart=/usr/bin/run_schedule ##p' "$packaging/systemd/run_schedule.service")
}

r62_r67_each_line_of_the_migration_passes_a_check() {
    expect_true 'the page is short' "$(wc -l <"$page")" -le 200
    # The first words in backquotes of the last column; what runs as another user runs as this one.
    sed -n '/^| before |/,$s/.*| `\([^`]*\)`[^|]*|$/\1/p' "$page" |
        sed "s#user=www-data cwd=/srv#user=$(id -un) cwd=/#" >schedule
    expect_true 'there are many' "$(wc -l <schedule)" -ge 10
    run --check schedule
    expect status 0 $status
    expect 'as many tasks' "$(wc -l <schedule)" "$(wc -l <out)"
    # So do the crontabs among what was there before.
    sed -n '/^| before |/,$s/^| cron: \(.*\) | `.*/\1/p' "$page" | tr '`' '\n' | grep -v '^[, ]*$' >old.crontab
    expect_true 'there are crontabs' "$(wc -l <old.crontab)" -ge 4
    run --crontab --check old.crontab
    expect 'crontab: status' 0 $status
    expect 'crontab: stderr' '' "$(grep -v 'show twice' err)"
    expect 'crontab: tasks' 'poll rotate update' "$(cut -d ' ' -f 1 out | sort | tr '\n' ' ' | sed 's/ $//')"
}

r67_each_option_of_the_migration_exists() {
    run --help
    for option in $(sed -n '/^| run_schedule | cron/,/^$/s/^|\([^|]*\)|.*/\1/p' "$page" | grep -o -e '--[a-z][a-z-]*'); do
        grep -q -e "  $option " out || expect "$option" 'an option' 'none'
    done
}

run_all
