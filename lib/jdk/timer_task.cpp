// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include <jtimer/detail/compiler.hpp>
#include <jtimer/jdk/timer_task.hpp>

#include "jdk/all_timers.hpp"
#include "jdk/task_link.hpp"
#include "jdk/task_names.hpp"
#include "jdk/timer_impl.hpp"

#include <jtimer/exceptions.hpp>

#include <atomic>
#include <memory>
#include <utility>

namespace jtimer {

using detail::AllTimers;
using detail::Nanos;
using detail::TaskLink;
using detail::TaskState;
using detail::TimerImpl;
using detail::unlikely;

namespace {

/// Tells its timer that a linked task, which was scheduled, has been cancelled.
void tellTimer(TimerTask& task, TaskLink& link) {
    const std::shared_ptr<TimerImpl> timer = link.timer.lock();
    const std::shared_ptr<TimerTask> removed =
        timer != nullptr ? timer->taskCancelled(task, link)
                         : AllTimers::taskOfEndedCancelled(link.address, task, link);
    if (removed != nullptr) detail::TaskAccess::release(*removed);
    link.timer.reset();
    link.rule.reset();
}

/// The rest of cancel() for a linked task whose word was `before`. Another thread may have
/// destroyed the task meanwhile.
void finishCancel(TimerTask& task, TaskState::Word before) {
    if ((before & TaskState::CANCELLED) != 0) return;
    TaskLink& link = detail::linkOf(before);
    if (TaskState::isScheduled(before)) tellTimer(task, link);
    link.leave();
}

/// The rest of the destructor for a task whose word was `last`.
void finishTask(const TimerTask& task, TaskState::Word last) noexcept {
    if ((last & TaskState::kNamed) != 0) detail::TaskNames::forget(task);
    if (!TaskState::isLinked(last)) return;
    TaskLink& link = detail::linkOf(last);
    (last & TaskState::CANCELLED) != 0 ? link.leave() : delete &link;
}

}  // namespace

TimerTask::~TimerTask() {
    const TaskState::Word last = jtimerState_.word();
    if ((last & TaskState::kHasMore) != 0) finishTask(*this, last);
}

void TimerTask::jtimerRelease() noexcept {}

bool TimerTask::cancel() {
    const TaskState::Word before = jtimerState_.cancel();
    if (unlikely(TaskState::isLinked(before))) finishCancel(*this, before);
    return TaskState::isScheduled(before);
}

/// Why no run begins after it returns:
/// 1. The task is cancelled. A timer that enters its monitor after that begins no run of it.
/// 2. A timer that entered its monitor earlier, and so may not have seen the cancellation, has
///    recorded the run before it left the monitor.
/// 3. isRunningElsewhere() enters the monitor of each timer after the cancellation. So it finds the
///    run of 2., or there is none.
bool TimerTask::cancelAndWait() {
    const bool answer = cancel();
    if (!isCancelled()) TimerTask::cancel();  // an override may not have called this one
    const auto runner = AllTimers::runnerOf(*this);
    if (runner != nullptr) runner->awaitRunEnd(*this);
    return answer;
}

void TimerTask::setPeriod(TimeSpan period) {
    const Nanos nanos = detail::toNanos(period.value());
    if (nanos <= 0) throw IllegalArgumentException("Non-positive period.");
    const TaskState::Word before = jtimerState_.setPeriod(nanos);
    if ((before & TaskState::CANCELLED) != 0) return;
    const bool repeats = TaskState::isScheduled(before) &&
                         (TaskState::isLinked(before) ? detail::linkOf(before).setPeriod(nanos)
                                                      : TaskState::periodOf(before) != 0);
    if (!repeats) throw IllegalStateException("The task does not repeat.");
}

std::int64_t TimerTask::scheduledExecutionTime() const {
    return jtimerState_.scheduledExecutionTime.load(std::memory_order_relaxed);
}

std::uint64_t TimerTask::missedRuns() const noexcept {
    return detail::TimerThread::missedBefore(*this);
}

bool TimerTask::isScheduled() const noexcept { return TaskState::isScheduled(jtimerState_.word()); }

bool TimerTask::isCancelled() const noexcept { return jtimerState_.isCancelled(); }

const std::string& TimerTask::name() const { return detail::TaskNames::of(*this); }

void TimerTask::setName(std::string name) { detail::TaskNames::set(*this, std::move(name)); }

}  // namespace jtimer
