// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

namespace jtimer {

/// What happens to the missed runs of a fixed-rate task: see Timer::scheduleAtFixedRate. A run is
/// missed if it cannot begin before the next one is due, because a run took longer than a period,
/// the process was stopped or the computer slept. A run that is less late than that simply begins
/// late.
///
/// With a period of 100 and a first run that lasts until 250 (`#`), which misses the runs at 100
/// and 200:
///
///     time    0         100       200       300       400       runs begin at
///     Burst   |#########################||   |         |        0, 250, 250, 300, 400
///     Skip    |#########################     |         |        0, 300, 400
///     Once    |#########################|    |         |        0, 250, 300, 400
enum class MissedRuns {
    /// Runs them all, back to back, as Java does: the number of runs stays right. Their times are
    /// past, so no task that is due later runs until all have run. If the clock is set forward by a
    /// year, a period of a second is missed 31 million times.
    Burst,
    /// Drops them: the next run is the first that is not in the past. That run is not dropped,
    /// however late it begins, so even with a tiny period at least every other run takes place.
    Skip,
    /// Replaces them by a single run, at once. Its scheduledExecutionTime() is that of the last
    /// missed run.
    Once
};

}  // namespace jtimer
