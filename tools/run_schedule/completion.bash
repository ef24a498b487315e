# Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#
# Completes the command lines of run_schedule and run_schedule-cluster in bash. The options are those of its --help.
#
# shellcheck shell=bash

_run_schedule() {
    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} choices=
    # bash splits --for=5s into three words.
    [[ $word != '=' ]] || word=
    [[ $before != '=' ]] || before=${COMP_WORDS[COMP_CWORD - 2]}
    if [[ ${COMP_WORDS[COMP_CWORD]} == '=' ]]; then before=${COMP_WORDS[COMP_CWORD - 1]}; fi
    case $before in
    --for | --grace | --connect-within | --reload-every) choices='500ms 5s 1m 1h 1d' ;;
    --output) choices='prefixed raw json' ;;
    --jobs) choices='1 2 4 8 16' ;;
    --trace | --metrics | --state) ;;
    --listen | --probe) choices='localhost:9100' ;;
    --cluster) choices='host=' ;;
    --node) choices=${HOSTNAME%%.*} ;;
    *)
        [[ $word != -* ]] ||
            choices=$("${1/#\~/$HOME}" --help 2>/dev/null |
                sed -n 's/^  \(-h \[ \)\{0,1\}\(--[a-z-]*\).*/\2/p')
        ;;
    esac
    if [[ -n $choices ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$choices" -- "$word")
    else
        mapfile -t COMPREPLY < <(compgen -f -- "$word")
        compopt -o filenames 2>/dev/null
    fi
}

complete -F _run_schedule run_schedule run-schedule run_schedule-cluster
