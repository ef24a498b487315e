// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <jtimer/detail/compiler.hpp>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>

namespace jtimer {

namespace detail {
class LatenessCounter;
}

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
    std::chrono::nanoseconds(max)() const noexcept { return std::chrono::nanoseconds(max_); }

    /// Counts a run with this lateness, which must not be negative.
    void add(std::chrono::nanoseconds lateness) noexcept {
        const std::int64_t nanos = lateness.count();
        ++counts_[bucketOf(nanos)];
        if (detail::unlikely(nanos > max_)) max_ = nanos;
    }

    /// Counts the runs of another histogram too.
    void add(const LatenessHistogram& other) noexcept {
        for (std::size_t i = 0; i < kBuckets; ++i) counts_[i] += other.counts_[i];
        if (other.max_ > max_) max_ = other.max_;
    }

  private:
    friend class detail::LatenessCounter;

    /// One for each number of bits that 64-bit nanoseconds have in microseconds, and one for 0.
    static constexpr std::size_t kBuckets = 56;

    static std::size_t bucketOf(std::int64_t nanos) noexcept {
        const std::uint64_t micros = static_cast<std::uint64_t>(nanos) / 1000;
        // The number of bits of `micros`, without a special case for 0.
        return static_cast<std::size_t>(detail::highestBit(2 * micros + 1));
    }

    /// [i]: runs that were late by less than 2^i us and are not in an earlier bucket.
    std::array<std::uint64_t, kBuckets> counts_{};
    std::int64_t max_ = 0;
};

/// What every timer counts. Each has a type derived from this one, which adds what only that timer
/// has and says what counts as a task and as a run there.
///
/// The numbers are exact while no other call is in progress and the timer's thread is idle or
/// inside a run. Otherwise they may be behind by what is happening at that moment.
struct CommonStats {
    std::size_t pending = 0;      ///< tasks in the timer that still have to run, or to run again
    std::uint64_t executed = 0;   ///< runs that have begun, or were handed to an executor
    std::uint64_t cancelled = 0;  ///< tasks that left the timer because they were cancelled
    std::uint64_t failed = 0;     ///< runs that ended with an exception, or an executor refused
    /// How late the executed runs began, on the timer's clock, counted from the time that was asked
    /// for, even if that had passed when the task was accepted. Exact on a ManualClock. On a real
    /// clock the timer does not read the time for each of several runs in a row: a lateness may
    /// then be too low by the time that the last runs took: a few microseconds, or up to a tick of
    /// the kernel (1 to 10 ms) or the length of a slow run among them.
    LatenessHistogram lateness;
};

}  // namespace jtimer
