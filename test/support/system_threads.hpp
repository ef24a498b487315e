// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "support/abilities.hpp"

#include <boost/thread/thread.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <limits>
#include <pthread.h>
#include <sstream>
#include <string>
#include <sys/types.h>
#include <unistd.h>
#if defined(_WIN32)
#include "windows/system.hpp"
#else
#include <csignal>
#include <sys/wait.h>
#endif

namespace test {

#if defined(_WIN32)

/// As debuggers show it.
inline std::string currentThreadName() { return windows::nameOfThisThread(); }

inline void needNumberOfThreads() {}

/// The number of threads of this process.
inline std::ptrdiff_t numberOfThreads() { return windows::numberOfThreads(); }

/// The system does not say whether a thread sleeps.
[[noreturn]] inline void needThreadStates() { skipCase("the states of threads"); }
inline pid_t idOfThisThread() { return 0; }
inline void awaitSleep(const std::atomic<pid_t>&) {}
inline long sleepsOf(pid_t) { return -1; }

/// See needThreadLimit().
struct NoMoreThreads {
    NoMoreThreads() {}
};

#else

inline void needThreadStates() {}
inline pid_t idOfThisThread() { return gettid(); }

/// As tools such as `top -H` show it.
inline std::string currentThreadName() {
    std::array<char, 64> name{};
    pthread_getname_np(pthread_self(), name.data(), name.size());
    return name.data();
}

namespace detail {

/// Whether a thread is ending, which it is before it can be joined, or has ended.
inline bool isEnding(const std::filesystem::path& task) {
    constexpr unsigned exiting = 0x4;  // the kernel's PF_EXITING
    std::ifstream file(task / "stat");
    std::string stat;
    if (!std::getline(file, stat)) return true;
    // The name, in parentheses, may hold anything. Behind it: state, ppid, pgrp, session, tty,
    // tpgid, flags.
    std::istringstream fields(stat.substr(stat.rfind(')') + 1));
    std::string skipped;
    for (int i = 0; i < 6; ++i) fields >> skipped;
    unsigned flags = 0;
    fields >> flags;
    return (flags & exiting) != 0;
}

/// The system lists threads that have been joined for a moment.
inline std::ptrdiff_t numberOfThreadsOf(const std::string& process) {
    const std::filesystem::directory_iterator tasks("/proc/" + process + "/task");
    return std::count_if(begin(tasks), end(tasks),
                         [](const auto& task) { return !isEnding(task.path()); });
}

#if defined(__SANITIZE_THREAD__)  // which has a thread of its own beside the first
inline bool listsOnlyOwnThreads() { return true; }
#else
/// A forked child has one thread.
inline bool listsOnlyOwnThreads() {
    const pid_t child = fork();
    if (child == 0) {
        raise(SIGSTOP);
        _exit(0);
    }
    waitpid(child, nullptr, WUNTRACED);
    const auto number = numberOfThreadsOf(std::to_string(child));
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    return number == 1;
}
#endif

}  // namespace detail

/// An emulator has threads of its own, among which those of the program are listed a while after
/// they have been joined.
inline void needNumberOfThreads() {
    static const bool isKnown = detail::listsOnlyOwnThreads();
    if (!isKnown) skipCase("a list of the program's own threads");
}

/// The number of threads of this process, without those that have been joined.
inline std::ptrdiff_t numberOfThreads() {
    needNumberOfThreads();
    return detail::numberOfThreadsOf("self");
}

/// Whether a thread of this process, of that id, sleeps.
inline bool isAsleep(pid_t thread) {
    std::ifstream stat("/proc/self/task/" + std::to_string(thread) + "/stat");
    std::string line;
    std::getline(stat, line);
    return line.find(") S ") != std::string::npos;
}

/// Waits until a thread of this process has written its id, and sleeps.
inline void awaitSleep(const std::atomic<pid_t>& thread) {
    while (thread == 0 || !isAsleep(thread)) boost::this_thread::yield();
}

/// How often it has gone to sleep, and woken up if it is not asleep.
inline long sleepsOf(pid_t thread) {
    std::ifstream status("/proc/self/task/" + std::to_string(thread) + "/status");
    const std::string field = "voluntary_ctxt_switches:";
    std::string line;
    while (std::getline(status, line)) {
        if (line.rfind(field, 0) == 0) return std::stol(line.substr(field.size()));
    }
    return -1;
}

/// What the system gives new threads by default, absurd for a while.
class NoMoreThreads {
  public:
    NoMoreThreads() {
        pthread_getattr_default_np(&usual_);
        pthread_attr_t absurd;
        pthread_attr_init(&absurd);
        pthread_attr_setstacksize(&absurd, std::numeric_limits<std::size_t>::max() / 8 * 7);
        pthread_setattr_default_np(&absurd);
        pthread_attr_destroy(&absurd);
    }
    ~NoMoreThreads() {
        pthread_setattr_default_np(&usual_);
        pthread_attr_destroy(&usual_);
    }

  private:
    pthread_attr_t usual_{};
};

#endif

}  // namespace test
