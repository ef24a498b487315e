// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "support/skipped.hpp"

#if !defined(_WIN32)
#include <cerrno>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>
#endif

namespace test {

#if defined(_WIN32)

template <class Function>
int inForkedChild(const Function&) {
    skipCase("fork");
}

#else

/// Waits for a child process. \returns its exit code, or minus the number of the signal that has
/// ended it
inline int exitCodeOf(pid_t child) {
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

/// Calls `function` in a forked child, which then ends without destroying anything more. A child
/// that hangs is ended after a minute.
/// \returns what the function returns, which is the child's exit code; else as exitCodeOf()
template <class Function>
int inForkedChild(const Function& function) {
    const pid_t child = fork();
    if (child < 0) throw std::system_error(errno, std::generic_category(), "fork");
    if (child == 0) {
        alarm(60);
        _exit(function());
    }
    return exitCodeOf(child);
}

#endif

}  // namespace test
