// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include <jtimer/tokio/blocker.hpp>

#include "tokio/driver.hpp"
#include "tokio/sleep_access.hpp"
#include "tokio/unturned_report.hpp"

#include <utility>

namespace jtimer::tokio::detail {

using jtimer::detail::Guard;
using jtimer::detail::Mutex;

struct Blocker::State {
    State(Driver& of, const char* call) noexcept : driver(of), report(of, call) {}

    // For the Blocker only: the wakers may outlive the driver.
    Driver& driver;
    UnturnedReport report;

    Mutex mutex;
    bool isWoken JTIMER_GUARDED_BY(mutex) = false;
    jtimer::detail::Condition woken;
};

Blocker::Blocker(const Sleep& sleep, const char* call)
    : state_(std::make_shared<State>(*SleepAccess::entryOf(sleep).driver, call)) {
    state_->driver.requireCanWait();
}

Blocker::Blocker(const TimeDriver& driver, const char* call)
    : state_(std::make_shared<State>(SleepAccess::driverOf(driver), call)),
      parked_(std::make_unique<Sleep>(SleepAccess::make(state_->driver, kNever))) {
    state_->driver.requireCanWait();
    Waker woken = waker();
    state_->driver.park(SleepAccess::entryOf(*parked_), woken);
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
    if (parked_ != nullptr) state_->driver.requireRunning();
    state_->report.begin(state_->driver.enter());
    Guard lock(state_->mutex);
    jtimer::detail::waitReported(state_->report, state_->woken, lock,
                                 [this]()
                                     JTIMER_REQUIRES(state_->mutex) { return state_->isWoken; });
    state_->isWoken = false;
}

}  // namespace jtimer::tokio::detail
