// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <jtimer/detail/compiler.hpp>
#include <jtimer/jdk/detail/task_access.hpp>
#include <jtimer/jdk/timer_task.hpp>

#include <cstddef>
#include <cstdint>

namespace jtimer::detail {

/// Prefetches the memory between two addresses that are at most two cache lines apart. A hint reads
/// nothing, so invalid addresses do no harm. Always inline: see prefetchForRead().
[[gnu::always_inline]] inline void prefetchBetween(std::uintptr_t begin,
                                                   std::uintptr_t end) noexcept {
    prefetchForWrite(reinterpret_cast<const void*>(begin));
    prefetchForWrite(reinterpret_cast<const void*>(end - 1));
}

/// Prefetches a task that will soon be run or destroyed, and so written to: the tasks of a large
/// queue are not in the cache. Includes the two words before it, where std::allocate_shared keeps
/// the counts, and the two words after it, which hold most callables.
[[gnu::always_inline]] inline void prefetch(const TimerTask* task) noexcept {
    constexpr std::size_t twoWords = 2 * sizeof(void*);
    const auto begin = reinterpret_cast<std::uintptr_t>(task);
    prefetchBetween(begin - twoWords, begin + sizeof(TimerTask) + twoWords);
}

/// Prefetches what is needed to read a task's state and to drop the queue's reference when other
/// references remain: from the counts in the word before the task to queueReference.
[[gnu::always_inline]] inline void prefetchReference(TimerTask* task) noexcept {
    prefetchBetween(reinterpret_cast<std::uintptr_t>(task) - sizeof(void*),
                    reinterpret_cast<std::uintptr_t>(&stateOf(*task).queueReference + 1));
}

}  // namespace jtimer::detail
