// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "sync/lock.hpp"
#include "sync/threads.hpp"
#include "sync/wait_report.hpp"

#include <chrono>

namespace jtimer::detail {

/// Waits in five steps of a second. If the wait is not over by then, makes the report. Steps, not
/// one wait of five seconds, because a wait also goes on while the process is stopped: that makes
/// at most one step longer.
/// \param waitFor waits no longer than the span that it is given. \returns whether the wait is over
/// \param lock is released for the report, if it is held
/// \returns whether the wait is over. If not, which it may also say at once because the report has
///   been made before, the caller waits without a limit
template <class WaitFor>
bool waitOrReport(WaitReport& report, Lock& lock, const WaitFor& waitFor) {
    if (report.isMade()) return false;
    for (int step = 0; step < WaitReport::kSteps; ++step)
        if (waitFor(WaitReport::step)) return true;
    const bool isHeld = lock.owns_lock();
    if (isHeld) lock.unlock();
    report.make();
    if (isHeld) lock.lock();
    return false;
}

/// Waits until `isOver()`, which is called with the lock held. Makes the report if that takes long.
template <class IsOver>
void waitReported(WaitReport& report, Condition& changed, Lock& lock, const IsOver& isOver) {
    const bool over = waitOrReport(report, lock, [&](std::chrono::milliseconds step) {
        return changed.wait_for(lock, threads::chrono::milliseconds(step.count()), isOver);
    });
    if (!over) changed.wait(lock, isOver);
}

}  // namespace jtimer::detail
