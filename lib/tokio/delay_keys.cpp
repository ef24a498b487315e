// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include <jtimer/tokio/detail/delay_keys.hpp>
#include <jtimer/tokio/detail/slots.hpp>

#include "sync/assert.hpp"
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
    DelayKeys::Found found() const { return {slot, key(), dateOf(deadline)}; }
};

/// What a queue has from its first entry or waker on. Only one thread at a time uses it. Other
/// threads only call the waker, which is a user object.
///
/// The waker of the last poll is with the driver, as the waker of `sleep`, which is registered for
/// the next expiration; or parked, if the queue is empty and so has nothing to wait for. Functions
/// that call rearm() do so last, because from then on the waker may poll or destroy the queue, if
/// the thread that uses the queue leaves it to the waker.
///
/// **Failures.** A call that throws has changed nothing: it first reads the clock, which may be a
/// user's, and allocates what it needs; after that it cannot fail. Wakers are moved and never
/// copied, entries are linked and not allocated, and the Sleep is registered with the time that was
/// read before.
struct DelayKeys::Impl {
    Impl(Driver& driver, Nanos start)
        : ticks(start), sleep(SleepAccess::make(driver, jtimer::detail::kNever)) {}
    Impl(const Impl&) = delete;
    Impl& operator=(const Impl&) = delete;
    ~Impl() {
        while (wheel.takeAny() != nullptr) {
        }
    }

    void grow();
    void shrink() noexcept;
    void place(Delayed& entry, Nanos deadline, Nanos now);
    Nanos next() const noexcept { return ticks.timeOf(*wheel.nextExpiration()); }
    void rearm(Nanos now);

    const Ticks ticks;
    Wheel wheel;
    Slots<Delayed> slots;
    /// The list of free slots; the last slot to be freed comes first.
    Delayed* free = nullptr;
    /// The generation of new slots: later than any that a slot had before a shrink().
    std::uint32_t firstGeneration = 1;
    Sleep sleep;
    SleepEntry& sleepEntry = SleepAccess::entryOf(sleep);
};

