#!/bin/sh
# Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#
# Holds the pages to what they say: their C++ compiles, the README's commands build and run its
# first program, and their links lead somewhere.
#
# A block of C++ without a main() stands in a function here, after all public headers. What it needs
# besides comes before it on the page, where readers do not see it:
#
#     <!-- before the block: struct Connections {}; -->
#
# With the argument --as-root it runs the README's command for everybody instead, which installs
# below /usr/local: build-aux/check-distros does that.
set -u

. test/support/cases.sh
: "${BUILD:=build}" "${CXX:=g++}" "${TESTED_CXXFLAGS=-O2 -g}"
unset MAKEFLAGS  # the settings of the make that calls us
pages=$(ls README.md CONTRIBUTING.md doc/*.md doc/*/*.md samples/*.md test/*.md test/*/*/*.md)

# Writes the blocks of C++ on the page $1 to $tmp/block_LINE.cpp each.
extract() {
    awk -v page="$1" -v dir="$tmp" '
        /^<!-- before the block: .* -->$/ {
            sub(/^<!-- before the block: /, "")
            sub(/ -->$/, "")
            before = before $0 "\n"
        }
        /^```/ && inside {
            inside = 0
            text = "#line " line " \"" page "\"\n" text
            if (text !~ /int main\(/) text = before "void block() {\n" text "}\n"
            printf "#include \"all.hpp\"\n%s", text >(dir "/block_" line ".cpp")
            before = ""
        }
        inside { text = text $0 "\n" }
        /^```cpp$/ { inside = 1; line = NR + 1; text = "" }' "$1"
}

# --- the cases ----------------------------------------------------------------------------------

every_block_of_cpp_compiles() {
    {
        (cd include && ls jtimer/*.hpp jtimer/*/*.hpp) | grep -v /detail/ |
            sed 's/.*/#include <&>/'
        printf '#include <%s>\n' atomic condition_variable cstdio ctime \
            functional iostream memory mutex string vector
        echo 'using namespace std::chrono_literals;'
    } >"$tmp/all.hpp"
    for page in $pages; do
        rm -f "$tmp"/block_*
        extract "$page" && blocks=$(ls "$tmp" | grep -c '^block_')
        test "$blocks" -eq "$(grep -c '^```cpp$' "$page")" || return 1
        for block in "$tmp"/block_*; do
            [ -e "$block" ] || continue
            $CXX -std=c++17 -Wall -Wextra -Werror -Wno-unused -Iinclude -I"$tmp" -fsyntax-only \
                "$block" || return 1
        done
    done
}

# The commands under "A program", with the compiler and the flags that are tested.
program_commands() {
    awk '/^## / { here = $0 == "## A program" }
        /^```/ { code = !code }
        here && !code && sub(/^    /, "")' README.md |
        sed "s|^g++|$CXX|; s|^make.*|& CXX='$CXX' CXXFLAGS='$TESTED_CXXFLAGS'|"
}

# Runs the commands $1, which run the program $2 times.
run_program_commands() {
    awk '/^```cpp$/ { inside = 1; next } /^```/ { exit } inside' README.md >program.cpp &&
        sh -ec "$1" >said && test "$(grep -c 'once, after half a second' said)" = "$2" &&
        test "$(grep -c 'four times a second' said)" = $((9 * $2))
}

# In a copy, where the build folder has the name that the README says, and below another HOME.
the_commands_of_the_readme_build_and_run_its_program() {
    mkdir -p "$tmp/jtimer/build/obj" "$tmp/home" &&
        cp -Rp Makefile build-aux doc include lib README.md ChangeLog LICENSE "$tmp/jtimer" &&
        cp -Rp "$BUILD/obj/lib" "$tmp/jtimer/build/obj" &&
        cp -p "$BUILD/flags" "$tmp/jtimer/build" || return 1
    commands=$(program_commands | sed '/^sudo /,$d')
    test "$(echo "$commands" | grep -c '^./a.out$')" = 2 &&
        (cd "$tmp/jtimer" && HOME=$tmp/home run_program_commands "$commands" 2)
}

the_commands_of_the_readme_for_root_build_and_run_its_program() {
    mkdir "$tmp/bin" && printf '#!/bin/sh\nexec "$@"\n' >"$tmp/bin/sudo" &&
        chmod +x "$tmp/bin/sudo" || return 1
    commands=$(program_commands | sed -n '/^sudo /,$p')
    test "$(echo "$commands" | grep -c '^./a.out$')" = 1 &&
        PATH=$tmp/bin:$PATH run_program_commands "$commands" 1
}

# A heading's anchor, as GitHub and Doxygen make it.
anchors() {
    sed -n 's/^##* //p' "$1" | tr '[:upper:] ' '[:lower:]-' | tr -cd 'a-z0-9\n_-'
}

every_link_of_the_pages_leads_to_a_file_and_a_heading() {
    for page in $pages; do
        for link in $(grep -o '](\([^) ]*\))' "$page" | sed 's/^](//; s/)$//'); do
            case $link in *://*) continue ;; esac
            file=${link%%#*}
            file=${file:+$(dirname "$page")/$file}
            : "${file:=$page}"
            test -e "$file" || { echo "$page: there is no $link"; return 1; }
            case $link in *'#'*)
                anchors "$file" | grep -qx "${link#*#}" ||
                    { echo "$page: no heading for $link"; return 1; } ;;
            esac
        done
    done
}

# Each number in a list of numbers and ranges, such as `J9 and J128 to J131`, on a line of its own.
numbers() {
    grep -oE '[A-Z][0-9]+( to [A-Z][0-9]+)?' | awk '{
        letter = substr($1, 1, 1)
        last = substr($NF, 2) + 0
        for (n = substr($1, 2) + 0; n <= last; ++n) print letter n
    }' | sort -u
}

# Those that begin the test cases' names: `j15_to_j27_...`, `j20_c3_...`.
numbers_of_the_tests() {
    find test -name '*_test.cpp' -exec cat {} + | tr -d ' \n' |
        grep -oE '_TEST_CASE(_TEMPLATE)?\(([a-z][0-9]+_(to_[a-z][0-9]+_)?)+' | sed 's/^[^(]*(//' |
        tr 'a-z_' 'A-Z ' | sed 's/ TO / to /g' | numbers
}

each_number_of_the_behaviours_has_a_test_or_a_reason_and_the_other_way_round() {
    list=doc/behaviour.md
    sed '/^## What is not tested/,$d' $list | grep -oE '^\| [A-Z][0-9]+ \|' | numbers >"$tmp/listed"
    sed '1,/^## What is not tested/d' $list | sed -n 's/^\(| [^|]*|\).*/\1/p' | numbers >"$tmp/excused"
    numbers_of_the_tests >"$tmp/tested"
    sort -u "$tmp/excused" "$tmp/listed" >"$tmp/known"
    sort -u "$tmp/excused" "$tmp/tested" | diff "$tmp/known" -
}

if [ "${1-}" = --as-root ]; then
    check the_commands_of_the_readme_for_root_build_and_run_its_program
else
    check every_block_of_cpp_compiles
    check the_commands_of_the_readme_build_and_run_its_program
    check every_link_of_the_pages_leads_to_a_file_and_a_heading
    check each_number_of_the_behaviours_has_a_test_or_a_reason_and_the_other_way_round
fi
sum_up
