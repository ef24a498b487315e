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
    // Not defaulted: as an aggregate, C++17 lets anybody make one by {}.
    TimeoutKey() noexcept {}  // NOLINT(modernize-use-equals-default)
};

}  // namespace detail

/// One task, to be run once: what HashedWheelTimer::newTimeout returns, to cancel it with.
///
/// **One life.** A timeout is pending, and then either expired or cancelled, for ever. One atomic
/// operation decides which, so exactly one of TimerTask::run and TimerTask::cancelled is called for
/// it, once.
///
/// **Ownership.** The timer refers to a timeout until run() or cancelled() has returned, or the
/// result of HashedWheelTimer::stop is dropped; with an executor, until the function that was
/// handed over is destroyed. The handle may be dropped, and it may outlive its timer. A timeout
/// refers to its task.
///
/// **Threads.** Every function may be called from any thread at any time. None waits.
class JTIMER_API Timeout final {
  public:
    /// Only the timer can call it.
    JTIMER_LOCAL Timeout(detail::TimeoutKey key, std::shared_ptr<TimerTask> task) noexcept;
    Timeout(const Timeout&) = delete;
    Timeout& operator=(const Timeout&) = delete;
    ~Timeout();

    /// The timer that made it, or null once the destructor of that timer has returned.
    [[nodiscard]] HashedWheelTimer* timer() const noexcept;

    /// The task given to newTimeout, always; a callable as the TimerTask that stands for it.
    [[nodiscard]] const std::shared_ptr<TimerTask>& task() const noexcept { return task_; }

    /// Whether the delay has passed and the task has been handed over: true from just before run()
    /// on, also when run() throws.
    [[nodiscard]] bool isExpired() const noexcept;

    /// Whether it was cancelled, by cancel() or by the end of its timer.
    [[nodiscard]] bool isCancelled() const noexcept;

    /// Cancels the timeout: run() will not be called.
    ///
    /// \returns true to exactly one caller, if it was pending; false if it is expired, also inside
    ///   its own run(), or cancelled
    ///
    /// Takes two atomic operations, whatever the number of timeouts, and wakes nobody. The worker
    /// does the rest at the end of the tick that it is in, or else of the next one: it calls
    /// TimerTask::cancelled(), and until then HashedWheelTimer::pendingTimeouts() counts the
    /// timeout.
    bool cancel();

  private:
    friend struct detail::TimeoutAccess;

    /// The state in the lower two bits. Above them: until the timeout is cancelled, the tick in
    /// which it is due; then the link to the timeout cancelled before it, in the inbox of
    /// cancellations.
    std::atomic<std::uint64_t> word_{0};
    /// What is left of its timer; null until the timer has accepted it, then constant.
    detail::Origin* origin_ = nullptr;
    /// The place in a detail::TimeoutList. Guarded by whatever guards that list.
    std::shared_ptr<Timeout> next_;
    std::shared_ptr<Timeout>* ownedBy_ = nullptr;

    const std::shared_ptr<TimerTask> task_;
};

}  // namespace jtimer::netty
