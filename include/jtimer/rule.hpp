// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <jtimer/time.hpp>

#include <functional>

namespace jtimer {

/// The times of a task of Timer::scheduleBy: a function that returns the first time later than
/// `after`, or Date::max() if there is none. A Cron is a rule; one of your own may know holidays,
/// or the last Friday of a month.
///
/// The first time is `rule(now)`, the next `rule(the time that was due)`. The timer asks one time
/// ahead: twice inside scheduleBy(), on the calling thread; then on its own thread after each run,
/// and once for each time that was missed. No lock is held meanwhile. So a rule cannot depend on
/// the run before: a task that decides its own next time schedules itself, as a new task.
///
/// - A result that is not later than `after` counts as IllegalStateException "A rule must give a
///   later time." thrown by the rule.
/// - What it throws inside scheduleBy() leaves that call. On the timer's thread it counts as thrown
///   by the task: see TimerOptions::onException. If the task goes on, the run that is planned
///   already is its last.
/// - Date::max(): no further run. The task stays scheduled, until it is cancelled.
///
/// **The clock** is the timer's: by default a WallClock, on which times of day make sense. If it is
/// set forward, or the computer sleeps, the times passed over are missed; that is noticed within a
/// minute, for which the timer's thread wakes up each minute. If it is set back, no time comes
/// twice, so up to three hours pass without a run; if by more than three hours, the times are
/// computed anew from the new present.
using Rule = std::function<Date(Date after)>;

}  // namespace jtimer
