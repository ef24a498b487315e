// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "sync/assert.hpp"
#include "sync/reported_wait.hpp"
#include "tokio/coroutine_wakers.hpp"
#include "tokio/driver.hpp"
#include "tokio/unturned_report.hpp"

#include <jtimer/exceptions.hpp>

#include <atomic>
#include <optional>
#include <utility>

// The part of Driver that serves the owners of entries. What calls wakers is in driver.cpp.

namespace jtimer::tokio::detail {

bool Driver::poll(SleepEntry& entry, Nanos deadline, Waker& waker, const char* what) {
    if (entry.hasLeftFired()) return true;
    // If it is registered already, the time does not matter.
    return poll(entry, deadline, entry.isIdle() ? monitor_.now() : 0, waker, what);
}

bool Driver::poll(SleepEntry& entry, Nanos deadline, Nanos now, Waker& waker, const char* what) {
    const Tick tick = ticks_.dueBy(deadline);
    Waker dropped;
    // As soon as this lock is released, the entry may fire, and its waker may destroy it.
    Lock lock = enter();
    if (entry.waker && waker) requireSameCoroutine(entry.waker, waker, what);
    if (entry.hasFired()) {
        dropped.swap(entry.waker);
        if (entry.isRegistered()) drop(entry);
        return true;
    }
    requireRunning();
    const bool isNew = entry.isIdle();  // unless a thread in wait() has registered it
    if (isNew && isDue(deadline, tick, now)) {
        countFired(deadline, now);
        entry.leave(true);
        return true;
    }
    if (waker) entry.waker.swap(waker);
    if (isNew) {
        wheel_.insert(entry, tick);
        leaveRegistered(lock, tick);
    }
    return false;
}

void Driver::park(SleepEntry& entry, Waker& waker) {
    const Lock lock = enter();
    if (isShutdown()) return;
    entry.waker.swap(waker);
    if (entry.isRegistered()) drop(entry);
    wheel_.park(entry);
}

void Driver::rearm(SleepEntry& entry, Nanos deadline, Nanos now) {
    const Tick tick = ticks_.dueBy(deadline);
    if (entry.extend(tick)) return;
    Lock lock = enterUnlessForked();
    if (!lock.owns_lock()) return;      // nothing calls the waker in this process
    if (!entry.isRegistered()) return;  // a turn has called it
    if (isShutdown()) return;           // the shutdown calls it
    if (isDue(deadline, tick, now)) {
        drop(entry);
        fire(lock, entry);
        leaveFired(lock);
    } else {
        unlink(entry);
        wheel_.insert(entry, tick);
        leaveRegistered(lock, tick);
    }
}

/// A reset that is not an extension. \param before the value that `kept` gets back if this throws
void Driver::move(SleepEntry& entry, Nanos deadline, Tick tick, std::atomic<Nanos>& kept,
                  Nanos before) {
    Nanos now = 0;
    Lock lock;
    try {
        now = monitor_.now();
        lock = enter();
        requireRunning();
    } catch (...) {
        kept.store(before, std::memory_order_relaxed);
        throw;
    }
    kept.store(deadline, std::memory_order_relaxed);
    if (entry.isRegistered()) unlink(entry);
    if (isDue(deadline, tick, now)) {
        countFired(deadline, now);
        fire(lock, entry);
        leaveFired(lock);
    } else {
        wheel_.insert(entry, tick);
        leaveRegistered(lock, tick);
    }
}

void Driver::wait(SleepEntry& entry, const std::atomic<Nanos>& deadline, const char* call) {
    if (entry.hasFired()) return;
    const DriverRef keptAlive(this);
    const Nanos now = monitor_.now();
    Lock lock = enter();
    if (entry.hasFired()) return;
    requireRunning();
    const bool isNew = entry.isIdle();
    // Read with the lock held: a reset() of an unregistered entry writes it under the lock.
    const Nanos until = deadline.load(std::memory_order_relaxed);
    const Tick tick = ticks_.dueBy(until);
    if (isNew && isDue(until, tick, now)) {
        countFired(until, now);
        entry.leave(true);
        return;
    }
    requireCanWait();
    if (isNew) wheel_.insert(entry, tick);
    block(lock, entry, isNew ? std::optional(tick) : std::nullopt, call);
}

Waker Driver::takeWaker(SleepEntry& entry) noexcept {
    Waker waker;
    if (!entry.isRegistered()) return waker;
    const Lock lock = enterUnlessForked();
    if (!lock.owns_lock() || !entry.isRegistered()) return waker;
    waker.swap(entry.waker);
    if (!entry.isWaitedFor()) drop(entry);
    return waker;
}

void Driver::drop(SleepEntry& entry) noexcept {
    JTIMER_ASSERT(entry.isRegistered());
    const bool hasFired = entry.hasFired();
    if (!hasFired && !entry.isParked()) ++cancelled_;
    unlink(entry);
    entry.leave(hasFired);
}

/// Threads that wait for the entry continue.
void Driver::endWaits(SleepEntry& entry, bool fired) noexcept {
    if (!entry.isWaitedFor()) return;
    entry.setWaitedFor(false);
    const auto [first, last] = waits_.equal_range(&entry);
    for (auto wait = first; wait != last;) {
        wait->hasFired = fired;
        wait->over.notify_one();
        wait = waits_.erase(wait);
    }
}

void Driver::fire(Lock& lock, SleepEntry& entry) noexcept {
    JTIMER_ASSERT(isHeldBy(lock) && !entry.is_linked());
    endWaits(entry, true);
    if (entry.waker) {
        wheel_.insertFired(entry);
    } else {
        entry.leave(true);
    }
}

void Driver::leaveFired(Lock& lock) {
    JTIMER_ASSERT(isHeldBy(lock));
    if (wheel_.hasPending()) {
        leaveRegistered(lock, wheel_.elapsed());
    } else {
        lock.unlock();
    }
}

Driver::Wait::Wait(Driver& waitsOn, Lock& held, SleepEntry& waitsFor)
    : driver(waitsOn), lock(held), entry(&waitsFor) {
    JTIMER_ASSERT(driver.isHeldBy(lock) && entry->isRegistered());
    driver.waits_.insert(*this);
    entry->setWaitedFor(true);
}

/// Also runs when an interruption or a cancellation ends the wait. Then the entry still exists.
Driver::Wait::~Wait() {
    if (!lock.owns_lock()) lock.lock();
    if (!is_linked()) return;
    driver.waits_.erase(driver.waits_.iterator_to(*this));
    if (driver.waits_.find(entry) == driver.waits_.end()) entry->setWaitedFor(false);
}

void Driver::block(Lock& lock, SleepEntry& entry, std::optional<Tick> unpark, const char* call) {
    UnturnedReport report(*this, call);
    Wait wait(*this, lock, entry);
    if (unpark) {
        leaveRegistered(lock, *unpark);
        monitor_.enter(lock);
    }
    report.begin(lock);
    jtimer::detail::waitReported(report, wait.over, lock, [&wait] { return !wait.is_linked(); });
    if (!wait.hasFired) requireRunning();
}

}  // namespace jtimer::tokio::detail
