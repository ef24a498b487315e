#!/bin/sh
# Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#
# Installs into directories of its own, and uses what is installed there as a stranger's program would.
# With THOROUGH=yes each header is compiled alone as C++20, too, as `make nightly` does.
set -u

. test/support/install.sh
. test/support/links.sh

stage=$tmp/stage
export PKG_CONFIG_PATH="$prefix/lib/pkgconfig"

list() { (cd "$1" && find . ! -type d | sort); }

# What must be installed, for the headers' folder $1 and the libraries' folder $2.
expected_files() {
    {
        (cd include && find jtimer -name '*.hpp' ! -path 'jtimer/cluster*') | sed "s,^,./$1/,"
        printf "./$2/%s\n" libjtimer.a libjtimer.so "libjtimer.so.$soversion" \
            "libjtimer.so.$version" pkgconfig/jtimer.pc cmake/jtimer/jtimerConfig.cmake \
            cmake/jtimer/jtimerConfigVersion.cmake
        for file in *.md ChangeLog LICENSE tools/run_schedule/demo.schedule packaging/kubernetes.yaml packaging/kubernetes-cluster.yaml \
            packaging/docker/Dockerfile packaging/docker/compose.yaml packaging/docker/schedule/schedule \
            packaging/systemd/run_schedule.service \
            $(find doc samples test -name '*.md' -o -name '*.svg' -o -name '*.png' -o -path 'samples/*.cpp' -o -path 'samples/*.java'); do
            echo "./share/doc/jtimer/$file"
        done
        for page in jtimer jtimer_brpc jtimer_common jtimer_go jtimer_netty jtimer_tokio; do
            echo "./share/man/man3/$page.3"
        done
        for name in run_schedule run-schedule; do
            printf '%s\n' "./bin/$name" "./share/man/man1/$name.1" "./share/bash-completion/completions/$name"
        done
    } | sort
}

# --- the cases ----------------------------------------------------------------------------------

install_puts_exactly_the_files_it_should() {
    mkdir -p "$prefix/lib" "$prefix/include/jtimer" &&
        touch "$prefix/lib/libother.a" "$prefix/include/jtimer/mine.hpp" || return 1
    make_ prefix="$prefix" install || return 1
    { expected_files include lib; echo ./lib/libother.a; echo ./include/jtimer/mine.hpp; } |
        sort >"$tmp/expected"
    list "$prefix" | diff "$tmp/expected" -
}

without_tools_install_leaves_run_schedule_out() {
    make_ prefix="$tmp/library" TOOLS=no install-strip || return 1
    expected_files include lib | grep -v -e '/run[_-]schedule$' -e '/run[_-]schedule\.1$' >"$tmp/expected"
    list "$tmp/library" | grep -v share/doc >"$tmp/listed"
    grep -v share/doc "$tmp/expected" | diff - "$tmp/listed"
}

run_schedule_is_installed_with_its_completion() {
    test "$("$prefix/bin/run_schedule" --version)" = "run_schedule (jtimer) $version" &&
        test "$("$prefix/bin/run-schedule" --version)" = "run_schedule (jtimer) $version" &&
        ! has_debug_information "$prefix/bin/run_schedule" &&
        ! is_linked_with_libjtimer_so "$prefix/bin/run_schedule" && needs bash || return 1
    cd "$tmp" && mkdir -p files && touch files/backup.schedule || return 1
    PATH=$prefix/bin:$PATH bash -c '
        . "$1/share/bash-completion/completions/run_schedule"
        complete() {
            COMP_WORDS=(run_schedule "$@") COMP_CWORD=$# COMPREPLY=()
            _run_schedule run_schedule
            echo "$*: ${COMPREPLY[*]}"
        }
        complete --c
        complete --for ""
        complete --for = 5
        complete --jobs =
        complete --li
        complete --listen ""
        complete --reload-every 1
        complete --output = j
        complete --metrics files/
        complete --trace = files/b
        complete files/b' bash "$prefix" >"$tmp/completed"
    cd "$root" && diff - "$tmp/completed" <<'END'
--c: --crontab --convert --catch-up --cluster --connect-within --check
--for : 500ms 5s 1m 1h 1d
--for = 5: 500ms 5s
--jobs =: 1 2 4 8 16
--li: --listen --list
--listen : localhost:9100
--reload-every 1: 1m 1h 1d
--output = j: json
--metrics files/: files/backup.schedule
--trace = files/b: files/backup.schedule
files/b: files/backup.schedule
END
}

