#!/bin/sh
# Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#
# Holds the pages to what they say: their C++ compiles, the commands of the README and of
# doc/building.md build and run the README's first program, their links lead somewhere, the README's
# numbers are those of their sources, and doc/internals/behaviour.md and the table of faults in
# doc/internals/laboratory.md list the tests that there are.
#
# A block of C++ without a main() becomes the body of a function, after all public headers. What else
# it needs stands before it on the page, where readers do not see it:
#
#     <!-- before the block: struct Connections {}; -->
#
# With the argument --as-root it runs the commands for all users instead, which install below
# /usr/local: build-aux/check-distros does that.
set -u

. test/support/cases.sh
. test/support/links.sh
: "${BUILD:=build}" "${CXX:=g++}" "${TESTED_CXXFLAGS=-O2 -g1}" "${TESTED_ASSERTIONS=}" "${PYTHON:=python3}"
unset MAKEFLAGS  # the settings of the make that calls us
pages=$(ls README.md CONTRIBUTING.md SECURITY.md doc/*.md doc/*/*.md samples/*.md test/*.md test/*/*.md test/*/*/*.md)

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
            printf "%s", text >(dir "/block_" line ".cpp")
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
    flags='-std=c++17 -Wall -Wextra -Werror -Wno-unused -Iinclude'
    # shellcheck disable=SC2086
    $CXX $flags -x c++-header "$tmp/all.hpp" -o "$tmp/all.hpp.gch" || return 1
    for page in $pages; do
        rm -f "$tmp"/block_*
        extract "$page" && blocks=$(ls "$tmp" | grep -c '^block_')
        test "$blocks" -eq "$(grep -c '^```cpp$' "$page")" || return 1
        for block in "$tmp"/block_*; do
            [ -e "$block" ] || continue
            # shellcheck disable=SC2086
            $CXX $flags -include "$tmp/all.hpp" -fsyntax-only "$block" || return 1
        done
    done
}

