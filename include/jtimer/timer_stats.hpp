// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <jtimer/detail/export.hpp>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <iosfwd>

namespace jtimer {

/// How late runs began, counted in powers of two: below 1 us, below 2 us, below 4 us and so on, to
/// an hour and far beyond.
class LatenessHistogram {
  public:
    /// How many runs there were.
    std::uint64_t count() const noexcept {
        std::uint64_t count = 0;
        for (const std::uint64_t each : counts_) count += each;
        return count;
    }

    /// A time that `percent` percent of the runs were not later than: the upper end of the power of
    /// two that holds it, so at most twice too much, or 1 us, and never more than max(). 0 without
    /// a run.
    /// \throws IllegalArgumentException if `percent` is not from 0 to 100
    JTIMER_API std::chrono::nanoseconds percentile(double percent) const;

    /// The latest that was measured, exactly.
    std::chrono::nanoseconds max() const noexcept { return std::chrono::nanoseconds(max_); }

    /// Counts a run that is late by this much, which must not be negative.
    void add(std::chrono::nanoseconds lateness) noexcept {
        const std::int64_t nanos = lateness.count();
        const std::uint64_t micros = static_cast<std::uint64_t>(nanos) / 1000;
        // How many bits `micros` has, without a case of its own for none.
        ++counts_[static_cast<std::size_t>(63 - __builtin_clzll(2 * micros + 1))];
        if (__builtin_expect(nanos > max_, 0) != 0) max_ = nanos;
    }

  private:
    /// As many as the microseconds of any 64 bits have bits, and one for 0.
    static constexpr std::size_t kBuckets = 56;

    /// [i]: those below 2^i us that are not in an earlier one.
    std::array<std::uint64_t, kBuckets> counts_{};
    std::int64_t max_ = 0;
};

/// What a timer has done since its construction: see Timer::stats(). Of every task that was
/// accepted, this tells what has become of it: `scheduled` is the sum of `pending`, `cancelled`,
/// `discarded` and the one-shots that have begun to run.
struct TimerStats {
    /// Tasks in the queue, cancelled ones too, as long as they are there.
    std::uint64_t pending = 0;
    std::uint64_t scheduled = 0;  ///< tasks that were accepted
    std::uint64_t executed = 0;   ///< runs that have begun
    std::uint64_t cancelled = 0;  ///< cancelled tasks that left the queue before it was emptied
    /// Tasks, cancelled ones too, that were in the queue when Timer::cancel, shutdownNow, ~Timer of
    /// a daemon or an exception emptied it.
    std::uint64_t discarded = 0;
    std::uint64_t failed = 0;   ///< runs that an exception has ended
    std::uint64_t missed = 0;   ///< runs dropped or merged: see MissedRuns
    std::uint64_t wakeUps = 0;  ///< waits of the timer's thread that have ended
    /// How long the thread was running tasks, on the timer's clock, with what it does between two
    /// runs of which the second is due when the first ends.
    std::chrono::nanoseconds busy{0};
    /// How long after the times that they were due the runs began, on the timer's clock. Exact; but
    /// where runs of less than 2 us follow each other on a real clock, the time is not read for
    /// each of them, and a lateness may be too low by what the last ones took together: a few
    /// microseconds, or up to a tick of the kernel (1 to 10 ms) if one of them was slow.
    LatenessHistogram lateness;
};

/// A table for people, one line for each number, with the percentiles 50, 90, 99 and 99.9 of the
/// lateness.
JTIMER_API std::ostream& operator<<(std::ostream& out, const TimerStats& stats);

}  // namespace jtimer