void DelayKeys::Impl::grow() {
    const std::size_t size = slots.size();
    if (size + Slots<Delayed>::kInBlock - 1 > 0xFFFF'FFFF)
        throw std::length_error("DelayQueue is full.");
    slots.grow();
    for (std::size_t slot = slots.size(); slot-- > size;) {
        Delayed& entry = slots[slot];
        entry.slot = static_cast<std::uint32_t>(slot);
        entry.generation = firstGeneration;
        entry.nextFree = std::exchange(free, &entry);
    }
}

/// Frees the slots, none of which may be in use. New slots continue with generations that none of
/// these has had, so that no key is repeated. Does nothing if half of the four billion generations
/// are used up; this also keeps the slots that are never used again.
void DelayKeys::Impl::shrink() noexcept {
    constexpr std::uint32_t half = 0x8000'0000;
    std::uint32_t next = firstGeneration;
    for (std::size_t slot = 0; slot < slots.size(); ++slot) {
        const std::uint32_t generation = slots[slot].generation;
        if (generation == 0 || generation > half) return;
        next = std::max(next, generation);
    }
    firstGeneration = next;
    free = nullptr;
    Slots<Delayed>().swap(slots);
}

/// Puts the entry into the wheel. \param now the time that was read before
void DelayKeys::Impl::place(Delayed& entry, Nanos deadline, Nanos now) {
    const bool isDue = deadline <= now;
    entry.deadline = deadline;
    wheel.insert(entry, isDue ? wheel.elapsed() : ticks.dueBy(deadline));
    rearm(now);
}

/// If a poll has left a waker, has it called at the next expiration; by the next turn if an entry
/// is due, or the last one has been removed.
/// \param now the time that was read before
void DelayKeys::Impl::rearm(Nanos now) {
    if (!sleepEntry.isRegistered()) return;
    const bool atOnce = wheel.isEmpty() || wheel.hasPending();
    sleepEntry.driver->rearm(sleepEntry, atOnce ? kLongAgo : next(), now);
}

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

Date DelayKeys::after(TimeSpan duration) const { return dateOf(deadlineAfter(*driver_, duration)); }

DelayKeys::Place DelayKeys::reserve() {
    Impl& queue = impl();
    const Nanos now = driver_->now();
    if (queue.free == nullptr) queue.grow();
    return {queue.free->slot, now};
}

DelayKey DelayKeys::insert(const Place& place, Date deadline) {
    Delayed& entry = impl_->slots[place.slot];
    JTIMER_ASSERT(impl_->free == &entry);
    impl_->free = entry.nextFree;
    const DelayKey key = entry.key();
    impl_->place(entry, jtimer::detail::toNanos(deadline), place.now);
    return key;
}

void DelayKeys::reset(DelayKey key, Date deadline) {
    Delayed& entry = impl_->slots[require(key).slot];
    const Nanos now = driver_->now();
    impl_->wheel.remove(entry);
    impl_->place(entry, jtimer::detail::toNanos(deadline), now);
}

std::optional<DelayKeys::Found> DelayKeys::find(DelayKey key) const {
    const auto slot = static_cast<std::uint32_t>(key.id);
    if (impl_ == nullptr || slot >= impl_->slots.size()) return std::nullopt;
    const Delayed& entry = impl_->slots[slot];
    if (!entry.isRegistered() || entry.key() != key) return std::nullopt;
    return entry.found();
}

DelayKeys::Found DelayKeys::require(DelayKey key) const {
    std::optional<Found> found = find(key);
    if (!found) throw IllegalArgumentException("invalid key");
    return *found;
}

std::optional<DelayKey> DelayKeys::peek() const {
    if (size() == 0) return std::nullopt;
    return static_cast<const Delayed*>(impl_->wheel.first())->key();
}

std::size_t DelayKeys::size() const noexcept { return impl_ != nullptr ? impl_->wheel.size() : 0; }

std::optional<DelayKeys::Found> DelayKeys::poll(Waker& waker, Waker& dropped) {
    if (impl_ == nullptr && !waker) return std::nullopt;
    Impl& queue = impl();
    SleepEntry& sleep = queue.sleepEntry;
    Nanos now = driver_->now();
    for (;;) {
        if (Entry* const due = queue.wheel.takeExpired(queue.ticks.at(now))) {
            due->leave(true);
            // A poll that returns an entry keeps no waker.
            dropped = driver_->takeWaker(sleep);
            return static_cast<Delayed*>(due)->found();
        }
        if (queue.wheel.isEmpty()) {
            if (waker) driver_->park(sleep, waker);
            return std::nullopt;
        }
        driver_->requireRunning();
        if (!waker) {
            queue.rearm(now);  // the former waker stays
            return std::nullopt;
        }
        Waker former = driver_->takeWaker(sleep);
        if (former) dropped.swap(former);
        sleep.leave(false);
        if (!driver_->poll(sleep, queue.next(), now, waker, nullptr)) return std::nullopt;
        // The driver has been turned ahead of the clock.
        now = std::max(now, driver_->ticks().timeOf(driver_->elapsed()));
    }
}

void DelayKeys::dropWaker() noexcept {
    if (impl_ != nullptr) driver_->takeWaker(impl_->sleepEntry);
}

void DelayKeys::remove(const Found& entry) noexcept {
    JTIMER_ASSERT(impl_->slots[entry.slot].key() == entry.key);
    impl_->wheel.remove(impl_->slots[entry.slot]);
    impl_->slots[entry.slot].leave(false);
}

void DelayKeys::removeAll() noexcept {
    if (impl_ == nullptr) return;
    while (Entry* const entry = impl_->wheel.takeAny()) {
        entry->leave(false);
        release(static_cast<Delayed*>(entry)->slot);
    }
    impl_->shrink();
}

/// Frees the slot for reuse with the next generation, so that no key is repeated. A slot whose
/// generations are used up, after four billion uses, is never used again.
void DelayKeys::release(std::size_t slot) noexcept {
    Delayed& entry = impl_->slots[slot];
    JTIMER_ASSERT(!entry.isRegistered());
    if (++entry.generation != 0) entry.nextFree = std::exchange(impl_->free, &entry);
}

/// Does not read the clock, which may throw. The next expiration has not become earlier, so it is
/// due only if it was due before.
void DelayKeys::removed() { impl_->rearm(kLongAgo); }

Sleep& DelayKeys::sleep() const noexcept { return impl_->sleep; }

void DelayKeys::check() const {
    if (impl_ == nullptr) return;
    impl_->wheel.check();
    const Slots<Delayed>& slots = impl_->slots;
    std::size_t used = 0;
    std::size_t retired = 0;
    std::size_t free = 0;
    for (std::size_t slot = 0; slot < slots.size(); ++slot) {
        if (slots[slot].slot != slot) throw std::logic_error("DelayQueue: a slot is misnumbered");
        if (slots[slot].isRegistered()) ++used;
        if (slots[slot].generation == 0) ++retired;
    }
    for (const Delayed* entry = impl_->free; entry != nullptr; entry = entry->nextFree) ++free;
    if (used != size()) throw std::logic_error("DelayQueue: the number of entries is wrong");
    if (used + retired + free != slots.size()) throw std::logic_error("DelayQueue: a slot is lost");
}

}  // namespace jtimer::tokio::detail
