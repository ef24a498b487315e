// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include <jtimer/tokio/detail/delay_keys.hpp>
#include <jtimer/tokio/detail/slots.hpp>

#include "tokio/driver.hpp"
#include "tokio/sleep_access.hpp"
#include "tokio/ticks.hpp"
#include "tokio/wheel.hpp"

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <utility>

namespace jtimer::tokio::detail {

using jtimer::detail::kLongAgo;

/// An entry of the queue's wheel. Its slot is reused, with another generation in the key.
struct Delayed final : detail::Entry {
    std::uint32_t slot = 0;
    std::uint32_t generation = 0;
    Nanos deadline = 0;
    /// While the slot is free: the next free slot.
    Delayed* nextFree = nullptr;

    DelayKey key() const noexcept { return {std::uint64_t{generation} << 32 | slot}; }
};

/// Only one thread at a time uses the queue, and everything belongs to it. Other threads only call
/// the waker, which is a user object.
///
/// The waker of the last poll is with the driver, as the waker of sleep_, which is registered for
/// the next expiration; or parked, if the queue is empty and so has nothing to wait for. Functions
/// that call rearm() do so last, because from then on the waker may poll or destroy the queue, if
/// the thread that uses the queue leaves it to the waker.
///
/// **Failures.** A call that throws has changed nothing: it first reads the clock, which may be a
/// user's, and allocates what it needs; after that it cannot fail. Wakers are moved and never
/// copied, entries are linked and not allocated, and the Sleep is registered with the time that was
/// read before.
class DelayKeys::Impl {
  public:
    Impl(Driver& driver, Nanos start)
        : ticks_(start), sleep_(SleepAccess::make(driver, jtimer::detail::kNever)) {}
    Impl(const Impl&) = delete;
    Impl& operator=(const Impl&) = delete;
    ~Impl() {
        while (wheel_.takeAny() != nullptr) {
        }
    }

    Sleep& sleep() noexcept { return sleep_; }
    const Wheel& wheel() const noexcept { return wheel_; }

    Place reserve();
    DelayKey insert(const Place& place, Nanos deadline);
    void reset(DelayKey key, Nanos deadline);
    const Delayed* find(DelayKey key) const noexcept;
    const Delayed* takeExpired(Waker& waker, Waker& dropped);
    void remove(std::size_t slot) noexcept;
    void removeAll() noexcept;
    void release(std::size_t slot) noexcept;
    void removed();
    void check() const;

  private:
    Driver& driver() const noexcept { return SleepAccess::driverOf(sleep_); }
    void grow();
    void shrink() noexcept;
    void place(Delayed& entry, Nanos now) noexcept;
    Nanos next() const noexcept { return ticks_.timeOf(*wheel_.nextExpiration()); }
    void rearm(Nanos now);

