// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "data/aligned_memory.hpp"
#include "sync/assert.hpp"
#include "sync/cache_line.hpp"

#include <jtimer/brpc/timer_thread.hpp>
#include <jtimer/detail/function_type.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace jtimer::brpc::detail {

using jtimer::detail::FunctionMaker;
using jtimer::detail::FunctionType;
using jtimer::detail::kCacheLine;
using jtimer::detail::kNever;
using jtimer::detail::Nanos;

/// The present use of a slot:
///
///     Free -> Scheduled -> Running -------------> Free, with the next version
///                       -> Removing -> Removed -> Free, with the next version
///
/// Removing: the call that has removed the task is destroying its callable, or takePending() is
/// reading the task. This phase is skipped if there is nothing to destroy or read.
enum class Phase : std::uint32_t {
    Free,
    Scheduled,          ///< nothing to destroy: a function and its argument, or a trivial callable
    ScheduledCallable,  ///< a callable with a destructor
    Running,
    Removing,
    Removed,
};

/// Whether a task in this phase may still be run or removed.
constexpr bool isPending(Phase phase) noexcept {
    return phase == Phase::Scheduled || phase == Phase::ScheduledCallable;
}

/// The storage of one task: a cache line that is reused, and stays at its address as long as the
/// timer exists. The version tells its uses apart. It is even and grows by 2 with each use. An id
/// consists of the version and, in the lower bits, the slot's number; so an id names one use, and
/// an old id names none.
///
/// The version and the phase are one atomic word, and every change of phase that several threads
/// may try is a compare-and-swap on it that expects the version of the intended use. So the changes
/// have a single order: exactly one thread takes a task out of Scheduled, to run or to remove it,
/// and an id of another use changes nothing.
///
/// The phase decides which thread may touch the other fields:
///
///     Free                the thread that has taken the slot from a list of free slots
///     Scheduled           none; while it is linked, `next` and `time`: see Bucket
///     Running             the timer's thread
///     Removed             the thread that owns the list which contains the slot: see Bucket
///     Removing            the thread that removes the task
///
/// Each change that gives up the fields is a release, and each change that takes them over is an
/// acquire: so a later owner sees what an earlier one wrote, and an unschedule() that finds a later
/// version sees all that the run did.
class alignas(kCacheLine) Slot {
  public:
    /// A number that no slot has.
    static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

    static constexpr std::uint32_t kFirstVersion = 2;

    /// A larger callable is stored outside of the slot.
    static constexpr std::size_t kCallableSize = 32;
    static constexpr std::size_t kCallableAlign = 16;

    explicit Slot(std::uint32_t number, std::uint32_t version = kFirstVersion) noexcept
        : number_(number), word_(wordOf(version, Phase::Free)) {}
    Slot(const Slot&) = delete;
    Slot& operator=(const Slot&) = delete;

    std::uint32_t number() const noexcept { return number_; }
    Phase phase() const noexcept { return phaseOf(word_.load(std::memory_order_acquire)); }
    std::uint32_t version() const noexcept {
        return versionOf(word_.load(std::memory_order_relaxed));
    }
    /// How many tasks it has been published for.
    std::uint32_t uses() const noexcept {
        const std::uint64_t word = word_.load(std::memory_order_relaxed);
        const std::uint32_t ended = (versionOf(word) - kFirstVersion) / 2;
        return phaseOf(word) == Phase::Free ? ended : ended + 1;
    }
    /// The id of the present use.
    TaskId id() const noexcept { return TaskId{version()} << 32 | number_; }

    /// Whether the task that `id` names is being run. Acquire: if not, because it has run, the
    /// caller sees what the run did.
    bool isRunning(TaskId id) const noexcept {
        const auto use = static_cast<std::uint32_t>(id >> 32);
        return word_.load(std::memory_order_acquire) == wordOf(use, Phase::Running);
    }

    // The task.

    struct Function {
        void (*fn)(void*);
        void* arg;
    };

    /// Fills a free slot. If the construction of the callable throws, the exception passes through
    /// and the slot stays free.
    /// \returns false if there was no memory for the callable
    void fill(Function function) noexcept {
        type_ = nullptr;
        function_ = function;
    }
    bool fill(const FunctionMaker& maker) {
        type_ = &maker.type();
        if (!isInSlot()) return fillLarge(maker);
        maker(storage_);
        return true;
    }

    void run() { type_ == nullptr ? function_.fn(function_.arg) : type_->call(callable()); }

