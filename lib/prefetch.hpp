// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <jtimer/timer_task.hpp>

namespace jtimer {

/// Starts to load a task that will be looked at soon: the tasks of a large queue are not in the
/// cache. With the task come what std::make_shared puts before it, a pointer and two counts, and
/// the first two words behind it, which are all of most callables: two lines at the most.
inline void prefetch(const TimerTask* task) noexcept {
    constexpr std::size_t twoWords = 2 * sizeof(void*);
    const auto* begin = reinterpret_cast<const char*>(task);
    __builtin_prefetch(begin - twoWords, 1);
    __builtin_prefetch(begin + sizeof(TimerTask) + twoWords - 1, 1);
}

}  // namespace jtimer
