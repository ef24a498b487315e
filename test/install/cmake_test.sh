#!/bin/sh
# Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#
# Builds and installs with CMakeLists.txt, and includes the sources in a stranger's project, in the
# ways that such projects do. With THOROUGH=yes the installed library is built source by source, as
# `make nightly` does, and not in one unit.
set -u

. test/support/install.sh

# Another test may install from $BUILD at the same time.
mkdir -p "$tmp/build/obj" && cp -Rp "$BUILD/obj/lib" "$tmp/build/obj" &&
    cp -p "$BUILD/flags" "$tmp/build" || exit 1
BUILD=$tmp/build

# Without optimisation, which is quicker; in one unit, which is quicker still.
configure() {
    needs cmake && cmake "$@" -DCMAKE_CXX_FLAGS="-O0 $warnings"
}
configure_as_one_unit() {
    configure "$@" -DCMAKE_UNITY_BUILD=ON -DCMAKE_UNITY_BUILD_BATCH_SIZE=0
}
build() { cmake --build "$1" --parallel "$(nproc 2>/dev/null || echo 2)"; }

# The sources, as a project has them that it has fetched. Not build/, and no repository.
sources=$tmp/sources
mkdir "$sources" && cp -R CMakeLists.txt build-aux include lib "$sources" || exit 1

# The same with the first timer alone, once the library has been built.
first_timer=$tmp/first_timer
cp -R "$sources" "$first_timer" && for timer in brpc go netty tokio; do
    rm -r "$first_timer/lib/$timer" || exit 1
done

# A project in the folder $1 that takes jtimer in by the lines on standard input.
project() {
    mkdir -p "$1" && cp "$tmp/main.cpp" "$1" && {
        printf '%s\n' 'cmake_minimum_required(VERSION 3.14)' 'project(stranger CXX)'
        cat
        printf '%s\n' 'add_executable(program main.cpp)' \
            'target_link_libraries(program PRIVATE jtimer::jtimer)' \
            'install(TARGETS program RUNTIME DESTINATION bin)'
    } >"$1/CMakeLists.txt"
}

# --- the cases ----------------------------------------------------------------------------------

# But for the documentation, run_schedule and the other kind of library.
cmake_installs_what_make_installs() {
    case ${THOROUGH-} in yes) how=configure ;; *) how=configure_as_one_unit ;; esac
    $how -S "$sources" -B "$tmp/shared" -DBUILD_SHARED_LIBS=ON \
        -DCMAKE_INSTALL_PREFIX="$prefix" -DCMAKE_INSTALL_LIBDIR=lib && build "$tmp/shared" &&
        cmake --install "$tmp/shared" && make_ prefix="$prefix" TOOLS=no DESTDIR="$tmp/make" install &&
        rm -r "$tmp/make$prefix/share" "$tmp/make$prefix/lib/libjtimer.a" || return 1
    (cd "$prefix" && find . | sort) >"$tmp/files" &&
        (cd "$tmp/make$prefix" && find . | sort) | diff - "$tmp/files" &&
        diff -r "$tmp/make$prefix/include" "$prefix/include" &&
        diff -r "$tmp/make$prefix/lib/cmake" "$prefix/lib/cmake" &&
        diff -r "$tmp/make$prefix/lib/pkgconfig" "$prefix/lib/pkgconfig"
}

the_shared_library_of_cmake_has_the_soname_and_exports_of_makes() {
    test "$(readlink "$prefix/lib/libjtimer.so.$soversion")" = "libjtimer.so.$version" &&
        readelf -d "$prefix/lib/libjtimer.so" | grep "SONAME.*\[libjtimer\.so\.$soversion\]" &&
        readelf -d "$prefix/lib/libjtimer.so" | grep 'FLAGS_1.*NODELETE' &&
        build-aux/list-exports "$prefix/lib/libjtimer.so" | diff build-aux/exports.txt -
}

the_package_files_of_cmake_name_the_folders_that_were_asked_for() {
    configure -S "$sources" -B "$tmp/folders" -DBUILD_SHARED_LIBS=ON \
        -DCMAKE_INSTALL_PREFIX=/opt/c++ -DCMAKE_INSTALL_INCLUDEDIR=inc \
        -DCMAKE_INSTALL_LIBDIR=/opt/c++/lib/here &&
        make_ prefix=/opt/c++ includedir=/opt/c++/inc libdir=/opt/c++/lib/here TOOLS=no all ||
        return 1
    for file in jtimer.pc jtimerConfig.cmake jtimerConfigVersion.cmake; do
        sed 's,^libdir=.*,libdir=${prefix}/lib/here,' "$tmp/folders/$file" |
            diff "$BUILD/$file" - || return 1
    done
    grep '^libdir=/opt/c++/lib/here$' "$tmp/folders/jtimer.pc"
}

