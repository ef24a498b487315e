// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <atomic>
#include <cstdint>

namespace jtimer::detail {

/// Written in a child before its fork() returns, when it has one thread; hence relaxed.
extern std::atomic<std::uint32_t> forks;

/// How many forks lie between the process that has loaded the library and this one. What belongs to
/// one process, as a thread does, notes it, and another number later says that this is a forked
/// child: one load, where getpid() is a system call.
inline std::uint32_t forkCount() noexcept { return forks.load(std::memory_order_relaxed); }

}  // namespace jtimer::detail
