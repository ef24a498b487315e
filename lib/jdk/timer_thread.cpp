// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "jdk/timer_thread.hpp"

#include "jdk/task_names.hpp"
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

TimerThread::TimerThread(Settings settings) : TimerLoop(std::move(settings)) {}

void TimerThread::start() {
    std::future<std::exception_ptr> answer = started_.get_future();
    LoopThread::start(shared_from_this());
    if (options_.onThreadStart) {
        std::exception_ptr thrown;
        try {
            thrown = answer.get();
        } catch (const std::future_error&) {  // the promise is broken
            thrown = std::make_exception_ptr(
                IllegalStateException("TimerOptions::onThreadStart ended the thread."));
        }
        if (thrown != nullptr) {
            thread_.finish();
            std::rethrow_exception(thrown);
        }
    }
    AllTimers::add(*this);  // before any task can be scheduled
}

void TimerThread::schedule(const std::shared_ptr<TimerTask>& task, const Schedule& schedule) {
    std::unique_ptr<TaskLink> link;
    if (needsLink(schedule)) {
        link = std::make_unique<TaskLink>(shared_from_this(), schedule.period, schedule.missed);
    }
    Lock lock = enter();
    if (!acceptsTasks_) {
        if (isCurrent()) throw RefusedTask();
        throw IllegalStateException("Timer already cancelled.");
    }
    if (task == nullptr) throw NullPointerException("task cannot be null");
    if (options_.maxPending != 0 && queue_.size() >= options_.maxPending) {
        throw RejectedExecutionException("Number of pending tasks (" +
                                         std::to_string(queue_.size()) +
                                         ") is greater than or equal to maximum allowed pending "
                                         "tasks (" +
                                         std::to_string(options_.maxPending) + ')');
    }
    queue_.reserveOne();  // can fail, so call it before the first change
    TaskState& state = stateOf(*task);
    const TaskState::Word scheduled = link == nullptr ? TaskState::scheduledWith(schedule.period)
                                                      : TaskState::scheduledWith(link.get());
    if (!(schedule.ofNewTask ? state.startScheduleOfNew(scheduled)
                             : state.startSchedule(scheduled))) {
        throw IllegalStateException("Task already scheduled or cancelled");
    }
    state.scheduledExecutionTime.store(schedule.scheduledExecutionTime, std::memory_order_relaxed);
    queue_.add(task, schedule.time, link.release());  // from now on the task owns the link
    if (&queue_.getMin() == task.get()) monitor_.leaveAndWakeFor(lock, wakeUpFor(schedule.time));
}

std::size_t TimerThread::purge() {
    // These outlive the lock, so what they hold is destroyed outside of it.
    QueueSweep sweep;
    TasksToDestroy batch;
    Lock lock = enter();
    sweep.begin(queue_);
    while (sweep.isUnderWay()) {
        meter_.counted.cancelled += sweep.takeBatch(queue_, batch);
        sweep_ = sweep.isUnderWay() ? &sweep : nullptr;
        lock.unlock();
        batch.destroyAll();
        monitor_.enter(lock);
    }
    return sweep.count();
}

void TimerThread::cancel() {
    Lock lock = enter();
    const TaskQueue discarded = stopAccepting(lock);
    monitor_.leaveAndWake(lock);
}

std::vector<std::shared_ptr<TimerTask>> TimerThread::shutdownNow() {
    std::vector<std::shared_ptr<TimerTask>> discarded;
    Lock lock = enter();
    discarded.reserve(queue_.size());
    TaskQueue queue = stopAccepting(lock);
    monitor_.leaveAndWake(lock);
    while (!queue.empty()) {
        std::shared_ptr<TimerTask> task = queue.removeMin();
        if (task->TimerTask::cancel()) discarded.push_back(std::move(task));
    }
    return discarded;
}

TimerStats TimerThread::stats() {
    const Lock lock = enter();
    TimerStats stats = meter_.stats(queue_.size(), meter_.inBurst() ? monitor_.now() : 0);
    stats.failed = failedRuns();
    return stats;
}

