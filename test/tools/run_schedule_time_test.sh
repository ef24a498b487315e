#!/bin/sh
# Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#
# tools/run_schedule: times of the calendar, and time zones.
#
#     BUILD=build sh test/tools/run_schedule_time_test.sh
#
# shellcheck disable=SC2016,SC2034,SC2154 # for other shells; what is used here is set there
set -u
# shellcheck source=test/support/run_schedule.sh
. "$(dirname "$0")/../support/run_schedule.sh"

zones=/usr/share/zoneinfo
has_zones() {  # no test
    [ -e $zones/Australia/Lord_Howe ] && return
    skip 'no tzdata'
    return 1
}

# The next day in month $2 (two digits) at whose noon the offset of the zone $1 is another one than at the noon before.
day_of_change() {  # ZONE MONTH
    year=$(date +%Y)
    [ "$(date +%m)" -lt "$2" ] || year=$((year + 1))
    noon=$(date -u -d "$year-$2-01 12:00" +%s)
    last=$(TZ=$zones/$1 date -d "@$((noon - 86400))" +%z)
    for day in $(seq -w 31); do
        offset=$(TZ=$zones/$1 date -d "@$noon" +%z)
        [ "$offset" = "$last" ] || { echo "$year-$2-$day"; return; }
        noon=$((noon + 86400))
    done
}

# When `cron "$2" ZONE` is due on the day $3 in the zone $1.
due() {  # ZONE EXPRESSION DAY
    echo "cron \"$2\" $1 a x" >schedule
    TZ=$1 "$run_schedule" --dry-run --for 400d schedule 2>&1 |
        sed -n "s/^$3T\(..:..\):00.000\(......\) .*/\1\2/p" | tr '\n' ' ' | sed 's/ $//'
}

r38_r39_in_the_hour_that_comes_twice() {
    has_zones || return
    day=$(day_of_change Europe/Berlin 10)
    expect 'each half hour' '01:30+02:00 02:00+02:00 02:30+02:00 02:00+01:00 02:30+01:00 03:00+01:00' \
        "$(due Europe/Berlin '*/30 * * * *' "$day" | grep -o '01:30.*03:00+01:00')"
    expect 'each hour' '01:00+02:00 02:00+02:00 02:00+01:00 03:00+01:00' \
        "$(due Europe/Berlin '0 * * * *' "$day" | grep -o '01:00.*03:00+01:00')"
    expect 'from two to three' '02:00+02:00 02:30+02:00 02:00+01:00 02:30+01:00' \
        "$(due Europe/Berlin '*/30 2 * * *' "$day")"
    expect 'each hour, as a range' '01:00+02:00 02:00+01:00 03:00+01:00' \
        "$(due Europe/Berlin '0 0-23 * * *' "$day" | grep -o '01:00.*03:00+01:00')"
    expect 'at one time' '02:30+01:00' "$(due Europe/Berlin '30 2 * * *' "$day")"

    echo "at ${day}T02:30:00 a x" >schedule
    TZ=Europe/Berlin run --dry-run schedule
    expect 'at a date' "${day}T02:30:00.000+01:00 a  x" "$(sed -n 1p out)"
}

r39_a_wildcard_has_no_run_at_times_that_are_skipped() {
    has_zones || return
    day=$(day_of_change Europe/Berlin 03)
    expect Berlin '' "$(due Europe/Berlin '*/30 2 * * *' "$day")"
    expect 'Berlin, each hour' '00:00+01:00 01:00+01:00 03:00+02:00 04:00+02:00' \
        "$(due Europe/Berlin '0 * * * *' "$day" | grep -o '.*04:00+02:00')"
    day=$(day_of_change Australia/Lord_Howe 10)  # 02:00 becomes 02:30
    expect 'Lord Howe' '02:30+11:00 02:45+11:00' "$(due Australia/Lord_Howe '*/15 2 * * *' "$day")"
    day=$(day_of_change America/Santiago 09)
    expect Santiago '' "$(due America/Santiago '*/30 0 * * *' "$day")"
}

r40_a_time_that_is_skipped_is_due_that_much_later() {
    has_zones || return
    day=$(day_of_change Europe/Berlin 03)
    expect Berlin '03:30+02:00' "$(due Europe/Berlin '30 2 * * *' "$day")"
    expect 'Berlin, each hour' '00:00+01:00 01:00+01:00 03:00+02:00 04:00+02:00' \
        "$(due Europe/Berlin '0 0-23 * * *' "$day" | grep -o '.*04:00+02:00')"

    # 02:00 becomes 02:30, and back.
    day=$(day_of_change Australia/Lord_Howe 10)
    expect 'Lord Howe' '02:45+11:00' "$(due Australia/Lord_Howe '15 2 * * *' "$day")"
    day=$(day_of_change Australia/Lord_Howe 04)
    expect 'Lord Howe, back' '01:45+10:30' "$(due Australia/Lord_Howe '45 1 * * *' "$day")"
    expect 'Lord Howe, back, a wildcard' '01:45+11:00 01:45+10:30' "$(due Australia/Lord_Howe '45 */1 * * *' "$day" | grep -o '01:45.*01:45+10:30')"

    # There is no midnight, and the hour before one comes twice.
    day=$(day_of_change America/Santiago 09)
    expect Santiago '01:00-03:00' "$(due America/Santiago '0 0 * * *' "$day")"
    day=$(date -d "$(day_of_change America/Santiago 04) -1 day" +%Y-%m-%d)
    expect 'Santiago, back' '23:30-04:00' "$(due America/Santiago '30 23 * * *' "$day")"
    expect 'Santiago, back, a wildcard' '23:00-03:00 23:30-03:00 23:00-04:00 23:30-04:00' \
        "$(due America/Santiago '*/30 23 * * *' "$day")"

    day=$(day_of_change Australia/Sydney 10)
    expect Sydney '03:30+11:00' "$(due Australia/Sydney '30 2 * * *' "$day")"
    day=$(day_of_change Australia/Sydney 04)
    expect 'Sydney, back' '02:30+10:00' "$(due Australia/Sydney '30 2 * * *' "$day")"
    expect 'Sydney, back, a wildcard' '02:30+11:00 02:30+10:00' "$(due Australia/Sydney '30 */2 * * *' "$day" | grep -o '02:30.*02:30+10:00')"
}

