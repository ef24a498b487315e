// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <atomic>
#include <cstddef>

namespace jtimer::detail {

/// How many threads have a number for this purpose.
template <class Purpose>
inline std::atomic<std::size_t> threadCount{0};

/// How many threads have called numberOfThisThread().
template <class Purpose>
std::size_t numberedThreads() noexcept {
    return threadCount<Purpose>.load(std::memory_order_seq_cst);
}

/// A number for the calling thread, the same at each call: 0, 1, 2, ... in the order of the
/// threads' first calls. Modulo a number of places, it spreads the threads evenly.
///
/// Each Purpose has its own count: with a common one, the threads of one Purpose could leave only
/// even numbers to the others.
template <class Purpose>
std::size_t numberOfThisThread() noexcept {
    thread_local const std::size_t number =
        threadCount<Purpose>.fetch_add(1, std::memory_order_seq_cst);
    return number;
}

}  // namespace jtimer::detail
