// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "data/intrusive_list.hpp"
#include "go/cell.hpp"
#include "go/last_turn.hpp"
#include "go/wait.hpp"
#include "sync/assert.hpp"

#include <cstdint>
#include <optional>

namespace jtimer::go::detail {

/// A timer with a channel, or a ticker.
class ChannelCell final : public Cell {
  public:
    /// \param period a ticker's; else 0
    /// \param hasHandle false: only a channel. The caller makes the handle or the channel
    static ChannelCell& create(Shard& home, Nanos period, bool hasHandle) {
        return *new ChannelCell(home, period, hasHandle);
    }

    /// To be called before the cell is used, as it may be due but not yet fired by the poller: then
    /// gives the value to the call that has waited for it longest, as the poller would have.
    /// Without such a call it does nothing: a receiver looks at the clock.
    void catchUp();

    /// Called by the poller, which has popped this start.
    void fire(std::uint32_t start);

    std::optional<Nanos> tryReceive();

    // For a call on several channels, which holds the locks of all of them.

    CellLock lock() { return enter(); }
    /// The value that is ready for a new call, if any; older calls get it first.
    std::optional<Nanos> ready(CellLock& lock, WakeList& toWake);
    /// Receives that value. \returns false, with nothing changed, if the runtime has ended
    /// since ready()
    /// \throws std::bad_alloc, with nothing changed
    bool take(CellLock& lock, WakeList& toWake);
    /// Whether no value can ever come: only a handle could change that.
    bool isHopeless(CellLock& lock) const noexcept {
        JTIMER_ASSERT(isHeldBy(lock));
        return state_ == State::Idle && !hasHandle_;
    }
    void addWaiter(CellLock& lock, TimerCase& c) noexcept {
        JTIMER_ASSERT(isHeldBy(lock));
        waiters_.push_back(c);
    }
    void removeWaiter(TimerCase& c);
    LastTurn& lastTurn() noexcept { return lastTurn_; }

  private:
    friend class Cell;

    ChannelCell(Shard& home, Nanos period, bool hasHandle);

    bool isDue(CellLock& lock) const;
    /// When it is due, if that is now and before `time`.
    std::optional<Nanos> dueBefore(Nanos time) const;
    static ChannelCell* earliestBefore(Nanos time, const Wait& wait);
    TimerCase* firstPending(CellLock& lock) noexcept;
    bool settle(CellLock& lock, TimerCase& c, WakeList& toWake);
    bool giveTo(CellLock& lock, TimerCase& c, WakeList& toWake);
    void becomeIdle(CellLock& lock, WakeList& toWake) noexcept;
    void loseHope(CellLock& lock, WakeList& toWake) noexcept;

    Nanos period_;
    /// The longest wait comes first. Claimed waits stay until their thread runs.
    jtimer::detail::IntrusiveList<TimerCase> waiters_;
    LastTurn lastTurn_;
};

}  // namespace jtimer::go::detail
