# Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#
# Completes the command lines of run_schedule and run_schedule-cluster in bash. The options are those of its --help.
#
# shellcheck shell=bash

_run_schedule() {
    local help word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} choices=
    # bash splits --for=5s into three words.
    [[ $word != '=' ]] || word=
    [[ $before != '=' ]] || before=${COMP_WORDS[COMP_CWORD - 2]}
    if [[ ${COMP_WORDS[COMP_CWORD]} == '=' ]]; then before=${COMP_WORDS[COMP_CWORD - 1]}; fi
    help=$("${1/#\~/$HOME}" --help 2>/dev/null)
    # By what follows the option there.
    case $before:$(awk -v option="$before" '$1 == option { print $2; exit }' <<<"$help") in
    *:DURATION) choices='500ms 5s 1m 1h 1d' ;;
    *:FORM) choices='prefixed raw json' ;;
    *:N) choices='1 2 4 8 16' ;;
    *:HOST:PORT) choices='localhost:9100' ;;
    *:CONNINFO) choices='host=' ;;
    --node:*) choices=${HOSTNAME%%.*} ;;
    *)
        [[ $word != -* ]] ||
            choices=$(sed -n 's/^  \(-h \[ \)\{0,1\}\(--[a-z-]*\).*/\2/p' <<<"$help")
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
