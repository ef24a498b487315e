// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "go/access.hpp"
#include "go/errors.hpp"
#include "go/event_cell.hpp"

#include <jtimer/go/channel.hpp>
#include <jtimer/go/event.hpp>

#include <utility>

namespace jtimer::go {

namespace detail {

void EventCell::set() noexcept {
    if (isOfAnotherProcess()) return isSet_.store(true, std::memory_order_release);
    WakeList toWake;
    set(toWake);
}

void EventCell::set(WakeList& toWake) noexcept {
    const Lock lock(mutex_);
    if (isSet()) return;
    isSet_.store(true, std::memory_order_release);
    for (const EventCase& c : waiters_) {
        if (c.wait->claimReceived(c.index, kEventValue)) toWake.add(*c.wait);
    }
}

bool EventCell::addWaiter(EventCase& c) noexcept {
    const Lock lock(mutex_);
    if (isSet()) return false;
    waiters_.push_back(c);
    return true;
}

void EventCell::removeWaiter(EventCase& c) noexcept {
    const Lock lock(mutex_);
    if (c.is_linked()) c.unlink();
}

void EventCell::requireOfThisProcess() const {
    if (isOfAnotherProcess()) throw TimersDestroyed(kForked);
}

}  // namespace detail

Event::Event() : cell_(new detail::EventCell) {}
Event::Event(const Event& other) noexcept : cell_(other.cell_) { cell_->retain(); }
// NOLINTNEXTLINE(bugprone-unhandled-self-assignment): retained before it is released
Event& Event::operator=(const Event& other) noexcept {
    other.cell_->retain();
    std::exchange(cell_, other.cell_)->release();
    return *this;
}
Event::~Event() { cell_->release(); }

void Event::set() const noexcept { cell_->set(); }
bool Event::isSet() const noexcept { return cell_->isSet(); }

Channel Event::C() const noexcept {
    cell_->retain();
    return Access::channel(*cell_);
}

}  // namespace jtimer::go
