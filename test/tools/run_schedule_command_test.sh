#!/bin/sh
# Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#
# tools/run_schedule: how it runs commands, and what it makes of them.
#
#     BUILD=build sh test/tools/run_schedule_command_test.sh
#
# shellcheck disable=SC2012,SC2016 # no odd names; what is in quotes is for other shells
set -u
# shellcheck source=test/support/run_schedule.sh
. "$(dirname "$0")/../support/run_schedule.sh"

a_failing_command_is_reported_counted_and_stops_nothing() {
    cat >schedule <<'END'
after 0ms  status  echo before; exit 3
after 1ms  killed  kill -9 $$
after 2ms  lost    no-such-command 2>/dev/null
after 3ms  good    exit 0
after 4ms  end     kill -TERM $PPID
rate  1ms  often   false
END
    run schedule
    expect status 0 $status
    expect lines 'status  before
status  [failed: exit status 3]
killed  [failed: killed by signal 9 (Killed)]
lost    [failed: exit status 127]' "$(lines | grep -v '^often')"
    expect 'kinds of failures of often' 'often   [failed: exit status 1]' \
        "$(lines | grep '^often.*failed' | sort -u)"
    often=$(lines | grep -c '^often.*failed')
    expect table "status 1 1
killed 1 1
lost 1 1
good 1 0
end 1 0
often $often $often" "$(table)"
}

a_command_that_cannot_be_started_is_a_failure() {
    # Linux takes no argument of more than 128 KiB.
    printf '%s %200000s\n%s\n' 'after 0s a echo' never 'after 1ms b echo next' >schedule
    run schedule
    expect status 0 $status
    expect lines 'a  [failed: cannot be started: Argument list too long]
b  next' "$(lines)"
    expect table 'a 1 1
b 1 0' "$(table)"
}

what_is_left_in_the_background_goes_on_whatever_it_prints() {
    mkfifo go end
    cat >schedule <<'END'
after 0ms  a  { read -r line <go; yes | head -c 1000000 && echo survived >end; } & echo begun
after 1ms  b  echo next
END
    run schedule
    expect status 0 $status
    expect lines 'a  begun
b  next' "$(lines)"
    expect stderr '' "$(cat err)"
    # The program has ended, and not waited. Without a reader, what it left would not come to this.
    echo >go
    expect 'in the background' survived "$(timeout 20 cat end)"
}

a_background_process_does_not_hold_the_timer() {
    cat >schedule <<'END'
after 0ms  quiet  sleep 1000 & echo $!; printf 'last'
after 1ms  loud   yes & echo $! >loud
after 2ms  next   echo next
END
    run schedule
    expect status 0 $status
    kill "$(lines | awk '$1 == "quiet" { print $2; exit }')" "$(cat loud)"
    expect quiet 'quiet  last' "$(lines | grep '^quiet' | tail -n 1)"
    expect next 'next   next' "$(lines | tail -n 1)"
    expect table 'quiet 1 0
loud 1 0
next 1 0' "$(table)"
}

a_command_that_closes_its_output_is_waited_for() {
    echo 'after 0s a exec >&- 2>&-; sleep 0.2; exit 4' >schedule
    run schedule
    expect lines 'a  [failed: exit status 4]' "$(lines)"
}

a_command_has_an_empty_input_its_own_group_default_signals_and_no_descriptors_of_ours() {
    cat >schedule <<'END'
after 0ms  input    cat; echo end
after 1ms  group    read -r pid name state parent group rest </proc/$$/stat; echo $((group - $$))
after 2ms  signals  . ./signals
after 3ms  files    echo $(ls /proc/self/fd)
after 4ms  status   exit 3
END
    # Without those of glibc, which are beyond 31.
    cat >signals <<'END'
while read -r key mask; do
    case $key in SigBlk: | SigIgn:) echo $key $((0x$mask & 0x7fffffff)) ;; esac
done </proc/self/status
END
    # Started with signals ignored and blocked, which a process hands on to those that it starts.
    unusual='env --ignore-signal=INT,USR1,CHLD,PIPE --block-signal=USR2'
    $unusual true 2>/dev/null || unusual='env'
    $unusual "$run_schedule" --jobs 1 schedule >out 2>err </dev/null
    expect lines "input    end
group    0
signals  SigBlk: 0
signals  SigIgn: 0
files    0 1 2 3
status   [failed: exit status 3]" "$(lines)"
    expect table 'input 1 0
group 1 0
signals 1 0
files 1 0
status 1 1' "$(table)"
}

a_line_without_end_comes_in_pieces() {
    printf '%s\n' 'after 0s a head -c 200000 /dev/zero | tr "\0" x' >schedule
    run schedule
    expect lengths '65536 65536 65536 3392 ' "$(lines | awk '{ printf "%d ", length($2) }')"
}

run_all