every_link_of_the_installed_pages_leads_to_a_file_and_a_heading() {
    # shellcheck disable=SC2086
    pages=$(find "$prefix/share/doc/jtimer" -name '*.md') && test -n "$pages" &&
        every_link_leads_to_a_file_and_a_heading $pages
}

installed_files_can_be_read_by_everybody() {
    test -z "$(find "$prefix" \( -name '*jtimer*' -o -name run_schedule\* \) ! -type l ! -perm -444 -print)" &&
        test -x "$prefix/bin/run_schedule"
}

has_debug_information() { readelf -S "$1" | grep -q '\.debug_info'; }

# The build folder has it if the flags say so; with STRIP=: it is installed.
installed_libraries_have_no_debug_information() {
    ! has_debug_information "$prefix/lib/libjtimer.a" &&
        ! has_debug_information "$prefix/lib/libjtimer.so" &&
        make_ prefix="$tmp/unstripped" STRIP=: install || return 1
    for file in libjtimer.a libjtimer.so; do
        cmp "$BUILD/$file" "$tmp/unstripped/lib/$file" || return 1
    done
}

the_shared_library_has_its_soname() {
    test "$(readlink "$prefix/lib/libjtimer.so")" = "libjtimer.so.$soversion" &&
        test "$(readlink "$prefix/lib/libjtimer.so.$soversion")" = "libjtimer.so.$version" &&
        readelf -d "$prefix/lib/libjtimer.so" | grep "SONAME.*\[libjtimer\.so\.$soversion\]"
}

the_shared_library_exports_what_the_list_says_and_nothing_else() {
    build-aux/list-exports "$prefix/lib/libjtimer.so" >"$tmp/exports" &&
        diff build-aux/exports.txt "$tmp/exports"
}

the_version_is_the_same_in_text_and_in_numbers() {
    IFS=. read -r major minor patch <<END
$version
END
    cat >"$tmp/version.cpp" <<END
#include <jtimer/version.hpp>
#if JTIMER_VERSION_MAJOR != $major || JTIMER_VERSION_MINOR != $minor || \
    JTIMER_VERSION_PATCH != $patch || \\
    JTIMER_VERSION_NUMBER != $major * 10000 + $minor * 100 + $patch
#error another version
#endif
static_assert(sizeof(JTIMER_VERSION) == sizeof("$version"), "");
static_assert(__builtin_strcmp(JTIMER_VERSION, "$version") == 0, "");
END
    $CXX -std=c++17 -fsyntax-only -I"$prefix/include" "$tmp/version.cpp"
}

# A compiler without an integer of 128 bits gets Boost's.
public_headers_include_the_standard_library_only() {
    ! grep -rn '#include *["<]' "$prefix/include/jtimer" |
        grep -v -E '<(jtimer/[a-z_/]+\.hpp|[a-z_]+|boost/multiprecision/cpp_int\.hpp)>' || return 1
    case $($CXX -dM -E -x c++ /dev/null) in *__SIZEOF_INT128__*) ;; *) return 0 ;; esac
    ! echo '#include <jtimer/timer.hpp>' | $CXX -std=c++17 -M -I"$prefix/include" -x c++ - | grep boost/
}

