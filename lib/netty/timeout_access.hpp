// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "sync/assert.hpp"

#include <jtimer/netty/timeout.hpp>

#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>

namespace jtimer::netty::detail {

/// The number of a tick: tick 0 begins at the start of the timer. Negative ticks occur if its clock
/// is set back to before that.
using Tick = std::int64_t;

/// The library's access to the internals of a Timeout.
///
/// The state is Init, then either Cancelled for ever, or Expired, and Ended when the run is over or
/// will never begin; one compare-and-swap of the word decides between the two. The word is written
/// - before another thread knows of the timeout: Init, and the tick in which it is due;
/// - by the thread that swaps the state;
/// - by the thread on which the run ends;
/// - then, for a cancelled timeout: the link, by the thread that has cancelled it until it is in
///   the inbox of cancellations, and by the worker after that.
///
/// So one word holds the state and either the tick or a link, and a timeout with its task takes 98
/// bytes of memory.
struct TimeoutAccess {
    /// For timeoutOf().
    static TimeoutKey key() noexcept { return {}; }

    static void setDue(Timeout& timeout, Tick due) noexcept {
        timeout.word_.store(static_cast<std::uint64_t>(due) << kStateBits,
                            std::memory_order_relaxed);
    }

    static bool isInit(const Timeout& timeout) noexcept { return stateOf(timeout) == kInit; }
    static bool isExpired(const Timeout& timeout) noexcept {
        return (stateOf(timeout) & kExpired) != 0;
    }
    static bool isCancelled(const Timeout& timeout) noexcept {
        return stateOf(timeout) == kCancelled;
    }

    /// The tick in which the timeout, which must not be cancelled, is due.
    static Tick due(const Timeout& timeout) noexcept {
        return dueOf(timeout.word_.load(std::memory_order_relaxed));
    }

    /// The tick in which any timeout is due; `otherwise` if it is not Init.
    static Tick dueIfInit(const Timeout& timeout, Tick otherwise) noexcept {
        const std::uint64_t word = timeout.word_.load(std::memory_order_relaxed);
        return (word & kStateMask) == kInit ? dueOf(word) : otherwise;
    }

    /// Init -> Expired, if it is due in `tick` or before.
    static bool expire(Timeout& timeout, Tick tick) noexcept {
        std::uint64_t word = timeout.word_.load(std::memory_order_relaxed);
        return (word & kStateMask) == kInit && dueOf(word) <= tick &&
               timeout.word_.compare_exchange_strong(
                   word, word | kExpired, std::memory_order_acq_rel, std::memory_order_relaxed);
    }

    /// Expired -> Ended, or still Ended. Sequentially consistent, as is isRunning(): see Origin.
    static void endRun(Timeout& timeout) noexcept {
        timeout.word_.fetch_or(kEnded, std::memory_order_seq_cst);
    }
    /// Whether the run is in progress or may still begin. If not, the caller sees what it did.
    static bool isRunning(const Timeout& timeout) noexcept {
        return (timeout.word_.load(std::memory_order_seq_cst) & kStateMask) == kExpired;
    }

    /// Init -> Cancelled. Acquire even if another thread was faster: a worker that ends calls
    /// cancelled() for such a timeout without having taken it from the inbox.
    static bool cancel(Timeout& timeout) noexcept {
        std::uint64_t word = timeout.word_.load(std::memory_order_acquire);
        // While the state is Init, the rest of the word does not change.
        return (word & kStateMask) == kInit &&
               timeout.word_.compare_exchange_strong(word, kCancelled, std::memory_order_acq_rel,
                                                     std::memory_order_acquire);
    }

    /// The link of a cancelled timeout. Release, because the store replaces the value that the swap
    /// of the state has released.
    static void setLink(Timeout& timeout, Timeout* to) noexcept {
        JTIMER_ASSERT(isCancelled(timeout));
        const auto link = static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(to));
        timeout.word_.store(link | kCancelled, std::memory_order_release);
    }
    static Timeout* link(const Timeout& timeout) noexcept {
        const std::uint64_t link = timeout.word_.load(std::memory_order_relaxed) & ~kStateMask;
        return reinterpret_cast<Timeout*>(static_cast<std::uintptr_t>(link));
    }

    static Origin*& origin(Timeout& timeout) noexcept { return timeout.origin_; }
    /// Calls the task. The timeout is kept by the caller.
    static void run(const std::shared_ptr<Timeout>& timeout) {
        static_cast<TimerTask&>(*timeout).run(timeout);
    }
    static void callCancelled(const std::shared_ptr<Timeout>& timeout) {
        static_cast<TimerTask&>(*timeout).cancelled(timeout);
    }

    static void prefetchTask(const Timeout& timeout) noexcept { timeout.prefetchTask(); }

    static SelfReference<Timeout>& self(Timeout& timeout) noexcept { return timeout.self_; }
    static TimeoutLinks& links(Timeout& timeout) noexcept { return timeout; }
    static Timeout& timeoutWith(TimeoutLinks& links) noexcept {
        return static_cast<Timeout&>(links);
    }

  private:
    static constexpr int kStateBits = 2;
    static constexpr std::uint64_t kStateMask = (std::uint64_t{1} << kStateBits) - 1;
    static constexpr std::uint64_t kInit = 0;
    static constexpr std::uint64_t kExpired = 1;
    static constexpr std::uint64_t kCancelled = 2;
    static constexpr std::uint64_t kEnded = 3;
    static_assert(alignof(Timeout) > kStateMask, "a link leaves room for the state");

    /// An arithmetic shift, so the sign is kept.
    static Tick dueOf(std::uint64_t word) noexcept { return static_cast<Tick>(word) >> kStateBits; }

    static std::uint64_t stateOf(const Timeout& timeout) noexcept {
        return timeout.word_.load(std::memory_order_acquire) & kStateMask;
    }
};

}  // namespace jtimer::netty::detail
