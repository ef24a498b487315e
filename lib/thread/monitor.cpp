// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "thread/monitor.hpp"

#include "sync/assert.hpp"
#include "sync/pause.hpp"
#include "sync/threads.hpp"
#include "thread/timer_slack.hpp"

#include <algorithm>
#include <utility>

namespace jtimer::detail {

Monitor::Monitor(std::shared_ptr<Clock> clock, std::optional<Nanos> timerSlack)
    : clock_(std::move(clock)), waiter_(makeWaiter(*clock_)), policy_(timerSlack) {}

Monitor::Monitor(std::shared_ptr<Clock> clock, WithoutThread) noexcept : clock_(std::move(clock)) {}

void Monitor::takePart(Lock& lock) {
    JTIMER_ASSERT(isHeldBy(lock));
    waiter_ = makeWaiter(*clock_);
}

void Monitor::takeNoPart(Lock& lock) noexcept {
    JTIMER_ASSERT(isHeldBy(lock));
    waiter_.reset();
}

Nanos Monitor::now() const { return std::min(clock_->nanos(), kNever - 1); }

void Monitor::enterContended(Lock& lock) {
    contenders_.fetch_add(1, std::memory_order_relaxed);
    lock.lock();
    contenders_.fetch_sub(1, std::memory_order_relaxed);
    contendedEntries_.fetch_add(1, std::memory_order_relaxed);
}

void Monitor::letOthersIn(Lock& lock) {
    JTIMER_ASSERT(isHeldBy(lock));
    // Together long enough for a sleeping thread to wake up. A few yields suffice if it can run on
    // another processor, or in turn with this thread. A thread of lower priority runs on this
    // processor only while this thread sleeps.
    constexpr int yields = 100;
    constexpr int sleeps = 10;
    constexpr threads::chrono::microseconds shortTime(20);
    const std::uint32_t before = contendedEntries_.load(std::memory_order_relaxed);
    lock.unlock();
    for (int i = 0; i < yields + sleeps; ++i) {
        if (contenders_.load(std::memory_order_relaxed) == 0) break;
        if (contendedEntries_.load(std::memory_order_relaxed) != before) break;
        if (i < yields) {
            threads::this_thread::yield();
        } else {
            sleepUninterrupted(shortTime);
        }
    }
    lock.lock();
}

void Monitor::leaveAndWake(Lock& lock) {
    JTIMER_ASSERT(isHeldBy(lock));
    std::shared_ptr<Waiter> toNotify;
    if (std::exchange(waiting_, false) && isInThisProcess()) {
        toNotify = waiter_;
        toNotify->announce();
    }
    lock.unlock();
    if (toNotify != nullptr) toNotify->notify();
}

void Monitor::leaveAndWakeFor(Lock& lock, Nanos time) {
    JTIMER_ASSERT(isHeldBy(lock));
    // If the clock has been set forward since the wait began, it shows a later time than awakeBy_
    // when the wait ends.
    const bool inTime = waiting_ && time >= awakeBy_ && (settling_ || !waiter_->canBeSetForward());
    if (waiting_ && !inTime) {
        leaveAndWake(lock);
    } else {
        lock.unlock();
    }
}

void Monitor::wait(Lock& lock) {
    waitNotified(lock, {}, kLongAgo);
    policy_.waited();
}

void Monitor::waitUntil(Lock& lock, Nanos deadline, Nanos now, Nanos next) {
    JTIMER_ASSERT(now < deadline);
    const WaitPolicy::Plan plan = policy_.plan(*waiter_, deadline, now, next);
    policy_.waited(plan, now, waitNotified(lock, plan, now));
}

/// \returns whether a notification has ended the wait
bool Monitor::waitNotified(Lock& lock, const WaitPolicy::Plan& plan, Nanos now) {
    JTIMER_ASSERT(isHeldBy(lock) && waiter_ != nullptr && !waiting_);
    awakeBy_ = plan.awakeBy;
    settling_ = plan.settles;
    waiting_ = true;
    {
        const TimerSlack slack(plan.slack);
        waiter_->waitUntil(lock, plan.end, now);
    }
    if (plan.spins() && waiting_) spin(lock, plan);
    return !std::exchange(waiting_, false);
}

/// Called after a wait that no notification has ended. Spins if the wait is over and the deadline
/// has not come. Meanwhile other threads still see this thread as waiting; it looks at what they
/// have changed when the spin is over.
void Monitor::spin(Lock& lock, const WaitPolicy::Plan& plan) {
    JTIMER_ASSERT(isHeldBy(lock));
    Nanos present = now();
    policy_.awakeAfter(saturatingSubtract(present, plan.end));
    if (present >= plan.spinUntil || present < plan.end) return;
    lock.unlock();
    // A clock that is set back meanwhile must not prolong the spin.
    for (; present < plan.spinUntil && present >= plan.end; present = now()) pauseShortly();
    enter(lock);
}

}  // namespace jtimer::detail
