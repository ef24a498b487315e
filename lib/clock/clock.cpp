// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include <jtimer/clock.hpp>

#include "clock/system_time.hpp"
#include "clock/waiter.hpp"
#include "sync/assert.hpp"

#include <boost/chrono/duration.hpp>
#include <boost/thread/condition_variable.hpp>
#include <boost/thread/mutex.hpp>

#include <algorithm>
#include <typeinfo>

namespace jtimer {

using detail::kNever;
using detail::Lock;
using detail::Nanos;
using detail::saturatingSubtract;
using detail::steadyNanos;
using detail::wallNanos;

namespace {

/// Waits for the difference between the deadline and the present time, on the monotonic clock,
/// which Boost.Thread uses for a wait of a given length. Java's Object.wait(timeout) does the same:
/// with a clock that can be set, this determines the results of J116 and J117.
class RelativeWaiter : public detail::Waiter {
  public:
    void waitUntil(Lock& lock, Nanos deadline, Nanos now) override {
        JTIMER_ASSERT(lock.owns_lock());
        boost::unique_lock<boost::mutex> going(going_);
        lock.unlock();
        if (deadline == kNever) {
            notified_.wait(going);
        } else {
            const Nanos span = std::min(saturatingSubtract(deadline, now), kLongest);
            notified_.wait_for(going, boost::chrono::nanoseconds(span));
        }
        going.unlock();
        lock.lock();
    }

    /// The thread is marked as waiting, but may not have begun to wait. Locking going_ ensures that
    /// it has.
    void notify() override {
        going_.lock();
        going_.unlock();
        notified_.notify_one();
    }

    Nanos settlingTime() const noexcept override { return detail::kNanosPerMilli; }

  private:
    /// Thirty years. The wait adds its length to the monotonic clock, and neither the sum nor, if
    /// time_t has 32 bits, its seconds may overflow.
    static constexpr Nanos kLongest = Nanos{30} * 365 * 86'400 * 1'000'000'000;

    /// Held by the thread from when it is marked as waiting until it waits.
    boost::mutex going_;
    boost::condition_variable notified_;
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
