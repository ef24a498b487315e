#!/bin/sh
# Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#
# Runs build-aux/install-deps on machines that are made of files: a folder has the programs, the
# headers and the libraries that such a machine has, and its package manager adds to them.
# build-aux/check-distros tries the same on real ones.
#
# shellcheck disable=SC2086 # $boost is a list
set -u

. test/support/cases.sh
script=$(pwd)/build-aux/install-deps
machine=$tmp/machine
export machine
unset CXX CPPFLAGS CXXFLAGS LDFLAGS BOOST_CPPFLAGS BOOST_LDFLAGS BOOST_THREAD_LIBS BOOST_TEST_LIBS \
    BOOST_PROGRAM_OPTIONS_LIBS

# --- the programs of such a machine ---------------------------------------------------------------

mkdir "$tmp/programs"

# Knows the headers and libraries that are there.
cat >"$tmp/programs/compiler" <<'END'
#!/bin/sh
case " $* " in
*' -fno-such-flag '*) echo 'no such flag' >&2; exit 1 ;;
*' -E '*) [ ! -e "$machine/include/boost" ] || echo "jtimer ${fake_boost:-107400}"; exit ;;
esac
for word; do
    case $word in
    -l*) file=lib/${word#-l} ;;
    -fsanitize=*) file=lib/${word#-fsanitize=} ;;
    *.cpp) file=$(awk -F '[<>]' '/__has_include/ { print "include/" $2 }' "$word") ;;
    *) file= ;;
    esac
    [ -e "$machine/$file" ] || { echo "there is no $file" >&2; exit 1; }
done
END

# A name of a compiler with nothing behind it, as ccache leaves them in /usr/lib/ccache.
cat >"$tmp/programs/dangling" <<'END'
#!/bin/sh
echo "no compiler behind $0" >&2
exit 1
END

cat >"$tmp/programs/ccache" <<'END'
#!/bin/sh
"$@"
END

cat >"$tmp/programs/other" <<'END'
#!/bin/sh
END

cat >"$tmp/programs/id" <<'END'
#!/bin/sh
echo "${fake_user:-0}"
END

cat >"$tmp/programs/sudo" <<'END'
#!/bin/sh
[ -z "${fake_sudo_refuses-}" ] || exit 1
fake_user=0 "$@"
END

# Package managers: what a package brings stands in the file `packages`.
cat >"$tmp/programs/manager" <<'END'
#!/bin/sh
name=${0##*/}
case "$name $*" in
*--prefix*) echo /opt/brew; exit ;;
*' update') [ -z "${fake_update_fails-}" ] && exit; exit 100 ;;
*' install '* | 'pacman -S'*) ;;
*) echo "$name: unexpected: $*"; exit 1 ;;
esac
[ "$name" = brew ] || [ "${fake_user:-0}" = 0 ] || { echo "$name: not root"; exit 1; }
while [ "$1" != install ] && [ "$1" != -Sy ]; do shift; done
shift
echo "$name $*" >>"$machine/installations"
for package; do
    case $package in -*) continue ;; esac
    files=$(awk -v name="$package" '$1 == name { for (i = 2; i <= NF; i++) print $i; exit }' \
        "$machine/packages")
    [ -n "$files" ] || { echo "$name: $package: no such package"; exit 1; }
    for file in $files; do "$machine/add" "$file"; done
done
END

cat >"$tmp/programs/apt-cache" <<'SCRIPT'
#!/bin/sh
# As apt does, takes any other name for a pattern.
exec awk -v name="$2" '
    { line[NR] = $1; if ($1 == name) exact = 1 }
    END {
        for (i = 1; i <= NR; i++) if (exact ? line[i] == name : index(line[i], substr(name, 1, 3)))
            print line[i] ":\n  Installed: (none)\n  Candidate: 1.0"
    }' "$machine/packages"
SCRIPT

