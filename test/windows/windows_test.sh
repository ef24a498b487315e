#!/bin/sh
# Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#
# CMake's cross build with MinGW-w64: what it installs, and a program with each library, run by wine.
#
#     make check-windows
#
# shellcheck disable=SC2329 # check calls the cases
set -u

. test/support/cases.sh
: "${BUILD:=build/windows}" "${EMULATOR:=wine}" "${CXX:=x86_64-w64-mingw32-g++-posix}"
here=$(pwd)
tools=${CXX%-g++*}

# Where the DLL $1 of g++ is, for wine.
folder_of() { printf 'Z:%s;' "$(dirname "$($CXX -print-file-name="$1")")"; }
runtime=$(folder_of libstdc++-6.dll)$(folder_of libwinpthread-1.dll)

# Boost's headers as a package of Boost's own presents them: CMake 3.30 looks for nothing else.
mkdir "$tmp/boost"
cat >"$tmp/boost/BoostConfig.cmake" <<END
if(NOT TARGET Boost::headers)
  add_library(Boost::headers INTERFACE IMPORTED)
  set_target_properties(Boost::headers PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "$here/$BUILD/include")
endif()
END
echo 'set(PACKAGE_VERSION 1.74) # and newer
set(PACKAGE_VERSION_COMPATIBLE ON)' >"$tmp/boost/BoostConfigVersion.cmake"

cross_cmake() {
    cmake -DCMAKE_SYSTEM_NAME=Windows "-DCMAKE_CXX_COMPILER=$CXX" "-DCMAKE_RC_COMPILER=$tools-windres" \
        "-DBoost_DIR=$tmp/boost" \
        "-DCMAKE_CXX_FLAGS=-O0 -D_WIN32_WINNT=0x0A00" "$@"
}

# Installs the library of the kind $1, ON for the DLL, to $tmp/$2. In one unit, which is quicker.
install_kind() {
    cross_cmake -S . -B "$tmp/build-$2" -DBUILD_SHARED_LIBS="$1" -DCMAKE_INSTALL_PREFIX="$tmp/$2" \
        -DCMAKE_UNITY_BUILD=ON -DCMAKE_UNITY_BUILD_BATCH_SIZE=0 &&
        cmake --build "$tmp/build-$2" --parallel "$(nproc 2>/dev/null || echo 2)" &&
        cmake --install "$tmp/build-$2"
}

# The program of the README, built against what is in $tmp/$1.
program_of_readme() {
    mkdir -p "$tmp/program" && sed -n '/^```cpp$/,/^```$/p' README.md | sed '1d; /^```/,$d' >"$tmp/program/program.cpp" &&
        cat >"$tmp/program/CMakeLists.txt" <<'END' && cross_cmake -S "$tmp/program" -B "$tmp/program-$1" \
            -DCMAKE_PREFIX_PATH="$tmp/$1" -DCMAKE_FIND_ROOT_PATH_MODE_PACKAGE=BOTH && cmake --build "$tmp/program-$1"
cmake_minimum_required(VERSION 3.14...3.30)
project(program LANGUAGES CXX)
find_package(jtimer 0.1 REQUIRED)
add_executable(program program.cpp)
target_link_libraries(program PRIVATE jtimer::jtimer)
END
}

# Whether that program prints what it should.
runs() {
    WINEPATH="Z:$tmp/$1/bin;$runtime" $EMULATOR "$tmp/program-$1/program.exe" >"$tmp/printed" || return 1
    cat "$tmp/printed"
    test "$(grep -c '^once, after half a second' "$tmp/printed")" = 1 &&
        case $(grep -c '^four times a second' "$tmp/printed") in 8 | 9) ;; *) return 1 ;; esac
}

# --- the cases ----------------------------------------------------------------------------------

the_dll_its_import_library_and_the_headers_are_installed() {
    install_kind ON dll && ls "$tmp/dll/bin/"libjtimer*.dll "$tmp/dll/lib/libjtimer.dll.a" \
        "$tmp/dll/include/jtimer/timer.hpp" "$tmp/dll/lib/cmake/jtimer/jtimerConfig.cmake"
}

the_program_of_the_readme_runs_with_the_dll() {
    program_of_readme dll && runs dll
}

the_dll_exports_what_the_shared_library_does_and_no_more() {
    "$tools-objdump" -p "$tmp/dll/bin/"libjtimer*.dll | sed -n 's/^.*\] [ 0-9a-f]*\(_Z.*\)/\1/p' | tr -d '\r' >"$tmp/exported"
    grep -q jtimer "$tmp/exported" && ! c++filt <"$tmp/exported" | grep jtimer::detail::OwnThread::
}

the_program_of_the_readme_runs_with_the_static_library() {
    install_kind OFF static && program_of_readme static && runs static
}

check the_dll_its_import_library_and_the_headers_are_installed
check the_program_of_the_readme_runs_with_the_dll
check the_dll_exports_what_the_shared_library_does_and_no_more
check the_program_of_the_readme_runs_with_the_static_library
sum_up
