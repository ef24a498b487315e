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

/// The heads of the shards, in the order of their times, as far as the poller knows them. So the
/// poller looks at those shards that fire or have got an earlier head, and not at all of them.
///
/// **What the poller knows** of a shard is not later than its head. Whoever removes the head says
/// nothing: the poller finds that out when it comes there. Whoever puts in an earlier head than is
/// known marks the shard, and the poller takes the mark off and looks.
///
/// **No mark is missed.** The one writes the head, and then reads what is known; the poller writes
/// what it is about to know, and then reads the head once more. All this is sequentially
/// consistent, so at least one of them sees what the other has written.
class ShardOrder {
  public:
    using Head = std::atomic<Nanos>;

    /// \param heads of the shards, which know their places among these
    explicit ShardOrder(const std::vector<const Head*>& heads);

    /// For whoever has written an earlier head into a shard, and holds its lock.
    void headIsEarlier(std::size_t shard, Nanos head) noexcept {
        if (head < places_[shard].known.load(std::memory_order_seq_cst)) mark(shard);
    }

    // --- for the poller ---

    /// Whether update() has something to do. To be asked before a sleep, which marks alone do not
    /// end.
    bool hasMarks() const noexcept;
    /// Looks at the shards with a mark.
    void update() noexcept;
    /// Looks at the first shard. \returns whether its head is not what it was known as
    bool updateFirst() noexcept { return look(static_cast<Place&>(*order_.front().item)); }

    /// The first shard.
    std::size_t first() const noexcept;
    /// Its time, or an earlier one.
    Nanos earliest() const noexcept { return order_.front().when; }
    /// That of the next one. Never, if there is only one.
    Nanos next() const noexcept;

  private:
    /// On a cache line of its own, as its shard.
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
