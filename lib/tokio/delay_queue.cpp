// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include <jtimer/tokio/delay_queue.hpp>

#include "tokio/driver.hpp"
#include "tokio/sleep_access.hpp"
#include "tokio/ticks.hpp"
#include "tokio/wheel.hpp"

#include <algorithm>
#include <deque>
#include <stdexcept>
#include <utility>
#include <vector>

namespace jtimer::tokio::detail {

/// An entry of the queue's wheel. Its slot is used again, with another generation in the key.
struct Delayed final : detail::Entry {
    std::uint32_t slot = 0;
    std::uint32_t generation = 1;
    Nanos deadline = 0;

    DelayKey key() const noexcept { return {std::uint64_t{generation} << 32 | slot}; }
};

/// Everything belongs to the one thread at a time that uses the queue. What others do is to call
/// the waker, which is the user's.
///
/// The waker of the last poll is in one of two places: with the driver, as the waker of sleep_,
/// which is registered for the next expiration; or, if the queue is empty and so has nothing to
/// wait for, in idleWaker_. wake() and rearm() come last in what calls them, for the waker may poll
/// the queue, and destroy it.
class DelayKeys::Impl {
  public:
    explicit Impl(Driver& driver)
        : ticks_(driver.now()), sleep_(SleepAccess::make(driver, jtimer::detail::kNever)) {}
    Impl(const Impl&) = delete;
    Impl& operator=(const Impl&) = delete;
    ~Impl() {
        while (wheel_.takeAny() != nullptr) {
        }
    }

    Driver& driver() const noexcept { return SleepAccess::driverOf(sleep_); }
    Sleep& sleep() noexcept { return sleep_; }
    const Wheel& wheel() const noexcept { return wheel_; }

    std::size_t nextSlot();
    DelayKey insert(Nanos deadline);
    void reset(DelayKey key, Nanos deadline);
    const Delayed* find(DelayKey key) const noexcept;
    const Delayed* takeExpired(Waker waker);
    void remove(std::size_t slot) noexcept;
    void removeAll() noexcept;
    void release(std::size_t slot) noexcept;
    void rearm();
    void check() const;

  private:
    bool place(Delayed& entry, Nanos now) noexcept;
    void wake();