# Returns when the file m.prom says that d is due next at the UTC hour $1.
await_hour() {  # HOUR
    for i in $(seq 100); do
        hour=$(sed -n 's/^run_schedule_next_run_timestamp_seconds{task="d"} \([0-9]*\).*/\1/p' m.prom 2>/dev/null)
        hour=$((${hour:-0} / 3600 % 24))
        [ $hour -ne "$1" ] || return
        sleep 0.05
    done
    expect 'the hour in UTC' "$1" "$hour"
}

r42_a_new_local_time_of_the_system_is_noticed() {
    has_zones || return
    unshare --user --map-root-user --mount true 2>/dev/null || { skip 'no namespaces for this user'; return; }
    mkdir etc
    ln -s $zones/Etc/GMT-3 etc/localtime
    printf '%s\n' 'daily 12:00 d touch ran' 'rate 1s r echo tick' >schedule
    (unset TZ && exec unshare --user --map-root-user --mount sh -c 'mount --bind etc /etc && exec "$@"' sh \
        "$run_schedule" --metrics m.prom schedule >out 2>err </dev/null) &
    pid=$!
    await_hour 9
    ln -s $zones/Etc/GMT-5 etc/new
    mv -T etc/new etc/localtime
    await_hour 7
    # The lines have the new time, too.
    await '+05:00 r  tick'
    kill -s TERM $pid
    wait $pid
    expect status 0 $?
    expect_true 'lines before' "$(grep -c '+03:00 r  tick' out)" -ge 1
    expect_true 'lines after' "$(grep -c '+05:00 r  tick' out)" -ge 1
    expect_true 'nothing ran for it' ! -e ran
    expect stderr '' "$(cat err)"
}

r42_a_reload_reads_all_zones_again() {
    has_zones || return
    # One as TZ names it, and one of a line.
    mkdir -p folder/My
    for tz in :My/Zone UTC0; do
        cp $zones/Etc/GMT-3 folder/My/Zone
        line='daily 12:00 d true'
        [ $tz != UTC0 ] || line='daily 12:00 My/Zone d true'
        printf '%s\n' "$line" 'every 1h r echo tick' >schedule
        rm -f m.prom
        TZDIR=$PWD/folder TZ=$tz "$run_schedule" --metrics m.prom schedule >out 2>err </dev/null &
        pid=$!
        await_hour 9
        cp $zones/Etc/GMT-5 folder/My/Zone
        echo 'after 0s t echo again' >>schedule
        kill -s USR2 $pid
        await_hour 7
        await again
        kill -s TERM $pid
        wait $pid
        expect "$tz: status" 0 $?
        offset=+05:00
        [ $tz != UTC0 ] || offset=+00:00
        expect "$tz: a line" $offset "$(sed -n 's/^.*\(......\) t  again$/\1/p' out)"
        expect "$tz: notice" 'run_schedule: schedule read again: 1 added, 0 changed, 0 removed' "$(cat err)"
    done
}

r43_a_wrong_tz_is_refused() {
    echo 'daily 08:00 a touch ran' >schedule
    for zone in Europe/Berlni Berlin Europe CEST utc :Nowhere /no/file ../../passwd 'CET-1CEST,M3' ' UTC0'; do
        for dry in '' --dry-run; do
            # shellcheck disable=SC2086
            TZ=$zone "$run_schedule" $dry schedule >out 2>err </dev/null
            expect "$zone: status" 2 $?
            expect "$zone: stderr" "run_schedule: TZ=\"$zone\": no such zone in $zones: expected a name such as Europe/Berlin, and tzdata installed" "$(cat err)"
            expect "$zone: stdout" '' "$(cat out)"
        done
    done
    # Without tzdata.
    mkdir none
    TZDIR=$PWD/none TZ=Europe/Berlin run --dry-run schedule
    expect 'no tzdata: status' 2 $status
    expect 'no tzdata: stderr' "run_schedule: TZ=\"Europe/Berlin\": no such zone in $PWD/none: expected a name such as Europe/Berlin, and tzdata installed" "$(cat err)"
    for zone in UTC GMT '' : :UTC UTC0 EST5EDT CET-1CEST,M3.5.0,M10.5.0/3 '<+0530>-5:30' :CET-1; do
        TZDIR=$PWD/none TZ=$zone run --dry-run schedule
        expect "$zone: status" 0 $status
        expect "$zone: stderr" '' "$(cat err)"
    done
}

r43_a_tz_may_be_a_name_or_a_path() {
    has_zones || return
    echo 'daily 08:00 a x' >schedule
    for zone in Europe/Berlin :Europe/Berlin $zones/Europe/Berlin :$zones/Europe/Berlin ../zoneinfo/UTC; do
        TZ=$zone run --dry-run schedule
        expect "$zone: status" 0 $status
        expect "$zone: stderr" '' "$(cat err)"
    done
    TZ='' run --version
    expect status 0 $status
}

run_all
