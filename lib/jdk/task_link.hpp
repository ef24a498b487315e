// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <jtimer/detail/saturating.hpp>
#include <jtimer/detail/task_access.hpp>
#include <jtimer/missed_runs.hpp>
#include <jtimer/timer_task.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

namespace jtimer::detail {

class AmongAllTimers;
class TimerThread;

/// What a timer keeps about a scheduled task for which a period of 18 years at most is not enough,
/// and the task's way back to its timer: TimerTask::cancel() knows no timer, but a task that is
/// linked makes it come by.
///
/// The timer reads the link in its task while another thread may cancel the task, and then the link
/// must go. Why nobody reads a link that is gone:
/// 1. Whoever takes the link's address out of the task's word owns the link, and nobody else does:
///    the word is changed by atomic exchanges. cancel() does, or the timer at the only run of a
///    one-shot, or the task's destructor.
/// 2. The timer reads a link only with its monitor held since before it found the address in the
///    word.
/// 3. cancel() enters that monitor after it took the address out, and deletes the link after that.
///    So a timer that found the address before has left the monitor by then, and one that enters it
///    later does not find the address.
/// 4. If cancel() can get no reference to the timer any more, the timer's thread has ended: it had
///    one. But what that thread wrote in the link, `removed`, need not be visible yet, since a
///    weak_ptr that finds nothing orders nothing. The list of all timers does: the destructor of a
///    timer first leaves that list, under its mutex. cancel() takes the mutex. If it finds the
///    timer in the list, the timer is not destroyed before the mutex is free, and 3. applies. If it
///    does not, the timer has left before, and all that its thread did is visible. (Another timer
///    at the same address joined after that, so to find it means the same.)
///
/// Aligned so that the address leaves room for the flags of the word.
struct alignas(16) TaskLink {
    /// A run of the task.
    struct Run {
        std::uint64_t number = 0;  ///< from 1, over all runs; 0: unknown
        std::uint64_t missed = 0;  ///< how many were dropped or merged just before it
    };

    /// \param owner the timer; a test of the queue needs none
    TaskLink(const std::shared_ptr<TimerThread>& owner, Nanos signedPeriod,
             MissedRuns missedRuns = MissedRuns::Burst) noexcept;

    const std::weak_ptr<TimerThread> timer;
    /// The same timer, which may be gone, among all of them.
    const AmongAllTimers* const address;
    /// As in TaskState::scheduledWith().
    const Nanos period;
    const MissedRuns missed;

    // Guarded by the timer's monitor.

    std::uint64_t runs = 0;     ///< how many have begun
    std::uint64_t dropped = 0;  ///< how many have been dropped since the last of them
    /// Which entry of the queue the task is; 0: none, or the queue keeps no track.
    std::size_t position = 0;
    /// The queue's reference to the task, if that left the queue between its cancellation and the
    /// moment when cancel() comes by for it.
    std::shared_ptr<TimerTask> removed;
};

/// The period in the word of a task. 0 if the task is not scheduled. Of a linked task, the monitor
/// must have been held since before the word was read.
inline Nanos signedPeriodOf(TaskState::Word word) noexcept {
    if ((word & TaskState::kScheduled) == 0) return 0;
    return TaskState::isLinked(word) ? TaskState::linkOf(word)->period : TaskState::periodOf(word);
}

/// Whether a run of the task depends on the present time, and not only on its own: a fixed delay,
/// which makes the word negative, or a link that may ask for more.
inline bool needsPresentTime(TaskState::Word scheduled) noexcept {
    return scheduled < 0 || TaskState::isLinked(scheduled);
}

/// The rest of TimerTask::cancel() for a task whose word was `before`, with a flag that needs it.
/// \returns what cancel() does
bool finishCancel(TimerTask& task, TaskState::Word before);

/// The rest of TimerTask's destructor for such a task.
void finishTask(TimerTask& task, TaskState::Word last) noexcept;

}  // namespace jtimer::detail
