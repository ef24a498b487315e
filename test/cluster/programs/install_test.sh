#!/bin/sh
# Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#
# `make install-cluster` in a folder of its own, and programs that a stranger builds with it.
set -u

. test/support/install.sh

files() { (cd "$prefix" && find . ! -type d | sort); }

install_cluster_adds_the_cluster_to_what_install_puts() {
    make_ prefix="$prefix" install && files >"$tmp/plain" &&
        make_ prefix="$prefix" install-cluster || return 1
    {
        cat "$tmp/plain"
        (cd include && find jtimer/cluster jtimer/cluster.hpp -type f) | sed 's,^,./include/,'
        printf './lib/libjtimer-cluster.%s\n' a so "so.$soversion" "so.$version"
        printf './%s\n' lib/pkgconfig/jtimer-cluster.pc lib/cmake/jtimer/jtimerCluster.cmake \
            share/man/man3/jtimer_cluster.3 \
            bin/run_schedule-cluster share/man/man1/run_schedule-cluster.1 \
            share/bash-completion/completions/run_schedule-cluster \
            bin/jtimer-cluster share/man/man1/jtimer-cluster.1 share/bash-completion/completions/jtimer-cluster
    } | sort >"$tmp/expected"
    files | diff "$tmp/expected" -
}

# With a copy of the installed tree, beside which none of the repository is found.
programs_are_built_with_the_packages() {
    needs cmake && needs pkg-config || return 1
    AUTOPKGTEST_TMP=$tmp/link && export AUTOPKGTEST_TMP && mkdir -p "$AUTOPKGTEST_TMP" &&
        PKG_CONFIG_PATH=$prefix/lib/pkgconfig CMAKE_PREFIX_PATH=$prefix LD_LIBRARY_PATH=$prefix/lib \
            sh packaging/debian/tests/link-cluster
}

run_schedule_cluster_is_installed_with_the_page_of_run_schedule() {
    test "$("$prefix/bin/run_schedule-cluster" --version)" = "run_schedule (jtimer) $version" &&
        grep -qx '\.so man1/run_schedule\.1' "$prefix/share/man/man1/run_schedule-cluster.1" &&
        test -e "$prefix/share/bash-completion/completions/run_schedule-cluster"
}

o47_jtimer_cluster_is_installed_with_its_page_and_completion() {
    test "$("$prefix/bin/jtimer-cluster" --version)" = "jtimer-cluster (jtimer) $version" &&
        grep -q '^\.TH JTIMER-CLUSTER 1 ' "$prefix/share/man/man1/jtimer-cluster.1" && needs bash || return 1
    completed=$(PATH=$prefix/bin:$PATH bash -c '
        . "$1/share/bash-completion/completions/jtimer-cluster"
        shift
        for line; do
            read -ra COMP_WORDS <<<"$line"
            COMP_WORDS=(jtimer-cluster "${COMP_WORDS[@]}") COMP_CWORD=$((${#COMP_WORDS[@]} - 1)) COMPREPLY=()
            _jtimer_cluster jtimer-cluster
            echo "${COMPREPLY[*]}"
        done' _ "$prefix" 're' 'list --state de' 'list --id' 'run --wa') &&
        test "$completed" = 'resume revive reschedule
dead
--id-prefix
--wait' || { echo "$completed" && false; }
}

the_library_exports_what_the_list_says_and_nothing_else() {
    build-aux/list-exports "$prefix/lib/libjtimer-cluster.so" | diff build-aux/exports-cluster.txt - ||
        { echo 'make exports-cluster writes it anew' && false; }
}

without_tools_there_is_no_program() {
    make_ prefix="$tmp/library" TOOLS=no install-cluster &&
        test -e "$tmp/library/lib/libjtimer-cluster.a" &&
        test -z "$(find "$tmp/library" \( -name '*run_schedule*' -o -name 'jtimer-cluster' -o -name 'jtimer-cluster.1' \) ! -path '*/doc/*')"
}

what_is_uninstalled_is_gone() {
    make_ prefix="$prefix" uninstall-cluster && files | diff "$tmp/plain" - &&
        make_ prefix="$prefix" uninstall && test -z "$(files)" &&
        test -z "$(find "$prefix" -name 'jtimer*')"
}

check install_cluster_adds_the_cluster_to_what_install_puts
check programs_are_built_with_the_packages
check run_schedule_cluster_is_installed_with_the_page_of_run_schedule
check o47_jtimer_cluster_is_installed_with_its_page_and_completion
check the_library_exports_what_the_list_says_and_nothing_else
check without_tools_there_is_no_program
check what_is_uninstalled_is_gone
sum_up
