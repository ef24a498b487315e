// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "netty/timeout_access.hpp"
#include "sync/cache_line.hpp"

#include <atomic>
#include <cstdint>

namespace jtimer::netty {

class HashedWheelTimer;

namespace detail {

/// What a timeout refers to of its timer, which it may outlive: where its cancellation goes, and
/// whether the timer still exists. It belongs to the worker and to all timeouts that the worker has
/// accepted, and goes with the last of them.
class Origin {
    using Access = TimeoutAccess;

  public:
    explicit Origin(HashedWheelTimer& timer) noexcept : timer_(&timer) {}
    Origin(const Origin&) = delete;
    Origin& operator=(const Origin&) = delete;

    /// Null once the timer's destructor has come to its end.
    HashedWheelTimer* timer() const noexcept { return timer_.load(std::memory_order_acquire); }
    void timerIsGone() noexcept { timer_.store(nullptr, std::memory_order_release); }

    // --- the inbox of cancellations: a stack without a lock --------------------------------------

    /// For whoever has cancelled the timeout, and no one else. Its reference keeps this alive.
    ///
    /// The release publishes the link, and whatever the caller wrote before it cancelled, to the
    /// worker. There is no ABA: nothing is ever taken out but all.
    void push(Timeout& cancelled) noexcept {
        Timeout* newest = newest_.load(std::memory_order_relaxed);
        do {
            Access::setLink(cancelled, newest);
        } while (!newest_.compare_exchange_weak(newest, &cancelled, std::memory_order_release,
                                                std::memory_order_relaxed));
    }

    /// For the worker: whether nothing has been pushed since it took all.
    bool empty() const noexcept { return newest_.load(std::memory_order_relaxed) == nullptr; }

    /// For the worker: takes all that is there.
    /// \returns the one that was pushed first, linked to those after it; null if there is none
    Timeout* takeOldestFirst() noexcept {
        if (newest_.load(std::memory_order_relaxed) == nullptr) return nullptr;
        Timeout* rest = newest_.exchange(nullptr, std::memory_order_acquire);
        Timeout* reversed = nullptr;
        while (rest != nullptr) {
            Timeout* const older = Access::link(*rest);
            Access::setLink(*rest, reversed);
            reversed = rest;
            rest = older;
        }
        return reversed;
    }

    // --- whom it belongs to ----------------------------------------------------------------------

    /// A timeout that was accepted is destroyed.
    void timeoutIsGone() noexcept { release(-1); }

    /// The worker is destroyed.
    /// \param accepted how many timeouts it has accepted in its life. Only now are they added up:
    ///   so accepting one takes no atomic operation here
    void workerIsGone(std::int64_t accepted) noexcept { release(accepted - kWorker); }

    /// For a worker that could not be made.
    struct LeaveUnused {
        void operator()(Origin* origin) const noexcept { origin->workerIsGone(0); }
    };

  private:
    ~Origin() = default;

    /// More than timeouts can be accepted in a lifetime.
    static constexpr std::int64_t kWorker = std::int64_t{1} << 62;

    /// Whoever comes to 0 has seen, by acquire, all that the others did here before their release.
    void release(std::int64_t change) noexcept {
        if (references_.fetch_add(change, std::memory_order_acq_rel) + change == 0) delete this;
    }

    std::atomic<HashedWheelTimer*> timer_;
    /// Written by those who cancel; below by those who destroy timeouts: mostly other threads.
    alignas(jtimer::detail::kCacheLine) std::atomic<Timeout*> newest_{nullptr};
    /// While the worker exists, kWorker minus the timeouts that are gone; then those that are left.
    alignas(jtimer::detail::kCacheLine) std::atomic<std::int64_t> references_{kWorker};
};

}  // namespace detail

}  // namespace jtimer::netty