    const Ticks ticks_;
    Wheel wheel_;
    Slots<Delayed> slots_;
    /// The list of free slots; the last slot to be freed comes first.
    Delayed* free_ = nullptr;
    /// The generation of new slots: later than any that a slot had before a shrink().
    std::uint32_t firstGeneration_ = 1;
    Sleep sleep_;
};

// Entries.

DelayKeys::Place DelayKeys::Impl::reserve() {
    const Nanos now = driver().now();
    if (free_ == nullptr) grow();
    return {free_->slot, now};
}

void DelayKeys::Impl::grow() {
    const std::size_t size = slots_.size();
    if (size + Slots<Delayed>::kInBlock - 1 > 0xFFFF'FFFF)
        throw std::length_error("DelayQueue is full.");
    slots_.grow();
    for (std::size_t slot = slots_.size(); slot-- > size;) {
        Delayed& entry = slots_[slot];
        entry.slot = static_cast<std::uint32_t>(slot);
        entry.generation = firstGeneration_;
        entry.nextFree = std::exchange(free_, &entry);
    }
}

/// Frees the slots, none of which may be in use. New slots continue with generations that none of
/// these has had, so that no key is repeated. Does nothing if half of the four billion generations
/// are used up; this also keeps the slots that are never used again.
void DelayKeys::Impl::shrink() noexcept {
    constexpr std::uint32_t half = 0x8000'0000;
    std::uint32_t next = firstGeneration_;
    for (std::size_t slot = 0; slot < slots_.size(); ++slot) {
        const std::uint32_t generation = slots_[slot].generation;
        if (generation == 0 || generation > half) return;
        next = std::max(next, generation);
    }
    firstGeneration_ = next;
    free_ = nullptr;
    Slots<Delayed>().swap(slots_);
}

/// Puts the entry into the wheel.
void DelayKeys::Impl::place(Delayed& entry, Nanos now) noexcept {
    const bool isDue = entry.deadline <= now;
    wheel_.insert(entry, isDue ? wheel_.elapsed() : ticks_.dueBy(entry.deadline));
}

DelayKey DelayKeys::Impl::insert(const Place& reserved, Nanos deadline) {
    Delayed& entry = slots_[reserved.slot];
    free_ = entry.nextFree;
    entry.deadline = deadline;
    const DelayKey key = entry.key();
    place(entry, reserved.now);
    rearm(reserved.now);
    return key;
}

void DelayKeys::Impl::reset(DelayKey key, Nanos deadline) {
    const Nanos now = driver().now();
    Delayed& entry = slots_[find(key)->slot];
    wheel_.remove(entry);
    entry.deadline = deadline;
    place(entry, now);
    rearm(now);
}

const Delayed* DelayKeys::Impl::find(DelayKey key) const noexcept {
    const auto slot = static_cast<std::uint32_t>(key.id);
    if (slot >= slots_.size()) return nullptr;
    const Delayed& entry = slots_[slot];
    return entry.isRegistered() && entry.key() == key ? &entry : nullptr;
}

void DelayKeys::Impl::remove(std::size_t slot) noexcept {
    wheel_.remove(slots_[slot]);
    slots_[slot].leave(false);
}

void DelayKeys::Impl::removeAll() noexcept {
    while (Entry* const entry = wheel_.takeAny()) {
        entry->leave(false);
        release(static_cast<Delayed*>(entry)->slot);
    }
    shrink();
}

/// Frees the slot for reuse with the next generation, so that no key is repeated. A slot whose
/// generations are used up, after four billion uses, is never used again.
void DelayKeys::Impl::release(std::size_t slot) noexcept {
    Delayed& entry = slots_[slot];
    if (++entry.generation != 0) entry.nextFree = std::exchange(free_, &entry);
}

// Polling and waking.

const Delayed* DelayKeys::Impl::takeExpired(Waker& waker, Waker& dropped) {
    Nanos now = driver().now();
    for (;;) {
        if (Entry* const due = wheel_.takeExpired(ticks_.at(now))) {
            due->leave(true);
            // A poll that returns an entry keeps no waker.
            dropped = SleepAccess::takeWaker(sleep_);
            return static_cast<Delayed*>(due);
        }
        if (wheel_.isEmpty()) {
            if (waker) SleepAccess::park(sleep_, waker);
            return nullptr;
        }
        driver().requireRunning();
        if (!waker) {
            rearm(now);  // the former waker stays
            return nullptr;
        }
        Waker former = SleepAccess::takeWaker(sleep_);
        if (former) dropped.swap(former);
        SleepAccess::restart(sleep_, next());
        if (SleepAccess::poll(sleep_, now, waker) == Driver::Polled::Waits) return nullptr;
        // The driver has been shut down meanwhile, or has been turned ahead of the clock.
        driver().requireRunning();
        now = std::max(now, driver().ticks().timeOf(driver().elapsed()));
    }
}

/// If a poll has left a waker, has it called at the next expiration; by the next turn if an entry
/// is due, or the last one has been removed.
/// \param now the time that was read before
void DelayKeys::Impl::rearm(Nanos now) {
    if (!SleepAccess::isRegistered(sleep_)) return;
    if (wheel_.isEmpty() || wheel_.hasPending()) {
        SleepAccess::rearm(sleep_, kLongAgo, now);
        return;
    }
    const Nanos at = next();
    if (SleepAccess::extend(sleep_, at)) return;  // without a lock
    SleepAccess::rearm(sleep_, at, now);
}

/// Does not read the clock, which may throw. The next expiration has not become earlier, so it is
/// due only if it was due before.
void DelayKeys::Impl::removed() { rearm(kLongAgo); }

void DelayKeys::Impl::check() const {
    wheel_.check();
    std::size_t used = 0;
    std::size_t retired = 0;
    std::size_t free = 0;
    for (std::size_t slot = 0; slot < slots_.size(); ++slot) {
        if (slots_[slot].slot != slot) throw std::logic_error("DelayQueue: a slot is misnumbered");
        if (slots_[slot].isRegistered()) ++used;
        if (slots_[slot].generation == 0) ++retired;
    }
    for (const Delayed* entry = free_; entry != nullptr; entry = entry->nextFree) ++free;
    if (used != wheel_.size()) throw std::logic_error("DelayQueue: the number of entries is wrong");
    if (used + retired + free != slots_.size())
        throw std::logic_error("DelayQueue: a slot is lost");
}

// The public interface.

void DelayKeys::Unref::operator()(Driver* driver) const noexcept { intrusive_ptr_release(driver); }

DelayKeys::DelayKeys(TimeDriver& driver)
    : driver_(DriverRef(&SleepAccess::driverOf(driver)).detach()), start_(driver_->now()) {}
DelayKeys::DelayKeys(DelayKeys&& other) noexcept = default;
DelayKeys& DelayKeys::operator=(DelayKeys&& other) noexcept = default;
DelayKeys::~DelayKeys() = default;

DelayKeys::Impl& DelayKeys::impl() {
    if (impl_ == nullptr) impl_ = std::make_unique<Impl>(*driver_, start_);
    return *impl_;
}

Date DelayKeys::after(TimeSpan duration) const {
    const Nanos span = requireNotNegative(duration);
    return dateOf(jtimer::detail::saturatingAdd(driver_->now(), span));
}

DelayKeys::Place DelayKeys::reserve() { return impl().reserve(); }

DelayKey DelayKeys::insert(const Place& place, Date deadline) {
    return impl_->insert(place, jtimer::detail::toNanos(deadline));
}

void DelayKeys::reset(DelayKey key, Date deadline) {
    require(key);
    impl_->reset(key, jtimer::detail::toNanos(deadline));
}

std::optional<DelayKeys::Found> DelayKeys::find(DelayKey key) const {
    const Delayed* const found = impl_ != nullptr ? impl_->find(key) : nullptr;
    if (found == nullptr) return std::nullopt;
    return Found{found->slot, key, dateOf(found->deadline)};
}

DelayKeys::Found DelayKeys::require(DelayKey key) const {
    std::optional<Found> found = find(key);
    if (!found) throw IllegalArgumentException("invalid key");
    return *found;
}

std::optional<DelayKey> DelayKeys::peek() const {
    if (size() == 0) return std::nullopt;
    return static_cast<const Delayed*>(impl_->wheel().first())->key();
}

std::size_t DelayKeys::size() const noexcept {
    return impl_ != nullptr ? impl_->wheel().size() : 0;
}

std::optional<DelayKeys::Found> DelayKeys::poll(Waker& waker, Waker& dropped) {
    if (impl_ == nullptr && !waker) return std::nullopt;
    const Delayed* const expired = impl().takeExpired(waker, dropped);
    if (expired == nullptr) return std::nullopt;
    return Found{expired->slot, expired->key(), dateOf(expired->deadline)};
}

void DelayKeys::remove(const Found& entry) noexcept { impl_->remove(entry.slot); }

void DelayKeys::removeAll() noexcept {
    if (impl_ != nullptr) impl_->removeAll();
}

void DelayKeys::release(std::size_t slot) noexcept { impl_->release(slot); }

void DelayKeys::removed() { impl_->removed(); }

Sleep& DelayKeys::sleep() const noexcept { return impl_->sleep(); }

void DelayKeys::check() const {
    if (impl_ != nullptr) impl_->check();
}

}  // namespace jtimer::tokio::detail
