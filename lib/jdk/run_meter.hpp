// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <jtimer/detail/saturating.hpp>
#include <jtimer/jdk/timer_stats.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace jtimer::detail {

/// Collects the numbers of TimerStats for the timer's thread, and decides when the thread should
/// read the clock for them. Guarded by the timer's monitor.
///
/// An empty run takes 150 ns, an exact reading of the clock 25 ns. To prove a task due, the loop
/// makes do with a cheaper reading, which understates the lateness by some milliseconds. A burst is
/// a series of runs without a wait between them. Its first run gets an exact reading, and after
/// that one run in 1, 2, 4, ..., 64, as long as less than 2 us pass between two readings. A run for
/// which the cheap reading is later than the last exact one also gets an exact reading.
class RunMeter {
  public:
    // The loop and its callers count these.
    std::uint64_t oneShots = 0;  ///< runs of one-shots that have begun
    TimerStats counted;          ///< `cancelled`, `discarded`, `missed` and `wakeUps`

    /// Whether this run, which a cheap reading has proved due, should get an exact one.
    bool wantsReading(Nanos cheap) noexcept { return --untilReading_ == 0 || cheap > lastReading_; }

    /// Records an exact reading, whatever its purpose.
    void noteReading(Nanos now) noexcept {
        constexpr Nanos few = 2000;
        constexpr int most = 64;
        const Nanos since = saturatingSubtract(now, lastReading_);
        stride_ = since < few ? std::min(2 * stride_, most) : since < 2 * few ? stride_ : 1;
        untilReading_ = stride_;
        lastReading_ = now;
    }

    /// \param due when the run should have begun. The last exact reading is no earlier, because a
    ///   cheap reading that is later leads to a new exact one.
    void runBegins(Nanos due) noexcept {
        if (burstBegin_ == kNone) burstBegin_ = lastReading_;
        counted.lateness.add(std::chrono::nanoseconds(lastReading_ - due));
    }

    bool inBurst() const noexcept { return burstBegin_ != kNone; }

    void burstEnds(Nanos now) noexcept {
        busy_ = busyUntil(now);
        burstBegin_ = kNone;
        untilReading_ = stride_ = 1;
    }

    std::uint64_t executed() const noexcept { return counted.lateness.count(); }

    /// \param now the present time; ignored outside of a burst
    TimerStats stats(std::size_t pending, Nanos now) const noexcept {
        TimerStats stats = counted;
        stats.pending = pending;
        stats.scheduled = pending + oneShots + stats.cancelled + stats.discarded;
        stats.executed = executed();
        stats.busy = std::chrono::nanoseconds(busyUntil(now));
        return stats;
    }

  private:
    static constexpr Nanos kNone = std::numeric_limits<Nanos>::min();

    /// Never decreases, even if the clock has been set back.
    Nanos busyUntil(Nanos now) const noexcept {
        if (!inBurst() || now < burstBegin_) return busy_;
        return saturatingAdd(busy_, saturatingSubtract(now, burstBegin_));
    }

    Nanos busy_ = 0;
    Nanos burstBegin_ = kNone;
    Nanos lastReading_ = kNone;
    int stride_ = 1, untilReading_ = 1;
};

}  // namespace jtimer::detail
