// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "data/intrusive_list.hpp"
#include "tokio/entry.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace jtimer::tokio::detail {

/// A hierarchical timing wheel: six levels of 64 slots. A slot of level L is 64^L ticks wide, and a
/// level as wide as one slot of the next. The top level is a ring: what is due after its end,
/// 2^36 ticks from now, goes round with it.
///
///     elapsed ── level 0: 64 slots of 1 tick ── level 1: 64 slots of 64 ticks ── ... level 5
///
/// An entry lies on the level of the highest of its base-64 digits that differs from elapsed()'s,
/// in the slot that this digit names. So level 0 holds what is due before elapsed() comes to a
/// multiple of 64, and every entry moves down level by level, each time when the start of its slot
/// comes: it is dealt again at most five times, and mostly removed before that.
///
/// To insert and to remove is O(1) and allocates nothing. To find the next slot is O(levels): each
/// level has a word with a bit for each slot that is not empty. Time in which nothing is due costs
/// nothing, however long.
///
/// Time is an argument. No thread, lock or clock: its owner has the lock that Entry speaks of.
class Wheel {
  public:
    static constexpr int kLevels = 6;
    static constexpr int kSlots = 64;

    /// What elapsed time a tick is inserted into decides its level, by their difference in digits
    /// and not in ticks: 70 lies on level 1 as seen from 60.
    static int levelOf(Tick elapsed, Tick tick) noexcept {
        const auto digits = static_cast<std::uint64_t>(elapsed ^ tick) | (kSlots - 1);
        const int level = (63 - __builtin_clzll(digits)) / kDigitBits;
        return level < kLevels ? level : kLevels - 1;
    }
    static int slotOf(int level, Tick tick) noexcept {
        return static_cast<int>((tick >> (kDigitBits * level)) & (kSlots - 1));
    }

    Wheel() = default;
    Wheel(const Wheel&) = delete;
    Wheel& operator=(const Wheel&) = delete;

    Tick elapsed() const noexcept { return elapsed_; }
    /// How many entries there are, the pending ones included.
    std::size_t size() const noexcept { return size_; }
    bool isEmpty() const noexcept { return size_ == 0; }

    /// Adds an entry that is in no wheel. One that is due, in a tick that has elapsed, becomes
    /// pending.
    void insert(Entry& entry, Tick tick) noexcept;
    /// Adds an entry as pending.
    void insertPending(Entry& entry) noexcept;

    /// Removes an entry wherever it is. Its state stays: leave() is up to the caller.
    void remove(Entry& entry) noexcept;

    /// When there is something to do: the start of the next slot that is not empty, which is not
    /// later than the first due tick; elapsed() if an entry is pending, or a slot is half dealt;
    /// nothing if there is none.
    std::optional<Tick> nextExpiration() const noexcept;

    /// Turns the wheel until an entry is pending, or else to `now`. elapsed() becomes the tick of
    /// the slot in which the entry was found, or `now`, if that is later.
    ///
    /// Deals no more than `most` entries, and subtracts those from it. At 0 it has stopped, perhaps
    /// in the middle of a slot: then every other function works as ever, but takePending() would
    /// come too early. The next call goes on.
    void advance(Tick now, std::size_t& most) noexcept;

    /// Removes the first pending entry. Its state stays pending: leave() is up to the caller.
    /// \returns null if there is none
    Entry* takePending() noexcept;

    /// Removes an entry that is due by `now`, in the order of ticks, as advance() and takePending()
    /// without a limit.
    Entry* takeExpired(Tick now) noexcept;

    /// Removes any entry, whenever it is due. \returns null if there is none
    Entry* takeAny() noexcept;

    /// The entry that takeExpired() would return first as time goes on, null if there is none. For
    /// owners that never call extend(), nor stop in the middle of a slot: it looks for the least
    /// tick in the next slot alone, on the top level in all of that level.
    const Entry* first() const noexcept;

    /// Recomputes every invariant by brute force, for tests.
    /// \throws std::logic_error that names what is wrong
    void check() const;

  private:
    using List = jtimer::detail::IntrusiveList<Entry>;

    static constexpr int kDigitBits = 6;
    static constexpr int kTop = kLevels - 1;

    struct Level {
        /// Bit s is set exactly if slots[s] is not empty.
        std::uint64_t occupied = 0;
        std::array<List, kSlots> slots;
    };
    /// A slot, and when it starts next.
    struct Slot {
        int level;
        int slot;
        Tick start;
    };

    static std::uint64_t bitOf(int slot) noexcept { return std::uint64_t{1} << slot; }
    List& list(int level, int slot) noexcept {
        return levels_[static_cast<std::size_t>(level)].slots[static_cast<std::size_t>(slot)];
    }
    const List& list(int level, int slot) const noexcept {
        return levels_[static_cast<std::size_t>(level)].slots[static_cast<std::size_t>(slot)];
    }

    void place(Entry& entry) noexcept;
    Tick startOf(int level, int slot) const noexcept;
    std::optional<Slot> nextSlot() const noexcept;
    void open(const Slot& slot) noexcept;
    bool deal(std::size_t& most) noexcept;
    void checkSlot(int level, int slot, std::size_t& count, std::optional<Tick>& next) const;
    void checkNext(std::optional<Tick> next) const;

    Tick elapsed_ = 0;
    std::size_t size_ = 0;
    /// Due, and not taken yet: in the order of ticks, as it has been dealt.
    List pending_;
    /// The slot that starts at elapsed_, as far as it has not been dealt. Its entries are no longer
    /// in any slot, but in every other respect they are as they were there.
    List undealt_;
    std::array<Level, kLevels> levels_;
};

}  // namespace jtimer::tokio::detail
