#!/bin/sh
# Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#
# A plug-in with a static timer can be unloaded while a task runs. dlclose() then holds the lock of
# the dynamic loader, and the timer's destructor waits for its thread, which must not need that lock.
set -u

. test/support/cases.sh
: "${CXX:=g++}" "${BUILD:=build}"

# As clang++ does by default: a symbol that is unique in the process keeps the plug-in loaded.
flags=
echo | $CXX -fno-gnu-unique -fsyntax-only -x c++ - 2>/dev/null && flags=-fno-gnu-unique
plugin=$tmp/plugin.so

can_be_unloaded_within_a_run_of() {
    "$tmp/plugin_host" "$plugin" "$1"
}

# --- the cases ----------------------------------------------------------------------------------

the_plug_in_and_its_host_compile() {
    # shellcheck disable=SC2086
    $CXX -std=c++17 -Wall -Wextra -Wshadow -Wconversion -Wpedantic -Werror $flags -fPIC -shared \
        -fvisibility=hidden -fvisibility-inlines-hidden -Iinclude test/build/plugin.cpp \
        -L"$BUILD" -ljtimer -Wl,-rpath,"$PWD/$BUILD" -pthread -o "$plugin" &&
        $CXX -std=c++17 -Wall -Wextra -Wconversion -Wpedantic -Werror test/build/plugin_host.cpp \
            -ldl -o "$tmp/plugin_host"
}

a_plug_in_with_a_jdk_timer_can_be_unloaded_within_a_run() { can_be_unloaded_within_a_run_of jdk; }
a_plug_in_with_a_netty_timer_can_be_unloaded_within_a_run() { can_be_unloaded_within_a_run_of netty; }
a_plug_in_with_a_brpc_timer_can_be_unloaded_within_a_run() { can_be_unloaded_within_a_run_of brpc; }
a_plug_in_with_a_go_timer_can_be_unloaded_within_a_run() { can_be_unloaded_within_a_run_of go; }
a_plug_in_with_a_tokio_timer_can_be_unloaded_within_a_run() { can_be_unloaded_within_a_run_of tokio; }

# Some of its threads never end, such as that of defaultTimers().
the_shared_library_stays_loaded() {
    readelf -d "$BUILD/libjtimer.so" | grep 'FLAGS_1.*NODELETE'
}

check the_plug_in_and_its_host_compile
check a_plug_in_with_a_jdk_timer_can_be_unloaded_within_a_run
check a_plug_in_with_a_netty_timer_can_be_unloaded_within_a_run
check a_plug_in_with_a_brpc_timer_can_be_unloaded_within_a_run
check a_plug_in_with_a_go_timer_can_be_unloaded_within_a_run
check a_plug_in_with_a_tokio_timer_can_be_unloaded_within_a_run
check the_shared_library_stays_loaded
sum_up