# Twice in one file, so that a missing `#pragma once` shows too.
each_header_compiles_alone() {
    for header in $(cd "$prefix/include" && find jtimer -name '*.hpp' ! -name mine.hpp); do
        printf '#include <%s>\n#include <%s>\n' "$header" "$header" >"$tmp/header.cpp"
        # shellcheck disable=SC2086
        $CXX -std="$1" $warnings -fsyntax-only -I"$prefix/include" "$tmp/header.cpp" || return 1
    done
}
each_header_compiles_alone_as_cxx17() { each_header_compiles_alone c++17; }
each_header_compiles_alone_as_cxx20() { each_header_compiles_alone c++20; }

all_headers_compile_together_as_cxx20() {
    (cd "$prefix/include" && find jtimer -name '*.hpp' ! -name mine.hpp) |
        sed 's/.*/#include <&>/' >"$tmp/headers.cpp" &&
        $CXX -std=c++20 $warnings -fsyntax-only -I"$prefix/include" "$tmp/headers.cpp"
}

pkg_config_knows_the_version() {
    needs pkg-config && test "$(pkg-config --modversion jtimer)" = "$version" &&
        pkg-config --validate jtimer
}

pkg_config_builds_a_program_with_the_shared_library() {
    # shellcheck disable=SC2046,SC2086
    $CXX -std=c++17 $warnings "$tmp/main.cpp" $(pkg-config --cflags --libs jtimer) \
        -o "$tmp/shared" && LD_LIBRARY_PATH=$prefix/lib says_its_runs "$tmp/shared" &&
        is_linked_with_libjtimer_so "$tmp/shared"
}

