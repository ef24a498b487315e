// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include <jtimer/tokio/detail/marked_wait.hpp>

#include "thread/uncaught_exception.hpp"
#include "tokio/coroutine_wakers.hpp"
#include "tokio/driver.hpp"
#include "tokio/notify.hpp"
#include "tokio/sleep_access.hpp"

#include <jtimer/exceptions.hpp>
#include <jtimer/tokio/driver_shutdown.hpp>

#include <boost/smart_ptr/intrusive_ptr.hpp>
#include <boost/smart_ptr/intrusive_ref_counter.hpp>

#include <exception>
#include <string>
#include <utility>

namespace jtimer::tokio::detail {

/// The entry of a MarkedWait. While the coroutine waits, it is parked with the driver, so that a
/// shutdown finds it; once it is marked, it waits for a turn. Shared by the MarkedWait and its
/// wakers, which may outlive it.
struct MarkEntry final : SleepEntry, boost::intrusive_ref_counter<MarkEntry> {
    using SleepEntry::SleepEntry;

    /// The waker has been called while the coroutine was not waiting. Under the lock.
    bool isMarked = false;
};

namespace {

using MarkRef = boost::intrusive_ptr<MarkEntry>;

/// Resumes a coroutine, or lets it poll again.
struct ResumeWaker {
    MarkedWait::Function function;
    void* argument;

    void operator()() const { function(argument); }
};

struct MarkWaker {
    MarkRef entry;

    void operator()() const {
        Driver& driver = *entry->driver;
        Lock lock = driver.enterUnlessForked();
        if (!lock.owns_lock()) return;  // no turn comes in this process
        if (entry->isParked()) {
            if (driver.isShutdown()) return;  // the shutdown will find it
            driver.unlink(*entry);
            driver.fire(lock, *entry);
            driver.leaveFired(lock);
        } else if (!entry->isRegistered()) {
            entry->isMarked = true;
        }
    }
};

}  // namespace

MarkedWait::MarkedWait(Driver& driver) {
    MarkRef entry(new MarkEntry(driver));
    waker_ = MarkWaker{entry};
    entry_ = entry.detach();
}

/// The coroutine is destroyed on the thread that turns, or while none turns: so only marks may come
/// meanwhile.
MarkedWait::~MarkedWait() {
    if (entry_->isRegistered()) {
        const Lock lock = entry_->driver->enterUnlessForked();
        if (!lock.owns_lock()) return;  // the wheel still links the entry
        entry_->waker = nullptr;        // a ResumeWaker: no user code
        if (entry_->isRegistered()) entry_->driver->drop(*entry_);
    }
    intrusive_ptr_release(entry_);
}

bool MarkedWait::begin(Function function, void* argument, bool mayRepeat) {
    MarkEntry& entry = *entry_;
    Waker again = ResumeWaker{function, argument};
    // As soon as this lock is released, the function may be called, and destroy this object.
    Lock lock = entry.driver->enter();
    const bool isMarked = std::exchange(entry.isMarked, false);
    if (isMarked && mayRepeat) return false;
    entry.driver->requireRunning();
    entry.waker.swap(again);
    if (isMarked) {
        entry.driver->fire(lock, entry);
        entry.driver->leaveFired(lock);
    } else {
        entry.driver->park(lock, entry);
    }
    return true;
}

bool MarkedWait::yields(Function function, void* argument) {
    MarkEntry& entry = *entry_;
    if (!entry.driver->isTimeToYield()) return false;
    Waker again = ResumeWaker{function, argument};
    Lock lock = entry.driver->enter();
    if (entry.driver->isShutdown()) return false;  // no turn comes
    entry.waker.swap(again);
    entry.driver->fire(lock, entry);
    entry.driver->leaveFired(lock);
    return true;
}

bool pollFor(Sleep& sleep, const char* what, MarkedWait::Function resume, void* coroutine) {
    SleepEntry& entry = SleepAccess::entryOf(sleep);
    Waker waker = ResumeWaker{resume, coroutine};
    if (!entry.driver->poll(entry, SleepAccess::deadlineOf(sleep), waker, what)) return false;
    return !entry.driver->defer(entry, ResumeWaker{resume, coroutine});
}

bool pollFor(Notified& notified, const char*, MarkedWait::Function resume, void* coroutine) {
    if (!notified.poll(ResumeWaker{resume, coroutine})) return false;
    NotifiedEntry& entry = NotifyState::entryOf(notified);
    return !entry.driver->defer(entry, ResumeWaker{resume, coroutine});
}

void refuseCoroutine(const char* what) {
    throw IllegalStateException("Another coroutine is waiting for this " + std::string(what) + '.');
}

void requireSameCoroutine(const Waker& before, const Waker& now, const char* what) {
    const auto* const markBefore = before.target<MarkWaker>();
    const auto* const markNow = now.target<MarkWaker>();
    if (markBefore == nullptr && before.target<ResumeWaker>() == nullptr) return;
    if (markNow == nullptr && now.target<ResumeWaker>() == nullptr) return;
    if (markBefore != nullptr && markNow != nullptr && markBefore->entry == markNow->entry) return;
    refuseCoroutine(what);
}

Sleep& sleepOf(Interval& interval) noexcept { return SleepAccess::sleepOf(interval); }

Driver& driverOf(const TimeDriver& driver) noexcept { return SleepAccess::driverOf(driver); }

Driver& driverOf(const Sleep& sleep) noexcept { return *SleepAccess::entryOf(sleep).driver; }

void reportFromTask() {
    const std::exception_ptr uncaught = std::current_exception();
    if (uncaught == nullptr) throw;  // the unwinding by pthread_exit must continue
    try {
        throw;
    } catch (const DriverShutdown&) {
        return;
    } catch (...) {
        static_cast<void>(jtimer::detail::Reporter("Task", "tokio::Task", {}).report(uncaught));
    }
}

}  // namespace jtimer::tokio::detail
