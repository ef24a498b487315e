// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "jdk/timer_impl.hpp"

#include "clock/manual_time.hpp"
#include "jdk/task_names.hpp"
#include "sync/reported_wait.hpp"
#include "sync/uninterruptible.hpp"
#include "thread/uncaught_exception.hpp"

#include <jtimer/exceptions.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <exception>
#include <future>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace jtimer::detail {

void TimerImpl::start() {
    thread_.start(shared_from_this());
    AllTimers::add(*this);  // before any task can be scheduled
}

void TimerImpl::schedule(const std::shared_ptr<TimerTask>& task, const Schedule& schedule) {
    std::unique_ptr<TaskLink> link;
    if (needsLink(schedule)) {
        link = std::make_unique<TaskLink>(shared_from_this(), schedule.period, schedule.missed,
                                          schedule.rule);
    }
    Lock lock = thread_.enter();
    if (!thread_.state().newTasksMayBeScheduled) {
        if (thread_.isCurrent()) throw RefusedTask();
        throw IllegalStateException("Timer already cancelled.");
    }
    if (task == nullptr) throw NullPointerException("task cannot be null");
    if (thread_.state().options.maxPending != 0 &&
        thread_.state().queue.size() >= thread_.state().options.maxPending) {
        throw RejectedExecutionException("Number of pending tasks (" +
                                         std::to_string(thread_.state().queue.size()) +
                                         ") is greater than or equal to maximum allowed pending "
                                         "tasks (" +
                                         std::to_string(thread_.state().options.maxPending) + ')');
    }
    thread_.state().queue.reserveOne();  // can fail, so call it before the first change
    TaskState& state = stateOf(*task);
    const TaskState::Word scheduled = link == nullptr ? TaskState::scheduledWith(schedule.period)
                                                      : TaskState::scheduledWith(link.get());
    if (!(schedule.ofNewTask ? state.startScheduleOfNew(scheduled)
                             : state.startSchedule(scheduled))) {
        throw IllegalStateException("Task already scheduled or cancelled");
    }
    state.scheduledExecutionTime.store(schedule.scheduledExecutionTime, std::memory_order_relaxed);
    if (link != nullptr && link->rule != nullptr)
        thread_.state().noteRuleReading(link->rule->readAt());
    thread_.state().queue.add(task, schedule.time,
                              link.release());  // from now on the task owns the link
    if (&thread_.state().queue.getMin() == task.get())
        thread_.monitor().leaveAndWakeFor(lock, thread_.state().wakeUpFor(schedule.time));
}

std::size_t TimerImpl::purge() {
    // These outlive the lock, so what they hold is destroyed outside of it.
    QueueSweep sweep;
    TasksToDestroy batch;
    Lock lock = thread_.enter();
    sweep.begin(thread_.state().queue);
    while (sweep.isUnderWay()) {
        thread_.state().meter.counted.cancelled += sweep.takeBatch(thread_.state().queue, batch);
        thread_.state().sweep = sweep.isUnderWay() ? &sweep : nullptr;
        lock.unlock();
        batch.destroyAll();
        thread_.monitor().enter(lock);
    }
    return sweep.count();
}

void TimerImpl::cancel() {
    Lock lock = thread_.enter();
    const TaskQueue discarded = thread_.state().stopAccepting(lock);
    thread_.monitor().leaveAndWake(lock);
}

std::vector<std::shared_ptr<TimerTask>> TimerImpl::shutdownNow() {
    std::vector<std::shared_ptr<TimerTask>> discarded;
    Lock lock = thread_.enter();
    discarded.reserve(thread_.state().queue.size());
    TaskQueue queue = thread_.state().stopAccepting(lock);
    thread_.monitor().leaveAndWake(lock);
    while (!queue.empty()) {
        std::shared_ptr<TimerTask> task = queue.removeMin();
        if (task->TimerTask::cancel()) discarded.push_back(std::move(task));
    }
    return discarded;
}

TimerStats TimerImpl::stats() {
    const Lock lock = thread_.enter();
    TimerStats stats =
        thread_.state().meter.stats(thread_.state().queue.size(),
                                    thread_.state().meter.inBurst() ? thread_.monitor().now() : 0);
    stats.failed = thread_.failedRuns();
    return stats;
}

bool TimerImpl::awaitEnd(Nanos timeout) {
    if (thread_.isCurrent())
        throw IllegalStateException("A timer's thread cannot wait for its own end.");
    // Longer than any process lives, yet short enough to be added to the time of any clock.
    constexpr Nanos longest = Nanos{30} * 365 * 86'400 * 1'000'000'000;
    const std::chrono::nanoseconds time(std::clamp(timeout, Nanos{0}, longest));
    return thread_.own().awaitEnd(std::chrono::ceil<std::chrono::milliseconds>(time));
}

std::shared_ptr<TimerTask> TimerImpl::taskCancelled(TimerTask& task, TaskLink& link) {
    std::shared_ptr<TimerTask> removed;  // outlives the lock
    Lock lock = thread_.monitor().enterUnlessForked(thread_.own());
    if (!lock.owns_lock()) return nullptr;
    thread_.finishSweep(lock);
    removed = std::move(link.removed);
    if (link.position != 0) {
        removed = thread_.state().queue.remove(link.position);
        ++thread_.state().meter.counted.cancelled;
    }
    const bool isInside =
        removed != nullptr && thread_.state().run.leaveReleaseIfInside(lock, task);
    // If no tasks are accepted, the thread may be waiting for this task only.
    if (!thread_.state().newTasksMayBeScheduled) {
        thread_.monitor().leaveAndWake(lock);
    } else {
        lock.unlock();
    }
    return isInside ? nullptr : std::move(removed);
}

