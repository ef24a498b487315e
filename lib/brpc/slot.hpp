// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "sync/cache_line.hpp"

#include <jtimer/brpc/timer_thread.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace jtimer::brpc::detail {

using jtimer::detail::CallableOps;
using jtimer::detail::Emplacer;
using jtimer::detail::kCacheLine;
using jtimer::detail::kCallableAlign;
using jtimer::detail::kCallableSize;
using jtimer::detail::kNever;
using jtimer::detail::Nanos;

/// What a slot is used for at present:
///
///     Free -> Scheduled -> Running -------------> Free, with the next version
///                       -> Removing -> Removed -> Free, with the next version
///
/// Removing is a callable that is being destroyed by the call that has removed it, or a task that
/// takePending() is looking at. It is left out where there is nothing to do.
enum class Phase : std::uint32_t {
    Free,
    Scheduled,          ///< nothing to destroy: a function and its argument, or a trivial callable
    ScheduledCallable,  ///< a callable with a destructor
    Running,
    Removing,
    Removed,
};

/// The place of one task: a cache line that is used again and again, and stays where it is as long
/// as the timer. The version tells its uses apart. It is even and grows by 2 with each use, and an
/// id is the version above the slot's number; so an id names one use, and an old id none.
///
/// The version and the phase are one atomic word, and every change of phase that several threads
/// may try is a compare-and-swap on it, with the version of the use that is meant. So the changes
/// have a single order: exactly one thread takes a task out of Scheduled, to run or to remove it,
/// and an id of another use changes nothing.
///
/// Who has made which change may touch the other fields:
///
///     Free                who has taken the slot out of the free ones
///     Scheduled           nobody; `next` and `time` as long as it is linked: see Bucket
///     Running             the timer's thread
///     Removed             whoever has the list that the slot is linked in: see Bucket
///     Removing            the thread that removes the task
///
/// Each change that gives them away is a release, each that gets them an acquire: so a later owner
/// sees what an earlier one wrote, and unschedule(), finding a later version, all that the run did.
class alignas(kCacheLine) Slot {
  public:
    /// The number of no slot.
    static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

    static constexpr std::uint32_t kFirstVersion = 2;

    explicit Slot(std::uint32_t number, std::uint32_t version = kFirstVersion) noexcept
        : number_(number), word_(wordOf(version, Phase::Free)) {}
    Slot(const Slot&) = delete;
    Slot& operator=(const Slot&) = delete;

    std::uint32_t number() const noexcept { return number_; }
    Phase phase() const noexcept { return phaseOf(word_.load(std::memory_order_acquire)); }
    std::uint32_t version() const noexcept {
        return versionOf(word_.load(std::memory_order_relaxed));
    }
    /// Of the present use.
    TaskId id() const noexcept { return TaskId{version()} << 32 | number_; }

    // --- the task --------------------------------------------------------------------------------

    struct Function {
        void (*fn)(void*);
        void* arg;
    };

    /// Fills a free slot. What Emplacer throws goes to the caller, and the slot is as before.
    /// \returns false if there was no memory for the callable
    void fill(Function function) noexcept {
        ops_ = nullptr;
        function_ = function;
    }
    bool fill(const CallableOps& ops, const Emplacer& emplace) {
        ops_ = &ops;
        return emplace(storage_);
    }

    void run() { ops_ == nullptr ? function_.fn(function_.arg) : ops_->invoke(storage_); }

    void destroyCallable() noexcept {
        if (ops_ != nullptr && ops_->destroy != nullptr) ops_->destroy(storage_);
    }

    /// Null, if it is a callable.
    Function function() const noexcept { return ops_ == nullptr ? function_ : Function{}; }

    // --- the changes of phase --------------------------------------------------------------------

    /// Free -> Scheduled. \returns the id
    TaskId publish() noexcept {
        const bool isCallable = ops_ != nullptr && ops_->destroy != nullptr;
        const std::uint32_t use = version();
        word_.store(wordOf(use, isCallable ? Phase::ScheduledCallable : Phase::Scheduled),
                    std::memory_order_release);
        return TaskId{use} << 32 | number_;
    }

