// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "data/intrusive_list.hpp"
#include "sync/assert.hpp"

#include <atomic>
#include <cstdint>

namespace jtimer::tokio::detail {

/// Milliseconds since the start of a Wheel's owner. 64 bits of nanoseconds are less than 44 bits
/// of milliseconds.
using Tick = std::int64_t;

class Wheel;

/// An entry of a Wheel: its state, or the tick in which it is due; and the tick by which the wheel
/// finds it. The wheel neither allocates nor destroys it.
///
/// The wheel and the state belong to one owner, which has a lock if several threads use it ("the
/// lock" below). Only extend(), which moves a due tick to a later one, needs no lock. The state is
/// one atomic word, and every change that extend() can race with is a compare-and-exchange of that
/// word, so all changes of one entry have a single order:
///
/// 1. extend() exchanges due tick d for d' >= d, if the word still holds d.
/// 2. expire(), under the lock, exchanges d <= now for kPending, if the word still holds d.
/// 3. If 1 comes first, 2 fails, reads d', and the entry is placed by d' or expires by it. If 2
///    comes first, 1 fails, reads kPending, and its caller continues under the lock. So an
///    extension is never lost, and needs no notification: the entry waits in the slot of its
///    registered tick, which is not later than any due tick that it has been given since.
///
/// test/tokio/model/extension.pml models these steps for the model checker Spin.
///
/// Memory order: extend() releases and expire() acquires, so the waker that fires after a reset
/// sees everything that was done before the reset. Every exchange between them is a
/// read-modify-write, so this holds for all earlier extensions as well. leave() releases and the
/// readers of the state acquire: a thread that sees that the entry has fired sees all that was done
/// to it, and may destroy it without the lock, since leave() is the last access. An entry that has
/// fired but is pending is still linked: its owner sees that by isRegistered(). The code relies on
/// no order between this word and any other, so nothing is sequentially consistent.
class Entry : public jtimer::detail::ListHook {
  public:
    Entry() noexcept = default;

    /// Not in a wheel.
    bool isIdle() const noexcept { return state() == kIdle; }
    /// Its time has come. It may still be pending, see Wheel::insertFired().
    bool hasFired() const noexcept {
        const Tick now = state();
        return now == kFired || now == kFiredPending;
    }
    /// It has fired and is not in a wheel.
    bool hasLeftFired() const noexcept { return state() == kFired; }
    /// In a wheel: in a slot, pending or parked.
    bool isRegistered() const noexcept {
        const Tick now = state();
        return now != kIdle && now != kFired;
    }
    /// In a wheel without a deadline.
    bool isParked() const noexcept { return state() == kParked; }

    /// Moves the due tick to `tick`, if the entry is in a slot and not due later than that. The
    /// only change that needs no lock. \returns whether it did
    bool extend(Tick tick) noexcept {
        Tick due = state_.load(std::memory_order_relaxed);
        while (due >= 0 && due <= tick) {
            if (state_.compare_exchange_weak(due, tick, std::memory_order_release,
                                             std::memory_order_relaxed))
                return true;
        }
        return false;
    }

    /// Called when the entry has left the wheel, because it fired or for another reason. This is
    /// the last access: from now on its owner may destroy it.
    void leave(bool fired) noexcept {
        JTIMER_ASSERT(!is_linked());
        state_.store(fired ? kFired : kIdle, std::memory_order_release);
    }

    /// A bit for the owner of the wheel, under the lock. It is stored here because there is room
    /// for it.
    bool isWaitedFor() const noexcept { return (registered_ & kWaitedFor) != 0; }
    void setWaitedFor(bool isWaitedFor) noexcept {
        registered_ = (registered_ & ~kWaitedFor) | (isWaitedFor ? kWaitedFor : 0);
    }

  private:
    friend class Wheel;

    /// States other than a due tick, which is never negative.
    static constexpr Tick kIdle = -1;
    static constexpr Tick kPending = -2;
    static constexpr Tick kFired = -3;
    static constexpr Tick kFiredPending = -4;
    static constexpr Tick kParked = -5;

    Tick state() const noexcept { return state_.load(std::memory_order_acquire); }

    Tick registeredTick() const noexcept { return static_cast<Tick>(registered_ >> 1); }
    void setRegisteredTick(Tick tick) noexcept {
        registered_ = static_cast<std::uint64_t>(tick) << 1 | (registered_ & kWaitedFor);
    }

    /// Marks the entry as being in a slot.
    void enter(Tick tick) noexcept {
        setRegisteredTick(tick);
        state_.store(tick, std::memory_order_release);
    }
    /// Marks an entry that was in no wheel as pending.
    void enterPending() noexcept { state_.store(kPending, std::memory_order_release); }
    void enterFired() noexcept { state_.store(kFiredPending, std::memory_order_release); }
    void enterParked() noexcept { state_.store(kParked, std::memory_order_release); }
    bool isInSlot() const noexcept { return state() >= 0; }
    bool isPending() const noexcept { return state() == kPending || state() == kFiredPending; }

    /// Marks the entry as pending if it is due by `now`. Otherwise its registered tick becomes the
    /// due tick. \returns whether it was due
    bool expire(Tick now) noexcept {
        Tick due = state_.load(std::memory_order_acquire);
        while (due <= now) {
            if (state_.compare_exchange_weak(due, kPending, std::memory_order_acq_rel,
                                             std::memory_order_acquire))
                return true;
        }
        setRegisteredTick(due);
        return false;
    }

    std::atomic<Tick> state_{kIdle};
    /// The lowest bit is isWaitedFor(); the bits above it hold the tick that decides the slot,
    /// while the entry is in one. Under the lock.
    static constexpr std::uint64_t kWaitedFor = 1;
    std::uint64_t registered_ = 0;
};

}  // namespace jtimer::tokio::detail
