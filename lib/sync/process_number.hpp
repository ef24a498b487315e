// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <atomic>
#include <cstdint>

namespace jtimer::detail {

/// Counts the forks between the process that loaded the library, which is number 1, and this one.
/// Written in a forked child before fork() returns, while it has one thread; hence relaxed.
extern std::atomic<std::uint32_t> numberOfProcess;

/// Tells a process from its forked children, as getpid() does, but at the cost of a load instead of
/// a system call. An object that belongs to one process, as a thread does, stores it. 0 is no
/// process. A child created by a bare clone() instead of fork() has its parent's number, and so
/// has every child in the handlers of pthread_atfork() that were registered before the library was
/// loaded. So where a timer's thread is joined or notified, getpid() decides.
inline std::uint32_t numberOfThisProcess() noexcept {
    return numberOfProcess.load(std::memory_order_relaxed);
}

}  // namespace jtimer::detail