bool TimerThread::awaitEnd(Nanos timeout) {
    if (isCurrent()) throw IllegalStateException("A timer's thread cannot wait for its own end.");
    // Longer than any process lives, yet short enough to be added to the time of any clock.
    constexpr Nanos longest = Nanos{30} * 365 * 86'400 * 1'000'000'000;
    const std::chrono::nanoseconds time(std::clamp(timeout, Nanos{0}, longest));
    return thread_.awaitEnd(std::chrono::ceil<std::chrono::milliseconds>(time));
}

std::shared_ptr<TimerTask> TimerThread::taskCancelled(TimerTask& task, TaskLink& link) {
    std::shared_ptr<TimerTask> removed;  // outlives the lock
    Lock lock = monitor_.enterUnlessForked(thread_);
    if (!lock.owns_lock()) return nullptr;
    finishSweep();
    removed = std::move(link.removed);
    if (link.position != 0) {
        removed = queue_.remove(link.position);
        ++meter_.counted.cancelled;
    }
    const bool isInside = removed != nullptr && run_.leaveReleaseIfInside(lock, task);
    // If no tasks are accepted, the thread may be waiting for this task only.
    if (!acceptsTasks_) {
        monitor_.leaveAndWake(lock);
    } else {
        lock.unlock();
    }
    return isInside ? nullptr : std::move(removed);
}

bool TimerThread::isRunningElsewhere(const TimerTask& task) {
    if (isCurrent() || isOfAnotherProcess()) return false;
    const Lock lock = monitor_.enter();
    return run_.identity(lock) == &task;
}

void TimerThread::awaitRunEnd(const TimerTask& task) {
    const Uninterruptible uninterruptible;
    Lock lock = monitor_.enter();
    run_.awaitEnd(lock, task);
}

void TimerThread::close(bool discardTasks) noexcept {
    LoopThread::close([&] {
        if (discardTasks) {
            cancel();
        } else {
            Lock lock = monitor_.enter();
            acceptsTasks_ = false;
            monitor_.leaveAndWake(lock);  // it may wait without a limit, or for a cancelled task
        }
        if (detached_.load(std::memory_order_relaxed)) return thread_.letGo();
        if (!isCurrent()) awaitEndOrWarn();
        thread_.finish();
    });
}

/// Waits for the thread to end. If that takes five seconds, reports once what it is waiting for.
void TimerThread::awaitEndOrWarn() noexcept {
    if (thread_.awaitEnd(std::chrono::seconds(4))) return;
    std::uint64_t runs = 0;
    {
        const Lock lock = monitor_.enter();
        runs = meter_.executed();
    }
    if (thread_.awaitEnd(std::chrono::seconds(1))) return;
    Lock lock = monitor_.enter();
    const TimerTask* const hanging = meter_.executed() == runs ? run_.identity(lock) : nullptr;
    const std::shared_ptr<TimerTask> repeating = hanging == nullptr ? repeatingTask(lock) : nullptr;
    lock.unlock();
    if (hanging != nullptr) {
        reports_.hangs(TaskNames::forReport(hanging), " to end its run",
                       "The run may be waiting for a lock that this thread holds, or for this "
                       "thread. After detach(), the destructor does not wait.",
                       timerOfThisThread());
    } else if (repeating != nullptr) {
        reports_.hangs(TaskNames::forReport(repeating.get()), ", which repeats, to be cancelled",
                       "Cancel it, make the timer a daemon, or call detach(), with which it goes "
                       "on without its owner.",
                       timerOfThisThread());
    }
}

/// A repeating task that is in the queue and not cancelled, or null.
std::shared_ptr<TimerTask> TimerThread::repeatingTask(Lock&) const noexcept {
    for (std::size_t i = 1; i <= queue_.size(); ++i) {
        TaskState& state = stateOf(queue_.get(i));
        if (signedPeriodOf(state.word()) != 0) return state.queueReference;
    }
    return nullptr;
}

}  // namespace jtimer::detail
