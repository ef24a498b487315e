// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include <jtimer/clock.hpp>

#include "clock/span_wait.hpp"
#include "clock/system_time.hpp"
#include "clock/waiter.hpp"

#include <typeinfo>

namespace jtimer {

using detail::kNever;
using detail::Lock;
using detail::Nanos;
using detail::saturatingSubtract;
using detail::steadyNanos;
using detail::wallNanos;

namespace {

/// Waits for the difference between the deadline and the present time. Java's Object.wait(timeout)
/// does the same: with a clock that can be set, this determines the results of J116 and J117.
class RelativeWaiter : public detail::Waiter {
  public:
    void waitUntil(Lock& lock, Nanos deadline, Nanos now) override {
        wait_.wait(lock, deadline == kNever ? kNever : saturatingSubtract(deadline, now));
    }
    void notify() override { wait_.notify(); }
    Nanos settlingTime() const noexcept override { return detail::kNanosPerMilli; }

  private:
    detail::SpanWait wait_;
};

/// For WallClock itself, not for a class that a user has derived from it.
class WallWaiter final : public RelativeWaiter {
  public:
#if defined(__linux__)
    Nanos reached() const noexcept override { return detail::coarseWallNanos(); }
#endif
    bool wakesLate() const noexcept override { return true; }
};

class SteadyWaiter final : public RelativeWaiter {
  public:
    explicit SteadyWaiter(Nanos offset) : offset_(offset) {}

#if defined(__linux__)
    Nanos reached() const noexcept override { return detail::coarseSteadyNanos() + offset_; }
#endif
    bool canBeSetForward() const noexcept override { return false; }
    bool wakesLate() const noexcept override { return true; }

  private:
    [[maybe_unused]] const Nanos offset_;  // used on Linux
};

}  // namespace

Clock::~Clock() = default;

WallClock::WallClock() = default;
WallClock::~WallClock() = default;

std::int64_t WallClock::nanos() const { return wallNanos(); }

std::shared_ptr<detail::Waiter> WallClock::makeWaiter() const {
    if (typeid(*this) == typeid(WallClock)) return std::make_shared<WallWaiter>();
    return std::make_shared<RelativeWaiter>();
}

SteadyClock::SteadyClock() : offset_(wallNanos() - steadyNanos()) {}
SteadyClock::~SteadyClock() = default;

std::int64_t SteadyClock::nanos() const { return steadyNanos() + offset_; }

std::shared_ptr<detail::Waiter> SteadyClock::makeWaiter() const {
    return std::make_shared<SteadyWaiter>(offset_);
}

}  // namespace jtimer
