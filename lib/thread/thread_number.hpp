// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <atomic>
#include <cstddef>

namespace jtimer::detail {

/// A number for the calling thread, the same each time: 0, 1, 2, ... in the order in which threads
/// first ask. Taken modulo a number of places, it spreads the threads evenly.
///
/// Each Room counts for itself: with one count for all, the threads of one could leave the others
/// all the even numbers.
template <class Room>
std::size_t numberOfThisThread() noexcept {
    static std::atomic<std::size_t> threads{0};
    thread_local const std::size_t number = threads.fetch_add(1, std::memory_order_relaxed);
    return number;
}

}  // namespace jtimer::detail
