// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "netty/timeout_access.hpp"
#include "netty/timeout_list.hpp"
#include "sync/cache_line.hpp"

#include <array>
#include <utility>

// For speed only: what has the processor load memory ahead of a walk through slots. The plain
// versions do nothing.

namespace jtimer::netty::detail {

/// Called in the walk through a slot, before the timeout ahead of `next` runs. If `next` is due
/// too, has the processor load its task meanwhile. A task that is submitted again and again, as
/// periodic ones are, was last used a period ago and is no longer in the cache; without this,
/// loading it takes half of the time of a run.
inline void prefetchTaskIfDue(const Timeout* next, Tick tick) noexcept {
    if (next != nullptr && TimeoutAccess::dueIfInit(*next, tick + 1) <= tick)
        TimeoutAccess::prefetchTask(*next);
}

/// How many slots prefetchSlots() walks through at once.
inline constexpr Tick kSlotsAtOnce = 4;

/// Called before the walk through the slot of each tick. At every kSlotsAtOnce-th, has the
/// processor load the timeouts of as many slots, from this one on. The address of each timeout is
/// in the one before it. So where neighbours in a slot are far apart in memory, a walk waits at
/// each of them; several walks wait at the same time. Always inline, as is the next function: see
/// prefetchForRead().
template <class Wheel>
[[gnu::always_inline]] inline void prefetchSlots(const Wheel& wheel, Tick tick) noexcept {
    if (tick % kSlotsAtOnce != 0) return;
    struct Walk {
        const TimeoutList* slot = nullptr;
        const Timeout* timeout = nullptr;
    };
    std::array<Walk, kSlotsAtOnce> walks;
    for (Walk& walk : walks) {
        walk.slot = &wheel.slotAt(tick++);
        walk.timeout = walk.slot->front();
    }
    for (bool any = true; any;) {
        any = false;
        for (Walk& walk : walks) {
            if (walk.timeout == nullptr) continue;
            jtimer::detail::prefetchLines(walk.timeout, std::make_index_sequence<2>());
            walk.timeout = walk.slot->next(*walk.timeout);
            any = true;
        }
    }
}

/// The same for a worker in `tick` that knows of the tick `present`: only if it is late will it
/// soon walk through the next slots.
template <class Wheel>
[[gnu::always_inline]] inline void prefetchSlotsIfLate(const Wheel& wheel, Tick tick,
                                                       Tick present) noexcept {
    if (present - tick >= kSlotsAtOnce) prefetchSlots(wheel, tick);
}

}  // namespace jtimer::netty::detail
