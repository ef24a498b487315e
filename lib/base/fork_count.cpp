// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "base/fork_count.hpp"

#include <pthread.h>

namespace jtimer::detail {

std::atomic<std::uint32_t> forks{0};

namespace {

/// Before main(), so that it comes before what a program does in its own children. If there is no
/// memory for it, they are told nothing.
[[gnu::constructor]] void countForks() noexcept {
    pthread_atfork(nullptr, nullptr, [] { forks.fetch_add(1, std::memory_order_relaxed); });
}

}  // namespace

}  // namespace jtimer::detail
