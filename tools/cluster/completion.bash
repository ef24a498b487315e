# Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#
# Completes the command lines of jtimer-cluster in bash. The commands and options are those of its --help.
#
# shellcheck shell=bash

_jtimer_cluster() {
    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} choices=
    # bash splits --wait=5s into three words.
    [[ $word != '=' ]] || word=
    [[ $before != '=' ]] || before=${COMP_WORDS[COMP_CWORD - 2]}
    if [[ ${COMP_WORDS[COMP_CWORD]} == '=' ]]; then before=${COMP_WORDS[COMP_CWORD - 1]}; fi
    case $before in
    --state) choices='scheduled retrying running dead paused' ;;
    --conninfo) choices='host= postgresql://' ;;
    --schema) choices='jtimer run_schedule' ;;
    --due-before | --older) choices='1m 1h 1d' ;;
    --outcome) choices='succeeded retrying gave-up dead abandoned lost' ;;
    --age) choices='1d 7d 30d' ;;
    --limit) choices='10 100 1000' ;;
    keep-history) choices='off failures all' ;;
    --listen) choices='127.0.0.1:8980 localhost:0' ;;
    --keep | --auth | --secret) ;;
    *)
        if [[ $word == -* ]]; then
            choices=$("${1/#\~/$HOME}" --help 2>/dev/null |
                sed -n 's/^  \(-h \[ \)\{0,1\}\(--[a-z-]*\).*/\2/p')
        else
            choices=$("${1/#\~/$HOME}" --help 2>/dev/null | sed -n 's/^  \([a-z][a-z-]*\) .*/\1/p')
        fi
        ;;
    esac
    if [[ -n $choices ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$choices" -- "$word")
    elif [[ $before == --keep || $before == --auth || $before == --secret ]]; then
        mapfile -t COMPREPLY < <(compgen -f -- "$word")
        compopt -o filenames 2>/dev/null
    fi
}

complete -F _jtimer_cluster jtimer-cluster