    void destroyCallable() noexcept {
        if (type_ == nullptr) return;
        if (type_->destroy != nullptr) type_->destroy(callable());
        if (!isInSlot()) jtimer::detail::deallocateAligned(large_, type_->alignment);
    }

    /// Null if the task is a callable.
    Function function() const noexcept { return type_ == nullptr ? function_ : Function{}; }

    // Changes of phase.

    /// Free -> Scheduled. \returns the id
    TaskId publish() noexcept {
        JTIMER_ASSERT(phase() == Phase::Free);
        const bool isCallable = type_ != nullptr && (type_->destroy != nullptr || !isInSlot());
        const std::uint32_t use = version();
        word_.store(wordOf(use, isCallable ? Phase::ScheduledCallable : Phase::Scheduled),
                    std::memory_order_release);
        return TaskId{use} << 32 | number_;
    }

    enum class Removal {
        Done,     ///< it was scheduled, and is removed
        Begun,    ///< it was scheduled: now call destroyCallable() and endRemoval()
        Running,  ///< it is being run
        None,     ///< there is no such task
    };

    /// Scheduled -> Removed, or Removing. Only for the use that `id` names.
    Removal beginRemoval(TaskId id) noexcept {
        const auto use = static_cast<std::uint32_t>(id >> 32);
        // A guess, which saves most calls from loading the word first.
        std::uint64_t word = wordOf(use, Phase::Scheduled);
        if (change(word, wordOf(use, Phase::Removed))) return Removal::Done;
        if (word == wordOf(use, Phase::ScheduledCallable) &&
            change(word, wordOf(use, Phase::Removing)))
            return Removal::Begun;
        return word == wordOf(use, Phase::Running) ? Removal::Running : Removal::None;
    }

    /// Removing -> Removed.
    void endRemoval() noexcept {
        JTIMER_ASSERT(phase() == Phase::Removing);
        word_.store(wordOf(version(), Phase::Removed), std::memory_order_release);
    }

    /// Scheduled -> Running; or Removing, so that the caller may read the task until endRemoval().
    /// \returns false if it has been removed, or taken like this
    bool take(Phase to) noexcept {
        std::uint64_t word = word_.load(std::memory_order_relaxed);
        return isPending(phaseOf(word)) && change(word, wordOf(versionOf(word), to));
    }

    /// Running or Removed -> Free, with the next version. \returns false if there is no next
    /// version: then the slot must not be reused, as an id would repeat
    bool free() noexcept {
        JTIMER_ASSERT(phase() == Phase::Running || phase() == Phase::Removed);
        const std::uint32_t use = version() + 2;  // 0 after the last version
        word_.store(wordOf(use, Phase::Free), std::memory_order_release);
        return use != 0;
    }

  private:
    bool isInSlot() const noexcept {
        return type_->size <= kCallableSize && type_->alignment <= kCallableAlign;
    }
    void* callable() noexcept { return isInSlot() ? storage_ : large_; }
    bool fillLarge(const FunctionMaker& maker);

    static constexpr std::uint64_t wordOf(std::uint32_t version, Phase phase) noexcept {
        return std::uint64_t{version} << 32 | static_cast<std::uint32_t>(phase);
    }
    static constexpr std::uint32_t versionOf(std::uint64_t word) noexcept {
        return static_cast<std::uint32_t>(word >> 32);
    }
    static constexpr Phase phaseOf(std::uint64_t word) noexcept {
        return static_cast<Phase>(static_cast<std::uint32_t>(word));
    }
    /// \param word the expected word; after a failure, the actual one
    bool change(std::uint64_t& word, std::uint64_t to) noexcept {
        return word_.compare_exchange_strong(word, to, std::memory_order_acq_rel,
                                             std::memory_order_acquire);
    }

    friend class SlotPool;

    const std::uint32_t number_;

  public:
    /// The next slot in the list that contains this one: of a bucket, or of free slots.
    std::uint32_t next = kNone;
    /// When the task is due.
    Nanos time = 0;

  private:
    std::atomic<std::uint64_t> word_;
    /// Null: a function and its argument.
    const FunctionType* type_ = nullptr;
    union {
        Function function_;
        alignas(kCallableAlign) std::byte storage_[kCallableSize];
        /// A callable that does not fit into the slot.
        void* large_;
        /// In the first slot of a batch of free slots: the first slot of the next batch.
        Slot* nextBatch_;
    };
};

static_assert(sizeof(Slot) == kCacheLine);

}  // namespace jtimer::brpc::detail
