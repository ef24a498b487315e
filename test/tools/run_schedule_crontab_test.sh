#!/bin/sh
# Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#
# tools/run_schedule: crontabs, and the variables that schedule files have from them.
#
#     BUILD=build sh test/tools/run_schedule_crontab_test.sh
#
# shellcheck disable=SC2016,SC2154 # what is in quotes is for other shells; what is used here is set there
set -u
# shellcheck source=test/support/run_schedule.sh
. "$(dirname "$0")/../support/run_schedule.sh"

# The native lines of a crontab, standard input.
converted() { "$run_schedule" --crontab --convert - 2>err; }

# What is wrong with the line $1 of a crontab.
error_of() {  # LINE [system]
    printf '%s\n' "$1" >bad
    "$run_schedule" "--${2:-crontab}" --dry-run bad >out 2>err
    expect "$1: status" 2 $?
    sed 's/^bad:1: //' err
}

# Does nothing if the tests run as another user than root.
as_nobody() { setpriv --reuid 65534 --regid 65534 --clear-groups "$@"; }

r1_crontabs_with_and_without_users_are_played() {
    printf '%s\n' '@reboot echo one' >user
    run --crontab user
    expect status 0 $status
    expect lines 'echo  one' "$(lines)"
    printf '@reboot %s echo two\n' "$(id -un)" >system
    run --system system
    expect 'system: status' 0 $status
    expect 'system: lines' 'echo  two' "$(lines)"
    run --crontab --system system
    expect 'both: status' 2 $status
    expect 'both: stderr' 'run_schedule: --crontab cannot be used with --system' "$(sed -n 1p err)"
}

r2_several_files_are_one_schedule_whose_names_are_unique() {
    echo '@reboot echo one' >a
    echo '@reboot echo two' >b
    run --crontab a b
    expect lines 'echo    one
echo-2  two' "$(lines | sort)"
    printf '%s\n' 'X=1' 'after 0s a echo "<$X>"' >native1
    printf '%s\n' 'after 1ms b echo "<$X>"' >native2
    run native1 native2
    expect 'variables hold for their own file' 'a  <1>
b  <>' "$(lines)"
    echo 'after 0s a x' >native2
    run native1 native2
    expect status 2 $status
    expect stderr 'native2:1: native1:2 has the name "a" too: expected another one' "$(cat err)"
    echo '# nothing' >none
    run none native1
    expect 'one without a task' 0 $status
    run none none
    expect 'none has a task' 'run_schedule: none, none have no task: expected a line such as: every 1m load uptime' \
        "$(cat err)"
}

r3_fields_are_those_of_cron() {
    printf '\357\273\277*/20 8-10,12 1,15 jan-Mar 5-0 a\r\n1-10/3 0 * * fri-sun b' | converted >out
    expect lines 'cron "*/20 8-10,12 1,15 jan-Mar 5-7" overlap=skip a a
cron "1-10/3 0 * * fri-sun" overlap=skip b b' "$(sed 's/^\xEF\xBB\xBF//' out)"
    # 2030-01-04 is a Friday, and the 1st of February, too.
    cat >crontab <<'END'
0 1 13 * fri   either
0 2 */2 * fri  both
0 3 * * 6-0    weekend
END
    start=$(date -d 2030-01-01 +%s)
    now=$(date +%s)
    days=$(((start - now) / 86400 + 32))
    run --crontab --dry-run --for ${days}d crontab
    expect either '4 11 13 18 25 ' "$(days_of either)"
    expect both '11 25 ' "$(days_of both)"
    expect weekend '5 6 12 13 19 20 26 27 ' "$(days_of weekend)"
}
days_of() { sed -n "s/^2030-01-\(..\)T.* $1 *$1\$/\1/p" out | sed 's/^0//' | tr '\n' ' '; }

r4_words_stand_for_fields() {
    printf '%s x\n' @yearly @annually @monthly @weekly @daily @midnight @hourly @reboot | converted >out
    expect words 'cron "0 0 1 1 *"
cron "0 0 1 1 *"
cron "0 0 1 * *"
cron "0 0 * * 0"
cron "0 0 * * *"
cron "0 0 * * *"
cron "0 * * * *"
after 0ms' "$(sed 's/ overlap.*//' out)"
}

