// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "brpc/slot_pool.hpp"

#include <new>
#include <type_traits>
#include <utility>

namespace jtimer::brpc::detail {

namespace {

constexpr std::align_val_t kAlignment{kCacheLine};

}  // namespace

static_assert(std::is_trivially_destructible_v<Slot>);

SlotPool::~SlotPool() {
    for (const auto& chunk : chunks_) ::operator delete(chunk.load(), kAlignment);
}

Slot* SlotPool::takeBatch() noexcept {
    const Guard lock(mutex_);
    if (batches_ == nullptr) return makeBatch();
    return std::exchange(batches_, batches_->nextBatch_);
}

void SlotPool::giveBatch(Slot& first) noexcept {
    const Guard lock(mutex_);
    first.nextBatch_ = std::exchange(batches_, &first);
}

/// Makes 64 slots with the next numbers. They are in one chunk, because all chunk sizes are
/// multiples of 64.
Slot* SlotPool::makeBatch() noexcept {
    const std::uint32_t first = made_.load(std::memory_order_relaxed);
    if (limits_.slots - first < kBatch) return nullptr;
    const std::size_t chunk = chunkOf(first);
    if (first == firstOf(chunk)) {
        void* const memory = ::operator new(sizeof(Slot) * sizeOf(chunk), kAlignment, std::nothrow);
        if (memory == nullptr) return nullptr;
        chunks_[chunk].store(static_cast<Slot*>(memory), std::memory_order_relaxed);
    }
    for (std::uint32_t number = first; number < first + kBatch; ++number) {
        Slot* const slot = ::new (&at(number)) Slot(number, limits_.firstVersion);
        slot->next = number + 1 < first + kBatch ? number + 1 : Slot::kNone;
    }
    made_.store(first + kBatch, std::memory_order_release);
    return &at(first);
}

}  // namespace jtimer::brpc::detail