    const Ticks ticks_;
    Wheel wheel_;
    std::deque<Delayed> entries_;
    /// Slots that are not in use. Has room for all of them.
    std::vector<std::uint32_t> free_;
    Sleep sleep_;
    Waker idleWaker_;
};

// --- entries ------------------------------------------------------------------------------------

/// Makes a slot free if none is: all that can fail in an insert.
std::size_t DelayKeys::Impl::nextSlot() {
    if (free_.empty()) {
        const std::size_t slot = entries_.size();
        if (slot > 0xFFFF'FFFF) throw std::length_error("DelayQueue is full.");
        free_.reserve(slot < 16 ? 16 : slot < free_.capacity() ? free_.capacity() : 2 * slot);
        entries_.emplace_back();
        entries_.back().slot = static_cast<std::uint32_t>(slot);
        free_.push_back(static_cast<std::uint32_t>(slot));
    }
    return free_.back();
}

/// Into the wheel. \returns whether it is due
bool DelayKeys::Impl::place(Delayed& entry, Nanos now) noexcept {
    const Tick tick = ticks_.dueBy(entry.deadline);
    if (entry.deadline <= now || tick <= wheel_.elapsed()) {
        wheel_.insertPending(entry);
        return true;
    }
    wheel_.insert(entry, tick);
    return false;
}

DelayKey DelayKeys::Impl::insert(Nanos deadline) {
    const Nanos now = driver().now();
    Delayed& entry = entries_[nextSlot()];
    entry.deadline = deadline;
    const bool isDue = place(entry, now);
    free_.pop_back();
    const DelayKey key = entry.key();
    isDue ? wake() : rearm();
    return key;
}

void DelayKeys::Impl::reset(DelayKey key, Nanos deadline) {
    const Nanos now = driver().now();
    Delayed& entry = entries_[find(key)->slot];
    wheel_.remove(entry);
    entry.deadline = deadline;
    place(entry, now) ? wake() : rearm();
}

const Delayed* DelayKeys::Impl::find(DelayKey key) const noexcept {
    const auto slot = static_cast<std::uint32_t>(key.id);
    if (slot >= entries_.size()) return nullptr;
    const Delayed& entry = entries_[slot];
    return entry.isRegistered() && entry.key() == key ? &entry : nullptr;
}

void DelayKeys::Impl::remove(std::size_t slot) noexcept {
    wheel_.remove(entries_[slot]);
    entries_[slot].leave(false);
}

void DelayKeys::Impl::removeAll() noexcept {
    while (Entry* const entry = wheel_.takeAny()) {
        entry->leave(false);
        release(static_cast<Delayed*>(entry)->slot);
    }
}

/// The slot can be used again: with the next generation, so that no key comes back. A slot whose
/// generations are used up, after four billion uses, is never used again.
void DelayKeys::Impl::release(std::size_t slot) noexcept {
    if (++entries_[slot].generation != 0) free_.push_back(static_cast<std::uint32_t>(slot));
}

// --- polling and waking -------------------------------------------------------------------------

const Delayed* DelayKeys::Impl::takeExpired(Waker waker) {
    Nanos now = driver().now();
    for (;;) {
        if (Entry* const due = wheel_.takeExpired(ticks_.at(now))) {
            due->leave(true);
            // A poll that returns something keeps no waker. These are destroyed at the end.
            const Waker before = SleepAccess::takeWaker(sleep_);
            const Waker idle = std::exchange(idleWaker_, nullptr);
            return static_cast<Delayed*>(due);
        }
        if (wheel_.isEmpty()) {
            if (waker) idleWaker_.swap(waker);
            return nullptr;
        }
        driver().requireRunning();
        const Nanos next = ticks_.timeOf(*wheel_.nextExpiration());
        if (waker) {
            const Waker before = SleepAccess::takeWaker(sleep_);
            SleepAccess::restart(sleep_, next);
        } else if (SleepAccess::isRegistered(sleep_)) {
            SleepAccess::reset(sleep_, next);
        } else {
            return nullptr;
        }
        if (!sleep_.poll(waker)) return nullptr;
        // It is due by now; or the driver has been turned ahead of the clock.
        now = std::max(driver().now(), driver().ticks().timeOf(driver().elapsed()));
    }
}

/// Has the waker called when the next expiration comes, if a poll has left one.
void DelayKeys::Impl::rearm() {
    if (wheel_.isEmpty()) {
        wake();
        return;
    }
    Waker waker = std::exchange(idleWaker_, nullptr);
    const Nanos next = ticks_.timeOf(*wheel_.nextExpiration());
    try {
        if (waker) {
            SleepAccess::restart(sleep_, next);
            if (!sleep_.poll(waker)) return;
        } else {
            if (SleepAccess::isRegistered(sleep_) && SleepAccess::deadlineOf(sleep_) != next)
                SleepAccess::reset(sleep_, next);
            return;
        }
    } catch (const IllegalStateException&) {
        // Shut down: the waker finds that out when it polls. The driver has called what it had.
    }
    driver().wake(std::move(waker));
}

/// Calls the waker now, if a poll has left one.
void DelayKeys::Impl::wake() {
    Waker waker = std::exchange(idleWaker_, nullptr);
    if (!waker) waker = SleepAccess::takeWaker(sleep_);
    driver().wake(std::move(waker));
}

void DelayKeys::Impl::check() const {
    wheel_.check();
    std::size_t used = 0;
    std::size_t retired = 0;
    for (const Delayed& entry : entries_) {
        if (entry.isRegistered()) ++used;
        if (entry.generation == 0) ++retired;
    }
    if (used != wheel_.size()) throw std::logic_error("DelayQueue: the number of entries is wrong");
    if (used + retired + free_.size() != entries_.size())
        throw std::logic_error("DelayQueue: a slot is lost");
}

// --- the face -----------------------------------------------------------------------------------

DelayKeys::DelayKeys(TimeDriver& driver)
    : impl_(std::make_unique<Impl>(SleepAccess::driverOf(driver))) {}
DelayKeys::DelayKeys(DelayKeys&& other) noexcept = default;
DelayKeys& DelayKeys::operator=(DelayKeys&& other) noexcept = default;
DelayKeys::~DelayKeys() = default;

Date DelayKeys::after(TimeSpan duration) const {
    const Nanos span = requireNotNegative(duration);
    return dateOf(jtimer::detail::saturatingAdd(impl_->driver().now(), span));
}

std::size_t DelayKeys::nextSlot() { return impl_->nextSlot(); }

DelayKey DelayKeys::insert(Date deadline) {
    return impl_->insert(jtimer::detail::toNanos(deadline));
}

void DelayKeys::reset(DelayKey key, Date deadline) {
    require(key);
    impl_->reset(key, jtimer::detail::toNanos(deadline));
}

std::optional<DelayKeys::Found> DelayKeys::find(DelayKey key) const {
    const Delayed* const found = impl_->find(key);
    if (found == nullptr) return std::nullopt;
    return Found{found->slot, key, dateOf(found->deadline)};
}

DelayKeys::Found DelayKeys::require(DelayKey key) const {
    std::optional<Found> found = find(key);
    if (!found) throw IllegalArgumentException("invalid key");
    return *found;
}

std::optional<DelayKey> DelayKeys::peek() const {
    const auto* const first = static_cast<const Delayed*>(impl_->wheel().first());
    if (first == nullptr) return std::nullopt;
    return first->key();
}

std::size_t DelayKeys::size() const noexcept { return impl_->wheel().size(); }

std::optional<DelayKeys::Found> DelayKeys::poll(Waker waker) {
    const Delayed* const expired = impl_->takeExpired(std::move(waker));
    if (expired == nullptr) return std::nullopt;
    return Found{expired->slot, expired->key(), dateOf(expired->deadline)};
}

void DelayKeys::remove(const Found& entry) noexcept { impl_->remove(entry.slot); }

void DelayKeys::removeAll() { impl_->removeAll(); }

void DelayKeys::release(std::size_t slot) noexcept { impl_->release(slot); }

void DelayKeys::removed() { impl_->rearm(); }

Sleep& DelayKeys::sleep() const noexcept { return impl_->sleep(); }

void DelayKeys::check() const { impl_->check(); }

}  // namespace jtimer::tokio::detail
