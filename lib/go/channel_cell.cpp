// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "data/periods.hpp"
#include "go/cell.hpp"
#include "go/runtime.hpp"

#include <jtimer/exceptions.hpp>

#include <utility>

namespace jtimer::go::detail {

ChannelCell::ChannelCell(Shard& home, Nanos period, bool hasHandle) noexcept
    : Cell(Kind::Channel, home), period_(period) {
    hasHandle_ = hasHandle;
}

bool ChannelCell::isDue(CellLock&) const {
    return state_ == State::Running && when_ <= runtime().now();
}

bool ChannelCell::isDueBefore(Nanos time) const {
    const CellLock lock = enter();
    return state_ == State::Running && when_ < time;
}

/// The wait that a value of this moment goes to; null without one. Waits that have ended before
/// leave the list.
Case* ChannelCell::firstWaiter(CellLock&, WakeList& toWake) noexcept {
    while (!waiters_.empty()) {
        Case& c = waiters_.front();
        Wait& wait = *c.wait;
        const bool tooLate = wait.endsBefore(when_);
        if (!tooLate && wait.isPending()) return &c;
        if (tooLate && wait.claim(Wait::Outcome::TimedOut)) toWake.add(wait);
        c.unlink();
    }
    return nullptr;
}

/// Fires, for a wait that firstWaiter() has found. \returns false if somebody else has claimed that
/// meanwhile, for the value of another channel say; then it has left the list, and that is all
bool ChannelCell::giveTo(CellLock& lock, Case& c, WakeList& toWake) {
    Wait& wait = *c.wait;
    const Nanos now = period_ == 0 ? 0 : runtime().now();  // a user's clock may throw
    c.unlink();
    if (!wait.claimReceived(c.index, when_)) return false;
    toWake.add(wait);
    if (period_ == 0) {
        home().remove(*this);
        becomeIdle(lock, toWake);
    } else {
        when_ = jtimer::detail::nextOnGrid(when_, period_, now);
        if (home().restart(*this, when_)) runtime().signal(when_);
    }
    return true;
}

void ChannelCell::becomeIdle(CellLock& lock, WakeList& toWake) noexcept {
    state_ = State::Idle;
    if (!hasHandle_) loseHope(lock, toWake);
}

void ChannelCell::loseHope(CellLock&, WakeList& toWake) noexcept {
    for (const Case& c : waiters_) {
        if (!c.wait->hasDeadline() && c.wait->loseHope()) toWake.add(*c.wait);
    }
}

/// The poller goes through everything in the order of time; here that order is kept as well. The
/// call that has waited longest may be a select, and another of its channels due earlier: then it
/// receives from that one. So:
///
/// 1. Find the call, and let go of this cell, since the locks of several are taken by address only.
/// 2. Catch up with each of its channels that is due before this one. Each step goes back in time,
///    hence the recursion ends.
/// 3. Come back. If the call is still the first, and still pending, nothing was earlier: it gets
/// the
///    value. If not, begin anew; there is one call less.
void ChannelCell::catchUp() {
    WakeList toWake;
    std::shared_ptr<Wait> asked;
    CellLock lock = enter();
    while (!waiters_.empty() && isDue(lock)) {
        Case* const first = firstWaiter(lock, toWake);
        if (first == nullptr) return;
        if (first->wait->size() == 1 || first->wait == asked.get()) {
            giveTo(lock, *first, toWake);
            continue;
        }
        auto next = first->wait->shared_from_this();
        const Nanos when = when_;
        lock.unlock();
        // The one before may die here, and with it another runtime, with what is the user's in it.
        asked = std::move(next);
        for (const Case& other : *asked) {
            if (other.cell != this && other.cell->isDueBefore(when)) other.cell->catchUp();
        }
        lock.lock();
    }
}

void ChannelCell::fire(std::uint32_t start) {
    WakeList toWake;
    CellLock lock = enter();
    if (state_ != State::Running || this->start() != start || runtime().isOver()) return;
    while (Case* const first = firstWaiter(lock, toWake)) {
        if (giveTo(lock, *first, toWake)) return;
    }
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
    if (runtime().isOver()) return std::nullopt;
    if (state_ == State::Unread) return when_;
    while (isDue(lock)) {
        Case* const first = firstWaiter(lock, toWake);
        if (first == nullptr) return when_;
        giveTo(lock, *first, toWake);
    }
    return std::nullopt;
}

bool ChannelCell::take(CellLock& lock, WakeList& toWake) {
    if (period_ == 0) {
        if (state_ == State::Running) home().remove(*this);
        becomeIdle(lock, toWake);
        return true;
    }
    const Nanos next = jtimer::detail::nextOnGrid(when_, period_, runtime().now());
    bool isFirst = false;
    if (state_ == State::Unread || !home().move(*this, next, isFirst)) {
        try {
            isFirst = home().add(*this, next);
        } catch (const IllegalStateException&) {
            return false;
        }
    }
    state_ = State::Running;
    when_ = next;
    if (isFirst) runtime().signal(next);
    return true;
}

void ChannelCell::removeWaiter(Case& c) {
    const CellLock lock = enter();
    if (c.is_linked()) c.unlink();
}

}  // namespace jtimer::go::detail
