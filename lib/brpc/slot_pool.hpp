// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "brpc/slot.hpp"
#include "clock/waiter.hpp"
#include "sync/assert.hpp"

#include <jtimer/detail/compiler.hpp>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace jtimer::brpc::detail {

using jtimer::detail::Guard;
using jtimer::detail::highestBit;
using jtimer::detail::Lock;
using jtimer::detail::Mutex;

/// The slots of one timer, by number. They are stored in chunks, each twice as large as the one
/// before, which never move and are freed with the pool: so a slot is found without a lock, and
/// looking up any number is safe.
///
/// So the pool keeps the memory of its peak. Returning pages when it is idle was rejected: the
/// versions in them must not repeat, an unschedule() may be reading a slot at any time, and the
/// free slots of a chunk are spread over the lists of all buckets and contain their links. After
/// such a peak, a process can end the timer to free the memory.
///
/// Free slots change hands 64 at a time. A bucket takes a batch for the threads that use it; the
/// timer's thread returns a batch when it has recycled 64 slots. So the pool's mutex is locked once
/// in 64 tasks, and nothing that all threads share is written more often. No other lock is acquired
/// under this mutex.
class SlotPool {
  public:
    /// The slots of a batch are linked by their numbers, the last one by Slot::kNone.
    static constexpr std::uint32_t kBatch = 64;

    struct Limits {
        std::uint32_t slots = kMostSlots;
        std::uint32_t firstVersion = Slot::kFirstVersion;
    };

    SlotPool() : SlotPool(Limits{}) {}
    /// For tests, which cannot wait until the ranges are exhausted.
    explicit SlotPool(Limits limits) : limits_(limits) {}
    SlotPool(const SlotPool&) = delete;
    SlotPool& operator=(const SlotPool&) = delete;
    ~SlotPool();

    /// \returns the first of 64 free slots, null if there is no memory
    Slot* takeBatch() noexcept;
    void giveBatch(Slot& first) noexcept;

    /// The slot of which `id` is or was a use; null if that slot was never made. For any thread.
    Slot* find(TaskId id) const noexcept {
        const auto number = static_cast<std::uint32_t>(id);
        // Acquire: the slot was made before the count was raised.
        return number < made_.load(std::memory_order_acquire) ? &at(number) : nullptr;
    }

    /// The slot with this number, which must have been made.
    Slot& at(std::uint32_t number) const noexcept {
        const std::size_t chunk = chunkOf(number);
        Slot* const slots = chunks_[chunk].load(std::memory_order_relaxed);
        JTIMER_ASSERT(slots != nullptr);
        return slots[number - firstOf(chunk)];
    }

    /// How many slots were made: all smaller numbers are slots. Never decreases.
    std::uint32_t made() const noexcept { return made_.load(std::memory_order_acquire); }

    /// For checks, while no other thread uses the pool: calls `visit` with the first slot of each
    /// free batch.
    template <class Visit>
    void forEachBatch(const Visit& visit) const JTIMER_UNCHECKED_LOCKING {
        for (Slot* first = batches_; first != nullptr; first = first->nextBatch_) visit(*first);
    }

  private:
    static constexpr std::size_t kChunks = 26;
    /// Numbers have 32 bits, and the last of them stands for no slot.
    static constexpr std::uint32_t kMostSlots =
        static_cast<std::uint32_t>(((std::uint64_t{1} << kChunks) - 1) * kBatch);

    /// Chunk k holds 64 * 2^k slots, and so begins at number 64 * (2^k - 1).
    static constexpr std::size_t chunkOf(std::uint32_t number) noexcept {
        return static_cast<std::size_t>(highestBit(number / kBatch + 1));
    }
    static constexpr std::uint32_t sizeOf(std::size_t chunk) noexcept { return kBatch << chunk; }
    static constexpr std::uint32_t firstOf(std::size_t chunk) noexcept {
        return sizeOf(chunk) - kBatch;
    }

    Slot* makeBatch() noexcept JTIMER_REQUIRES(mutex_);

    const Limits limits_;
    /// Written under the mutex. Relaxed, because a thread gets the number of a slot only from a
    /// thread that has seen that slot's chunk.
    std::array<std::atomic<Slot*>, kChunks> chunks_{};
    /// Written under the mutex, after the slots have been made.
    std::atomic<std::uint32_t> made_{0};

    Mutex mutex_;
    /// The batches that were returned, linked by Slot::nextBatch_.
    Slot* batches_ JTIMER_GUARDED_BY(mutex_) = nullptr;
};

}  // namespace jtimer::brpc::detail
