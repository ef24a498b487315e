#!/bin/sh
# Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#
# Holds build-aux/test-groups to what its comment says.
set -u

. test/support/cases.sh
script=$(pwd)/build-aux/test-groups

# A folder `room` with the tests $@, in which the script runs with groups of at most three.
groups_of() {
    rm -rf "$tmp/tree" && mkdir -p "$tmp/tree/test/room" &&
        for name; do echo '#include <boost>' >"$tmp/tree/test/room/${name}_test.cpp"; done &&
        (cd "$tmp/tree" && "$script" 3 room) >"$tmp/groups"
}

tests_up_to_the_limit_are_one_group() {
    groups_of b a c && printf 'room/group1:%s_test\n' a b c | diff - "$tmp/groups"
}

groups_differ_in_size_by_one_at_most() {
    groups_of a b c d e f g || return 1
    for test in 1:a 1:b 1:c 2:d 2:e 3:f 3:g; do echo "room/group${test}_test"; done | diff - "$tmp/groups"
}

a_program_of_its_own_is_in_no_group() {
    groups_of a b && printf '// A program of its own, as it replaces operator new.\n' >"$tmp/tree/test/room/c_test.cpp" &&
        (cd "$tmp/tree" && "$script" 3 room) | diff "$tmp/groups" -
}

each_test_of_the_folders_here_is_in_one_group_or_a_program_of_its_own() {
    for folder in jdk go tools; do
        "$script" 8 $folder | sed "s,.*:,test/$folder/,; s,\$,.cpp," >"$tmp/all" || return 1
        grep -l '^// A program of its own' test/$folder/*_test.cpp >>"$tmp/all"
        ls test/$folder/*_test.cpp | sort | diff - "$(sort -o "$tmp/all" "$tmp/all" && echo "$tmp/all")" || return 1
    done
}

check tests_up_to_the_limit_are_one_group
check groups_differ_in_size_by_one_at_most
check a_program_of_its_own_is_in_no_group
check each_test_of_the_folders_here_is_in_one_group_or_a_program_of_its_own
sum_up
