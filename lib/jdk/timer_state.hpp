// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "clock/waiter.hpp"
#include "jdk/current_run.hpp"
#include "jdk/queue_sweep.hpp"
#include "jdk/rule_times.hpp"
#include "jdk/run_meter.hpp"
#include "jdk/task_queue.hpp"
#include "sync/assert.hpp"
#include "sync/lock.hpp"

#include <jtimer/jdk/timer_options.hpp>

#include <algorithm>
#include <memory>
#include <utility>

namespace jtimer::detail {

/// What the thread of a timer and its callers share, as TimerThread and Timer of the JDK share the
/// queue. All but the options is guarded by the timer's monitor; of the current run, what
/// CurrentRun says.
struct TimerState {
    TimerState(TimerOptions given, Nanos givenTolerance)
        : options(std::move(given)), tolerance(givenTolerance),
          queue(TaskQueue::Extended{options.ties == Ties::Fifo, options.removeOnCancel}) {}

    const TimerOptions options;
    const Nanos tolerance;
    TaskQueue queue;
    /// What a purge has left of its sweep while it is outside of the monitor, or null. It is on
    /// the stack of the thread that purges.
    QueueSweep* sweep = nullptr;
    /// False once the timer has been cancelled, or nothing can refer to it any more.
    bool newTasksMayBeScheduled = true;
    RunMeter meter;
    CurrentRun run;
    /// The tasks by a rule have the other references.
    const std::shared_ptr<const RuleTask> ruleTasks = std::make_shared<RuleTask>();
    /// The latest time that the clock has shown when the times of such a task were computed.
    Nanos ruleReading = kLongAgo;

    bool hasRuleTasks() const noexcept { return ruleTasks.use_count() > 1; }
    void noteRuleReading(Nanos now) noexcept { ruleReading = std::max(ruleReading, now); }

    /// When the thread wakes up for a task that is due at this time: with a tolerance, at the next
    /// multiple of it.
    Nanos wakeUpFor(Nanos time) const noexcept {
        if (tolerance == 0) return time;
        const Nanos past = time % tolerance;  // no task's time lies before 1970
        return past == 0 ? time : saturatingAdd(time, tolerance - past);
    }

    /// Lets no more tasks be scheduled. \returns the queued ones, which must be destroyed outside
    /// of the monitor
    TaskQueue stopAccepting(const Lock& lock) noexcept {
        JTIMER_ASSERT(lock.owns_lock());
        newTasksMayBeScheduled = false;
        meter.counted.discarded += queue.size();
        queue.forgetLinks();
        return std::move(queue);
    }
};

}  // namespace jtimer::detail
