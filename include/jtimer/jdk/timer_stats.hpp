// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <jtimer/detail/compiler.hpp>
#include <jtimer/stats.hpp>

#include <chrono>
#include <cstdint>
#include <iosfwd>

namespace jtimer {

/// What a timer has done since its construction: see Timer::stats(). Every accepted task is
/// accounted for: `scheduled` is the sum of `pending`, `cancelled`, `discarded` and the one-shots
/// that have begun to run.
///
/// `pending` are the tasks in the queue, including cancelled ones that are still there. `cancelled`
/// are those that left the queue before it was emptied. `lateness` is exact while every run takes
/// longer than 2 us.
struct TimerStats : CommonStats {
    std::uint64_t scheduled = 0;  ///< tasks that were accepted
    /// Tasks, including cancelled ones, that were in the queue when Timer::cancel, shutdownNow, the
    /// destructor of a daemon or an exception emptied it.
    std::uint64_t discarded = 0;
    std::uint64_t missed = 0;   ///< runs dropped or merged: see MissedRuns
    std::uint64_t wakeUps = 0;  ///< waits of the timer's thread that have ended
    /// How long the thread was running tasks, on the timer's clock, including the overhead between
    /// back-to-back runs.
    std::chrono::nanoseconds busy{0};
};

/// Prints a readable table, one line for each number, with the percentiles 50, 90, 99 and 99.9 of
/// the lateness.
JTIMER_API std::ostream& operator<<(std::ostream& out, const TimerStats& stats);

}  // namespace jtimer
