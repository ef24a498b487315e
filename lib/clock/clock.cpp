// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include <jtimer/clock.hpp>

#include "clock/waiter.hpp"

#include <boost/chrono/duration.hpp>
#include <boost/thread/condition_variable.hpp>

#include <algorithm>
#include <ctime>
#include <typeinfo>

namespace jtimer {

using detail::kLongAgo;
using detail::kNever;
using detail::Lock;
using detail::Nanos;
using detail::saturatingAdd;
using detail::saturatingSubtract;

namespace {

#if defined(__linux__)
Nanos nanosOf(clockid_t id) noexcept {
    timespec time{};
    clock_gettime(id, &time);
    return Nanos{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

// What std::chrono's clocks read. By way of the C++ library it takes 2 ns more, of 25.
Nanos wallNanos() noexcept { return nanosOf(CLOCK_REALTIME); }
Nanos steadyNanos() noexcept { return nanosOf(CLOCK_MONOTONIC); }
#else
template <class StdClock>
Nanos nanosOf() {
    const auto sinceEpoch = StdClock::now().time_since_epoch();
    return std::chrono::duration_cast<std::chrono::nanoseconds>(sinceEpoch).count();
}

Nanos wallNanos() { return nanosOf<std::chrono::system_clock>(); }
Nanos steadyNanos() { return nanosOf<std::chrono::steady_clock>(); }
#endif

/// Waits for the difference between the deadline and the present time, on the monotonic clock,
/// which Boost.Thread uses for a wait of a given length. So does Object.wait(timeout) in Java: with
/// a clock that can be set, this is what makes J116 and J117 come out as they do.
class RelativeWaiter : public detail::Waiter {
  public:
    void waitUntil(Lock& lock, Nanos deadline, Nanos now) override {
        if (deadline == kNever) {
            notified_.wait(lock);
        } else {
            const Nanos span = std::min(saturatingSubtract(deadline, now), kLongest);
            notified_.wait_for(lock, boost::chrono::nanoseconds(span));
        }
    }

    void notify() override { notified_.notify_one(); }

    Nanos settlingTime() const noexcept override { return detail::kNanosPerMilli; }

  private:
    /// Thirty years. The wait adds its length to the monotonic clock, and the sum must not
    /// overflow, nor its seconds where time_t has 32 bits.
    static constexpr Nanos kLongest = Nanos{30} * 365 * 86'400 * 1'000'000'000;

    boost::condition_variable notified_;
};

#if defined(__linux__)
/// Reads the clock `id`, CLOCK_REALTIME_COARSE or CLOCK_MONOTONIC_COARSE, for a third of what the
/// exact clock costs.
///
/// What it proves: the coarse clock shows what the exact one showed at the last tick of the kernel,
/// and when somebody sets the clock, both are set in one step. So at any moment it is at or behind
/// the exact clock, by some milliseconds, and what it has reached, the exact clock has reached.
Nanos coarseNanos(clockid_t id) noexcept { return nanosOf(id); }
#endif

/// For the computer's own clock, not for one that a user has derived from it.
class WallWaiter final : public RelativeWaiter {
  public:
#if defined(__linux__)
    Nanos reached() const noexcept override { return coarseNanos(CLOCK_REALTIME_COARSE); }
#endif
    bool wakesLate() const noexcept override { return true; }
};

class SteadyWaiter final : public RelativeWaiter {
  public:
    explicit SteadyWaiter(Nanos offset) : offset_(offset) {}

#if defined(__linux__)
    Nanos reached() const noexcept override {
        return coarseNanos(CLOCK_MONOTONIC_COARSE) + offset_;
    }
#endif
    bool canBeSetForward() const noexcept override { return false; }
    bool wakesLate() const noexcept override { return true; }

  private:
    const Nanos offset_;
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
