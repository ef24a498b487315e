// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include <jtimer/tokio/blocker.hpp>

#include "tokio/driver.hpp"
#include "tokio/sleep_access.hpp"

#include <utility>

namespace jtimer::tokio::detail {

using jtimer::detail::Guard;
using jtimer::detail::Mutex;

struct Blocker::State {
    Mutex mutex;
    bool isWoken JTIMER_GUARDED_BY(mutex) = false;
    jtimer::detail::Condition woken;
};

struct Blocker::Parked {
    explicit Parked(Driver& with) : driver(with), sleep(SleepAccess::make(with, kNever)) {}

    Driver& driver;
    Sleep sleep;
};

Blocker::Blocker(const Sleep& sleep) : state_(std::make_shared<State>()) {
    SleepAccess::entryOf(sleep).driver->requireCanWait();
}

Blocker::Blocker(const TimeDriver& driver)
    : state_(std::make_shared<State>()),
      parked_(std::make_unique<Parked>(SleepAccess::driverOf(driver))) {
    parked_->driver.requireCanWait();
    Waker woken = waker();
    parked_->driver.park(SleepAccess::entryOf(parked_->sleep), woken);
}

Blocker::~Blocker() = default;

Waker Blocker::waker() const {
    return [state = state_] {
        const Guard lock(state->mutex);
        state->isWoken = true;
        state->woken.notify_one();
    };
}

void Blocker::block() {
    // A shutdown that comes later finds what is parked.
    if (parked_ != nullptr) parked_->driver.requireRunning();
    Guard lock(state_->mutex);
    state_->woken.wait(lock, [this]() JTIMER_REQUIRES(state_->mutex) { return state_->isWoken; });
    state_->isWoken = false;
}

}  // namespace jtimer::tokio::detail
