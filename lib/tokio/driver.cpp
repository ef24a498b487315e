// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "tokio/driver.hpp"

#include "clock/default_clocks.hpp"
#include "sync/assert.hpp"
#include "sync/process_number.hpp"
#include "sync/reported_wait.hpp"
#include "sync/uninterruptible.hpp"
#include "thread/run_here.hpp"
#include "thread/uncaught_exception.hpp"
#include "tokio/sleep_access.hpp"

#include <jtimer/exceptions.hpp>
#include <jtimer/manual_clock.hpp>

#include <algorithm>
#include <exception>
#include <memory>
#include <string>
#include <utility>

namespace jtimer::tokio::detail {

using jtimer::detail::RunHere;
using jtimer::detail::Uninterruptible;

namespace {

/// What a thread does for a driver. Calls that could never return meanwhile, or would turn a wheel
/// that is being turned, ask RunHere for it.
enum Doing { kTurn, kWaker, kShutdown };

jtimer::detail::LoopThread::Settings threadSettings(const TimeDriverOptions& options) {
    if (options.polled && options.onThreadStart)
        throw IllegalArgumentException(
            "TimeDriverOptions::onThreadStart is set, but a polled driver has no thread.");
    jtimer::detail::LoopThread::Settings settings = jtimer::detail::LoopThread::Settings::of(
        "TimeDriver", options.name.empty() ? TimeDriverOptions().name : options.name,
        options.uncaughtExceptionHandler, options.clock,
        jtimer::detail::defaultClock<jtimer::SteadyClock>);
    settings.startsLater = options.polled;
    settings.onThreadStart = options.onThreadStart;
    settings.optionsType = "TimeDriverOptions";
    return settings;
}

}  // namespace

/// The one thread that calls wakers, while it does so: in a turn or in a shutdown. However that
/// ends, the destructor makes the next one possible and sets promise_ for it.
struct Driver::Caller {
    Caller(Driver& called, Lock& held, Doing doing) noexcept
        : driver(called), lock(held), here(&called, doing) {
        JTIMER_ASSERT(driver.isHeldBy(lock) && !driver.isCalling_);
        driver.isCalling_ = true;
    }
    Caller(const Caller&) = delete;
    Caller& operator=(const Caller&) = delete;
    ~Caller() {
        if (forkWatch.hasForked()) return;   // the lock may never be released there
        if (!lock.owns_lock()) lock.lock();  // a waker has ended the thread
        driver.isCalling_ = false;
        driver.promise_ = driver.wheel_.nextExpiration();
        if (driver.isShutdown()) driver.callerLeft_.notify_all();
    }

