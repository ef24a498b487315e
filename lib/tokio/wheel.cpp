// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "tokio/wheel.hpp"

#include "sync/assert.hpp"

#include <jtimer/detail/compiler.hpp>

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <string>

namespace jtimer::tokio::detail {

void Wheel::insert(Entry& entry, Tick tick) noexcept {
    JTIMER_ASSERT(!entry.is_linked());
    if (tick <= elapsed_) {
        entry.enterPending();
        pending_.push_back(entry);
    } else {
        entry.enter(tick);
        place(entry);
    }
    ++size_;
}

void Wheel::insertFired(Entry& entry) noexcept {
    JTIMER_ASSERT(!entry.is_linked());
    entry.enterFired();
    early_.push_back(entry);
    ++size_;
}

void Wheel::park(Entry& entry) noexcept {
    JTIMER_ASSERT(!entry.is_linked());
    entry.enterParked();
    parked_.push_back(entry);
}

/// Puts the entry into the slot of its registered tick.
void Wheel::place(Entry& entry) noexcept {
    const Tick tick = entry.registeredTick();
    JTIMER_ASSERT(tick > elapsed_);
    const int number = levelOf(elapsed_, tick);
    const int slot = slotOf(number, tick);
    Level& level = levels_[number];
    level.slots[slot].push_back(entry);
    level.occupied |= bitOf(slot);
}

/// The slot of the entry is computed, not stored. elapsed_ may have advanced since the entry was
/// placed, but never past the start of its slot without dealing that slot; and until then the first
/// digit in which they differ is the same.
///
/// An entry of a half-dealt slot is in no slot. The slot computed for it is then unrelated to it;
/// but if that slot is empty, its bit is already clear.
void Wheel::remove(Entry& entry) noexcept {
    JTIMER_ASSERT(entry.is_linked());
    const bool wasInSlot = entry.isInSlot();
    if (!entry.isParked()) --size_;
    entry.unlink();
    if (!wasInSlot) return;
    const Tick tick = entry.registeredTick();
    const int number = levelOf(elapsed_, tick);
    const int slot = slotOf(number, tick);
    Level& level = levels_[number];
    if (level.slots[slot].empty()) level.occupied &= ~bitOf(slot);
}

/// When a slot starts next. Below the top level that is in the present revolution, because elapsed_
/// has the same higher digits as the entries there. On the top level the current slot holds only
/// entries that are due at least one revolution later.
Tick Wheel::startOf(int level, int slot) const noexcept {
    const int shift = kDigitBits * level;
    const Tick current = elapsed_ >> shift;
    Tick distance = slot - slotOf(level, elapsed_);
    if (level == kTop && distance <= 0) distance += kSlots;
    return (current + distance) << shift;
}

/// It is on the lowest level that is not empty: everything there is due before elapsed_ leaves its
/// slot of the next level.
std::optional<Wheel::Slot> Wheel::nextSlot() const noexcept {
    for (int level = 0; level < kLevels; ++level) {
        const std::uint64_t occupied = levels_[level].occupied;
        if (occupied == 0) continue;
        // The slot after the current one becomes bit 0, and the current one, which comes last, bit
        // 63. Beginning with the current slot would be wrong on the top level: the entries there
        // are due in a revolution, and would hide all earlier ones.
        const int from = (slotOf(level, elapsed_) + 1) % kSlots;
        const std::uint64_t rotated = occupied >> from | occupied << ((kSlots - from) % kSlots);
        const int slot = (from + jtimer::detail::lowestBit(rotated)) % kSlots;
        return Slot{level, slot, startOf(level, slot)};
    }
    return std::nullopt;
}

std::optional<Tick> Wheel::nextExpiration() const noexcept {
    if (hasPending() || !undealt_.empty()) return elapsed_;
    const std::optional<Slot> next = nextSlot();
    if (!next) return std::nullopt;
    return next->start;
}

/// Makes each entry of the slot pending, or places it in a slot of a lower level; on the top level
/// perhaps in the same slot. \returns false if entries are left after `most`
bool Wheel::deal(std::size_t& most) noexcept {
    for (; !undealt_.empty(); --most) {
        if (most == 0) return false;
        Entry& entry = undealt_.front();
        undealt_.pop_front();
        if (entry.expire(elapsed_)) {
            pending_.push_back(entry);
        } else {
            place(entry);
        }
    }
    return true;
}

void Wheel::advance(Tick now, std::size_t& most) noexcept {
    while (deal(most) && pending_.empty()) {
        const std::optional<Slot> next = nextSlot();
        if (!next || next->start > now) {
            elapsed_ = std::max(elapsed_, now);
            return;
        }
        // Emptied at once: on the top level some of its entries may be placed in it again.
        Level& level = levels_[next->level];
        undealt_.splice(undealt_.end(), level.slots[next->slot]);
        level.occupied &= ~bitOf(next->slot);
        elapsed_ = next->start;
    }
}

Entry* Wheel::takePending() noexcept {
    JTIMER_ASSERT(undealt_.empty());
    if (pending_.empty()) return nullptr;
    Entry& entry = pending_.front();
    pending_.pop_front();
    --size_;
    return &entry;
}

Entry* Wheel::takeExpired(Tick now) noexcept {
    std::size_t most = std::numeric_limits<std::size_t>::max();
    advance(now, most);
    return takePending();
}

Entry* Wheel::takeAny() noexcept {
    beginTurn();
    List* from = pending_.empty() ? &undealt_ : &pending_;
    if (from->empty()) {
        const std::optional<Slot> next = nextSlot();
        from = next ? &levels_[next->level].slots[next->slot] : &parked_;
    }
    if (from->empty()) return nullptr;
    Entry& entry = from->front();
    remove(entry);
    return &entry;
}

const Entry* Wheel::first() const noexcept {
    JTIMER_ASSERT(undealt_.empty());
    if (!pending_.empty()) return &pending_.front();
    const std::optional<Slot> next = nextSlot();
    if (!next) return nullptr;
    const Entry* first = nullptr;
    const auto look = [&](const List& entries) {
        for (const Entry& e : entries) {
            if (first == nullptr || e.state() < first->state()) first = &e;
        }
    };
    if (next->level < kTop) {
        look(levels_[next->level].slots[next->slot]);
    } else {
        // Entries in the next slot may be due some revolutions later than the others.
        for (const List& slot : levels_[kTop].slots) look(slot);
    }
    return first;
}

namespace {

[[noreturn]] void fail(const std::string& what) { throw std::logic_error("Wheel: " + what); }

}  // namespace

/// Adds the number of a slot's entries to `count`, and lowers `next` to the slot's start.
void Wheel::checkSlot(int level, int slot, std::size_t& count, std::optional<Tick>& next) const {
    const auto width = Tick{1} << (kDigitBits * level);
    const List& entries = levels_[level].slots[slot];
    for (const Entry& e : entries) {
        ++count;
        const Tick tick = e.registeredTick();
        const Tick due = e.state();
        if (due < tick) fail("an entry is due before the tick it is registered for");
        if (tick <= elapsed_) fail("an entry is late");
        if (levelOf(elapsed_, tick) != level || slotOf(level, tick) != slot)
            fail("an entry lies in the wrong slot");
        // The first multiple of the width after elapsed_ that belongs to this slot, step by step.
        Tick start = (elapsed_ / width + 1) * width;
        while (slotOf(level, start) != slot) start += width;
        if (start > tick) fail("a slot starts after what is due in it");
        if (!next || start < *next) next = start;
    }
    const bool marked = (levels_[level].occupied & bitOf(slot)) != 0;
    if (marked == entries.empty()) fail("the bit of a slot is wrong");
}

void Wheel::check() const {
    std::size_t count = 0;
    for (const List* pending : {&pending_, &early_}) {
        for (const Entry& e : *pending) {
            ++count;
            if (!e.isPending()) fail("a pending entry is not marked so");
        }
    }
    for (const Entry& e : parked_) {
        if (!e.isParked()) fail("a parked entry is not marked so");
    }
    for (const Entry& e : undealt_) {
        ++count;
        const Tick tick = e.registeredTick();
        if (tick < elapsed_) fail("an entry that is not dealt yet is late");
        if (e.state() < tick) fail("an entry is due before the tick it is registered for");
    }
    std::optional<Tick> next;
    for (int level = 0; level < kLevels; ++level) {
        for (int slot = 0; slot < kSlots; ++slot) checkSlot(level, slot, count, next);
    }
    if (count != size_) fail("the size is wrong");
    if (!pending_.empty() || !early_.empty() || !undealt_.empty()) next = elapsed_;
    if (nextExpiration() != next) fail("the next expiration is wrong");
}

}  // namespace jtimer::tokio::detail
