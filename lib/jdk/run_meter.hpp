// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <jtimer/detail/saturating.hpp>
#include <jtimer/timer_stats.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <limits>

namespace jtimer::detail {

/// The numbers of TimerStats, as the timer's thread collects them, and when it should read the
/// clock for them. Guarded by the timer's monitor.
///
/// A run of nothing takes 150 ns, and an exact reading of the clock 25. The loop makes do with a
/// cheaper one that proves a task due, which says by some milliseconds too little how late it is.
/// So the first run of a burst, runs that follow each other without a wait, gets an exact reading,
/// and then one run in 1, 2, 4, ..., 64, as long as what lies between two readings takes less than
/// 2 us. So does a run for which the cheap reading has overtaken the last exact one.
class RunMeter {
  public:
    // Counted by the loop and its callers.
    std::uint64_t oneShots = 0;  ///< runs of one-shots that have begun
    std::uint64_t cancelled = 0, discarded = 0, failed = 0, missed = 0, wakeUps = 0;

    /// Whether this run deserves an exact reading, where a cheap one has proved it due.
    bool wantsReading(Nanos cheap) noexcept { return --untilReading_ == 0 || cheap > lastReading_; }

    /// An exact reading was made, for this or for any other purpose.
    void noteReading(Nanos now) noexcept {
        constexpr Nanos few = 2000;
        constexpr int most = 64;
        const Nanos since = saturatingSubtract(now, lastReading_);
        stride_ = since < few ? std::min(2 * stride_, most) : since < 2 * few ? stride_ : 1;
        untilReading_ = stride_;
        lastReading_ = now;
    }

    /// The clock is read exactly every time.
    void noteExact(Nanos now) noexcept { lastReading_ = now; }

    /// \param due when the run should have begun; the last reading is not before that, as a cheap one
    ///   that is ahead of it leads to another
    void runBegins(Nanos due) noexcept {
        if (burstBegin_ == kNone) burstBegin_ = lastReading_;
        lateness_.add(std::chrono::nanoseconds(lastReading_ - due));
    }

    bool inBurst() const noexcept { return burstBegin_ != kNone; }

    void burstEnds(Nanos now) noexcept {
        busy_ = busyUntil(now);
        burstBegin_ = kNone;
        untilReading_ = stride_ = 1;
    }

    std::uint64_t executed() const noexcept { return lateness_.count(); }

    /// \param now the present time; while no burst is going on it does not matter
    TimerStats stats(std::size_t pending, Nanos now) const noexcept {
        TimerStats stats;
        stats.pending = pending;
        stats.scheduled = pending + oneShots + cancelled + discarded;
        stats.executed = executed();
        stats.cancelled = cancelled;
        stats.discarded = discarded;
        stats.failed = failed;
        stats.missed = missed;
        stats.wakeUps = wakeUps;
        stats.busy = std::chrono::nanoseconds(busyUntil(now));
        stats.lateness = lateness_;
        return stats;
    }

  private:
    static constexpr Nanos kNone = std::numeric_limits<Nanos>::min();

    /// Not less than before, if somebody has set the clock back.
    Nanos busyUntil(Nanos now) const noexcept {
        if (!inBurst() || now < burstBegin_) return busy_;
        return saturatingAdd(busy_, saturatingSubtract(now, burstBegin_));
    }

    LatenessHistogram lateness_;
    Nanos busy_ = 0;
    Nanos burstBegin_ = kNone;
    Nanos lastReading_ = kNone;
    int stride_ = 1, untilReading_ = 1;
};

}  // namespace jtimer::detail
