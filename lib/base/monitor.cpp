// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "base/monitor.hpp"

#include "base/low_timer_slack.hpp"
#include "base/own_thread.hpp"
#include "base/pause.hpp"

#include <boost/thread/thread.hpp>

#include <algorithm>
#include <utility>

namespace jtimer::detail {

namespace {

/// How much longer a short wait lasts, to end for the next deadline too: as long as Linux's usual
/// timer slack.
constexpr Nanos kGathering = 50'000;

}  // namespace

Monitor::Monitor(std::shared_ptr<Clock> clock, std::optional<Nanos> timerSlack)
    : clock_(std::move(clock)), waiter_(makeWaiter(*clock_)), timerSlack_(timerSlack) {}

Monitor::Monitor(std::shared_ptr<Clock> clock, WithoutThread) noexcept : clock_(std::move(clock)) {}

void Monitor::enterContendedUnlessForked(Lock& lock, const OwnThread& waiting) {
    if (!waiting.isOfAnotherProcess()) enterContended(lock);
}

void Monitor::takePart(Lock&) { waiter_ = makeWaiter(*clock_); }

void Monitor::takeNoPart(Lock&) noexcept { waiter_.reset(); }

Nanos Monitor::now() const { return std::min(clock_->nanos(), kNever - 1); }

void Monitor::enterContended(Lock& lock) {
    contenders_.fetch_add(1, std::memory_order_relaxed);
    lock.lock();
    contenders_.fetch_sub(1, std::memory_order_relaxed);
    contendedEntries_.fetch_add(1, std::memory_order_relaxed);
}

void Monitor::letOthersIn(Lock& lock) {
    // Long enough for a thread that sleeps to wake up.
    constexpr int attempts = 1000;
    const std::uint32_t before = contendedEntries_.load(std::memory_order_relaxed);
    lock.unlock();
    for (int i = 0; i < attempts; ++i) {
        if (contenders_.load(std::memory_order_relaxed) == 0) break;
        if (contendedEntries_.load(std::memory_order_relaxed) != before) break;
        boost::this_thread::yield();
    }
    lock.lock();
}

void Monitor::leaveAndWake(Lock& lock) {
    std::shared_ptr<Waiter> toNotify;
    if (std::exchange(waiting_, false) && getpid() == pid_.load(std::memory_order_relaxed)) {
        toNotify = waiter_;
        toNotify->announce();
    }
    lock.unlock();
    if (toNotify != nullptr) toNotify->notify();
}

void Monitor::leaveAndWakeFor(Lock& lock, Nanos time) {
    // A clock that was set forward since the wait began shows a later time than waitsUntil_ when
    // the wait ends.
    const bool inTime =
        waiting_ && time >= waitsUntil_ && (settling_ || !waiter_->canBeSetForward());
    if (waiting_ && !inTime) {
        leaveAndWake(lock);
    } else {
        lock.unlock();
    }
}

void Monitor::wait(Lock& lock) { waitNotified(lock, kNever, kLongAgo, kNever); }

/// When notifications come faster than the thread can go to sleep and wake up again, as from a
/// producer whose every task is the new first one, each costs both sides thousands of nanoseconds.
/// So, after two within a settling time, the thread makes do with a wait no longer than that, in
/// which it needs to be woken only for what is due before its end. When it has passed without a
/// notification, the next wait is as long as it should be.
void Monitor::waitUntil(Lock& lock, Nanos deadline, Nanos now, Nanos next) {
    const Nanos settled = saturatingAdd(now, waiter_->settlingTime());
    settling_ = notifiedWaitStart_ <= now &&
                saturatingAdd(notifiedWaitStart_, waiter_->settlingTime()) > now &&
                settled < deadline;
    const bool notified = waitNotified(lock, settling_ ? settled : deadline, now, next);
    settling_ = false;
    notifiedWaitStart_ = notified ? now : kLongAgo;
}

bool Monitor::waitNotified(Lock& lock, Nanos deadline, Nanos now, Nanos next) {
    const bool isLong = isLongWait(deadline, now);
    const bool choosesEnd = waiter_->wakesLate() && !timerSlack_.has_value() && !settling_;
    const bool leads = choosesEnd && isLong;
    Nanos end = deadline;
    if (leads) {
        end -= lead_.value();
    } else if (choosesEnd && afterShortWait_ && next < kNever - kGathering &&
               saturatingSubtract(next, deadline) <= kGathering) {
        end += kGathering;
    }
    waitsUntil_ = std::max(deadline, end);
    waiting_ = true;
    {
        const LowTimerSlack lowTimerSlack(timerSlack_, deadline, now);
        waiter_->waitUntil(lock, end, now);
    }
    if (leads && waiting_) awaitDeadline(lock, deadline, end);
    const bool notified = !std::exchange(waiting_, false);
    afterShortWait_ = !isLong && deadline != kNever && !notified;
    return notified;
}

/// After a wait that nobody has ended: spins if it is over and the deadline has not come. Whoever
/// has something to do for the thread meanwhile finds it waiting, and what it did is looked at when
/// the spin is over.
void Monitor::awaitDeadline(Lock& lock, Nanos deadline, Nanos end) {
    Nanos present = now();
    lead_.learn(saturatingSubtract(present, end));
    if (present >= deadline || present < end) return;
    lock.unlock();
    // A clock that is set back meanwhile must not keep the thread here.
    for (; present < deadline && present >= end; present = now()) pauseShortly();
    enter(lock);
}

}  // namespace jtimer::detail
