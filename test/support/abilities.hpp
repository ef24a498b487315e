// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <pthread.h>
#if !defined(_WIN32)
#include <csignal>
#include <sys/wait.h>
#include <unistd.h>
#endif

// What not every system can do. A case that needs it ends there: run_tests.sh counts it as skipped.

namespace test {

/// Thrown by a case, on its own thread, that cannot go on here.
struct Skipped {
    const char* missing;
};

[[noreturn]] inline void skipCase(const char* missing) { throw Skipped{missing}; }

namespace detail {

inline bool thisThreadUnwinds() {
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

#if defined(_WIN32) || defined(__SANITIZE_THREAD__)  // which lets no forked child start a thread
inline bool threadsUnwind() { return thisThreadUnwinds(); }
#else
inline bool threadsUnwind() {
    const pid_t child = fork();
    if (child == 0) {
        std::signal(SIGSEGV, SIG_DFL);
        _exit(thisThreadUnwinds() ? 0 : 1);
    }
    int status = 1;
    return waitpid(child, &status, 0) == child && status == 0;
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
#else
inline void needFork() {}
inline void needInterruption() {}
inline void needCancellation() {}
inline void needThreadLimit() {}
#endif

}  // namespace test
