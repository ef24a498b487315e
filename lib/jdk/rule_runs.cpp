// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.

// What a TimerThread does for tasks by a rule only.
#include "jdk/timer_thread.hpp"

namespace jtimer::detail {

namespace {

/// By how much the clock must be set back for the times of rules to be computed anew. Below that,
/// it was corrected, or set for another zone, and no time is to come twice: the limit of cron.
constexpr Nanos kFarBack = Nanos{3} * 3600 * 1'000'000'000;

}  // namespace

/// If the rule of the head task, which is due, must be asked before the task can run, begins a run
/// that does only that: so cancelAndWait() waits for it, and what it throws is the task's. The task
/// stays where it is in the queue.
bool TimerThread::askFirst(const Lock& lock, TaskLink& link, Nanos now) noexcept {
    JTIMER_ASSERT(monitor_.isHeldBy(lock));
    link.rule->setReadAt(now);
    state_.noteRuleReading(now);
    if (!link.rule->mustBeAsked(now, link.missed != MissedRuns::Burst)) return false;
    rule_ = link.rule;
    isExtended_ = asksOnly_ = true;
    state_.run.begin(lock, state_.queue.getMinReference(), {link.runs + 1, 0});
    return true;
}

/// If the clock has been set back so far that it was probably wrong before, as at boot, lets the
/// times of rules be computed anew: such a task is due at once, and then its rule is asked.
bool TimerThread::computeAnewIfSetBack(const Lock& lock, Nanos now) noexcept {
    JTIMER_ASSERT(monitor_.isHeldBy(lock));
    if (saturatingSubtract(state_.ruleReading, now) <= kFarBack) return false;
    state_.ruleReading = now;
    state_.queue.reschedule(now, [now](TimerTask& task) {
        const TaskState::Word word = stateOf(task).word();
        if (!TaskState::isScheduled(word) || !TaskState::isLinked(word)) return false;
        if (!linkOf(word).isByRule) return false;
        RuleTimes& times = *linkOf(word).rule;
        if (saturatingSubtract(times.readAt(), now) <= kFarBack) return false;
        times.setStale();
        return true;
    });
    return true;
}

}  // namespace jtimer::detail
