// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "go/quad_heap.hpp"
#include "sync/cache_line.hpp"

#include <jtimer/detail/saturating.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace jtimer::go::detail {

/// The heads of the shards, in the order of their times, as far as the poller knows them. So
/// the poller looks only at the shards that fire or have an earlier head than before, not at
/// all of them.
///
/// **What the poller knows** of a shard is not later than its head. A thread that removes the head
/// does not report it: the poller notices when it reaches the shard. A thread that adds an earlier
/// head than is known marks the shard; the poller clears the mark and looks.
///
/// **No mark is missed.** A thread that adds an item writes the head, and then reads what is known;
/// the poller writes what it is about to know, and then reads the head once more. All this is
/// sequentially consistent, so at least one of them sees what the other has written.
class ShardOrder {
  public:
    using Head = std::atomic<Nanos>;

    /// \param heads of the shards; each shard knows its index in this array
    explicit ShardOrder(const std::vector<const Head*>& heads);

    /// To be called after writing an earlier head into a shard, with its lock held.
    void headIsEarlier(std::size_t shard, Nanos head) noexcept {
        if (head < places_[shard].known.load(std::memory_order_seq_cst)) mark(shard);
    }

    // For the poller.

    /// Whether update() has something to do. To be checked before a sleep, as a mark alone does not
    /// end it.
    bool hasMarks() const noexcept;
    /// Looks at the marked shards.
    void update() noexcept;
    /// Looks at the first shard. \returns whether its head differs from the known one
    bool updateFirst() noexcept { return look(static_cast<Place&>(*order_.front().item)); }

    /// The first shard.
    std::size_t first() const noexcept;
    /// Its time, or an earlier one.
    Nanos earliest() const noexcept { return order_.front().when; }
    /// The time of the next shard; kNever if there is only one.
    Nanos next() const noexcept;

  private:
    /// On its own cache line, like its shard.
    struct alignas(jtimer::detail::kCacheLine) Place : HeapItem {
        const Head* head = nullptr;
        std::atomic<Nanos> known{jtimer::detail::kNever};
    };
    struct Marks {
        std::atomic<std::uint64_t> bits{0};
    };

    void mark(std::size_t shard) noexcept;
    bool look(Place& place) noexcept;

    std::vector<Place> places_;
    std::vector<Marks> marks_;
    QuadHeap order_;
};

}  // namespace jtimer::go::detail