pkg_config_builds_a_program_with_the_static_library_only() {
    static=$tmp/static-only
    cp -R "$prefix" "$static" && rm "$static"/lib/*.so* &&
        sed -i.bak "s,^prefix=.*,prefix=$static," "$static/lib/pkgconfig/jtimer.pc" || return 1
    # shellcheck disable=SC2046,SC2086
    $CXX -std=c++17 $warnings "$tmp/main.cpp" -o "$tmp/static" \
        $(PKG_CONFIG_PATH=$static/lib/pkgconfig pkg-config --static --cflags --libs jtimer) &&
        says_its_runs "$tmp/static" && ! is_linked_with_libjtimer_so "$tmp/static"
}

cmake_builds_programs_with_both_libraries() {
    needs cmake && rm -rf "$tmp/cmake" && mkdir "$tmp/cmake" || return 1
    cat >"$tmp/cmake/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.13)
project(stranger CXX)
foreach(version ${SOVERSION} ${VERSION})
  find_package(jtimer ${version} REQUIRED)
endforeach()
find_package(jtimer ${VERSION} EXACT REQUIRED)
foreach(version 0.0.1 0.99 1.0 ${VERSION}.1)
  find_package(jtimer ${version} QUIET)
  if(jtimer_FOUND)
    message(FATAL_ERROR "jtimer ${jtimer_VERSION} passes for ${version}")
  endif()
endforeach()
find_package(jtimer REQUIRED)
add_executable(shared ${MAIN})
target_link_libraries(shared PRIVATE jtimer::jtimer)
add_executable(static ${MAIN})
target_link_libraries(static PRIVATE jtimer::jtimer_static)
END
    cmake -S "$tmp/cmake" -B "$tmp/cmake/build" -DMAIN="$tmp/main.cpp" -DCMAKE_PREFIX_PATH="$1" \
        -DVERSION="$version" -DSOVERSION="$soversion" &&
        cmake --build "$tmp/cmake/build" && says_its_runs "$tmp/cmake/build/shared" &&
        says_its_runs "$tmp/cmake/build/static" &&
        is_linked_with_libjtimer_so "$tmp/cmake/build/shared" &&
        ! is_linked_with_libjtimer_so "$tmp/cmake/build/static"
}
cmake_builds_programs_with_the_installed_tree() {
    cmake_builds_programs_with_both_libraries "$prefix"
}

cmake_takes_the_static_library_where_only_that_is_installed() {
    mkdir "$tmp/only" && cat >"$tmp/only/CMakeLists.txt" <<'END' || return 1
cmake_minimum_required(VERSION 3.13)
project(stranger CXX)
find_package(jtimer REQUIRED)
add_executable(program ${MAIN})
target_link_libraries(program PRIVATE jtimer::jtimer)
END
    cmake -S "$tmp/only" -B "$tmp/only/build" -DMAIN="$tmp/main.cpp" \
        -DCMAKE_PREFIX_PATH="$tmp/static-only" &&
        cmake --build "$tmp/only/build" && says_its_runs "$tmp/only/build/program"
}

# For packagers: everything lands below DESTDIR, in the folders asked for, and nothing mentions
# DESTDIR.
stage() {
    make_ prefix=/opt/timer includedir=/opt/timer/inc libdir=/opt/timer/lib/here \
        cmakedir=/opt/timer/share/cmake/jtimer DESTDIR="$stage" "$@"
}
install_honours_destdir_and_the_names_of_folders() {
    stage install || return 1
    expected_files inc lib/here |
        sed -e 's,^\.,./opt/timer,' -e 's,/lib/here/cmake/,/share/cmake/,' |
        sort >"$tmp/expected"
    list "$stage" | diff "$tmp/expected" - &&
        ! grep -r -e "$stage" -e "$root/" --include='*.pc' --include='*.cmake' "$stage"
}

cmake_builds_programs_with_a_tree_that_was_moved() {
    cmake_builds_programs_with_both_libraries "$stage/opt/timer"
}

pkg_config_builds_a_program_in_a_sysroot() {
    # shellcheck disable=SC2046
    $CXX -std=c++17 "$tmp/main.cpp" -o "$tmp/staged" $(PKG_CONFIG_SYSROOT_DIR=$stage \
        PKG_CONFIG_PATH=$stage/opt/timer/lib/here/pkgconfig pkg-config --cflags --libs jtimer) &&
        LD_LIBRARY_PATH=$stage/opt/timer/lib/here says_its_runs "$tmp/staged"
}

install_refuses_a_folder_that_is_not_absolute() {
    ! make_ prefix=relative install && test ! -e relative
}

uninstall_removes_what_install_has_put_and_nothing_else() {
    make_ prefix="$prefix" uninstall &&
        printf './include/jtimer/mine.hpp\n./lib/libother.a\n' >"$tmp/expected" &&
        list "$prefix" | diff "$tmp/expected" - || return 1
    # Here nothing of anybody else's keeps the folders.
    stage uninstall && test -z "$(list "$stage")" && test -z "$(find "$stage" -name 'jtimer*')"
}

check install_puts_exactly_the_files_it_should
check without_tools_install_leaves_run_schedule_out
check run_schedule_is_installed_with_its_completion
check every_link_of_the_installed_pages_leads_to_a_file_and_a_heading
check installed_files_can_be_read_by_everybody
check installed_libraries_have_no_debug_information
check the_shared_library_has_its_soname
check the_shared_library_exports_what_the_list_says_and_nothing_else
check the_version_is_the_same_in_text_and_in_numbers
check public_headers_include_the_standard_library_only
check each_header_compiles_alone_as_cxx17
case ${THOROUGH-} in
yes) check each_header_compiles_alone_as_cxx20 ;;
*) check all_headers_compile_together_as_cxx20 ;;
esac
check pkg_config_knows_the_version
check pkg_config_builds_a_program_with_the_shared_library
check pkg_config_builds_a_program_with_the_static_library_only
check cmake_builds_programs_with_the_installed_tree
check cmake_takes_the_static_library_where_only_that_is_installed
check install_honours_destdir_and_the_names_of_folders
check cmake_builds_programs_with_a_tree_that_was_moved
check pkg_config_builds_a_program_in_a_sysroot
check install_refuses_a_folder_that_is_not_absolute
check uninstall_removes_what_install_has_put_and_nothing_else

# The package files in the build folder named the folders of these installations.
$MAKE --no-print-directory B="$BUILD" all >/dev/null
sum_up
