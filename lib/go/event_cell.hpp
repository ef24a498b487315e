// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "data/intrusive_list.hpp"
#include "go/item.hpp"
#include "go/last_turn.hpp"
#include "go/wait.hpp"
#include "sync/lock.hpp"
#include "sync/process_number.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace jtimer::go::detail {

class EventCell;

/// What a receive from an event's channel returns: Date(), as a closed channel of Go returns the
/// zero value.
inline constexpr Nanos kEventValue = 0;

/// One event that a call waits for: an element of the list of the event's waiters, whose lock
/// guards the link.
class EventCase : public jtimer::detail::ListHook {
  public:
    EventCase(EventCell& of, std::size_t indexOfChannel) noexcept;

    const Ref<EventCell> cell;
    const std::size_t index;  ///< of the channel in the call's list
    Wait* wait = nullptr;     ///< set before the case is added
};

/// One event, to which its handles, channels and blocked calls refer.
///
/// The flag is written under the lock, and never reset. A call adds itself to the waiters under the
/// lock, unless the event is set; set() writes the flag and claims the waiters under the lock. So
/// either the call finds the flag, or set() finds the call. The flag is released and acquired, so
/// that a thread that has seen it without the lock sees what was written before set().
///
/// A context is an event too: a ContextNode, which the last release() ends in its own way.
///
/// In a forked child a thread of the parent may hold the lock for ever, and no call waits: there
/// the lock is never taken, and set() only writes the flag.
class EventCell : public Item {
  public:
    EventCell() noexcept : EventCell(Kind::Event) {}

    bool isSet() const noexcept { return isSet_.load(std::memory_order_acquire); }
    void set() noexcept;
    /// Sets the event of this process, and leaves it to the caller to wake the claimed waits.
    void set(WakeList& toWake) noexcept;

    /// \returns false if the event is set: then it has not added the case
    bool addWaiter(EventCase& c) noexcept;
    void removeWaiter(EventCase& c) noexcept;

    LastTurn& lastTurn() noexcept { return lastTurn_; }

    bool isOfAnotherProcess() const noexcept {
        return madeIn_ != jtimer::detail::numberOfThisProcess();
    }
    /// \throws TimersDestroyed with the text of a forked child, if this is one
    void requireOfThisProcess() const;

  protected:
    explicit EventCell(Kind kind) noexcept : Item(kind) {}
    ~EventCell() = default;

  private:
    friend class Item;

    Mutex mutex_;
    std::atomic<bool> isSet_{false};
    const std::uint32_t madeIn_ = jtimer::detail::numberOfThisProcess();
    LastTurn lastTurn_;
    /// Guarded by the mutex. Claimed waits stay until their thread runs.
    jtimer::detail::IntrusiveList<EventCase> waiters_;
};

inline EventCase::EventCase(EventCell& of, std::size_t indexOfChannel) noexcept
    : cell(&of), index(indexOfChannel) {}

}  // namespace jtimer::go::detail
