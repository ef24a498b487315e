// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "sync/process_number.hpp"

#include "sync/at_load.hpp"
#include "sync/process.hpp"

namespace jtimer::detail {

std::atomic<std::uint32_t> numberOfProcess{1};

namespace {

#if defined(_WIN32)
std::uint32_t forks = 0;  // for ever
#else
thread_local std::uint32_t forks = 0;
#endif

extern "C" void countFork() {
    numberOfProcess.fetch_add(1, std::memory_order_relaxed);
    ++forks;
}

/// Handlers of the child are called in the order of their registration. This one runs before all
/// that a program registers, so that those may use the library. If the system has no memory to
/// register it, forks are not counted.
[[JTIMER_AT_LOAD]] void countForks() noexcept { atFork(nullptr, nullptr, countFork); }

}  // namespace

const std::uint32_t& forksOfThisThread() noexcept { return forks; }

}  // namespace jtimer::detail