    Driver& driver;
    Lock& lock;
    const RunHere here;
    const jtimer::detail::ForkWatch forkWatch;
};

Driver::Driver(TimeDriverOptions options)
    : LoopThread(threadSettings(options)), polled_(options.polled),
      unpark_(std::move(options.unpark)), ticks_(monitor_.now()) {}

void Driver::start() {
    if (!polled_) LoopThread::start(std::make_shared<DriverRef>(this));
}

void Driver::requireRunning() const {
    if (isShutdown()) throw DriverShutdown("TimeDriver has been shut down.");
}

void Driver::requireCanWait() const {
    requireThisProcess();
    if (RunHere::isInside(this, kTurn))
        throw IllegalStateException("Cannot wait inside a turn of the same TimeDriver.");
}

void Driver::requireThisProcess() const {
    if (!monitor_.isInThisProcess())
        throw DriverShutdown("TimeDriver belongs to the parent process.");
}

Lock Driver::enter() {
    Lock lock = enterUnlessForked();
    if (!lock.owns_lock()) requireThisProcess();
    return lock;
}

Lock Driver::enterUnlessForked() noexcept {
    Lock lock = monitor_.tryEnter();
    if (!lock.owns_lock() && monitor_.isInThisProcess()) monitor_.enter(lock);
    return lock;
}

void Driver::call(const std::function<void()>& function) const {
    const RunHere here(this, kWaker);
    const std::exception_ptr uncaught = jtimer::detail::exceptionOf(function);
    if (uncaught != nullptr) reportRun(uncaught);
}

/// A turn for a time after the clock's fires early by the clock, which counts as on time.
void Driver::countFired(Nanos due, Nanos now) noexcept {
    lateness_.add(
        std::chrono::nanoseconds(std::max(Nanos{0}, jtimer::detail::saturatingSubtract(now, due))));
}

/// The entry, which is no longer in a slot, has fired or will not fire. Threads that wait for
/// it continue. \returns its waker, to be called; the entry may be destroyed as soon as the
/// lock is released
Waker Driver::finish(Lock& lock, SleepEntry& entry, bool fired) noexcept {
    JTIMER_ASSERT(isHeldBy(lock));
    Waker waker;
    waker.swap(entry.waker);
    endWaits(entry, fired);
    entry.leave(fired);
    return waker;
}

/// To be called after a registration: releases the lock, and ensures that a turn comes in time.
/// During a turn there is nothing to do, as the turn checks before it ends; nor after a shutdown.
void Driver::leaveRegistered(Lock& lock, Tick tick) {
    JTIMER_ASSERT(isHeldBy(lock));
    if (isCalling_ || (promise_ && tick >= *promise_)) {
        lock.unlock();
        return;
    }
    promise_ = wheel_.nextExpiration();
    const DriverRef keptAlive(this);
    if (!polled_) {
        // Wakes the thread for the promise, not for the tick: later registrations will not wake it.
        monitor_.leaveAndWakeFor(lock, ticks_.timeOf(*promise_));
        return;
    }
    lock.unlock();
    if (unpark_) call(unpark_);
}

// The TimeDriver.

void Driver::requirePolled(const char* call) const {
    if (polled_) return;
    throw IllegalStateException("TimeDriver." + std::string(call) +
                                "() cannot be called on a driver with a thread.");
}

void Driver::requireOutsideTurn(const char* call) const {
    if (!RunHere::isInside(this, kTurn) && !RunHere::isInside(this, kWaker)) return;
    throw IllegalStateException("TimeDriver." + std::string(call) +
                                "() cannot be called from a waker.");
}

std::size_t Driver::turn(std::optional<Nanos> now) {
    const DriverRef keptAlive(this);
    requirePolled("turn");
    if (isShutdown()) return 0;
    requireOutsideTurn("turn");
    const Nanos time = now ? std::min(*now, kNever - 1) : monitor_.now();
    Lock lock = enter();
    if (isShutdown()) return 0;
    if (isCalling_) throw IllegalStateException("TimeDriver.turn() is already running.");
    return turn(lock, time);
}

std::size_t Driver::advance(Nanos span) {
    const DriverRef keptAlive(this);
    requirePolled("advance");
    requireOutsideTurn("advance");
    auto* const manual = dynamic_cast<jtimer::ManualClock*>(clock().get());
    if (manual == nullptr) throw IllegalStateException("TimeDriver.advance() needs a ManualClock.");
    const jtimer::detail::ForkWatch forkWatch;
    const Nanos end = std::min(jtimer::detail::saturatingAdd(now(), span), kNever - 1);
    std::size_t fired = 0;
    while (!forkWatch.hasForked()) {
        const std::optional<Nanos> next = nextWake();
        const bool isLast = !next || *next > end;
        // What is next may be long past, and a waker may have moved the time.
        if (const Nanos stop = isLast ? end : *next; stop > now()) {
            manual->advanceTo(dateOf(stop));
        } else if (isLast) {
            break;
        }
        fired += turn(std::nullopt);
    }
    return fired;
}

/// Ends, whatever the wakers do: what they make due at once is left to the next turn, and each
/// deadline that they set fires in a later tick than theirs, up to that of `now`.
///
/// Takes one entry at a time, although that means locking for each entry with a waker: the waker of
/// one entry may destroy the next entry or move it to a later time, and then the next waker must
/// not be called.
std::size_t Driver::turn(Lock& lock, Nanos now) {
    const Caller caller(*this, lock, kTurn);
    ++turns_;
    wheel_.beginTurn();
    const Tick tick = ticks_.at(now);
    std::size_t fired = 0;
    std::size_t left = kMostInOneHold;
    while (!isShutdown()) {
        wheel_.advance(tick, left);
        if (left == 0) {
            monitor_.letOthersIn(lock);
            left = kMostInOneHold;
            continue;
        }
        Entry* const entry = wheel_.takePending();
        if (entry == nullptr) break;
        ++fired;
        --left;
        if (!entry->hasFired()) countFired(ticks_.timeOf(wheel_.elapsed()), now);
        Waker waker = finish(lock, static_cast<SleepEntry&>(*entry), true);
        if (!waker) continue;
        lock.unlock();
        readyInARow_ = 0;
        call(waker);
        waker = nullptr;
        if (caller.forkWatch.hasForked()) break;
        if (!polled_) now = std::max(now, monitor_.reached());
        monitor_.enter(lock);
    }
    return fired;
}

/// Only in a turn: outside, a coroutine that never waits holds up its caller alone.
bool Driver::isTimeToYield() {
    constexpr int most = 128;  // after which Tokio, too, makes a task yield
    if (!RunHere::isInside(this, kTurn) || ++readyInARow_ < most) return false;
    readyInARow_ = 0;
    return true;
}

bool Driver::defer(SleepEntry& entry, Waker waker) {
    if (!isTimeToYield()) return false;
    Lock lock = enter();
    if (isShutdown() || !entry.hasLeftFired()) return false;
    entry.waker.swap(waker);
    fire(lock, entry);
    leaveFired(lock);
    return true;
}

/// A loop sleeps according to the last answer it got, so an answer is a promise: a loop that got T
/// is unparked for every registration before T. That holds if promise_ is never earlier than an
/// answer that a loop may still be using:
///
/// 1. This function raises promise_ to the answer. Dropped entries may have left it earlier.
/// 2. Raising it loses nothing: it makes more registrations unpark, not fewer. So it does
///    not matter which thread calls this. At worst, a loop that uses an earlier answer is
///    woken needlessly.
/// 3. A registration, which unparks, and a turn lower it. After either, the loop asks again.
///
/// During a turn nothing unparks, so an answer is valid only until the turn ends, which sets
/// promise_ again. A driver's own thread does not call this: it sets promise_ itself, each time it
/// goes to sleep.
std::optional<Nanos> Driver::nextWake() {
    const Lock lock = enter();
    const std::optional<Tick> next = wheel_.nextExpiration();
    if (polled_ && !isCalling_ && promise_ && (!next || *next > *promise_)) promise_ = next;
    if (!next) return std::nullopt;
    // At once, even if the driver has been turned ahead of the clock, or not for a while.
    if (wheel_.hasPending()) return monitor_.now();
    return ticks_.timeOf(*next);
}

TimeDriverStats Driver::stats() {
    TimeDriverStats stats;
    const Lock lock = enter();
    stats.pending = wheel_.size();
    stats.executed = lateness_.count();
    stats.cancelled = cancelled_;
    stats.failed = failedRuns();
    stats.lateness = lateness_;
    return stats;
}

/// \param report of the call that waits until another thread no longer calls wakers. Null: it does
///   not wait, but leaves the rest to that thread, whose shutdown or turn is in progress.
void Driver::shutdown(jtimer::detail::WaitReport* report) {
    const DriverRef keptAlive(this);
    Lock lock = enter();
    isShutdown_.store(true, std::memory_order_release);
    monitor_.leaveAndWake(lock);
    // If this is called by a waker that a shutdown on this thread is calling, that shutdown
    // continues afterwards.
    if (RunHere::isInside(this, kShutdown)) return;
    monitor_.enter(lock);
    if (RunHere::isInside(this, kTurn)) {
        const RunHere here(this, kShutdown);
        releaseAll(lock);
        return;
    }
    if (isCalling_) {
        if (report == nullptr) return;
        requireThisProcess();
        const Uninterruptible uninterruptible;  // the wakers would not be called
        jtimer::detail::waitReported(*report, callerLeft_, lock, [this] { return !isCalling_; });
    }
    const Caller caller(*this, lock, kShutdown);
    releaseAll(lock);
}

/// Releases in any order, since none of the entries is due.
void Driver::releaseAll(Lock& lock) {
    JTIMER_ASSERT(isHeldBy(lock));
    const jtimer::detail::ForkWatch forkWatch;
    std::size_t released = 0;
    while (Entry* const entry = wheel_.takeAny()) {
        const bool hasFired = entry->hasFired();
        if (!hasFired && !entry->isParked()) ++cancelled_;
        Waker waker = finish(lock, static_cast<SleepEntry&>(*entry), hasFired);
        if (waker) {
            lock.unlock();
            call(waker);
            waker = nullptr;
            if (forkWatch.hasForked()) return;
            monitor_.enter(lock);
        } else if (++released % kMostInOneHold == 0) {
            monitor_.letOthersIn(lock);
        }
    }
}

void Driver::close() noexcept {
    if (!monitor_.isInThisProcess()) return;  // its turns and wakers belong to the parent
    LoopThread::close([this] {
        const jtimer::detail::ForkWatch forkWatch;
        jtimer::detail::RunReport report(title(), "its destructor");
        shutdown(&report);
        if (!forkWatch.hasForked()) thread_.finish(report);
    });
}

// On the driver's thread.

/// Once the loop has returned, the thread that has called shutdown() calls the wakers. If a waker
/// exits this thread, perhaps inside shutdown(), the rest are called here; but not if another
/// thread is calling them, because that one may be in ~TimeDriver and waiting for this thread.
void Driver::end() {
    if (!hasReturned_) shutdown(nullptr);
}

void Driver::mainLoop() {
    Lock lock = monitor_.enter();
    while (!isShutdown()) {
        promise_ = wheel_.nextExpiration();
        const Nanos wakeUp = promise_ ? ticks_.timeOf(*promise_) : kNever;
        if (wakeUp == kNever) {
            monitor_.wait(lock);
            continue;
        }
        const Nanos now = monitor_.now();
        if (isForkedChild()) return;  // by the clock
        // What is pending is taken at once, even if the clock has gone back since the last turn.
        if (wheel_.hasPending() || wakeUp <= now) {
            turn(lock, now);
            if (isForkedChild()) return;
            // Wakers that make more due at once cause turn after turn.
            monitor_.letOthersIn(lock);
        } else {
            monitor_.waitUntil(lock, wakeUp, now);
        }
    }
    hasReturned_ = true;
}

}  // namespace jtimer::tokio::detail
