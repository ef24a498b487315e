// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <jtimer/detail/export.hpp>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <iosfwd>

namespace jtimer {

/// How late runs began, as a histogram in powers of two: below 1 us, below 2 us, below 4 us and so
/// on, to far beyond an hour.
class LatenessHistogram {
  public:
    /// The number of runs.
    std::uint64_t count() const noexcept {
        std::uint64_t count = 0;
        for (const std::uint64_t each : counts_) count += each;
        return count;
    }

    /// A lateness that `percent` percent of the runs did not exceed. It is the upper end of a
    /// bucket of the histogram: at most twice the exact percentile, or 1 us, and never more than
    /// max(). 0 without a run.
    /// \throws IllegalArgumentException if `percent` is not from 0 to 100
    JTIMER_API std::chrono::nanoseconds percentile(double percent) const;

    /// The greatest lateness, exactly.
    std::chrono::nanoseconds max() const noexcept { return std::chrono::nanoseconds(max_); }

    /// Counts a run with this lateness, which must not be negative.
    void add(std::chrono::nanoseconds lateness) noexcept {
        const std::int64_t nanos = lateness.count();
        const std::uint64_t micros = static_cast<std::uint64_t>(nanos) / 1000;
        // The number of bits of `micros`, without a special case for 0.
        ++counts_[static_cast<std::size_t>(63 - __builtin_clzll(2 * micros + 1))];
        if (__builtin_expect(nanos > max_, 0) != 0) max_ = nanos;
    }

  private:
    /// One for each number of bits that 64-bit nanoseconds have in microseconds, and one for 0.
    static constexpr std::size_t kBuckets = 56;

    /// [i]: runs that were late by less than 2^i us and are not in an earlier bucket.
    std::array<std::uint64_t, kBuckets> counts_{};
    std::int64_t max_ = 0;
};

/// What a timer has done since its construction: see Timer::stats(). Every accepted task is
/// accounted for: `scheduled` is the sum of `pending`, `cancelled`, `discarded` and the one-shots
/// that have begun to run.
struct TimerStats {
    /// Tasks in the queue, including cancelled ones that are still there.
    std::uint64_t pending = 0;
    std::uint64_t scheduled = 0;  ///< tasks that were accepted
    std::uint64_t executed = 0;   ///< runs that have begun
    std::uint64_t cancelled = 0;  ///< cancelled tasks that left the queue before it was emptied
    /// Tasks, including cancelled ones, that were in the queue when Timer::cancel, shutdownNow, the
    /// destructor of a daemon or an exception emptied it.
    std::uint64_t discarded = 0;
    std::uint64_t failed = 0;   ///< runs that ended with an exception
    std::uint64_t missed = 0;   ///< runs dropped or merged: see MissedRuns
    std::uint64_t wakeUps = 0;  ///< waits of the timer's thread that have ended
    /// How long the thread was running tasks, on the timer's clock, including the overhead between
    /// back-to-back runs.
    std::chrono::nanoseconds busy{0};
    /// How late the runs began, on the timer's clock. Exact, with one exception: on a real clock
    /// the timer does not read the time for each of several runs in a row that take less than 2 us.
    /// A lateness may then be too low by the time that the last runs took: a few microseconds, or
    /// up to a tick of the kernel (1 to 10 ms) if one of them was slow.
    LatenessHistogram lateness;
};

/// Prints a readable table, one line for each number, with the percentiles 50, 90, 99 and 99.9 of
/// the lateness.
JTIMER_API std::ostream& operator<<(std::ostream& out, const TimerStats& stats);

}  // namespace jtimer
