// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "data/intrusive_list.hpp"
#include "tokio/entry.hpp"

#include <jtimer/detail/compiler.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>

namespace jtimer::tokio::detail {

/// A hierarchical timing wheel: six levels of 64 slots. A slot of level L is 64^L ticks wide, and a
/// level is as wide as one slot of the next. The top level is a ring: entries that are due after
/// its end, 2^36 ticks from now, go round with it.
///
///     elapsed ── level 0: 64 slots of 1 tick ── level 1: 64 slots of 64 ticks ── ... level 5
///
/// An entry is on the level of the highest of its base-64 digits that differs from elapsed()'s, in
/// the slot that this digit names. So level 0 holds the entries that are due before elapsed()
/// reaches a multiple of 64. Every entry moves down level by level, each time the start of its slot
/// comes: it is dealt again at most five times, and is usually removed before that.
///
/// Inserting and removing are O(1) and allocate nothing. Finding the next slot is O(levels): each
/// level has a word with a bit for each slot that is not empty. Time in which nothing is due costs
/// nothing, however long it is.
///
/// Time is an argument. The wheel uses no thread, lock or clock: its owner has the lock that
/// Entry describes.
class Wheel {
  public:
    static constexpr int kLevels = 6;
    static constexpr int kSlots = 64;

    /// The level of a tick depends on the elapsed time at its insertion, by the difference in
    /// digits and not in ticks: at 60, tick 70 is on level 1.
    static int levelOf(Tick elapsed, Tick tick) noexcept {
        const auto digits = static_cast<std::uint64_t>(elapsed ^ tick) | (kSlots - 1);
        const int level = (jtimer::detail::highestBit(digits)) / kDigitBits;
        return level < kLevels ? level : kLevels - 1;
    }
    static int slotOf(int level, Tick tick) noexcept {
        return static_cast<int>((tick >> (kDigitBits * level)) & (kSlots - 1));
    }

    Wheel() = default;
    Wheel(const Wheel&) = delete;
    Wheel& operator=(const Wheel&) = delete;

    Tick elapsed() const noexcept { return elapsed_; }
    /// The number of entries, including the pending ones, but not those that are parked.
    std::size_t size() const noexcept { return size_; }
    bool isEmpty() const noexcept { return size_ == 0; }
    /// Whether an entry is pending, or will be when beginTurn() is called.
    bool hasPending() const noexcept { return !pending_.empty() || !early_.empty(); }

    /// Adds an entry that is in no wheel. If `tick` has elapsed, the entry becomes pending.
    void insert(Entry& entry, Tick tick) noexcept;
    /// Adds an entry that has fired already, so that takePending() returns it for what is left to
    /// do: after the next beginTurn(), however many entries are pending now.
    void insertFired(Entry& entry) noexcept;
    /// Makes pending what insertFired() has added so far. What it adds from now on is left to the
    /// next turn, so that a turn ends even if each entry that it takes adds another one.
    void beginTurn() noexcept { pending_.splice(pending_.end(), early_); }
    /// Adds an entry without a deadline, which only remove() and takeAny() find.
    void park(Entry& entry) noexcept;

    /// Removes an entry wherever it is. Does not change its state: the caller must call leave().
    void remove(Entry& entry) noexcept;

    /// When there is something to do: the start of the next slot that is not empty, which is not
    /// later than the first due tick; elapsed() if hasPending() or a slot is half dealt; nothing if
    /// no entry has a deadline.
    std::optional<Tick> nextExpiration() const noexcept;

    /// Turns the wheel until an entry is pending, or else to `now`. elapsed() becomes the tick of
    /// the slot in which the entry was found, or `now` if that is later.
    ///
    /// Deals no more than `most` entries, and subtracts their number from it. If `most` is then 0,
    /// it has stopped, perhaps in the middle of a slot: every other function still works, but it is
    /// too early for takePending(). The next call continues.
    void advance(Tick now, std::size_t& most) noexcept;

    /// Removes the first pending entry. Its state stays as it is: the caller must call leave().
    /// \returns null if there is none
    Entry* takePending() noexcept;

    /// Removes an entry that is due by `now`, in the order of ticks, like advance() without a limit
    /// and takePending().
    Entry* takeExpired(Tick now) noexcept;

    /// Removes any entry, whenever it is due. \returns null if there is none
    Entry* takeAny() noexcept;

    /// The entry that takeExpired() would return first as time goes on; null if there is none. For
    /// owners that never call extend() and never stop in the middle of a slot: it searches only the
    /// next slot for the least tick, or on the top level that whole level.
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
        List slots[kSlots];
    };
    /// A slot, and when it starts next.
    struct Slot {
        int level;
        int slot;
        Tick start;
    };

    static std::uint64_t bitOf(int slot) noexcept { return std::uint64_t{1} << slot; }

    void place(Entry& entry) noexcept;
    Tick startOf(int level, int slot) const noexcept;
    std::optional<Slot> nextSlot() const noexcept;
    bool deal(std::size_t& most) noexcept;
    void checkSlot(int level, int slot, std::size_t& count, std::optional<Tick>& next) const;

    Tick elapsed_ = 0;
    std::size_t size_ = 0;
    /// Entries that are due and not taken yet, in the order of ticks, in which they were dealt.
    List pending_;
    /// Entries that insertFired() has added since the last beginTurn().
    List early_;
    /// The part of the slot starting at elapsed_ that has not been dealt. Its entries are no longer
    /// in any slot, but otherwise unchanged.
    List undealt_;
    List parked_;
    Level levels_[kLevels];
};

}  // namespace jtimer::tokio::detail
