// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

namespace jtimer {

/// What becomes of the missed runs of a task at a fixed rate: see Timer::scheduleAtFixedRate. A run
/// is missed when it cannot begin before the next one is due: because a run took longer than a
/// period, the process was stopped or the computer slept. A run that is late by less just begins
/// late.
///
/// With a period of 100 and a first run that takes until 250 (`#`), which misses the runs at 100
/// and 200:
///
///     time    0         100       200       300       400       runs begin at
///     Burst   |#########################||   |         |        0, 250, 250, 300, 400
///     Skip    |#########################     |         |        0, 300, 400
///     Once    |#########################|    |         |        0, 250, 300, 400
enum class MissedRuns {
    /// Makes up for each of them, back to back, as Java does: the count of the runs is kept.
    Burst,
    /// Drops them: the next run is the next that is not in the past. That run is not dropped
    /// however late it begins, so even a tiny period runs at least every other time.
    Skip,
    /// Makes up for all of them by a single run, at once. Its scheduledExecutionTime() is the time
    /// of the last of them.
    Once
};

}  // namespace jtimer