    enum class Removal {
        Done,     ///< it was scheduled, and is removed
        Begun,    ///< the same, but the caller must call destroyCallable() and endRemoval()
        Running,  ///< it is being run
        None,     ///< there is no such task
    };

    /// Scheduled -> Removed, or Removing. For the use that `id` means, and no other.
    Removal beginRemoval(TaskId id) noexcept {
        const auto use = static_cast<std::uint32_t>(id >> 32);
        // A guess, which spares most calls to load the word before.
        std::uint64_t word = wordOf(use, Phase::Scheduled);
        if (change(word, wordOf(use, Phase::Removed))) return Removal::Done;
        if (word == wordOf(use, Phase::ScheduledCallable) &&
            change(word, wordOf(use, Phase::Removing)))
            return Removal::Begun;
        return word == wordOf(use, Phase::Running) ? Removal::Running : Removal::None;
    }

    /// Scheduled -> Removing, whatever the task is, so that the caller may look at it until
    /// endRemoval(). \returns false if there is no such task
    bool beginTaking(TaskId id) noexcept {
        const auto use = static_cast<std::uint32_t>(id >> 32);
        std::uint64_t word = wordOf(use, Phase::Scheduled);
        if (change(word, wordOf(use, Phase::Removing))) return true;
        return word == wordOf(use, Phase::ScheduledCallable) &&
               change(word, wordOf(use, Phase::Removing));
    }

    /// Removing -> Removed.
    void endRemoval() noexcept {
        word_.store(wordOf(version(), Phase::Removed), std::memory_order_release);
    }

    /// Scheduled -> Running. \returns false if it has been removed
    bool beginRun() noexcept {
        std::uint64_t word = word_.load(std::memory_order_relaxed);
        const Phase phase = phaseOf(word);
        if (phase != Phase::Scheduled && phase != Phase::ScheduledCallable) return false;
        return change(word, wordOf(versionOf(word), Phase::Running));
    }

    /// Running or Removed -> Free, with the next version. \returns false if there is none: then the
    /// slot must not be used again, or an id would come twice
    bool free() noexcept {
        const std::uint32_t use = version() + 2;  // 0 behind the last
        word_.store(wordOf(use, Phase::Free), std::memory_order_release);
        return use != 0;
    }

  private:
    static constexpr std::uint64_t wordOf(std::uint32_t version, Phase phase) noexcept {
        return std::uint64_t{version} << 32 | static_cast<std::uint32_t>(phase);
    }
    static constexpr std::uint32_t versionOf(std::uint64_t word) noexcept {
        return static_cast<std::uint32_t>(word >> 32);
    }
    static constexpr Phase phaseOf(std::uint64_t word) noexcept {
        return static_cast<Phase>(static_cast<std::uint32_t>(word));
    }
    /// \param word what is expected; after a failure, what is there
    bool change(std::uint64_t& word, std::uint64_t to) noexcept {
        return word_.compare_exchange_strong(word, to, std::memory_order_acq_rel,
                                             std::memory_order_acquire);
    }

    friend class SlotPool;

    const std::uint32_t number_;

  public:
    /// Which slot comes next in the list that this one is in: in a bucket, or among the free ones.
    std::uint32_t next = kNone;
    /// When the task is due.
    Nanos time = 0;

  private:
    std::atomic<std::uint64_t> word_;
    /// Null: a function and its argument.
    const CallableOps* ops_ = nullptr;
    union {
        Function function_;
        alignas(kCallableAlign) std::byte storage_[kCallableSize];
        /// Of the first slot of a batch of free ones: the first slot of the next batch.
        Slot* nextBatch_;
    };
};

static_assert(sizeof(Slot) == kCacheLine);

}  // namespace jtimer::brpc::detail