# The commands on the page $1 under the heading $2 that lead to ./a.out, with the compiler and the
# flags that are tested, so that make finds nothing to compile in a copy.
program_commands() {
    awk -v heading="## $2" '/^## / { here = $0 == heading }
        /^```/ { code = !code }
        here && !code && sub(/^    /, "") { block = block $0 "\n"; next }
        { if (block ~ /a\.out/) printf "%s", block; block = "" }' "$1" |
        sed "s|^g++|$CXX|; s|^make.*|& CXX='$CXX' CXXFLAGS='$TESTED_CXXFLAGS' ASSERTIONS='$TESTED_ASSERTIONS'|"
}

# Runs the commands $1, which run the program $2 times.
run_program_commands() {
    awk '/^```cpp$/ { inside = 1; next } /^```/ { exit } inside' README.md >program.cpp &&
        sh -ec "$1" >said && test "$(grep -c 'once, after half a second' said)" = "$2" &&
        test "$(grep -c 'four times a second' said)" = $((9 * $2))
}

# In a copy, where the build folder has the name that the README says, and below another HOME.
the_commands_of_the_pages_build_and_run_the_program_of_the_readme() {
    mkdir -p "$tmp/jtimer/build/obj" "$tmp/home" &&
        cp -Rp Makefile build-aux doc include lib packaging tools README.md ChangeLog LICENSE "$tmp/jtimer" &&
        cp -Rp "$BUILD/obj/lib" "$BUILD/obj/tools" "$tmp/jtimer/build/obj" &&
        cp -p "$BUILD/flags" "$tmp/jtimer/build" || return 1
    commands=$(program_commands README.md 'A program' &&
        program_commands doc/building.md Installing | sed '/^sudo /,$d')
    test "$(echo "$commands" | grep -c '^./a.out$')" = 2 &&
        (cd "$tmp/jtimer" && HOME=$tmp/home run_program_commands "$commands" 2)
}

the_commands_for_root_build_and_run_the_program_of_the_readme() {
    mkdir "$tmp/bin" && printf '#!/bin/sh\nexec "$@"\n' >"$tmp/bin/sudo" &&
        chmod +x "$tmp/bin/sudo" || return 1
    commands=$(program_commands doc/building.md Installing | sed -n '/^sudo /,$p')
    test "$(echo "$commands" | grep -c '^./a.out$')" = 1 &&
        PATH=$tmp/bin:$PATH run_program_commands "$commands" 1
}

# shellcheck disable=SC2086
every_link_of_the_pages_leads_to_a_file_and_a_heading() { every_link_leads_to_a_file_and_a_heading $pages; }

the_readme_has_at_most_120_lines_and_its_prose_100_columns() {
    test "$(wc -l <README.md)" -le 120 &&
        awk '/^```/ { code = !code }
            !code && !/^(    |\||!\[|\[I port)/ && length($0) > 100 { print "README.md:" FNR; bad = 1 }
            END { exit bad }' README.md
}

# Ratios, and numbers of three digits or more, in what is neither code nor a cell but the last of a row.
each_number_of_the_readme_is_on_the_page_that_it_comes_from() {
    awk '/^```/ { code = !code } code || /^    / { next }
        /^\|/ { sub(/ \|$/, ""); sub(/.*\| /, "") } { gsub(/`[^`]*`/, ""); print }' README.md |
        grep -oE '[0-9]+([,.][0-9]{2,})+|[0-9]{3,}' | sort -u >"$tmp/numbers"
    test "$(wc -l <"$tmp/numbers")" -ge 12 || return 1
    while read -r number; do
        grep -qwF -e "$number" doc/benchmarks.md doc/building.md doc/internals/laboratory.md CONTRIBUTING.md ||
            { echo "README.md: $number is nowhere else" && return 1; }
    done <"$tmp/numbers"
}

each_page_is_on_the_page_of_all_pages() {
    for page in doc/*.md doc/*/*.md; do
        test "$page" = doc/README.md || grep -qF "](${page#doc/})" doc/README.md ||
            { echo "doc/README.md has no $page" && return 1; }
    done
}

# build-aux/settings.mk is their list.
each_setting_is_explained() {
    awk '/^## / { here = $0 == "## Settings" } here && /^\|/' doc/building.md doc/internals/goals.md >"$tmp/settings"
    test "$(grep -c '^[A-Za-z_]* =' build-aux/settings.mk)" -ge 50 || return 1
    for name in $(sed -n 's/^\([A-Za-z_]*\) =.*/\1/p' build-aux/settings.mk); do
        grep -qF "\`$name\`" "$tmp/settings" || { echo "$name is not explained" && return 1; }
    done
}

each_part_of_timer_java_is_where_the_design_says() {
    awk '/^Who knows Timer.java/ { here = 1 } /^The forms that a task/ { here = 0 }
        here && /^\| `/' doc/internals/design.md >"$tmp/parts"
    test "$(wc -l <"$tmp/parts")" -ge 20 || return 1
    while IFS='|' read -r _ _ ours file _; do
        file=$(echo "$file" | tr -d ' ')
        echo "$ours" | grep -o '`[^`]*`' | tr -d '`' >"$tmp/names"
        while read -r name; do
            grep -qE "(^|[^A-Za-z_])$name([^A-Za-z_]|\$)" "$file" || { echo "no $name in $file" && return 1; }
        done <"$tmp/names"
    done <"$tmp/parts"
}

# Reads well if it has the usual sections, nothing of the Markdown is left, and man does not complain.
every_page_of_the_reference_is_a_manual_page() {
    for page in doc/reference/*.md; do
        name=$(basename "$page" .md)
        case $name in run_schedule | jtimer-cluster) section=1 ;; *) section=3 ;; esac
        build-aux/man-page "$page" $section >"$tmp/$name.3" &&
            grep -q "^\.TH $(echo "$name" | tr '[:lower:]' '[:upper:]') $section " "$tmp/$name.3" &&
            sed 's/\\-/-/g' "$tmp/$name.3" | grep -q "^$name - [A-Za-z]" || return 1
        sections=$(sed -n 's/^\.SH //p' "$tmp/$name.3" | tr '\n' ',')
        case $name in
        jtimer-cluster) expected='NAME,SYNOPSIS,DESCRIPTION,COMMANDS,OPTIONS,OUTPUT,THE PAGES,EXIT STATUS,EXAMPLE,SEE ALSO,' ;;
        run_schedule) expected='NAME,SYNOPSIS,DESCRIPTION,VARIABLES,CRONTABS,OPTIONS,OUTPUT,METRICS AND HEALTH,FAILURES,RESTARTS,IN A CLUSTER,SIGNALS,EXIT STATUS,EXAMPLE,SEE ALSO,' ;;
        *) expected='NAME,SYNOPSIS,DESCRIPTION,EXAMPLE,ERRORS,SEE ALSO,' ;;
        esac
        test "$sections" = "$expected" || { echo "$page has the sections $sections" && return 1; }
        ! grep -n -e '`' -e "](\.*[a-z_/]*\.md)" -e '\*\*[a-z]' -e '^|' -e '^<!--' "$tmp/$name.3" || return 1
        if command -v groff >/dev/null; then
            groff -man -Tascii -ww "$tmp/$name.3" 2>"$tmp/warnings" >/dev/null &&
                test ! -s "$tmp/warnings" || { cat "$tmp/warnings" && return 1; }
        fi
    done
}

# Those of the headers $@ that are in no namespace `detail`.
public_classes() {
    awk '
        { sub(/\/\/.*/, ""); opens = gsub(/\{/, "{"); closes = gsub(/\}/, "}") }
        /^namespace .*detail/ && opens > closes && !inside { inside = 1; outside = depth }
        !inside && /^(template <.*> )?(class|struct|enum class) [^;]*$/ && !/ write_| std::/ {
            gsub(/^template <.*> |enum | JTIMER_API/, "")
            print $2
        }
        { depth += opens - closes; if (inside && depth <= outside) inside = 0 }' "$@"
}

each_public_class_is_on_the_page_of_its_timer_or_of_all() {
    for page in doc/reference/jtimer.md doc/reference/jtimer_*.md; do
        timer=$(basename "$page" .md) && timer=${timer#jtimer} && timer=${timer#_}
        case $timer in
        common) headers=$(ls include/jtimer/*.hpp) ;;
        *) headers=$(ls include/jtimer/"${timer:-jdk}"/*.hpp) ;;
        esac
        # shellcheck disable=SC2086
        classes=$(public_classes $headers)
        test "$(echo "$classes" | wc -l)" -ge 4 || return 1
        for class in $classes; do
            grep -qw "$class" "$page" || { echo "$page has no $class" && return 1; }
        done
    done
}

the_tests_of_each_behaviour_are_those_that_name_it() {
    "$PYTHON" build-aux/behaviour >"$tmp/behaviour.md" &&
        diff doc/internals/behaviour.md "$tmp/behaviour.md" ||
        { echo 'make behaviour writes it anew'; return 1; }
}

# Writes the column of a page with J1, J2 and what its arguments say, for a test of J1 and N7.
column_of() {
    mkdir -p "$tmp/cases/jdk" &&
        echo 'BOOST_AUTO_TEST_CASE(j1_n7_it_runs) {}' >"$tmp/cases/jdk/one_test.cpp" &&
        printf '%s\n' '## java.util.Timer' '| J1 | Runs. | old |' '| J2 | Ends. | old |' "$@" \
            >"$tmp/page.md" && "$PYTHON" build-aux/behaviour "$tmp/page.md" "$tmp/cases" 2>&1
}

a_behaviour_without_a_test_or_a_reason_and_a_test_without_a_behaviour_are_reported() {
    column_of '| N7 | Stops. | |' '## What is not tested' '| J2 | Java only. |' >"$tmp/good" &&
        grep -qx '| J1 | Runs. | `jdk/one_test` |' "$tmp/good" &&
        grep -qx '| J2 | Ends. | - |' "$tmp/good" &&
        grep -qx '| N7 | Stops. | `jdk/one_test` |' "$tmp/good" &&
        ! column_of >"$tmp/bad" && grep -q 'no test has the number J2$' "$tmp/bad" &&
        grep -q '^jdk/one_test: N7 is not in ' "$tmp/bad"
}

# Each row names a unit and the beginning of its cases, and may name further units.
every_fault_is_tested_for_every_timer() {
    rows=$(sed -n 's/^| .* | `\([a-z_]*_test\)`: `\([a-z_0-9]*\)` | .*|$/\1 \2/p' \
        doc/internals/laboratory.md) &&
        test "$(echo "$rows" | wc -l)" -eq 15 &&
        echo "$rows" | while read -r unit case; do
            for room in jdk netty brpc go tokio; do
                grep -qE "_TEST_CASE\(([a-z][0-9]+_)*$case" "test/$room/$unit.cpp" ||
                    { grep -qE '^FAULT_CASES\(' "test/$room/$unit.cpp" &&
                        grep -q "_TEST_CASE($case)" test/support/faults.hpp; } ||
                    { echo "$room/$unit: no case $case" && exit 1; }
            done
        done &&
        for case in $(grep -o 'CASE(fault_[a-z_0-9]*' test/support/faults.hpp | cut -d'(' -f2); do
            echo "$rows" | grep -qx "faults_test $case" || { echo "$case" && return 1; }
        done &&
        for unit in $(grep -oE '`[a-z]+/[a-z_]+_test`' doc/internals/laboratory.md | tr -d '`'); do
            test -e "test/$unit.cpp" || { echo "no $unit" && return 1; }
        done
}

if [ "${1-}" = --as-root ]; then
    check the_commands_for_root_build_and_run_the_program_of_the_readme
else
    check every_block_of_cpp_compiles
    check the_commands_of_the_pages_build_and_run_the_program_of_the_readme
    check every_link_of_the_pages_leads_to_a_file_and_a_heading
    check the_readme_has_at_most_120_lines_and_its_prose_100_columns
    check each_number_of_the_readme_is_on_the_page_that_it_comes_from
    check each_page_is_on_the_page_of_all_pages
    check each_setting_is_explained
    check each_part_of_timer_java_is_where_the_design_says
    check every_page_of_the_reference_is_a_manual_page
    check each_public_class_is_on_the_page_of_its_timer_or_of_all
    check the_tests_of_each_behaviour_are_those_that_name_it
    check a_behaviour_without_a_test_or_a_reason_and_a_test_without_a_behaviour_are_reported
    check every_fault_is_tested_for_every_timer
fi
sum_up
