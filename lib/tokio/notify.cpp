// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "tokio/notify.hpp"

#include "sync/assert.hpp"
#include "tokio/coroutine_wakers.hpp"
#include "tokio/sleep_access.hpp"

#include <cstddef>
#include <optional>
#include <utility>

namespace jtimer::tokio {

namespace detail {

NotifiedEntry::NotifiedEntry(std::shared_ptr<NotifyState> of)
    : SleepEntry(of->driver()), notify(std::move(of)), calls(notify->calls()) {}

void NotifyState::notifyOne(Lock lock) {
    JTIMER_ASSERT(driver_->isHeldBy(lock));
    notifyEarlier(lock);
    if (queue_.empty() || driver_->isShutdown()) {
        hasPermit_ = true;
    } else {
        queue_.front().isChosen = true;
        fire(lock, queue_.front());
    }
    driver_->leaveFired(lock);
}

void NotifyState::notifyWaiters() {
    Lock lock = driver_->enter();
    ++calls_;
    notifyEarlier(lock);
    driver_->leaveFired(lock);
}

/// Fires what notifyWaiters() has notified. It lets others have the lock, and one of them may do a
/// part of this: notifyOne() must not choose what is notified already.
void NotifyState::notifyEarlier(Lock& lock) {
    JTIMER_ASSERT(driver_->isHeldBy(lock));
    std::size_t fired = 0;
    while (!queue_.empty() && queue_.front().calls != calls_ && !driver_->isShutdown()) {
        fire(lock, queue_.front());
        if (++fired % Driver::kMostInOneHold == 0) driver_->letOthersIn(lock);
    }
}

/// Fires an entry that is in the queue.
void NotifyState::fire(Lock& lock, NotifiedEntry& entry) noexcept {
    JTIMER_ASSERT(driver_->isHeldBy(lock) && entry.NotifyHook::is_linked());
    entry.NotifyHook::unlink();
    driver_->unlink(entry);
    driver_->fire(lock, entry);
}

bool NotifyState::poll(NotifiedEntry& entry, Waker& waker) {
    if (entry.isOver && entry.hasLeftFired()) return true;
    Waker dropped;
    // As soon as this lock is released, the waker may be called and destroy the entry.
    Lock lock = driver_->enter();
    if (entry.waker && waker) requireSameCoroutine(entry.waker, waker, "Notified");
    if (take(lock, entry, dropped)) return true;
    driver_->requireRunning();
    if (waker) entry.waker.swap(waker);
    enqueue(lock, entry);
    return false;
}

void NotifyState::wait(NotifiedEntry& entry) {
    if (entry.isOver) return;
    Waker dropped;
    Lock lock = driver_->enter();
    if (entry.hasFired()) {  // its waker is left to the turn
        entry.isOver = true;
        return;
    }
    if (take(lock, entry, dropped)) return;
    driver_->requireRunning();
    driver_->requireCanWait();
    enqueue(lock, entry);
    driver_->block(lock, entry, std::nullopt, "Notified::wait()");
    entry.isOver = true;
}

/// If the entry has been notified, or can take the permit, it is over. \param dropped its waker
bool NotifyState::take(Lock& lock, NotifiedEntry& entry, Waker& dropped) noexcept {
    JTIMER_ASSERT(driver_->isHeldBy(lock));
    if (!entry.hasFired() && entry.calls == calls_) {
        // While it is in the queue, there is no permit.
        if (!hasPermit_) return false;
        hasPermit_ = false;
    }
    dropped.swap(entry.waker);
    if (entry.NotifyHook::is_linked()) entry.NotifyHook::unlink();
    if (entry.isRegistered()) driver_->drop(entry);
    entry.leave(true);
    entry.isOver = true;
    return true;
}

void NotifyState::enqueue(Lock& lock, NotifiedEntry& entry) {
    JTIMER_ASSERT(driver_->isHeldBy(lock));
    if (entry.isRegistered()) return;
    entry.hasWaited = true;
    driver_->park(lock, entry);
    queue_.push_back(entry);
}

bool NotifyState::remove(NotifiedEntry& entry) noexcept {
    if (!entry.hasWaited || (entry.isOver && entry.hasLeftFired())) return true;
    Waker dropped;
    Lock lock = driver_->enterUnlessForked();
    if (!lock.owns_lock()) return false;
    dropped.swap(entry.waker);
    if (entry.NotifyHook::is_linked()) entry.NotifyHook::unlink();
    if (entry.isRegistered()) driver_->drop(entry);
    if (entry.isChosen && !entry.isOver) notifyOne(std::move(lock));
    return true;
}

Waker NotifyState::takeWaker(NotifiedEntry& entry) noexcept {
    Waker waker;
    if (!entry.isRegistered()) return waker;
    const Lock lock = driver_->enterUnlessForked();
    if (!lock.owns_lock()) return waker;
    waker.swap(entry.waker);
    // There is nothing left to do for a turn.
    if (entry.isRegistered() && entry.hasFired()) driver_->drop(entry);
    return waker;
}

}  // namespace detail

using detail::NotifiedEntry;
using detail::NotifyState;
using detail::SleepAccess;

namespace {

/// Destroys an entry. Its waker is destroyed with no lock held.
void destroy(NotifiedEntry* entry) noexcept {
    if (entry != nullptr && entry->notify->remove(*entry)) delete entry;
}

}  // namespace

Notified::Notified(Notified&& other) noexcept : entry_(std::exchange(other.entry_, nullptr)) {}

Notified& Notified::operator=(Notified&& other) noexcept {
    if (this != &other) destroy(std::exchange(entry_, std::exchange(other.entry_, nullptr)));
    return *this;
}

Notified::~Notified() { destroy(std::exchange(entry_, nullptr)); }

bool Notified::poll(Waker waker) { return entry_->notify->poll(*entry_, waker); }

void Notified::dropWaker() noexcept { entry_->notify->takeWaker(*entry_); }

void Notified::wait() { entry_->notify->wait(*entry_); }

Notify::Notify(TimeDriver& driver)
    : state_(std::make_shared<NotifyState>(SleepAccess::driverOf(driver))) {}

void Notify::notifyOne() const { state_->notifyOne(state_->driver().enter()); }

void Notify::notifyWaiters() const { state_->notifyWaiters(); }

Notified Notify::notified() const { return Notified(new NotifiedEntry(state_)); }

}  // namespace jtimer::tokio
