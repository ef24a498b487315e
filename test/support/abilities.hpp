// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "support/forked_child.hpp"
#include "support/skipped.hpp"

#include <pthread.h>
#if !defined(_WIN32)
#include <atomic>
#include <csignal>
#include <sched.h>
#include <unistd.h>
#endif

// What not every system can do. A case that needs it ends there, see Skipped.

namespace test {

namespace detail {

#if defined(_WIN32)
inline bool threadsUnwind() {
    bool unwound = false;
    const auto exit = [](void* flag) -> void* {
        struct AtEnd {
            bool& unwound;
            ~AtEnd() { unwound = true; }
        } atEnd{*static_cast<bool*>(flag)};
        pthread_exit(nullptr);
        return nullptr;
    };
    pthread_t thread{};
    if (pthread_create(&thread, nullptr, exit, &unwound) == 0) pthread_join(thread, nullptr);
    return unwound;
}
#else
inline bool threadsUnwind() {
    constexpr int unwinds = 7;
    return inForkedChild([] {
               std::signal(SIGSEGV, SIG_DFL);
               struct AtEnd {
                   ~AtEnd() { _exit(unwinds); }
               } atEnd;
               pthread_exit(nullptr);
               return 0;
           }) == unwinds;
}
#endif

}  // namespace detail

/// Whether pthread_exit() destroys what is on the stack: with glibc and on FreeBSD. POSIX does not
/// say so. A child tries it: with glibc and LLVM's own unwinder, which libc++ may have, it crashes.
inline bool threadExitUnwinds() {
    static const bool unwinds = detail::threadsUnwind();
    return unwinds;
}
inline void needThreadExit() {
    if (!threadExitUnwinds()) skipCase("a pthread_exit that unwinds the thread");
}

#if defined(_WIN32)
[[noreturn]] inline void needFork() { skipCase("fork"); }
[[noreturn]] inline void needInterruption() { skipCase("boost::thread::interrupt"); }
[[noreturn]] inline void needCancellation() { skipCase("pthread_cancel"); }
[[noreturn]] inline void needThreadLimit() { skipCase("a limit of threads"); }
[[noreturn]] inline void needThreadInForkedChild() { needFork(); }
#else

namespace detail {

#if defined(__SANITIZE_THREAD__)
inline bool forkedChildStartsThreads() { return false; }
#else
inline bool forkedChildStartsThreads() {
    enum State { starting, started, over };
    static std::atomic<State> state{starting};
    pthread_t other{};
    const auto wait = [](void*) -> void* {
        state = started;
        while (state != over) sched_yield();
        return nullptr;
    };
    if (pthread_create(&other, nullptr, wait, nullptr) != 0) return false;
    while (state != started) sched_yield();
    const int exitCode = inForkedChild([] {
        close(STDERR_FILENO);  // what an emulator says when it fails
        pthread_t own{};
        const auto nothing = [](void*) -> void* { return nullptr; };
        const bool starts =
            pthread_create(&own, nullptr, nothing, nullptr) == 0 && pthread_join(own, nullptr) == 0;
        return starts ? 0 : 1;
    });
    state = over;
    pthread_join(other, nullptr);
    return exitCode == 0;
}
#endif

}  // namespace detail

/// A thread that a forked child of a process with several threads starts. POSIX allows it no more
/// than what signal handlers may do. ThreadSanitizer refuses it, and the emulator of QEMU 7.2 ends
/// by an assertion of its own.
inline void needThreadInForkedChild() {
    static const bool starts = detail::forkedChildStartsThreads();
    if (!starts) skipCase("a forked child of a process with threads that starts one");
}

inline void needFork() {}
inline void needInterruption() {}
inline void needCancellation() {}
inline void needThreadLimit() {}
#endif

}  // namespace test