bool TimerImpl::isRunningElsewhere(const TimerTask& task) {
    if (thread_.isCurrent() || thread_.isOfAnotherProcess()) return false;
    const Lock lock = thread_.monitor().enter();
    return thread_.state().run.identity(lock) == &task;
}

void TimerImpl::awaitRunEnd(const TimerTask& task) {
    const Uninterruptible uninterruptible;
    WaitReportOf report([&] {
        return WaitReport::sentence(&thread_.title(), "cancelAndWait()",
                                    WaitReport::forRun(TaskNames::inReport(&task)));
    });
    Lock lock = thread_.monitor().enter();
    thread_.state().run.awaitEnd(lock, task, report);
}

void TimerImpl::close(bool discardTasks) noexcept {
    thread_.close([&] {
        if (discardTasks) {
            cancel();
        } else {
            Lock lock = thread_.monitor().enter();
            thread_.state().newTasksMayBeScheduled = false;
            thread_.monitor().leaveAndWake(
                lock);  // it may wait without a limit, or for a cancelled task
        }
        if (detached_.load(std::memory_order_relaxed)) return thread_.own().letGo();
        if (!thread_.isCurrent()) awaitThreadEnd();
        thread_.own().finish();
    });
}

std::uint64_t TimerImpl::executed() {
    const Lock lock = thread_.monitor().enter();
    return thread_.state().meter.executed();
}

/// Waits for the thread to end. If that takes five seconds, reports once what it is waiting for:
/// the run in progress if none has begun in the last of these seconds.
void TimerImpl::awaitThreadEnd() noexcept {
    const Nanos clockBefore = manualTime(*thread_.clock());
    std::uint64_t runsBefore = 0;
    WaitReportOf report([&] { return reportOfEnd(runsBefore, clockBefore); });
    Lock none;
    int step = 0;
    waitOrReport(report, none, [&](std::chrono::milliseconds span) {
        if (++step == WaitReport::kSteps) runsBefore = executed();
        return thread_.own().awaitEnd(span);
    });
}

/// What ~Timer is waiting for. \returns nothing if that is only the time of a clock that goes on
std::string TimerImpl::reportOfEnd(std::uint64_t runsBefore, Nanos clockBefore) {
    constexpr const char* call = "its destructor";
    std::shared_ptr<TimerTask> repeating;  // outlives the lock
    Lock lock = thread_.enter();
    const TimerTask* const running = thread_.state().meter.executed() == runsBefore
                                         ? thread_.state().run.identity(lock)
                                         : nullptr;
    repeating = repeatingTask(lock);
    const Nanos time = manualTime(*thread_.clock());
    const bool standsStill = time != kNever && time == clockBefore;
    const std::string pending = standsStill ? pendingTasks(lock) : std::string();
    lock.unlock();
    if (running != nullptr) {
        return WaitReport::sentence(&thread_.title(), call,
                                    WaitReport::forRun(TaskNames::inReport(running)) +
                                        " After detach(), the destructor does not wait.");
    }
    if (repeating != nullptr) {
        return WaitReport::sentence(
            &thread_.title(), call,
            " for " + TaskNames::inReport(repeating.get()) +
                ", which repeats, to be cancelled. Cancel it, make the timer a daemon, or call "
                "detach(), with which it goes on without its owner.");
    }
    if (pending.empty()) return {};
    return WaitReport::sentence(&thread_.title(), call,
                                " for " + pending + ". The clock stands still at " +
                                    WaitReport::textOfTime(time) +
                                    ": move it on another thread, cancel the tasks, or make the "
                                    "timer a daemon.");
}

/// How many tasks are scheduled, and when the first of them is due; empty if none is.
std::string TimerImpl::pendingTasks(const Lock& lock) {
    JTIMER_ASSERT(thread_.monitor().isHeldBy(lock));
    const TaskQueue& queue = thread_.state().queue;
    std::size_t count = 0;
    for (std::size_t i = 1; i <= queue.size(); ++i)
        if (TaskState::isScheduled(stateOf(queue.get(i)).word())) ++count;
    if (count == 0) return {};
    const std::string due = "due at " + WaitReport::textOfTime(queue.getMinTime());
    return count == 1 ? "1 task, " + due : std::to_string(count) + " tasks, the next " + due;
}

/// A repeating task that is in the queue and not cancelled, or null.
std::shared_ptr<TimerTask> TimerImpl::repeatingTask(const Lock& lock) noexcept {
    JTIMER_ASSERT(thread_.monitor().isHeldBy(lock));
    for (std::size_t i = 1; i <= thread_.state().queue.size(); ++i) {
        TaskState& state = stateOf(thread_.state().queue.get(i));
        if (signedPeriodOf(state.word()) != 0) return state.queueReference;
    }
    return nullptr;
}

}  // namespace jtimer::detail