add_subdirectory_brings_the_library_and_installs_nothing_of_it() {
    project "$tmp/subdirectory" <<END
add_subdirectory($first_timer jtimer)
END
    configure_as_one_unit -S "$tmp/subdirectory" -B "$tmp/subdirectory/build" \
        -DCMAKE_INSTALL_PREFIX="$tmp/subdirectory/installed" && build "$tmp/subdirectory/build" &&
        says_its_runs "$tmp/subdirectory/build/program" &&
        ! is_linked_with_libjtimer_so "$tmp/subdirectory/build/program" &&
        cmake --install "$tmp/subdirectory/build" &&
        test "$(cd "$tmp/subdirectory/installed" && find . -type f)" = ./bin/program
}

# A library of one source: to build the whole one twice more would show nothing else.
a_source_in_a_new_folder_is_built_without_configuring_again() {
    small=$tmp/small
    mkdir "$small" && cp -R "$sources"/* "$small" &&
        find "$small/lib" -name '*.cpp' ! -path '*/clock/time.cpp' -exec rm {} + || return 1
    configure -S "$small" -B "$small/build" && build "$small/build" &&
        mkdir -p "$small/lib/room/corner" &&
        echo 'namespace jtimer { int inTheCorner() { return 1; } }' \
            >"$small/lib/room/corner/new.cpp" && build "$small/build" &&
        nm -C "$small/build/libjtimer.a" | grep 'T jtimer::inTheCorner()' &&
        rm -r "$small/lib/room" && build "$small/build" &&
        ! nm -C "$small/build/libjtimer.a" | grep inTheCorner
}

fetch_content_brings_it_from_an_archive_and_can_install_it() {
    tar -C "$tmp" -czf "$tmp/sources.tar.gz" first_timer && project "$tmp/fetch" <<END || return 1
include(FetchContent)
set(JTIMER_INSTALL ON)
set(BUILD_SHARED_LIBS ON)
if(POLICY CMP0135)
  cmake_policy(SET CMP0135 NEW)
endif()
FetchContent_Declare(jtimer URL $tmp/sources.tar.gz)
FetchContent_MakeAvailable(jtimer)
END
    configure_as_one_unit -S "$tmp/fetch" -B "$tmp/fetch/build" \
        -DCMAKE_INSTALL_PREFIX="$tmp/fetch/installed" && build "$tmp/fetch/build" &&
        says_its_runs "$tmp/fetch/build/program" &&
        is_linked_with_libjtimer_so "$tmp/fetch/build/program" &&
        cmake --install "$tmp/fetch/build" &&
        test -n "$(find "$tmp/fetch/installed" -name jtimerConfig.cmake)"
}

# CPMAddPackage does this: it declares, populates, and adds the folder as what is not part of `all`.
a_package_manager_that_populates_and_adds_the_folder_brings_it() {
    project "$tmp/cpm" <<END
include(FetchContent)
if(POLICY CMP0169)
  cmake_policy(SET CMP0169 OLD)
endif()
FetchContent_Declare(jtimer SOURCE_DIR $first_timer)
FetchContent_GetProperties(jtimer)
if(NOT jtimer_POPULATED)
  FetchContent_Populate(jtimer)
  add_subdirectory(\${jtimer_SOURCE_DIR} \${jtimer_BINARY_DIR} EXCLUDE_FROM_ALL)
endif()
END
    configure_as_one_unit -S "$tmp/cpm" -B "$tmp/cpm/build" && build "$tmp/cpm/build" &&
        says_its_runs "$tmp/cpm/build/program"
}

check cmake_installs_what_make_installs
check the_shared_library_of_cmake_has_the_soname_and_exports_of_makes
check the_package_files_of_cmake_name_the_folders_that_were_asked_for
check add_subdirectory_brings_the_library_and_installs_nothing_of_it
check a_source_in_a_new_folder_is_built_without_configuring_again
check fetch_content_brings_it_from_an_archive_and_can_install_it
check a_package_manager_that_populates_and_adds_the_folder_brings_it
sum_up
