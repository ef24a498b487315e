// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "netty/timeout_access.hpp"
#include "sync/cache_line.hpp"
#include "sync/lock.hpp"
#include "sync/process_number.hpp"
#include "sync/wait_report.hpp"

#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>

namespace jtimer::netty {

class HashedWheelTimer;

namespace detail {

using jtimer::detail::TimerTitle;

/// The part of a timer that its timeouts may outlive: the inbox of cancellations, the threads that
/// wait for the end of a run, and whether the timer still exists. Shared by the worker and all
/// timeouts that the worker has accepted; the last of them destroys it.
class Origin {
    using Access = TimeoutAccess;

  public:
    /// \param title of the timer, for reports
    /// \param hasExecutor whether that runs the tasks
    Origin(HashedWheelTimer& timer, std::shared_ptr<const TimerTitle> title,
           bool hasExecutor) noexcept
        : timer_(&timer), title_(std::move(title)), hasExecutor_(hasExecutor) {}
    Origin(const Origin&) = delete;
    Origin& operator=(const Origin&) = delete;

    /// Null once the timer's destructor has reached its end.
    HashedWheelTimer* timer() const noexcept { return timer_.load(std::memory_order_acquire); }
    void timerIsGone() noexcept { timer_.store(nullptr, std::memory_order_release); }

    // The end of a run.

    /// Called before the first timeout is accepted.
    void startedIn(std::uint32_t process) noexcept { process_ = process; }

    /// Called when the run of an accepted timeout is over, or will never begin; by a thread that
    /// has a reference to the timeout.
    ///
    /// Takes no lock unless a thread waits. No notification is lost: this call ends the run before
    /// it reads the number of waiting threads, and such a thread counts itself before it looks for
    /// the end. All four operations are sequentially consistent, so at least one of the two sees
    /// what the other has written.
    void endRun(Timeout& timeout) noexcept {
        Access::endRun(timeout);
        if (waiters_.load(std::memory_order_seq_cst) != 0) notifyWaiters();
    }
    /// Waits until that call. Returns at once if the calling thread is inside the run, or the
    /// worker's thread is not in this process.
    void awaitRunEnd(const Timeout& timeout);

    // The inbox of cancellations: a lock-free stack.

    /// Called only by the thread that has cancelled the timeout, whose reference keeps this alive.
    ///
    /// The release publishes the link, and everything that the caller wrote before it cancelled, to
    /// the worker. There is no ABA problem: the stack is only ever emptied as a whole.
    void push(Timeout& cancelled) noexcept {
        Timeout* newest = newest_.load(std::memory_order_relaxed);
        do {
            Access::setLink(cancelled, newest);
        } while (!newest_.compare_exchange_weak(newest, &cancelled, std::memory_order_release,
                                                std::memory_order_relaxed));
    }

    /// Called by the worker: whether nothing has been pushed since it last emptied the stack.
    bool empty() const noexcept { return newest_.load(std::memory_order_relaxed) == nullptr; }

    /// Called by the worker: takes all timeouts.
    /// \returns the timeout that was pushed first, linked to the later ones; null if there is none
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

    // Ownership.

    /// Called when an accepted timeout is destroyed.
    void timeoutIsGone() noexcept { release(-1); }

    /// Called when the worker is destroyed.
    /// \param accepted how many timeouts it has accepted in total. They are added only now, so
    ///   accepting a timeout takes no atomic operation here
    void workerIsGone(std::int64_t accepted) noexcept { release(accepted - kWorker); }

    /// For a worker whose construction failed.
    struct LeaveUnused {
        void operator()(Origin* origin) const noexcept { origin->workerIsGone(0); }
    };

  private:
    ~Origin() = default;

    /// More than the timeouts that can be accepted in a lifetime.
    static constexpr std::int64_t kWorker = std::int64_t{1} << 62;

    /// By the acquire, the thread that reaches 0 sees all that the others did here before
    /// their release.
    void release(std::int64_t change) noexcept {
        if (references_.fetch_add(change, std::memory_order_acq_rel) + change == 0) delete this;
    }

    void notifyWaiters() noexcept;

    std::atomic<HashedWheelTimer*> timer_;
    const std::shared_ptr<const TimerTitle> title_;
    const bool hasExecutor_;
    std::uint32_t process_ = 0;
    /// The number of threads in awaitRunEnd(), and what they wait on. Rarely written.
    std::atomic<int> waiters_{0};
    jtimer::detail::Mutex mutex_;
    jtimer::detail::Condition runEnded_;
    /// Written by threads that cancel timeouts. The next is written by threads that destroy them,
    /// which are mostly different ones: hence separate cache lines.
    alignas(jtimer::detail::kCacheLine) std::atomic<Timeout*> newest_{nullptr};
    /// While the worker exists: kWorker minus the destroyed timeouts. After that: the
    /// remaining ones.
    alignas(jtimer::detail::kCacheLine) std::atomic<std::int64_t> references_{kWorker};
};

}  // namespace detail

}  // namespace jtimer::netty
