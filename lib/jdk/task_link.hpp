// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "jdk/rule_times.hpp"
#include "sync/assert.hpp"

#include <jtimer/detail/saturating.hpp>
#include <jtimer/jdk/detail/task_access.hpp>
#include <jtimer/jdk/timer_task.hpp>
#include <jtimer/missed_runs.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

namespace jtimer::detail {

class TimerImpl;

/// Extra state for a task that needs more than a period. It also refers to the timer:
/// TimerTask::cancel() does not know a task's timer, but calls the timer of a linked task.
///
/// It lives as long as the task, and as long as the cancel() that has ended the scheduled state:
/// see leave(). But what it holds of others, its timer and its rule, goes when that state has
/// ended. Why no other thread reads these then:
/// 1. The thread that ends the scheduled state becomes the owner of `timer` and `rule`, because the
///    task's word changes by compare-and-swap: cancel(), or the timer at the only run of a
///    one-shot.
/// 2. The timer reads them only while it holds its monitor, and must have held it since before it
///    found the task scheduled.
/// 3. cancel() enters that monitor after it has ended that state, and only then drops them. So a
///    timer that found the task scheduled earlier has left the monitor by then, and a timer that
///    enters it later finds the task cancelled.
/// 4. If cancel() can no longer get a reference to the timer, the timer's thread, which held one,
///    has ended. But what that thread wrote to `removed` need not be visible yet, since a weak_ptr
///    that finds nothing orders nothing. The list of all timers provides the order: the destructor
///    of a timer first leaves that list under the list's mutex, and cancel() locks that mutex. If
///    cancel() finds the timer in the list, the timer is not destroyed before the mutex is
///    released, and 3. applies. If it does not, the timer has already left, and everything that its
///    thread did is visible. (A different timer found at the same address joined after that, so
///    everything is visible then, too.)
///
/// Aligned so that the address leaves room for the flags of the word.
struct alignas(16) TaskLink : TaskLinkHead {
    /// A run of the task.
    struct Run {
        std::uint64_t number = 0;  ///< from 1, over all runs; 0: unknown
        std::uint64_t missed = 0;  ///< how many were dropped or merged just before it
    };

    /// \param owner the timer; null in tests of the queue
    /// \param times of a task by a rule; for others null
    TaskLink(const std::shared_ptr<TimerImpl>& owner, Nanos signedPeriod,
             MissedRuns missedRuns = MissedRuns::Burst,
             std::shared_ptr<RuleTimes> times = nullptr) noexcept
        : isByRule(times != nullptr), missed(missedRuns), period(signedPeriod), timer(owner),
          address(owner.get()), rule(std::move(times)) {}

    /// Gives a repeating task another period, and keeps its kind; see TaskState.
    /// \param positive the period
    /// \returns false if it does not repeat by a period
    bool setPeriod(Nanos positive) noexcept {
        const Nanos known = period.load(std::memory_order_relaxed);  // its sign never changes
        if (isByRule || known == 0) return false;
        period.store(known < 0 ? -positive : positive, std::memory_order_relaxed);
        return true;
    }

    /// Deletes the link of a cancelled task, on the second call. One comes from the destructor of
    /// the task, the other from the cancel() that has cancelled it: from then on another thread may
    /// drop the last reference to the task, while that cancel() still needs the link.
    void leave() noexcept {
        if (isLeft.exchange(true, std::memory_order_acq_rel)) delete this;
    }

    std::atomic<bool> isLeft{false};
    const bool isByRule;
    const MissedRuns missed;
    /// As in TaskState::scheduledWith(); of a task by a rule, any that is greater than 0. Changed
    /// by setPeriod() on any thread, read by the timer under its monitor: see TaskState.
    std::atomic<Nanos> period;

    // Of a scheduled task: see above.

    std::weak_ptr<TimerImpl> timer;
    /// The same timer as listed among all timers; it may no longer exist.
    const TimerImpl* const address;
    std::shared_ptr<RuleTimes> rule;

    // Guarded by the timer's monitor.

    std::uint64_t runs = 0;     ///< the number of runs begun
    std::uint64_t dropped = 0;  ///< the number of runs dropped since the last one begun
    /// The task's entry in the queue; 0: none, or the queue does not track positions.
    std::size_t position = 0;
    /// The queue's reference to the task, if the task left the queue after it was cancelled and
    /// before cancel() entered the monitor.
    std::shared_ptr<TimerTask> removed;
};

/// Of a linked task.
inline TaskLink& linkOf(TaskState::Word word) noexcept {
    JTIMER_ASSERT(TaskState::isLinked(word));
    return static_cast<TaskLink&>(*TaskState::linkOf(word));
}

/// The period of the task with this word; 0 if the task is not scheduled.
inline Nanos signedPeriodOf(TaskState::Word word) noexcept {
    if (!TaskState::isScheduled(word)) return 0;
    return TaskState::isLinked(word) ? linkOf(word).period.load(std::memory_order_relaxed)
                                     : TaskState::periodOf(word);
}

/// Whether a run of the task depends on the present time, and not only on the time planned for it:
/// true for a fixed delay, which makes the word negative, and for a link, which may need more.
inline bool needsPresentTime(TaskState::Word scheduled) noexcept {
    return scheduled < 0 || TaskState::isLinked(scheduled);
}

}  // namespace jtimer::detail
