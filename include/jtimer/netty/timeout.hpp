// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <jtimer/detail/export.hpp>
#include <jtimer/netty/timer_task.hpp>

#include <atomic>
#include <cstdint>
#include <memory>

namespace jtimer::netty {

class HashedWheelTimer;

namespace detail {

class Origin;
struct TimeoutAccess;

/// Only the library can make one.
class TimeoutKey {
    friend struct TimeoutAccess;
    // Not defaulted: it would be an aggregate, which any code can make by {} in C++17.
    TimeoutKey() noexcept {}  // NOLINT(modernize-use-equals-default)
};

}  // namespace detail

/// One future run of a task. HashedWheelTimer::newTimeout returns it, so that it can be cancelled.
///
/// **One life.** A timeout is pending, and then either expired or cancelled for ever. One atomic
/// operation decides which, so exactly one of TimerTask::run and TimerTask::cancelled is called for
/// it, once.
///
/// **Ownership.** The timer refers to a timeout until run() or cancelled() has returned, or the
/// result of HashedWheelTimer::stop is dropped; with an executor, until the function that was
/// handed over is destroyed. You may drop the handle; it may also outlive its timer. A timeout
/// refers to its task.
///
/// **Threads.** Every function may be called from any thread at any time. None waits.
class JTIMER_API Timeout final {
  public:
    /// Only the timer can call this.
    JTIMER_LOCAL Timeout(detail::TimeoutKey key, std::shared_ptr<TimerTask> task) noexcept;
    Timeout(const Timeout&) = delete;
    Timeout& operator=(const Timeout&) = delete;
    ~Timeout();

    /// The timer that made it, or null once the destructor of that timer has returned.
    [[nodiscard]] HashedWheelTimer* timer() const noexcept;

    /// The task given to newTimeout; for a callable, the TimerTask that wraps it. Never changes.
    [[nodiscard]] const std::shared_ptr<TimerTask>& task() const noexcept { return task_; }

    /// Whether the delay has passed and the task has been handed over: true from just before run(),
    /// even if run() throws.
    [[nodiscard]] bool isExpired() const noexcept;

    /// Whether it was cancelled, by cancel() or by the end of its timer.
    [[nodiscard]] bool isCancelled() const noexcept;

    /// Cancels the timeout: run() will not be called.
    ///
    /// \returns true to exactly one caller, if it was pending; false if it is cancelled or expired,
    ///   which it is inside its own run()
    ///
    /// Takes two atomic operations, whatever the number of timeouts, and wakes no thread. At the
    /// end of the current tick, or of the next one, the worker calls TimerTask::cancelled(); until
    /// then HashedWheelTimer::pendingTimeouts() counts the timeout.
    bool cancel();

  private:
    friend struct detail::TimeoutAccess;

    /// The state in the lower two bits. The bits above hold the tick in which the timeout is due;
    /// once it is cancelled, the link to the timeout cancelled before it in the inbox of
    /// cancellations.
    std::atomic<std::uint64_t> word_{0};
    /// The part of the timer that its timeouts may outlive. Null until the timer has accepted this
    /// one, then constant.
    detail::Origin* origin_ = nullptr;
    /// The links of a detail::TimeoutList. Guarded as that list is.
    std::shared_ptr<Timeout> next_;
    std::shared_ptr<Timeout>* ownedBy_ = nullptr;

    const std::shared_ptr<TimerTask> task_;
};

}  // namespace jtimer::netty
