// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "netty/timeout_access.hpp"
#include "netty/timeout_list.hpp"
#include "sync/cache_line.hpp"

#include <array>
#include <cstddef>
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
inline constexpr std::size_t kSlotsAtOnce = 4;

/// Has the processor load the timeouts of as many slots, that of tick `first` and the next ones.
/// The address of each timeout is in the one before it. So where neighbours in a slot are far apart
/// in memory, a walk waits at each of them; several walks wait at the same time. Always inline: see
/// prefetchForRead().
template <class Wheel>
[[gnu::always_inline]] inline void prefetchSlots(const Wheel& wheel, Tick first) noexcept {
    const auto slotAt = [&](std::size_t i) -> const TimeoutList& {
        return wheel.slotAt(first + static_cast<Tick>(i));
    };
    std::array<const Timeout*, kSlotsAtOnce> walks{};
    for (std::size_t i = 0; i < kSlotsAtOnce; ++i) walks[i] = slotAt(i).front();
    for (bool any = true; any;) {
        any = false;
        for (std::size_t i = 0; i < kSlotsAtOnce; ++i) {
            if (walks[i] == nullptr) continue;
            jtimer::detail::prefetchLines(walks[i], std::make_index_sequence<2>());
            walks[i] = slotAt(i).next(*walks[i]);
            any = true;
        }
    }
}

/// The slots that a late worker is about to walk through.
class SlotsAhead {
  public:
    /// Called before the walk through the slot of `tick`.
    /// \param present the tick that has begun by now
    template <class Wheel>
    void prefetch(const Wheel& wheel, Tick tick, Tick present) noexcept {
        constexpr auto slots = static_cast<Tick>(kSlotsAtOnce);
        if (tick < next_ || present - tick < slots) return;
        prefetchSlots(wheel, tick);
        next_ = tick + slots;
    }

  private:
    /// The first tick whose slot has not been prefetched.
    Tick next_ = 0;
};

}  // namespace jtimer::netty::detail
