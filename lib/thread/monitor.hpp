// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "clock/waiter.hpp"
#include "sync/assert.hpp"
#include "sync/process.hpp"
#include "thread/own_thread.hpp"
#include "thread/wait_policy.hpp"

#include <jtimer/clock.hpp>

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>

namespace jtimer::detail {

/// A mutex, and the one thread that waits with it until a time on a clock: the timer's own
/// thread, called the waiting thread below. All other threads may only enter the monitor and
/// wake that thread.
///
/// The waiting thread is notified at most once per wait, and only during a wait: a thread that is
/// awake looks at what has changed before it waits again. The notification follows the release of
/// the mutex, so that the thread does not wake up just to wait for the mutex. By then the owner of
/// the monitor may no longer exist, because the woken thread may run a task that destroys it. So a
/// notification keeps alive what it needs, which is only the Waiter. Between the release and the
/// notification, a thread that locks the mutex sees that the waiting thread need not be woken; so a
/// clock that waits for its threads is told of the wake-up under the mutex.
///
/// In a forked child the waiting thread does not exist, and nothing is notified: the locks
/// this needs may never be released, such as the mutex of a ManualClock or the one inside
/// a condition variable.
class Monitor {
  public:
    /// \param timerSlack see TimerOptions::timerSlack
    /// \throws std::system_error if the clock cannot make another Waiter
    explicit Monitor(std::shared_ptr<Clock> clock, std::optional<Nanos> timerSlack = {});
    /// For a waiting thread that is started later, if at all: until takePart(), the monitor takes
    /// no part in the clock.
    struct WithoutThread {};
    Monitor(std::shared_ptr<Clock> clock, WithoutThread) noexcept;
    Monitor(const Monitor&) = delete;
    Monitor& operator=(const Monitor&) = delete;

    const std::shared_ptr<Clock>& clock() const noexcept { return clock_; }

    /// The present time on the clock: earlier than kNever, whatever the clock returns.
    /// \throws what a user's clock throws
    Nanos now() const;

    /// A time that the clock has certainly reached, cheaper than now(); perhaps kLongAgo.
    Nanos reached() const noexcept { return waiter_->reached(); }

    /// Whether that is always the present time.
    bool isReachedExact() const noexcept { return waiter_->isReachedExact(); }

    /// Locks the mutex.
    Lock enter() {
        Lock lock = tryEnter();
        if (!lock.owns_lock()) enterContended(lock);
        return lock;
    }

    /// Locks the mutex if it is free. \returns a lock that may own nothing
    Lock tryEnter() { return Lock(mutex_, threads::try_to_lock); }

    /// Like enter(), for a thread that has released `lock`.
    void enter(Lock& lock) {
        JTIMER_ASSERT(lock.mutex() == &mutex_ && !lock.owns_lock());
        if (!lock.try_lock()) enterContended(lock);
    }

    /// Like enter(); but in a forked child, where the thread that holds the mutex may not exist,
    /// locks it only if it is free. For functions that can be called in such a child.
    /// \param waiting the waiting thread
    /// \returns a lock that may own nothing in a forked child, and only there
    Lock enterUnlessForked(const OwnThread& waiting) {
        Lock lock = tryEnter();
        if (!lock.owns_lock() && !waiting.isOfAnotherProcess()) enterContended(lock);
        return lock;
    }

    /// Whether the lock is held, and is this monitor's: for assertions.
    bool isHeldBy(const Lock& lock) const noexcept { return holds(lock, mutex_); }

    /// To be called before the waiting thread is started: from now on it takes part in the clock.
    /// On a ManualClock it counts as busy until it waits.
    /// \throws std::system_error if the clock cannot make another Waiter
    void takePart(Lock& lock);

    /// Undoes takePart(): the thread could not be started.
    void takeNoPart(Lock& lock) noexcept;

    /// Releases the mutex, and then ends the wait if there is one. A wait that spins ends
    /// by itself.
    void leaveAndWake(Lock& lock);

    /// Releases the mutex, and then ends the wait if it may last beyond `time`.
    void leaveAndWakeFor(Lock& lock, Nanos time);

    /// To be called before the waiting thread is started: whose it is, for reports of the clock.
    void ownedBy(const std::shared_ptr<WaiterOwner>& owner) { waiter_->setOwner(owner); }

    // For the waiting thread.

    /// The clock if it can be set, forward or back; otherwise null.
    const Clock* settableClock() const noexcept {
        return waiter_->canBeSetForward() ? clock_.get() : nullptr;
    }

    /// To be called before the first wait, and after the last.
    void begin() {
        pid_.store(idOfThisProcess(), std::memory_order_relaxed);
        waiter_->begin();
    }
    void end() {
        if (isInThisProcess()) waiter_->end();
    }

    /// Waits until it is woken.
    void wait(Lock& lock);

    /// Waits until it is woken, but no longer than until the clock shows `deadline`, or slightly
    /// later if the WaitPolicy decides so. May end early.
    /// \param now what the clock showed last, before `deadline`
    /// \param next the deadline of the wait after this one, as far as known; kNever: unknown
    void waitUntil(Lock& lock, Nanos deadline, Nanos now, Nanos next = kNever);

    /// Releases the mutex, and locks it again after one of the threads that wait for it, if any,
    /// has had it. Without this, a thread that releases the mutex and locks it again at once always
    /// wins, being awake, and the others starve. To be called between short pieces of a long job.
    void letOthersIn(Lock& lock);

    /// Whether the waiting thread is not the parent's, of which this process is a forked child.
    /// Before begin(), whether the monitor is not the parent's.
    bool isInThisProcess() const noexcept {
        return idOfThisProcess() == pid_.load(std::memory_order_relaxed);
    }

  private:
    void enterContended(Lock& lock);
    bool waitNotified(Lock& lock, const WaitPolicy::Plan& plan, Nanos now);
    void spin(Lock& lock, const WaitPolicy::Plan& plan);

    const std::shared_ptr<Clock> clock_;
    /// Null without a thread. It does not change during the lifetime of the waiting thread, which
    /// reads it without the mutex.
    std::shared_ptr<Waiter> waiter_;
    /// Touched by the waiting thread only.
    WaitPolicy policy_;

    Mutex mutex_;
    /// The thread is inside Waiter::waitUntil(), or spins after it until the deadline, and has not
    /// been notified. Guarded by the mutex, as are the next two.
    bool waiting_ = false;
    /// While waiting_: when that wait ends, including the spin; the thread need not be woken for
    /// what is due then.
    Nanos awakeBy_ = kNever;
    /// While waiting_: that wait is too short for a step of the clock to matter.
    bool settling_ = false;
    /// The process of the waiting thread; until that thread begins, the process that constructed
    /// the monitor. Nothing is notified before that, hence relaxed.
    std::atomic<ProcessId> pid_{idOfThisProcess()};

    /// The number of threads inside enterContended(), and how often it has locked the mutex. Read
    /// without the mutex as hints, hence relaxed.
    std::atomic<int> contenders_{0};
    std::atomic<std::uint32_t> contendedEntries_{0};
};

}  // namespace jtimer::detail
