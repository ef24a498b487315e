// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "netty/timeout_access.hpp"
#include "netty/timeout_list.hpp"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

namespace jtimer::netty::detail {

/// The timeouts of one timer, by the tick in which they are due: an array of slots, in which tick k
/// has slot k modulo the number of slots. Knows no thread, no lock, no clock.
///
/// What is due a revolution later lies in the same slot. Netty keeps in each timeout how many
/// rounds are left, and counts down at every visit. Here a timeout keeps its tick, and the rounds
/// are what follows from it, (due - tick) / slots: so a visit writes only to what is due, and ticks
/// without timeouts need not be visited for the count.
///
/// A timeout is cancelled by others at any time, but stays where it is until the owner of the wheel
/// removes it (TimeoutList::remove). What is cancelled does not expire.
class HashedWheel {
    using Access = TimeoutAccess;

  public:
    /// \param slots a power of two
    explicit HashedWheel(std::size_t slots) : slots_(slots), mask_(slots - 1) {}

    /// Adds a timeout, when `tick` is the next tick to expire. What is due before it expires in it.
    /// A timeout that is cancelled meanwhile may land in any slot, where it waits to be removed.
    void place(std::shared_ptr<Timeout> timeout, Tick tick) noexcept {
        TimeoutList& slot = slotOf(std::max(Access::due(*timeout), tick));
        slot.append(std::move(timeout));
    }

    /// Expires what is due in `tick`, and was not cancelled before: in the order in which it was
    /// placed, each timeout is marked, removed and handed to `sink`, as a std::shared_ptr. The sink
    /// may cancel timeouts, and nothing else; it answers whether to go on.
    template <class Sink>
    void expire(Tick tick, Sink sink) {
        TimeoutList& slot = slotOf(tick);
        for (Timeout* timeout = slot.front(); timeout != nullptr;) {
            Timeout* const next = slot.next(*timeout);
            if (Access::expire(*timeout, tick) && !sink(TimeoutList::remove(*timeout))) return;
            timeout = next;
        }
    }

    /// The least tick in which something here is due that is not cancelled; `most`, if there is
    /// none before. Looks at every slot and every timeout, which is what a revolution does.
    Tick leastDue(Tick most) const noexcept {
        for (const TimeoutList& slot : slots_) {
            for (const Timeout* timeout = slot.front(); timeout != nullptr;
                 timeout = slot.next(*timeout))
                most = std::min(most, Access::dueIfInit(*timeout, most));
        }
        return most;
    }

    /// Removes everything and hands it to `sink`, which must not touch the wheel.
    template <class Sink>
    void clear(Sink sink) {
        for (TimeoutList& slot : slots_) {
            while (!slot.empty()) sink(slot.popFront());
        }
    }

    /// For tests: what is in the slot of a tick.
    const TimeoutList& slotAt(Tick tick) const noexcept {
        return slots_[static_cast<std::size_t>(tick) & mask_];
    }
    std::size_t slots() const noexcept { return slots_.size(); }

    /// Recomputes the invariants the dumb way, when `tick` is the next tick to expire: every link;
    /// that each timeout lies in the slot of its tick; and that none has been passed by, so that
    /// the rounds left are what they should be.
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
