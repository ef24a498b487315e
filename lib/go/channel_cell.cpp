// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "go/channel_cell.hpp"

#include "data/periods.hpp"
#include "go/runtime.hpp"
#include "sync/assert.hpp"

#include <jtimer/go/channel.hpp>

#include <optional>
#include <utility>

namespace jtimer::go::detail {

ChannelCell::ChannelCell(Shard& home, Nanos period, bool hasHandle)
    : Cell(Kind::Channel, home), period_(period) {
    hasHandle_ = hasHandle;
}

bool ChannelCell::isDue(CellLock& lock) const {
    JTIMER_ASSERT(isHeldBy(lock));
    return state_ == State::Running && when_ <= runtime().now();
}

std::optional<Nanos> ChannelCell::dueBefore(Nanos time) const {
    CellLock lock = enter();
    if (when_ >= time || !isDue(lock)) return std::nullopt;
    return when_;
}

/// The first waiting call that has not been claimed; null if there is none. Removes claimed calls
/// before it from the list.
TimerCase* ChannelCell::firstPending(CellLock& lock) noexcept {
    JTIMER_ASSERT(isHeldBy(lock));
    while (!waiters_.empty()) {
        TimerCase& c = waiters_.front();
        if (c.wait->isPending()) return &c;
        c.unlink();
    }
    return nullptr;
}

/// Ends a wait that firstPending() has found, with the value, or with its time-out if that comes
/// before the value. \returns whether it has received the value
bool ChannelCell::settle(CellLock& lock, TimerCase& c, WakeList& toWake) {
    JTIMER_ASSERT(isHeldBy(lock) && &c == &waiters_.front());
    Wait& wait = *c.wait;
    if (!wait.endsBefore(when_, *runtime().clock())) return giveTo(lock, c, toWake);
    if (wait.claim(Wait::Outcome::TimedOut)) toWake.add(wait);
    return false;
}

/// Fires for a wait that firstPending() has found. \returns false if another thread has claimed
/// the wait meanwhile, for example for the value of another channel
bool ChannelCell::giveTo(CellLock& lock, TimerCase& c, WakeList& toWake) {
    JTIMER_ASSERT(isHeldBy(lock) && &c == &waiters_.front());
    Wait& wait = *c.wait;
    const Nanos now = period_ == 0 ? 0 : runtime().now();  // a user's clock may throw
    if (!wait.claimReceived(c.index, when_)) return false;
    toWake.add(wait);
    const Nanos lateness = runtime().latenessOf(when_);
    if (period_ == 0) {
        home().fire(*this, lateness);
        becomeIdle(lock, toWake);
    } else {
        when_ = jtimer::detail::nextOnGrid(when_, period_, now);
        if (home().restart(*this, when_, lateness)) runtime().signal(when_);
    }
    return true;
}

void ChannelCell::becomeIdle(CellLock& lock, WakeList& toWake) noexcept {
    JTIMER_ASSERT(isHeldBy(lock));
    state_ = State::Idle;
    if (!hasHandle_) loseHope(lock, toWake);
}

void ChannelCell::loseHope(CellLock& lock, WakeList& toWake) noexcept {
    JTIMER_ASSERT(isHeldBy(lock));
    for (const TimerCase& c : waiters_) {
        if (!c.wait->hasTimeOut() && c.wait->loseHope()) toWake.add(*c.wait);
    }
}

/// The channel of a call with the earliest value that is due before `time`; null if there is none.
ChannelCell* ChannelCell::earliestBefore(Nanos time, const Wait& wait) {
    ChannelCell* earliest = nullptr;
    for (const TimerCase& c : wait) {
        const std::optional<Nanos> when = c.cell->dueBefore(time);
        if (!when) continue;
        time = *when;
        earliest = c.cell.get();
    }
    return earliest;
}

/// The poller fires everything in the order of time; this function keeps that order. The call that
/// has waited longest may be a select, with another channel that is due earlier: then it receives
/// from that channel, unless an older call waits for that channel and has a third channel that is
/// due still earlier; and so on. So:
///
/// 1. Find the call that waits for this cell, and unlock the cell, since several cells may be
///    locked only in the order of their addresses. Find the earliest of the call's channels, and
///    continue there.
/// 2. If the same call is the first to wait for that channel, nothing was earlier: it gets the
///    value. Nothing earlier can have been added meanwhile, as a timer that is started now is not
///    due before now. If it is another call, look for the earliest of its channels in turn. Each
///    step goes back in time.
/// 3. Start again with this cell: there is one call less.
void ChannelCell::catchUp() {
    WakeList toWake;
    ChannelCell* cell = this;
    Ref<Wait> asked;  // `cell` is its earliest; keeps `cell` alive
    for (;;) {
        CellLock lock = cell->enter();
        TimerCase* const first = cell->isDue(lock) ? cell->firstPending(lock) : nullptr;
        if (first == nullptr && cell == this) return;
        Ref<Wait> next;
        if (first != nullptr && first->wait->size() != 1 && first->wait != asked.get()) {
            next = first->wait;
        } else if (first != nullptr) {
            cell->settle(lock, *first, toWake);
        }
        const Nanos when = cell->when_;
        lock.unlock();
        // The former `asked` may be destroyed here, and with it another runtime and its
        // user objects.
        asked = std::move(next);
        if (asked == nullptr) {
            cell = this;
        } else if (ChannelCell* const earlier = earliestBefore(when, *asked)) {
            cell = earlier;
        }
    }
}

void ChannelCell::fire(std::uint32_t start) {
    WakeList toWake;
    CellLock lock = enter();
    if (state_ != State::Running || this->start() != start || runtime().isOver()) return;
    while (TimerCase* const first = firstPending(lock)) {
        if (settle(lock, *first, toWake)) return;
    }
    runtime().countFired(when_);
    state_ = State::Unread;
}

std::optional<Nanos> ChannelCell::tryReceive() {
    if (runtime().isOver()) return std::nullopt;
    WakeList toWake;
    CellLock lock = enterCurrent();
    const std::optional<Nanos> value = ready(lock, toWake);
    return value && take(lock, toWake) ? value : std::nullopt;
}

std::optional<Nanos> ChannelCell::ready(CellLock& lock, WakeList& toWake) {
    JTIMER_ASSERT(isHeldBy(lock));
    if (runtime().isOver()) return std::nullopt;
    if (state_ == State::Unread) return when_;
    while (isDue(lock)) {
        TimerCase* const first = firstPending(lock);
        if (first == nullptr) return when_;
        settle(lock, *first, toWake);
    }
    return std::nullopt;
}

bool ChannelCell::take(CellLock& lock, WakeList& toWake) {
    JTIMER_ASSERT(isHeldBy(lock));
    if (period_ == 0) {
        if (state_ == State::Running) home().fire(*this, runtime().latenessOf(when_));
        becomeIdle(lock, toWake);
        return true;
    }
    const Nanos next = jtimer::detail::nextOnGrid(when_, period_, runtime().now());
    bool isFirst = false;
    try {
        isFirst = home().add(*this, next);
    } catch (const TimersDestroyed&) {
        return false;
    }
    if (state_ == State::Running) home().countFired(runtime().latenessOf(when_));
    state_ = State::Running;
    when_ = next;
    if (isFirst) runtime().signal(next);
    return true;
}

void ChannelCell::removeWaiter(TimerCase& c) {
    const CellLock lock = enter();
    if (c.is_linked()) c.unlink();
}

}  // namespace jtimer::go::detail
