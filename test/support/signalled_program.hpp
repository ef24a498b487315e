// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "support/forked_child.hpp"

#include <string>
#include <unistd.h>
#if !defined(_WIN32)
#include <spawn.h>

extern char** environ;
#endif

namespace test {

#if defined(_WIN32)
[[noreturn]] inline void needSignals() { skipCase("signals"); }
#else
inline void needSignals() {}
#endif

/// Has the calling thread start a program that sends itself a SIGTERM. \returns its end, as
/// exitCodeOf(): -SIGTERM, unless the program has inherited that this signal is blocked
inline int endOfSignalledProgram() {
#if defined(_WIN32)
    needSignals();
#else
    std::string shell = "sh", option = "-c", script = "kill -TERM $$; exit 7";
    char* const arguments[] = {shell.data(), option.data(), script.data(), nullptr};
    pid_t pid = 0;
    if (posix_spawnp(&pid, "sh", nullptr, nullptr, arguments, environ) != 0) return -1;
    return exitCodeOf(pid);
#endif
}

}  // namespace test