# `add FILE`: makes it so that the machine has it.
cat >"$tmp/programs/add" <<'END'
#!/bin/sh
case $1 in
bin/ccache | bin/sudo | bin/id | bin/apt-cache) from=${1#bin/} ;;
bin/g++* | bin/clang++*) from=compiler ;;
bin/apt-get | bin/dnf | bin/pacman | bin/brew) from=manager ;;
bin/*) from=other ;;
*) mkdir -p "$machine/${1%/*}" && : >"$machine/$1"; exit ;;
esac
cp "$programs/$from" "$machine/$1"
END
chmod +x "$tmp"/programs/*
programs=$tmp/programs
export programs

boost='include/boost/thread/thread.hpp include/boost/chrono.hpp include/boost/test/unit_test.hpp
    include/boost/program_options.hpp'

# A machine with the package manager $1 (`none`: with none) and the files that follow.
new_machine() {
    rm -rf "$machine"
    mkdir -p "$machine/bin"
    for program in awk cat cp env mkdir mktemp rm uname; do
        ln -s "$(command -v $program)" "$machine/bin"
    done
    ln -s "$programs/add" "$machine/add"
    manager=$1
    shift
    : >"$machine/installations"
    {
        case $manager in
        none) ;;
        apt-get)
            echo make bin/make
            echo g++ bin/g++
            echo g++-12 bin/g++-12
            echo clang bin/clang++
            echo clang-14 bin/clang++-14
            echo libclang-13-dev lib/wrong
            echo ccache bin/ccache
            echo libboost-thread-dev $boost lib/boost_thread
            echo libboost-chrono-dev $boost lib/boost_chrono
            echo libboost-program-options-dev $boost lib/boost_program_options
            echo libboost-test-dev $boost lib/boost_unit_test_framework
            echo pkgconf bin/pkg-config
            echo clang-tidy bin/clang-tidy
            ;;
        *)
            echo make bin/make
            for name in gcc gcc-c++; do echo $name bin/g++; done
            for name in boost boost-devel; do
                echo $name $boost lib/boost_thread lib/boost_chrono lib/boost_program_options \
                    lib/boost_unit_test_framework
            done
            for name in pkgconf pkgconf-pkg-config; do echo $name bin/pkg-config; done
            echo libtsan lib/thread
            ;;
        esac
        echo cmake bin/cmake
        for name in python python3; do echo $name bin/python3; done
    } >"$machine/packages"
    case $manager in
    none) ;;
    apt-get) set -- bin/apt-get bin/apt-cache "$@" ;;
    *) set -- "bin/$manager" "$@" ;;
    esac
    for file in bin/id "$@"; do "$machine/add" "$file"; done
}

# Runs the script there; what it says goes to the file `said`.
install_deps() {
    PATH=$machine/bin /bin/sh "$script" "$@" >"$tmp/said" 2>&1
    status=$?
    cat "$tmp/said"
    return $status
}

says() { grep -qF -- "$1" "$tmp/said"; }

has_nothing_new() { test ! -s "$machine/installations"; }

# The second time there is nothing to do.
is_equipped() {
    : >"$machine/installations"
    install_deps "$@" && says 'nothing is missing' && has_nothing_new
}

# --- the cases ------------------------------------------------------------------------------------

# Calls $1 with each subset of the words that follow.
each_subset() {
    call=$1
    shift
    count=1
    for word; do count=$((count * 2)); done
    subset=0
    while [ $subset -lt $count ]; do
        bits=$subset
        words=
        for word; do
            [ $((bits % 2)) -eq 0 ] || words="$words $word"
            bits=$((bits / 2))
        done
            $call $words || { echo "with:$words"; return 1; }
        subset=$((subset + 1))
    done
}

state_for_the_demo() {
    new_machine apt-get "$@" && install_deps demo && is_equipped demo &&
        test ! -e "$machine/lib/boost_unit_test_framework" && test ! -e "$machine/bin/cmake"
}
every_half_equipped_machine_gets_what_the_demo_needs_and_no_more() {
    each_subset state_for_the_demo bin/g++ "${boost%% *}" lib/boost_thread \
        lib/boost_program_options
}

state_for_check() {
    case " $* " in *" headers "*) set -- "$@" $boost ;; esac
    new_machine apt-get "$@" && install_deps check check-install && is_equipped check check-install
}
every_half_equipped_machine_gets_what_check_needs() {
    each_subset state_for_check bin/g++ headers lib/boost_thread lib/boost_unit_test_framework \
        bin/cmake
}

clang_tidy_is_of_version_19_where_apt_has_that() {
    new_machine apt-get && install_deps tidy && is_equipped tidy && test -e "$machine/bin/clang-tidy" &&
        echo clang-tidy-19 bin/clang-tidy-19 >>"$machine/packages" &&
        install_deps tidy && test -e "$machine/bin/clang-tidy-19" && is_equipped tidy
}

boost_libraries_without_headers_are_no_two_tries() {
    new_machine apt-get bin/make bin/g++ bin/pkg-config bin/cmake bin/python3 lib/boost_thread \
        lib/boost_chrono
    install_deps check &&
        says 'missing: Boost.Thread, Boost.Chrono, Boost.Program_options, Boost.Test' &&
        says 'everything needed is installed (g++, Boost 1.74)'
}

what_shows_itself_only_after_an_installation_is_installed_in_another() {
    new_machine apt-get bin/make
    cp "$programs/dangling" "$machine/bin/g++"
    CXX='ccache g++' install_deps demo && says 'everything needed is installed (ccache g++' &&
        test "$(grep -c install "$machine/installations")" = 2
}

a_package_that_does_not_bring_what_it_should_is_tried_once() {
    new_machine apt-get bin/make bin/g++
    sed -i.bak 's, lib/boost_chrono,,' "$machine/packages"
    ! install_deps demo && says 'still missing after installing' &&
        says 'there is no lib/boost_chrono' &&
        test "$(grep -c install "$machine/installations")" = 1
}

clang_alone_is_enough_where_it_is_asked_for() {
    new_machine apt-get bin/make bin/clang++ $boost lib/boost_thread lib/boost_chrono \
        lib/boost_program_options
    CXX=clang++ install_deps demo && has_nothing_new &&
        install_deps demo && says 'missing: g++, ' && test -e "$machine/bin/g++"
}

without_root_and_sudo_a_user_is_told_all_packages() {
    packages='make g++ libboost-thread-dev libboost-chrono-dev libboost-program-options-dev'
    new_machine apt-get
    ! fake_user=1000 install_deps demo && has_nothing_new && says 'As root, run:' &&
        says "apt-get install --no-install-recommends $packages" || return 1
    ! fake_user=1000 install_deps check && has_nothing_new && says 'libboost-test-dev pkgconf python3'
}

a_user_needs_no_other_package_than_those_he_is_told() {
    new_machine apt-get bin/make
    fake_user=1000 install_deps check
    # shellcheck disable=SC2046
    "$machine/bin/apt-get" install $(sed -n 's/.*--no-install-recommends//p' "$tmp/said") &&
        fake_user=1000 install_deps check && says 'nothing is missing'
}

a_user_with_sudo_installs_with_it() {
    new_machine apt-get bin/sudo
    fake_user=1000 install_deps demo && says 'installing with sudo apt-get: make g++'
}

a_user_whom_sudo_refuses_is_told_what_is_missing() {
    new_machine apt-get bin/sudo bin/make bin/g++ $boost lib/boost_thread lib/boost_chrono
    ! fake_sudo_refuses=yes fake_user=1000 install_deps demo && has_nothing_new &&
        says 'apt-get install --no-install-recommends libboost-program-options-dev'
}

lists_that_cannot_be_updated_do_not_stop_it() {
    new_machine apt-get
    fake_update_fails=yes install_deps demo && says 'continuing with the existing package lists'
}

# apt-get would take `g++-13` for a pattern.
a_compiler_without_a_package_is_an_error_and_installs_nothing() {
    for cxx in g++-13 clang++-99 icpx /opt/gcc/bin/g++ 'ccache g++-13' 'distcc g++'; do
        new_machine apt-get bin/make
        ! CXX=$cxx install_deps demo && has_nothing_new && ! says installing &&
            says "CXX='$cxx'" || return 1
        fake_user=1000
        export fake_user
        ! CXX=$cxx install_deps demo && says "CXX='$cxx'" && ! says 'As root'
        status=$?
        unset fake_user
        test $status -eq 0 || return 1
    done
}

a_compiler_by_its_version_is_the_package_of_that_version() {
    new_machine apt-get
    CXX=g++-12 install_deps demo && test -e "$machine/bin/g++-12" && test ! -e "$machine/bin/g++" &&
        CXX=clang++-14 install_deps demo && test -e "$machine/bin/clang++-14"
}

state_with_ccache() {
    new_machine apt-get bin/make "$@" && CXX='ccache g++ -DX' install_deps demo &&
        CXX='ccache g++ -DX' is_equipped demo
}
ccache_and_the_compiler_behind_it_are_both_installed() {
    each_subset state_with_ccache bin/ccache bin/g++ "$boost"
}

words_before_the_compiler_that_are_no_programs_do_no_harm() {
    new_machine apt-get
    CXX='env X=1 g++' install_deps demo && CXX='env X=1 g++' is_equipped demo
}

flags_that_do_not_work_are_an_error_in_the_words_of_the_compiler() {
    new_machine apt-get bin/make bin/g++
    ! CXXFLAGS=-fno-such-flag install_deps demo && has_nothing_new && says 'no such flag'
}

a_boost_that_is_too_old_is_an_error() {
    new_machine apt-get bin/make bin/g++ $boost lib/boost_thread
    fake_boost=107100
    export fake_boost
    ! install_deps demo && has_nothing_new && says 'Boost 1.71 is too old' || return 1
    fake_boost=107400 install_deps demo
    status=$?
    unset fake_boost
    return $status
}

every_package_manager_equips_a_bare_machine() {
    for name in apt-get dnf pacman brew; do
        new_machine $name && install_deps check && is_equipped check || return 1
    done
}

dnf_has_packages_for_sanitizers() {
    new_machine dnf && install_deps check sanitize-thread &&
        test -e "$machine/lib/thread" && is_equipped check sanitize-thread
}

without_a_package_manager_it_says_what_to_install_by_hand() {
    new_machine none bin/make
    ! install_deps demo &&
        says 'missing: g++, Boost.Thread, Boost.Chrono, Boost.Program_options' &&
        says 'Install these by hand (Boost 1.74 or'
}

check every_half_equipped_machine_gets_what_the_demo_needs_and_no_more
check every_half_equipped_machine_gets_what_check_needs
check clang_tidy_is_of_version_19_where_apt_has_that
check boost_libraries_without_headers_are_no_two_tries
check what_shows_itself_only_after_an_installation_is_installed_in_another
check a_package_that_does_not_bring_what_it_should_is_tried_once
check clang_alone_is_enough_where_it_is_asked_for
check without_root_and_sudo_a_user_is_told_all_packages
check a_user_needs_no_other_package_than_those_he_is_told
check a_user_with_sudo_installs_with_it
check a_user_whom_sudo_refuses_is_told_what_is_missing
check lists_that_cannot_be_updated_do_not_stop_it
check a_compiler_without_a_package_is_an_error_and_installs_nothing
check a_compiler_by_its_version_is_the_package_of_that_version
check ccache_and_the_compiler_behind_it_are_both_installed
check words_before_the_compiler_that_are_no_programs_do_no_harm
check flags_that_do_not_work_are_an_error_in_the_words_of_the_compiler
check a_boost_that_is_too_old_is_an_error
check every_package_manager_equips_a_bare_machine
check dnf_has_packages_for_sanitizers
check without_a_package_manager_it_says_what_to_install_by_hand

sum_up
