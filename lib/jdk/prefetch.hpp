// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <jtimer/timer_task.hpp>

#include <cstddef>
#include <cstdint>

namespace jtimer {

/// Starts to load a task that will be run or dropped soon, and so written to: the tasks of a large
/// queue are not in the cache. With it come the two words before it, where std::make_shared has the
/// counts, and the two behind it, which are all of most callables: two lines at the most. What is
/// not there is not read, for this only gives hints.
inline void prefetch(const TimerTask* task) noexcept {
    constexpr std::size_t twoWords = 2 * sizeof(void*);
    const auto begin = reinterpret_cast<std::uintptr_t>(task);
    const auto last = begin + sizeof(TimerTask) + twoWords - 1;
    __builtin_prefetch(reinterpret_cast<const void*>(begin - twoWords), 1);
    __builtin_prefetch(reinterpret_cast<const void*>(last), 1);
}

}  // namespace jtimer
