// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "netty/prefetch.hpp"
#include "netty/timeout_access.hpp"
#include "netty/timeout_list.hpp"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <vector>

namespace jtimer::netty::detail {

/// The timeouts of one timer, by the tick in which they are due: an array of slots, in which tick k
/// has slot k modulo the number of slots. Uses no thread, no lock and no clock.
///
/// A timeout that is due a revolution later is in the same slot. Netty stores in each timeout how
/// many rounds are left, and counts down at every visit. Here a timeout stores its tick, from which
/// the rounds follow, (due - tick) / slots: so a visit writes only to timeouts that are due, and
/// ticks without timeouts need not be visited for the count.
///
/// Other threads may cancel a timeout at any time, but it stays where it is until the owner of the
/// wheel removes it (TimeoutList::remove). A cancelled timeout does not expire.
class HashedWheel {
    using Access = TimeoutAccess;

  public:
    /// \param slots a power of two
    explicit HashedWheel(std::size_t slots) : slots_(slots), mask_(slots - 1) {}

    /// Adds a timeout; `tick` is the next tick to expire. A timeout that is due earlier expires
    /// in `tick`. A timeout that is cancelled meanwhile may go to any slot, where it waits to
    /// be removed.
    /// \param timeout in no list, with a reference to itself
    void place(Timeout& timeout, Tick tick) noexcept {
        slotOf(std::max(Access::due(timeout), tick)).append(timeout);
    }

    /// Expires the timeouts that are due in `tick` and have not been cancelled: marks and removes
    /// each and passes it to `sink`, as a std::shared_ptr, in the order in which they were placed.
    /// The sink may cancel timeouts, and nothing else; it returns whether to continue.
    template <class Sink>
    void expire(Tick tick, Sink sink) {
        TimeoutList& slot = slotOf(tick);
        for (Timeout* timeout = slot.front(); timeout != nullptr;) {
            Timeout* const next = slot.next(*timeout);
            prefetchTaskIfDue(next, tick);
            if (Access::expire(*timeout, tick) && !sink(TimeoutList::remove(*timeout))) return;
            timeout = next;
        }
    }

    /// The least tick in which a timeout that is not cancelled is due; `most` if none is due
    /// earlier. Looks at every slot and every timeout, as a revolution does.
    Tick leastDue(Tick most) const noexcept {
        for (std::size_t i = 0; i < slots_.size(); ++i) {
            prefetchSlots(*this, static_cast<Tick>(i));
            for (const Timeout* timeout = slots_[i].front(); timeout != nullptr;
                 timeout = slots_[i].next(*timeout))
                most = std::min(most, Access::dueIfInit(*timeout, most));
        }
        return most;
    }

    /// Removes all timeouts, which keep their references to themselves, and passes them to `sink`,
    /// which must not touch the wheel.
    template <class Sink>
    void clear(const Sink& sink) {
        for (TimeoutList& slot : slots_) slot.clear(sink);
    }

    /// For tests: the slot of a tick.
    const TimeoutList& slotAt(Tick tick) const noexcept {
        return slots_[static_cast<std::size_t>(tick) & mask_];
    }
    std::size_t slots() const noexcept { return slots_.size(); }

    /// Recomputes the invariants by brute force; `tick` is the next tick to expire. Checks every
    /// link; that each timeout is in the slot of its tick; and that no timeout was missed, so that
    /// the rounds left are correct.
    /// \throws std::logic_error that names the rule
    void check(Tick tick) const;

  private:
    TimeoutList& slotOf(Tick tick) noexcept {
        return slots_[static_cast<std::size_t>(tick) & mask_];
    }

    std::vector<TimeoutList> slots_;
    const std::size_t mask_;
};

}  // namespace jtimer::netty::detail
