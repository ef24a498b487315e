// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "go/shard_order.hpp"

#include <algorithm>

namespace jtimer::go::detail {

using jtimer::detail::kNever;

namespace {

constexpr std::size_t kBits = 64;

}  // namespace

ShardOrder::ShardOrder(const std::vector<const Head*>& heads)
    : places_(heads.size()), marks_((heads.size() + kBits - 1) / kBits) {
    order_.reserve(heads.size());
    for (std::size_t i = 0; i < heads.size(); ++i) {
        places_[i].head = heads[i];
        order_.add(kNever, places_[i]);
    }
}

/// Shards share the words, so a shard that is already marked is not written again.
void ShardOrder::mark(std::size_t shard) noexcept {
    std::atomic<std::uint64_t>& bits = marks_[shard / kBits].bits;
    const std::uint64_t bit = std::uint64_t{1} << (shard % kBits);
    if ((bits.load(std::memory_order_seq_cst) & bit) == 0) {
        bits.fetch_or(bit, std::memory_order_seq_cst);
    }
}

bool ShardOrder::hasMarks() const noexcept {
    return std::any_of(marks_.begin(), marks_.end(), [](const Marks& marks) {
        return marks.bits.load(std::memory_order_seq_cst) != 0;
    });
}

void ShardOrder::update() noexcept {
    for (std::size_t word = 0; word < marks_.size(); ++word) {
        std::atomic<std::uint64_t>& marks = marks_[word].bits;
        if (marks.load(std::memory_order_seq_cst) == 0) continue;
        std::uint64_t bits = marks.exchange(0, std::memory_order_seq_cst);
        for (; bits != 0; bits &= bits - 1) {
            look(places_[word * kBits + static_cast<std::size_t>(__builtin_ctzll(bits))]);
        }
    }
}

bool ShardOrder::look(Place& place) noexcept {
    const Nanos before = place.known.load(std::memory_order_relaxed);
    Nanos head = place.head->load(std::memory_order_seq_cst);
    if (head == before) return false;
    for (;;) {
        place.known.store(head, std::memory_order_seq_cst);
        const Nanos again = place.head->load(std::memory_order_seq_cst);
        if (again >= head) break;
        head = again;
    }
    order_.remove(place);
    order_.add(head, place);
    return true;
}

std::size_t ShardOrder::first() const noexcept {
    return static_cast<std::size_t>(static_cast<const Place*>(order_.front().item) -
                                    places_.data());
}

/// It is one of the four children of the first.
Nanos ShardOrder::next() const noexcept {
    Nanos next = kNever;
    for (std::size_t i = 1; i < std::min<std::size_t>(order_.size(), 5); ++i) {
        next = std::min(next, order_[i].when);
    }
    return next;
}

}  // namespace jtimer::go::detail
