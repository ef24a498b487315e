// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <jtimer/detail/compiler.hpp>
#include <jtimer/netty/detail/self_reference.hpp>
#include <jtimer/netty/timer_task.hpp>

#include <atomic>
#include <cstdint>
#include <memory>

namespace jtimer::netty {

class HashedWheelTimer;

namespace detail {

class Origin;
class TaskArgument;
struct TimeoutAccess;

/// Only the library can make one.
class TimeoutKey {
    friend class TaskArgument;
    friend struct TimeoutAccess;
    // Not defaulted: it would be an aggregate, which any code can make by {} in C++17.
    TimeoutKey() noexcept {}  // NOLINT(modernize-use-equals-default)
};

/// The neighbours of a timeout in the list that it is in; see TimeoutList.
struct TimeoutLinks {
    TimeoutLinks* next = nullptr;
    TimeoutLinks* previous = nullptr;
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
/// refers to its task. A callable is stored in its timeout, so task() then refers to the timeout.
///
/// **Threads.** Every function may be called from any thread at any time. Only cancelAndWait()
/// waits.
class JTIMER_API Timeout : private TimerTask, private detail::TimeoutLinks {
  public:
    /// Only the library can call this.
    explicit Timeout(detail::TimeoutKey) noexcept {}
    Timeout(const Timeout&) = delete;
    Timeout& operator=(const Timeout&) = delete;
    ~Timeout() override;

    /// The timer that made it, or null once the destructor of that timer has returned.
    [[nodiscard]] HashedWheelTimer* timer() const noexcept;

    /// The task given to newTimeout; for a callable, a TimerTask that calls it, which shares the
    /// reference count of this timeout. Always the same task.
    [[nodiscard]] virtual std::shared_ptr<netty::TimerTask> task() const noexcept;

    /// Whether the delay has passed and the task has been handed over: true from just before run(),
    /// even if run() throws.
    [[nodiscard]] bool isExpired() const noexcept;

    /// Whether it was cancelled, by cancel() or by the end of its timer.
    [[nodiscard]] bool isCancelled() const noexcept;

    /// Cancels the timeout: run() will not be called.
    ///
    /// \returns true, to exactly one caller, if it was pending; false if it is cancelled or has
    ///   expired. Inside its own run() it has expired
    ///
    /// Takes two atomic operations, whatever the number of timeouts, and wakes no thread. At the
    /// end of the current tick, or of the next one, the worker calls TimerTask::cancelled(); until
    /// then HashedWheelTimer::pendingTimeouts() counts the timeout.
    bool cancel();

    /// Calls cancel(), and waits until the run is over or can never begin: the caller may then
    /// destroy what the task uses. By then, any exception of the run has been reported.
    ///
    /// With an executor, also waits for a run that was handed over and has not begun: until the
    /// executor has called the function, or destroyed it uncalled. It does not wait for a call of
    /// TimerTask::cancelled(), nor for another timeout that the run has added.
    ///
    /// It does not wait inside the run itself, on the worker of a timer without an executor, and in
    /// a forked child. boost::thread::interrupt does not end the wait. It deadlocks if the run
    /// waits for
    ///   - a lock that you hold, or for you
    ///   - the executor's only thread, if you are on it
    ///   - a ManualClock, if you are a task on that clock: its time stands still until you return
    /// \returns what cancel() returns
    bool cancelAndWait();

  private:
    friend struct detail::TimeoutAccess;

    /// Has the processor load a task that is not stored in the timeout.
    virtual void prefetchTask() const noexcept;

    // Every timeout is an object of a derived class, which contains the task, or refers to it. As a
    // TimerTask, it runs that task. A base class costs nothing here, and so a timeout made of a
    // callable is one allocation, reference counts included, which takes 98 bytes of memory if the
    // callable takes 16.

    /// The state in the lower two bits. The bits above hold the tick in which the timeout is due;
    /// once it is cancelled, the link to the timeout cancelled before it in the inbox of
    /// cancellations.
    std::atomic<std::uint64_t> word_{0};
    /// The part of the timer that its timeouts may outlive. Null until the timer has accepted this
    /// one, then constant.
    detail::Origin* origin_ = nullptr;
    /// The timer's reference to this timeout. Written before the timer accepts it.
    detail::SelfReference<Timeout> self_;
};

}  // namespace jtimer::netty
