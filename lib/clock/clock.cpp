// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include <jtimer/clock.hpp>

#include "base/condition.hpp"

#include <boost/chrono/duration.hpp>
#include <boost/thread/condition_variable.hpp>

#include <algorithm>

namespace jtimer {

namespace {

template <class StdClock>
Nanos nanosOf() {
    const auto sinceEpoch = StdClock::now().time_since_epoch();
    return std::chrono::duration_cast<std::chrono::nanoseconds>(sinceEpoch).count();
}

/// Waits for the difference between the deadline and the present time, on the monotonic clock,
/// which Boost.Thread uses for a wait of a given length. So does Object.wait(timeout) in Java: with
/// a clock that can be set, this is what makes J116 and J117 come out as they do.
class RelativeCondition final : public Condition {
  public:
    explicit RelativeCondition(const Clock& clock) : clock_(clock) {}

    void waitUntil(Lock& monitor, Nanos deadline) override {
        if (deadline == kNever) {
            notified_.wait(monitor);
            return;
        }
        const Nanos left = deadline - clock_.nanos();
        if (left > 0)
            notified_.wait_for(monitor, boost::chrono::nanoseconds(std::min(left, kLongest)));
    }

    void notify() override { notified_.notify_one(); }

    Nanos settlingTime() const noexcept override { return detail::kNanosPerMilli; }

  private:
    /// A hundred years. The wait adds its length to the monotonic clock, and the sum must not
    /// overflow.
    static constexpr Nanos kLongest = Nanos{100} * 365 * 86'400 * 1'000'000'000;

    const Clock& clock_;
    boost::condition_variable notified_;
};

}  // namespace

Clock::~Clock() = default;

WallClock::WallClock() = default;
WallClock::~WallClock() = default;

std::int64_t WallClock::nanos() const { return nanosOf<std::chrono::system_clock>(); }

std::unique_ptr<Condition> WallClock::makeCondition() const {
    return std::make_unique<RelativeCondition>(*this);
}

SteadyClock::SteadyClock()
    : offset_(nanosOf<std::chrono::system_clock>() - nanosOf<std::chrono::steady_clock>()) {}
SteadyClock::~SteadyClock() = default;

std::int64_t SteadyClock::nanos() const { return nanosOf<std::chrono::steady_clock>() + offset_; }

std::unique_ptr<Condition> SteadyClock::makeCondition() const {
    return std::make_unique<RelativeCondition>(*this);
}

}  // namespace jtimer
