// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#if defined(_WIN32)
#include <cstdint>
#else
#include <pthread.h>
#include <sys/types.h>
#include <unistd.h>
#endif

namespace jtimer::detail {

// Processes that fork. On Windows none does, so an object never gets into another process.
#if defined(_WIN32)

using ProcessId = std::int32_t;
inline ProcessId idOfThisProcess() noexcept { return 1; }
inline void atFork(void (*)(), void (*)(), void (*)()) noexcept {}

#else

using ProcessId = pid_t;
inline ProcessId idOfThisProcess() noexcept { return getpid(); }

/// Registers handlers as pthread_atfork() does. If the system has no memory for that, they are not
/// called.
inline void atFork(void (*prepare)(), void (*parent)(), void (*child)()) noexcept {
    pthread_atfork(prepare, parent, child);
}

#endif

}  // namespace jtimer::detail