r1_crontabs_as_packages_of_debian_have_them_are_played() {
    me=$(id -un)
    # The shapes of those of amavis, anacron, awstats, certbot, e2fsprogs, logcheck, mdadm, php and sysstat.
    printf '%s\n' '# /etc/cron.d/packages' '' 'SHELL=/bin/sh' 'PATH=/usr/sbin:/usr/bin:/sbin:/bin' 'MAILTO=root' \
        "18 */3	* * *	$me	test -e /no/such && /no/such sync" \
        "30 7-23 * * *   $me	[ -x /no/such ] && if [ ! -d /run/systemd/system ]; then /no/such >/dev/null; fi" \
        "*/10 * * * * $me [ -x /no/such ] && /no/such" \
        "0 */12 * * * $me test -x /no/such -a \\! -d /run/such && perl -e 'sleep int(rand(43200))'" \
        "30 3 * * 0 $me test -e / || SERVICE_MODE=1 /no/such" \
        "@reboot         $me    if [ -x /no/such ]; then nice -n10 /no/such -R; fi" \
        "57 0 * * 0 $me if [ -x /no/such ] && [ \$(date +\\%d) -le 7 ]; then /no/such --idle; fi" \
        "09,39 *     * * *     $me   [ -x /no/such ] && /no/such" \
        "5-55/10 * * * * $me command -v no-such > /dev/null && no-such 1 1" >packages
    run --system --check packages
    expect status 0 $status
    expect names '[ [-2 [-3 command if if-2 test test-2 test-3' "$(cut -d ' ' -f 1 out | LC_ALL=C sort | tr '\n' ' ' | sed 's/ $//')"
    expect notices 'run_schedule: MAILTO is not used: see --on-failure
run_schedule: a time of a fixed line that the clocks show twice is due the second time; cronie takes the first' \
        "$(LC_ALL=C sort err)"
    run --system --dry-run --for 7d packages
    expect 'runs in a week' '[ 119
[-2 1008
[-3 336
command 1008
if 1
if-2 1
test 56
test-2 14
test-3 1' "$(table | cut -d ' ' -f 1,2 | LC_ALL=C sort)"
    run --system --convert packages
    cp out converted
    run --check converted
    expect 'converted: status' 0 $status
}

r4_reboot_is_each_start_and_no_reload() {
    echo '@reboot echo one' >crontab
    echo '@yearly true' >>crontab
    mkfifo pipe
    "$run_schedule" --crontab crontab >out 2>pipe &
    pid=$!
    exec 3<pipe
    await one
    printf '%s\n' '@reboot echo one' '@reboot echo two' '@yearly true' >crontab
    kill -s USR2 $pid
    read -r notice <&3
    expect notice 'run_schedule: crontab read again: 1 added, 0 changed, 0 removed' "$notice"
    kill $pid
    wait $pid
    exec 3<&-
    expect lines 'echo  one' "$(lines)"
}

r5_a_percent_sign_ends_the_command_and_begins_its_input() {
    cat >crontab <<'END'
@reboot date +\%Y | wc -c
@reboot cat%one%%two \% three\four\
@reboot wc -c%
@reboot echo none; cat
@reboot head -c 1 >/dev/null; cat >/dev/null; echo \\%
END
    run --crontab crontab
    expect 'escaped' 'date  5' "$(lines | grep '^date')"
    expect 'input' 'cat   one
cat   
cat   two % three\four\' "$(lines | grep '^cat')"
    expect 'empty input' 'wc    0' "$(lines | grep '^wc')"
    expect 'none' 'echo  none' "$(lines | grep '^echo')"
    expect 'a backslash before the backslash' 'head  \' "$(lines | grep '^head')"
    # Neither side waits for the other, however long the input is.
    { printf '@reboot sleep 0.1; wc -c%%' && head -c 300000 /dev/zero | tr '\0' x; } >crontab
    run --crontab crontab
    expect 'long' 'sleep  300001' "$(lines)"
}

r6_variables_hold_for_all_commands_below() {
    cat >crontab <<'END'
@reboot echo "[$A]"
A = 'one  two '
  "B"="it's"
C=
D=$A x 
@reboot true; echo "[$A][$B][$C][${C-unset}][$D]"
A=three
@reboot : x; echo "[$A][$B]"
END
    A=own run --crontab crontab
    expect lines ':     [three][it'"'"'s]
echo  [own]
true  [one  two ][it'"'"'s][][][$A x]' "$(lines | sort)"
    expect 'no closing quote' 'the value of "A" begins with a quote: expected the same quote at its end, and nowhere else' \
        "$(error_of 'A="x')"
    expect 'a second word' 'the value of "A" begins with a quote: expected the same quote at its end, and nowhere else' \
        "$(error_of 'A="x" y')"
}

r7_r23_a_command_has_our_environment_and_knows_its_run() {
    cat >schedule <<'END'
FOO=file
RUN_SCHEDULE_TASK=wrong
after 0s retry=1/10ms a echo "$OWN $FOO $RUN_SCHEDULE_TASK $RUN_SCHEDULE_ATTEMPT ${RUN_SCHEDULE_NODE-none}"; false
END
    OWN=own FOO=own run schedule
    expect lines 'a  own file a 1 none
a  own file a 2 none' "$(lines | grep own)"
    earlier=$(date -u +%Y-%m-%dT%H:%M:%S)
    echo 'after 100ms a echo "$RUN_SCHEDULE_DUE"' >schedule
    TZ=CET-1 run schedule
    due=$(lines | sed 's/^a  //')
    expect 'the form' '+01:00' "$(echo "$due" | sed 's/^....-..-..T..:..:..\....//')"
    expect 'not before the start' "$earlier" "$(printf '%s\n' "$earlier" "$(date -d "$due" -u +%Y-%m-%dT%H:%M:%S)" | sort | head -n 1)"
}

r8_some_variables_mean_something() {
    command -v bash >/dev/null || { skip 'there is no bash'; return; }
    printf '%s\n' '@reboot true; echo "${BASH-none}"' "SHELL=$(command -v bash)" '@reboot echo "${BASH-none}"' >crontab
    SHELL=/bin/false run --crontab crontab
    expect lines "echo  $(command -v bash)
true  none" "$(lines | sort)"

    printf '%s\n' '0 8 * * * a' 'CRON_TZ=UTC' '0 8 * * * b' | converted >out
    expect zones 'cron "0 8 * * *" overlap=skip a a
CRON_TZ=UTC
cron "0 8 * * *" UTC overlap=skip b b' "$(cat out)"
    expect 'no such zone' '"Mars/X" is not a time zone here' "$(error_of CRON_TZ=Mars/X | sed 's/:.*//')"

    printf '%s\n' MAILTO= 'MAILFROM="x y"' 'TZ=UTC' '@reboot true' >crontab
    run --crontab crontab
    expect notices 'run_schedule: MAILFROM is not used: see --on-failure
run_schedule: TZ sets the zone of the commands; CRON_TZ sets that of the lines' "$(cat err)"
    printf '%s\n' MAILTO=root 'TZ=UTC' CRON_TZ=UTC '@reboot true' >crontab
    run --crontab crontab
    expect 'one notice' 'run_schedule: MAILTO is not used: see --on-failure' "$(cat err)"
}

r9_a_comment_right_above_a_line_gives_it_options_and_a_name() {
    cat >crontab <<'END'
# run_schedule: retry=2/1s overlap=wait backup
0 1 * * * PATH=/x /usr/bin/php a
# run_schedule: retry=3
0 2 * * * /usr/bin/php b
# run_schedule: ignored

0 3 * * * "/opt/x/php" c
0 4 * * * (cd /; ls)
0 5 * * * at now
END
    expect names 'backup
php
php-2
cd
at-2' "$(converted <crontab | sed -n 's/^cron "[^"]*" \(overlap=[a-z]* \|retry=[^ ]* \)*\([^ ]*\) .*/\2/p')"
    expect options 'retry=2/1s overlap=wait backup' "$(converted <crontab | sed -n '2s/^cron "[^"]*" \(.*\) PATH.*/\1/p')"
    expect 'only options' 'overlap=skip retry=3 php' "$(converted <crontab | sed -n '4s/^cron "[^"]*" \(.*\) .usr.*/\1/p')"
    printf '%s\n' '# run_schedule: bad=1 x' '* * * * * x' >bad
    run --crontab bad
    expect 'no option' 'bad:2: "bad=1" is not an option: expected overlap=' "$(sed 's/=wait.*/=/' err)"
}

r10_a_line_of_a_system_has_its_user() {
    [ "$(id -u)" = 0 ] || { skip 'this is not root'; return; }
    chmod 755 .
    home=$(getent passwd daemon | cut -d : -f 6)
    cat >system <<'END'
HOME=/tmp
LOGNAME=x
-@reboot daemon -n  echo "$(id -un) $HOME $LOGNAME $USER"; pwd; id -G
@reboot  root  echo "$HOME"
END
    run --system system
    expect lines "echo    daemon $home daemon daemon
echo    $home
echo    $(id -G daemon)
echo-2  $(getent passwd root | cut -d : -f 6)" "$(lines | sort -s -k 1,1)"
    expect 'unknown' '"nobody-here" is not a user here: expected a name in /etc/passwd' \
        "$(error_of '* * * * * nobody-here x' system)"
    command -v setpriv >/dev/null || { skip 'there is no setpriv'; return; }
    as_nobody "$run_schedule" --system --dry-run system >out 2>err
    expect 'not root: status' 2 $?
    expect 'not root' 'system:3: this line runs as "daemon": expected root
system:4: this line runs as "root": expected root' "$(cat err)"
}

r11_lines_of_a_crontab_do_not_overlap() {
    expect skip 'cron "* * * * *" overlap=skip x x' "$(echo '* * * * * x' | converted)"
    echo '* * * * * x' >crontab
    run --crontab --dry-run --defaults overlap=wait crontab
    expect defaults 0 $status
}

r12_what_is_refused_says_what_to_write_instead() {
    for fields in '* * * * * *' '0 */10 * * * ?' '0 0 12 ? * MON-FRI' '0 0 1 1 * 2030' '0 0 * * * mon,wed'; do
        expect "$fields" "\"$fields\" has more than five fields: expected five fields; for seconds: every 2s NAME COMMAND in a schedule file" \
            "$(error_of "$fields command")"
    done
    expect 'user' '"root" is a user here, and no program: expected --system for a file with a column of users' \
        "$(error_of '0 5 * * * root /bin/true')"
    for field in '0~9' L 15W '5#2' '?' H 'H(0-9)'; do
        expect "$field" "\"$field\" is not a field of cron: expected a fixed value, or jitter=DURATION" \
            "$(error_of "0 0 $field * * x")"
    done
    echo '0 0 * jul wed,thu x' >crontab
    run --crontab --dry-run crontab
    expect 'names with these letters' 0 $status
    expect every '"@every" is not a word of crontab(5): expected rate 30s NAME COMMAND in a schedule file' "$(error_of '@every 30s x')"
    expect 'another duration' '"@every" is not a word of crontab(5): expected rate 10s NAME COMMAND in a schedule file' \
        "$(error_of '@every 1h30m x')"
    expect word '"@noon" is not a word of crontab(5): expected @yearly, @annually, @monthly, @weekly, @daily, @midnight, @hourly or @reboot' \
        "$(error_of '@noon x')"
    expect level 'MLS_LEVEL is set: expected no MLS_LEVEL: run_schedule sets no security context' "$(error_of MLS_LEVEL=s0)"
    expect 'no command' 'the line has no command: expected one after the time' "$(error_of '0 5 * * *')"
    printf '%s\n' 'MAILTO=root' '@daily root backup' '*/5 8-18 * * mon-fri  backup --all' >crontab
    run crontab
    expect 'without --crontab' 'crontab:2: this is a line of a crontab: expected daily 00:00 NAME COMMAND, or --crontab
crontab:3: this is a line of a crontab: expected cron "*/5 8-18 * * mon-fri" NAME COMMAND, or --crontab' "$(cat err)"
}

r13_a_converted_crontab_is_a_schedule_that_does_the_same() {
    cat >crontab <<'END'
# Comments stay.
A=b
CRON_TZ=UTC
*/5 8-18 * * fri-0  PATH=$PATH:/x backup --all

# run_schedule: retry=2/1s overlap=wait mine
0 5 * * 5-0/2 echo "$A" 100\%; cat%it's%two\%x
@reboot cat%
@daily #nothing
@hourly user=x php
END
    "$run_schedule" --crontab --convert crontab >native
    expect native '# Comments stay.
A=b
CRON_TZ=UTC
cron "*/5 8-18 * * fri-7" UTC overlap=skip backup PATH=$PATH:/x backup --all

# run_schedule: retry=2/1s overlap=wait mine
cron "0 5 * * 5-7/2" UTC retry=2/1s overlap=wait mine printf '"'%s\\n' 'it'\\''s' 'two%x' | sh -c 'echo \"\$A\" 100%; cat'
after 0ms overlap=skip cat : | sh -c 'cat'
cron \"0 0 * * *\" UTC overlap=skip #nothing true; #nothing
cron \"0 * * * *\" UTC overlap=skip php true; user=x php" "$(cat native)"
    run --crontab --dry-run --for 14d crontab
    sed -e '1d' -e 's/^\([^ ]* *[^ ]*\) .*/\1/' out >first
    run --dry-run --for 14d native
    expect status 0 $status
    sed -e '1d' -e 's/^\([^ ]* *[^ ]*\) .*/\1/' out >second
    expect_true 'many runs' "$(wc -l <first)" -gt 300
    expect 'dry runs' "$(cat first)" "$(cat second)"
    # What is read comes out again.
    printf '%s\n' 'A=b' "@reboot cat; echo \"\$A\"%it's%%x\\%y" >crontab
    "$run_schedule" --crontab --convert crontab >native
    run native
    expect input "cat  it's
cat  
cat  x%y
cat  b" "$(lines)"
    expect 'not a crontab' 'run_schedule: --convert cannot be used without --crontab or --system' \
        "$("$run_schedule" --convert native 2>&1 | head -n 1)"
}

r13_users_are_converted() {
    printf '@hourly %s x\n' "$(id -un)" >system
    expect native "cron \"0 * * * *\" overlap=skip user=$(id -un) cwd=$(getent passwd "$(id -un)" | cut -d : -f 6) x x" \
        "$("$run_schedule" --system --convert system)"
}

# cron starts a command in the home of its user, and not at all if that is missing.
r13_a_home_that_is_missing_is_told_and_left_to_the_command() {
    [ "$(id -u)" = 0 ] || { skip 'this is not root'; return; }
    user=$(getent passwd | while IFS=: read -r name _ _ _ _ home _; do [ -d "$home" ] || { echo "$name:$home"; break; }; done)
    [ -n "$user" ] || { skip 'all users have a home'; return; }
    printf '%s\n' "@reboot ${user%:*} echo ran" "@reboot ${user%:*} cat%ran" "@reboot ${user%:*} #x" >system
    notice="the home of \"${user%:*}\", \"${user#*:}\", is not a folder here: each run will fail"
    run --system --check system
    expect 'check' 0 $status
    expect 'notices' "run_schedule: system:1: $notice
run_schedule: system:2: $notice
run_schedule: system:3: $notice" "$(grep home err)"
    "$run_schedule" --system --convert system >native
    options="after 0ms overlap=skip user=${user%:*}" home="cd '${user#*:}' || exit 1;"
    expect native "$options echo $home echo ran
$options cat $home printf '%s\\n' 'ran' | sh -c 'cat'
$options #x $home #x" "$(cat native)"
    run --check native
    expect 'converted: check' 0 $status
    for file in '--system system' native; do
        run --strict $file
        expect "$file: status" 3 $status
        expect_true "$file: nothing ran" -z "$(grep -w ran out)"
    done
}

r14_a_variable_with_another_value_restarts_nothing() {
    printf '%s\n' 'A=1' 'every 1h a echo $A' 'after 300ms b echo $A' >schedule
    mkfifo pipe
    "$run_schedule" schedule >out 2>pipe &
    pid=$!
    exec 3<pipe
    await ' a  1'
    sed -i 's/A=1/A=2/' schedule
    kill -s USR2 $pid
    read -r notice <&3
    expect notice 'run_schedule: schedule read again: 0 added, 0 changed, 0 removed' "$notice"
    await ' b '
    kill $pid
    wait $pid
    exec 3<&-
    expect lines 'a  1
b  2' "$(lines)"
}

r16_defaults_are_for_lines_without_the_option() {
    printf '%s\n' 'after 0s retry=1/1ms a false' 'after 0s b false' >schedule
    run --defaults 'retry=2/1ms overlap=skip' schedule
    expect retries 'a 1 1
b 1 1' "$(table)"
    expect lines 'a  [failed: exit status 1] 2
b  [failed: exit status 1] 3' "$(lines | grep failed | sort | uniq -c | sed 's/^ *\([0-9]*\) \(.*\)/\2 \1/')"
    run --defaults 'retry=x' schedule
    expect 'wrong' 'run_schedule: --defaults: "x" is not a number of retries: expected 1 to 1000, as in retry=3 or retry=3/10s' \
        "$(sed -n 1p err)"
    run --defaults 'retry=1 every' schedule
    expect 'no option' 'run_schedule: --defaults: "every" is not an option: expected options such as retry=3/10s' \
        "$(sed -n 1p err)"
}

r20_a_line_has_its_folder_and_its_user() {
    mkdir there
    echo 'after 0s cwd=there a pwd' >schedule
    run schedule
    expect lines "a  $PWD/there" "$(lines)"
    rmdir there
    run --dry-run schedule
    expect 'no folder' 'schedule:1: "there" is not a folder here: expected one in which the command runs' "$(cat err)"
    [ "$(id -u)" = 0 ] || { skip 'this is not root'; return; }
    chmod 755 .
    echo 'after 0s user=daemon a echo "$(id -un) $LOGNAME"; pwd' >schedule
    run schedule
    expect user "a  daemon daemon
a  $PWD" "$(lines)"
}

run_all
