# Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#
# For the test scripts that install, and that build a stranger's program with what they installed.
#
# shellcheck shell=sh

. test/support/cases.sh

: "${BUILD:=build}" "${CXX:=g++}" "${MAKE:=make}"
export CXX
# Under `make check` the settings of that make come along in MAKEFLAGS; its job server cannot.
MAKEFLAGS=$(printf '%s' "${MAKEFLAGS-}" |
    sed -e 's/ *--jobserver-[a-z]*=[^ ]*//' -e 's/^ *-j[0-9]* *//' -e 's/ -j[0-9]*//')
export MAKEFLAGS
unset PKG_CONFIG_LIBDIR CMAKE_PREFIX_PATH LD_LIBRARY_PATH

root=$(pwd)
prefix=$tmp/prefix
version=$(build-aux/version)
case $version in
0.*) soversion=${version%.*} ;;
*) soversion=${version%%.*} ;;
esac
warnings='-Wall -Wextra -Wshadow -Wconversion -Wpedantic -Werror'

needs() { command -v "$1" || { echo "$1 is missing: make deps" && false; }; }

# `make install` or `make uninstall` with the settings that follow.
make_() {
    $MAKE --no-print-directory B="$BUILD" DESTDIR= exec_prefix="\$(prefix)" \
        bindir="\$(exec_prefix)/bin" includedir="\$(prefix)/include" libdir="\$(exec_prefix)/lib" \
        datarootdir="\$(prefix)/share" docdir="\$(datarootdir)/doc/jtimer" \
        bashcompletiondir="\$(datarootdir)/bash-completion/completions" \
        pkgconfigdir="\$(libdir)/pkgconfig" cmakedir="\$(libdir)/cmake/jtimer" "$@"
}

# The stranger's program. It must say that a day of the manual clock had so and so many runs.
cat >"$tmp/main.cpp" <<'END'
#include <jtimer/clock.hpp>
#include <jtimer/timer.hpp>
#include <jtimer/version.hpp>

#include <cstdio>

int main() {
    const auto clock = std::make_shared<jtimer::ManualClock>();
    jtimer::TimerOptions options;
    options.clock = clock;
    jtimer::Timer timer(options);
    int runs = 0;
    timer.schedule([&] { ++runs; }, 0, 1000);
    clock->advance(std::chrono::hours(24));
    timer.cancel();
    try {
        timer.schedule([] {}, -1);
    } catch (const jtimer::IllegalArgumentException&) {
        std::printf("%d runs with jtimer %s\n", runs, JTIMER_VERSION);
    }
}
END
says_its_runs() { test "$("$@")" = "86401 runs with jtimer $version"; }

is_linked_with_libjtimer_so() { ldd "$1" | grep -q "libjtimer\.so\.$soversion"; }
