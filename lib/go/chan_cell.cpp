// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "go/chan_cell.hpp"

#include "go/errors.hpp"
#include "go/event_cell.hpp"
#include "sync/assert.hpp"
#include "sync/threads.hpp"

#include <jtimer/exceptions.hpp>
#include <jtimer/go/channel.hpp>

#include <utility>

namespace jtimer::go::detail {

void ChanCell::requireOfThisProcess() const {
    if (isOfAnotherProcess()) throw TimersDestroyed(kForked);
}

/// A send that waits finds that its node is still there, and a receive that it got none.
void ChanCell::close() {
    WakeList toWake;  // outlives the lock
    Lock lock(mutex_, jtimer::detail::threads::defer_lock);
    if (!isOfAnotherProcess()) lock.lock();
    if (isClosed_.exchange(true, std::memory_order_acq_rel))
        throw IllegalStateException(kCloseClosed);
    if (isOfAnotherProcess()) return;
    while (claimFirst(lock, receivers_, toWake) != nullptr) {
    }
    while (claimFirst(lock, senders_, toWake) != nullptr) {
    }
}

void ChanCell::push(Lock& lock, ChanNodePtr node) noexcept {
    JTIMER_ASSERT(holds(lock, mutex_));
    values_.push(std::move(node));
    size_.store(size() + 1, std::memory_order_relaxed);
}

ChanNodePtr ChanCell::pop(Lock& lock) noexcept {
    JTIMER_ASSERT(holds(lock, mutex_));
    size_.store(size() - 1, std::memory_order_relaxed);
    return values_.pop();
}

/// Removes claimed cases before the first pending one from the list.
bool ChanCell::hasPending(Lock& lock, Cases& cases) noexcept {
    JTIMER_ASSERT(holds(lock, mutex_));
    while (!cases.empty()) {
        ChanCase& first = cases.front();
        if (first.wait->isPending()) return true;
        first.unlink();
    }
    return false;
}

/// Claims the call that has waited longest, for this Chan; null if no call waits.
ChanCase* ChanCell::claimFirst(Lock& lock, Cases& cases, WakeList& toWake) noexcept {
    JTIMER_ASSERT(holds(lock, mutex_));
    while (!cases.empty()) {
        ChanCase& first = cases.front();
        first.unlink();
        if (!first.wait->claimReceived(first.index, kEventValue)) continue;
        toWake.add(*first.wait);
        return &first;
    }
    return nullptr;
}

bool ChanCell::isReady(Lock& lock, const ChanCase& c) noexcept {
    JTIMER_ASSERT(holds(lock, mutex_));
    if (isClosed()) return true;
    if (c.sends) return size() < capacity_ || hasPending(lock, receivers_);
    return !values_.empty() || hasPending(lock, senders_);
}

bool ChanCell::send(Lock& lock, ChanNodePtr& node, WakeList& toWake) noexcept {
    JTIMER_ASSERT(holds(lock, mutex_));
    if (isClosed()) return true;
    if (ChanCase* const receiver = claimFirst(lock, receivers_, toWake)) {
        JTIMER_ASSERT(values_.empty());
        receiver->node = std::move(node);
        return true;
    }
    if (size() == capacity_) return false;
    push(lock, std::move(node));
    return true;
}

/// The value that makes room lets the first send that waits go on. With capacity 0, a value comes
/// from such a send directly.
bool ChanCell::receive(Lock& lock, ChanNodePtr& node, WakeList& toWake) noexcept {
    JTIMER_ASSERT(holds(lock, mutex_));
    const bool isEmpty = values_.empty();
    if (!isEmpty) node = pop(lock);
    if (ChanCase* const sender = claimFirst(lock, senders_, toWake)) {
        if (!isEmpty) {
            push(lock, std::move(sender->node));
        } else {
            node = std::move(sender->node);
        }
        return true;
    }
    return !isEmpty || isClosed();
}

void ChanCell::addWaiter(Lock& lock, ChanCase& c) noexcept {
    JTIMER_ASSERT(holds(lock, mutex_) && !isClosed());
    (c.sends ? senders_ : receivers_).push_back(c);
}

void ChanCell::removeWaiter(ChanCase& c) noexcept {
    const Lock lock(mutex_);
    if (c.is_linked()) c.unlink();
}

/// The values are destroyed here.
void ChanCell::free() noexcept {
    if (!isOfAnotherProcess()) delete this;
}

}  // namespace jtimer::go::detail
