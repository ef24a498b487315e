#!/bin/sh
# Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#
# What other systems compile, as far as this one can tell: the sources without what only Linux and
# ELF files have, and with the declarations of other C libraries.
set -u

. test/support/cases.sh
: "${CXX:=g++}"

warnings='-Wall -Wextra -Wshadow -Wconversion -Wpedantic -Werror'
# shellcheck disable=SC2086
compile() { $CXX -std=c++17 $warnings -Iinclude -Ilib -I. "$@"; }

# The sources $2... as one unit in the file $1.
unit() {
    file=$1
    shift
    printf '#include "%s"\n' "$@" >"$file"
}

# A mutex under which timers are made and destroyed, and which a fork takes.
cat >"$tmp/fork.cpp" <<'END'
#include <jtimer/timer.hpp>

#include <atomic>
#include <cstdio>
#include <mutex>
#include <pthread.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

std::mutex sessions;
void lock() { sessions.lock(); }
void unlock() { sessions.unlock(); }

int main() {
    alarm(60);  // ends this process if a fork waits for ever
    pthread_atfork(lock, unlock, unlock);
    std::atomic<bool> stop{false};
    std::atomic<int> made{0};
    std::thread others([&] {
        while (!stop) {
            const std::lock_guard<std::mutex> guard(sessions);
            const jtimer::Timer timer(true);
            ++made;
        }
    });
    for (int i = 0; i < 100; ++i) {
        const int before = made;
        while (made == before) std::this_thread::yield();
        const pid_t child = fork();
        if (child == 0) {
            lock();
            { const jtimer::Timer timer; }
            _exit(7);
        }
        int status = 0;
        if (waitpid(child, &status, 0) != child || WEXITSTATUS(status) != 7) return 1;
    }
    stop = true;
    others.join();
    std::puts("forked");
}
END

# The C library of a system: a header or two that declare what it has.
c_library() {
    mkdir -p "$tmp/$1" && cat >"$tmp/$1/pthread.h" && : >"$tmp/$1/pthread_np.h"
    echo 'typedef struct thread* pthread_t; extern "C" pthread_t pthread_self();' >>"$tmp/$1/pthread.h"
}

names_a_thread_with() {
    compile -U__linux__ "-D$2" -I"$tmp/$1" -fsyntax-only lib/thread/thread_name.cpp
}

# --- the cases ----------------------------------------------------------------------------------

without_linux_and_elf_the_library_compiles_and_a_fork_waits_for_no_lock() {
    unit "$tmp/library.cpp" lib/sync/*.cpp lib/clock/*.cpp lib/thread/*.cpp lib/data/*.cpp \
        lib/jdk/*.cpp lib/netty/*.cpp
    # shellcheck disable=SC2086
    compile -U__linux__ -U__ELF__ ${BOOST_CPPFLAGS-} "$tmp/library.cpp" "$tmp/fork.cpp" \
        ${BOOST_LDFLAGS-} -lboost_thread -lboost_chrono -pthread -ldl -o "$tmp/fork" &&
        ! nm -u "$tmp/fork" | grep -v __gmon_start__ | grep ' w __asan' &&
        test "$("$tmp/fork")" = forked
}

a_thread_gets_its_name_on_macos() {
    echo 'extern "C" int pthread_setname_np(const char*);' | c_library macos &&
        names_a_thread_with macos __APPLE__
}

a_thread_gets_its_name_on_freebsd_and_openbsd() {
    : | c_library bsd && cat >"$tmp/bsd/pthread_np.h" <<'END' &&
#include <pthread.h>
extern "C" void pthread_set_name_np(pthread_t, const char*);
END
        names_a_thread_with bsd __FreeBSD__ && names_a_thread_with bsd __OpenBSD__ &&
        names_a_thread_with bsd __DragonFly__
}

a_thread_gets_its_name_on_netbsd() {
    : | c_library netbsd && cat >>"$tmp/netbsd/pthread.h" <<'END' &&
extern "C" int pthread_setname_np(pthread_t, const char*, void*);
END
        names_a_thread_with netbsd __NetBSD__
}

# This system's headers, without what macOS lacks, and with what Boost and a clock need of it.
as_on_macos() {
    mkdir -p "$tmp/mach" && cat >"$tmp/mach/mach_time.h" <<'END'
#include <cstdint>
struct mach_timebase_info_data_t { std::uint32_t numer, denom; };
using kern_return_t = int;
enum { KERN_SUCCESS };
extern "C" kern_return_t mach_timebase_info(mach_timebase_info_data_t*);
extern "C" std::uint64_t mach_absolute_time();
END
    cat >"$tmp/macos.hpp" <<'END'
#include <csignal>
#include <cstdlib>
#include <poll.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>
#undef MFD_CLOEXEC
#undef SYS_close_range
#undef SYS_pidfd_open
#pragma GCC poison accept4 gettid memfd_create pipe2 ppoll pthread_condattr_setclock sigtimedwait sigwaitinfo
extern "C" int pthread_cond_timedwait_relative_np(pthread_cond_t*, pthread_mutex_t*, const timespec*);
END
    # shellcheck disable=SC2086
    compile -Itools ${BOOST_CPPFLAGS-} -U__linux__ -D__APPLE__ -isystem "$tmp" -include "$tmp/macos.hpp" -fsyntax-only "$1"
}

run_schedule_and_the_waits_of_clocks_compile_with_what_macos_has() {
    for source in tools/run_schedule/process.cpp tools/run_schedule/line_reader.cpp tools/run_schedule/signals.cpp \
        lib/clock/span_wait.cpp; do
        as_on_macos $source || return 1
    done
}

# As in libc++, where system_clock counts microseconds.
everything_compiles_where_a_date_counts_microseconds() {
    cp -R include "$tmp/include" && sed -i.before \
        's/std::chrono::system_clock::time_point;/std::chrono::time_point<std::chrono::system_clock, std::chrono::microseconds>;/' \
        "$tmp/include/jtimer/time.hpp" && ! cmp "$tmp/include/jtimer/time.hpp" include/jtimer/time.hpp || return 1
    for folder in calendar clock thread data jdk netty brpc go tokio; do unit "$tmp/$folder.cpp" lib/$folder/*.cpp; done
    unit "$tmp/tools.cpp" tools/text/*.cpp tools/run_schedule/[!m]*.cpp lib/cluster/backoff.cpp
    for folder in calendar jdk netty brpc go tokio tools; do
        $CXX -std=c++17 -I"$tmp/include" -Ilib -Itools -I. -fsyntax-only "$tmp/$folder.cpp" || return 1
    done
}

check without_linux_and_elf_the_library_compiles_and_a_fork_waits_for_no_lock
check a_thread_gets_its_name_on_macos
check a_thread_gets_its_name_on_freebsd_and_openbsd
check a_thread_gets_its_name_on_netbsd
check run_schedule_and_the_waits_of_clocks_compile_with_what_macos_has
check everything_compiles_where_a_date_counts_microseconds
sum_up
