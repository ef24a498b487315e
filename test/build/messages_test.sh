#!/bin/sh
# Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#
# What make says when something is missing or misspelt: which goal or setting helps.
set -u

. test/support/cases.sh
: "${CXX:=g++}" "${MAKE:=make}"
unset MAKEFLAGS MAKELEVEL MFLAGS

run() { $MAKE --no-print-directory B="$tmp/build" "$@" >"$tmp/said" 2>&1; }
says() { grep -qF -e "$1" "$tmp/said" || { cat "$tmp/said" && return 1; }; }

# --- the cases ----------------------------------------------------------------------------------

without_a_compiler_or_boost_make_names_deps_once() {
    ! run CXX=no-such-compiler all && says '"make deps" installs what is missing' &&
        test "$(grep -c 'make deps' "$tmp/said")" = 1 || return 1
    mkdir -p "$tmp/empty/boost/thread" && echo '#error none' >"$tmp/empty/boost/thread/mutex.hpp" &&
        ! run BOOST_CPPFLAGS="-I$tmp/empty" all && says '"make deps" installs what is missing' &&
        test ! -e "$tmp/build/flags"
}

a_goal_without_its_program_names_the_deps_of_that_goal() {
    ! run DOXYGEN=no-such-program doc && says '"make deps doc" installs it' &&
        ! run CLANG_FORMAT=no-such-program check-format && says '"make deps check-format" installs it'
}

dist_outside_of_a_clone_says_what_it_packs() {
    git --version || return 0  # make says what installs it
    mkdir "$tmp/copy" && cp -Rp Makefile build-aux include "$tmp/copy" || return 1
    (cd "$tmp/copy" && ! GIT_CEILING_DIRECTORIES=$tmp run dist) &&
        says 'packs the last commit of a git clone'
}

an_upper_case_prefix_on_the_command_line_is_reported_and_one_in_the_environment_is_not() {
    run PREFIX=/opt/jtimer help && says 'PREFIX is ignored: the setting is called prefix' &&
        PREFIX=/opt/jtimer run help && ! grep -q 'PREFIX is ignored' "$tmp/said"
}

check without_a_compiler_or_boost_make_names_deps_once
check a_goal_without_its_program_names_the_deps_of_that_goal
check dist_outside_of_a_clone_says_what_it_packs
check an_upper_case_prefix_on_the_command_line_is_reported_and_one_in_the_environment_is_not
sum_up
