// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <jtimer/timer_task.hpp>

#include <cstddef>
#include <cstdint>

namespace jtimer::detail {

/// Starts to load a task that will soon be run or destroyed, and so written to: the tasks of a
/// large queue are not in the cache. Includes the two words before it, where std::allocate_shared
/// keeps the counts, and the two words after it, which hold most callables: two cache lines at
/// most. A hint reads nothing, so words that are not there do no harm. Inline in any case: see
/// prefetchLines().
[[gnu::always_inline]] inline void prefetch(const TimerTask* task) noexcept {
    constexpr std::size_t twoWords = 2 * sizeof(void*);
    const auto begin = reinterpret_cast<std::uintptr_t>(task);
    const auto last = begin + sizeof(TimerTask) + twoWords - 1;
    __builtin_prefetch(reinterpret_cast<const void*>(begin - twoWords), 1);
    __builtin_prefetch(reinterpret_cast<const void*>(last), 1);
}

}  // namespace jtimer::detail
