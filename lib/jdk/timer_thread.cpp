// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "jdk/timer_thread.hpp"

#include "data/periods.hpp"
#include "jdk/task_names.hpp"
#include "sync/threads.hpp"
#include "thread/uncaught_exception.hpp"

#include <jtimer/exceptions.hpp>

#include <algorithm>
#include <atomic>
#include <memory>
#include <new>
#include <string>
#include <utility>

namespace jtimer::detail {

namespace {

/// How many cancelled tasks are removed from the head of the queue in one hold of the monitor, or
/// destroyed between two looks at the queue. In a queue of a million, this takes about 30 us.
constexpr int kBatch = 32;

/// Of a thread whose clock can be set, while there are tasks by a rule: then it looks again.
constexpr Nanos kLongestRuleWait = Nanos{60} * 1'000'000'000;

/// The loop that the calling thread runs, or null.
thread_local const TimerThread* ofThisThread = nullptr;

}  // namespace

TimerThread::TimerThread(Settings settings)
    : LoopThread(std::move(settings.thread)),
      state_(std::move(settings.options), settings.tolerance), reports_(*reporter_, state_.options),
      slowTaskThreshold_(settings.slowTaskThreshold),
      isExtended_(settings.slowTaskThreshold.has_value()) {}

void TimerThread::start(const std::shared_ptr<TimerImpl>& timer) {
    timer_ = timer;
    LoopThread::start(timer);
}

void TimerThread::end() {
    endRunIfDropped();  // of a task that threw, if pthread_exit has unwound the report
    discardTasks();
    if (isForkedChild()) return;
    endRunIfDropped();
    ofThisThread = nullptr;  // destructors of thread_local objects run after this object is gone
}

void TimerThread::failed(const std::exception_ptr& uncaught) {
    if (isForkedChild()) return reports_.failed(uncaught, failedRun());
    exceptionOf([this] {
        const Lock lock = monitor_.enter();
        endBurst(lock);  // reads the clock, which may have thrown, and may throw again
    });
    FailedRun run = failedRun();
    discardTasks();  // before the report, so that the handler finds the timer ended
    reportFailed(run, uncaught);
}

void TimerThread::finishSweepUnderWay(const Lock& lock) noexcept {
    JTIMER_ASSERT(monitor_.isHeldBy(lock));
    if (isOfAnotherProcess()) return;  // the stack with the sweep may have been reused
    state_.meter.counted.cancelled += std::exchange(state_.sweep, nullptr)->finish(state_.queue);
}

/// Stops accepting tasks and drops all of them. The task that has thrown, or exited its thread, is
/// dropped last: see reportFailed().
void TimerThread::discardTasks() {
    {
        Lock lock = enter();
        const TaskQueue discarded = state_.stopAccepting(lock);
        lock.unlock();
    }
    removed_.destroyAll();
    if (!isForkedChild()) dropRunning();
}

FailedRun TimerThread::failedRun() const noexcept {
    FailedRun run;
    if (state_.run.task() == nullptr) return run;
    run.taskName = TaskNames::forReport(state_.run.task().get());
    run.dropped = state_.run.task();
    if (reports_.needsTask()) run.task = state_.run.task();
    run.number = std::max<std::uint64_t>(state_.run.numbers().number, 1);
    return run;
}

/// Reports the exception that has ended a run, of which the thread has dropped the task, and ends
/// the run. If other references to the task remain, threads may wait for the end of the run until
/// after the report, which may take long. So the report keeps the task alive: the run's identity
/// must not be the address of a destroyed task, which a new task may get. Hence the run also ends
/// here, before the destructor of the exception, which is user code. Without other references no
/// thread can wait, and the run ends before the report.
void TimerThread::reportFailed(FailedRun& run, const std::exception_ptr& exception) {
    if (isForkedChild()) return;  // the parent reports it
    if (run.task == nullptr) run.task = run.dropped.lock();
    if (run.task == nullptr) state_.run.end(monitor_.enter());
    reports_.failed(exception, run);
    run.task.reset();
    if (!isForkedChild()) state_.run.end(monitor_.enter());
}

void TimerThread::mainLoop() {
    ofThisThread = this;
    Lock lock = monitor_.enter();
    while (!isForkedChild()) {
        finishSweep(lock);
        if (state_.queue.empty()) {
            if (!removed_.empty()) {
                destroyRemoved(lock);
            } else if (state_.newTasksMayBeScheduled) {
                endBurst(lock);
                if (isForkedChild()) return;  // by the clock
                monitor_.wait(lock);
                ++state_.meter.counted.wakeUps;
            } else {
                return endBurst(lock);
            }
            continue;
        }
        const Nanos now = readClock(lock);
        if (isForkedChild()) return;
        const bool due = state_.queue.getMinTime() <= now;
        if (!due && !removed_.empty()) {
            destroyRemoved(lock);
        } else if (stateOf(state_.queue.getMin()).isCancelled()) {
            removeCancelledHeads(lock);
        } else if (!due) {
            waitForHead(lock, now);
        } else if (startRun(lock, now)) {
            runTask(lock);
            // Not only when nothing is due, because that may never happen.
            if (!removed_.empty() && !isForkedChild()) destroyRemoved(lock);
        } else {
            monitor_.letOthersIn(lock);  // many runs may be dropped in a row
        }
    }
}

/// The present time; or a time that the clock has certainly reached, if that proves the head due. A
/// fixed delay counts from the present time, and from the same reading that found the task due: a
/// second reading may be earlier if the clock is set back.
Nanos TimerThread::readClock(const Lock& lock) {
    JTIMER_ASSERT(monitor_.isHeldBy(lock));
    const Nanos cheap = monitor_.reached();
    if (state_.queue.getMinTime() > cheap ||
        needsPresentTime(stateOf(state_.queue.getMin()).word()) ||
        state_.meter.wantsReading(cheap)) {
        const Nanos now = monitor_.now();
        state_.meter.noteReading(now);
        return now;
    }
    return cheap;
}

/// To be called when the thread has nothing to run and is about to wait.
void TimerThread::endBurst(const Lock& lock) {
    JTIMER_ASSERT(monitor_.isHeldBy(lock));
    if (state_.meter.inBurst()) state_.meter.burstEnds(monitor_.now());
}

/// Starts a run of the head task, which is due. Removes a one-shot from the queue, and reschedules
/// a repeating task for its next time.
/// \returns false if the task does not run after all
bool TimerThread::startRun(const Lock& lock, Nanos now) noexcept {
    JTIMER_ASSERT(monitor_.isHeldBy(lock));
    TaskState& state = stateOf(state_.queue.getMin());
    const TaskState::Word word = state.word();
    const Nanos signedPeriod = signedPeriodOf(word);  // also 0 if it has just been cancelled
    if (signedPeriod == 0) return startOnlyRun(lock, state, word);
    if (TaskState::isLinked(word)) return startLinkedRun(lock, linkOf(word), signedPeriod, now);
    state_.run.begin(lock, state_.queue.getMinReference(), {});
    startRepeatedRun(lock, signedPeriod, state_.queue.getMinTime(), now);
    return true;
}

bool TimerThread::startOnlyRun(const Lock& lock, TaskState& state, TaskState::Word word) noexcept {
    JTIMER_ASSERT(monitor_.isHeldBy(lock));
    if (!state.startOnlyRun()) return false;
    ++state_.meter.oneShots;
    state_.meter.runBegins(state_.queue.getMinTime());
    state_.run.begin(lock, state_.queue.removeMin(), {});
    if (TaskState::isLinked(word)) linkOf(word).timer.reset();
    return true;
}

/// \returns false if the run has been dropped, with the later runs that were also missed by now; or
///   if a rule has given the task a later time
bool TimerThread::startLinkedRun(const Lock& lock, TaskLink& link, Nanos period,
                                 Nanos now) noexcept {
    JTIMER_ASSERT(monitor_.isHeldBy(lock));
    Nanos due = state_.queue.getMinTime();
    std::uint64_t missed = 0;
    if (link.rule != nullptr) {
        if (askFirst(lock, link, now)) return true;
        if (link.rule->due() > now) {
            state_.queue.rescheduleMin(link.rule->due());
            return false;
        }
        const RuleTimes::Turn turn = link.rule->takeTurn();
        due = turn.due;
        missed = turn.missed;
        period = turn.next - due;
    } else if (link.missed != MissedRuns::Burst) {
        const OnGrid position = onGrid(due, period, now);
        missed = position.missed;
        due = position.last;
    }
    // Never twice in a row: the thread may be late by more than a period every time.
    if (link.missed == MissedRuns::Skip && missed != 0 && due != now && link.dropped == 0) {
        link.dropped = missed + 1;
        state_.meter.counted.missed += link.dropped;
        state_.queue.rescheduleMin(saturatingAdd(due, period));
        return false;
    }
    state_.meter.counted.missed += missed;
    if (link.rule != nullptr) {
        rule_ = link.rule;
        isExtended_ = true;
    }
    state_.run.begin(lock, state_.queue.getMinReference(),
                     {++link.runs, missed + std::exchange(link.dropped, 0)});
    startRepeatedRun(lock, period, due, now);
    return true;
}

/// \param due the time for which this run was planned
void TimerThread::startRepeatedRun(const Lock& lock, Nanos signedPeriod, Nanos due,
                                   Nanos now) noexcept {
    JTIMER_ASSERT(monitor_.isHeldBy(lock));
    state_.meter.runBegins(due);
    const bool fixedDelay = signedPeriod < 0;
    // A fixed delay counts from the start of this run. But the delays caused by the tolerance must
    // not add up over the runs.
    const Nanos scheduled = fixedDelay ? std::max(due, now - heldBack(due)) : due;
    const Nanos period = fixedDelay ? -signedPeriod : signedPeriod;
    stateOf(state_.queue.getMin())
        .scheduledExecutionTime.store(floorDivide(scheduled, kNanosPerMilli),
                                      std::memory_order_relaxed);
    state_.queue.rescheduleMin(saturatingAdd(scheduled, period));
}

std::string TimerThread::runningTask() {
    const TimerTask* task = nullptr;
    {
        const Lock lock = monitor_.enter();
        task = state_.run.identity(lock);
    }
    return task == nullptr ? "a task" : TaskNames::inReport(task);
}

std::uint64_t TimerThread::missedBefore(const TimerTask& task) noexcept {
    const TimerThread* const thread = ofThisThread;
    return thread != nullptr && thread->state_.run.task().get() == &task
               ? thread->state_.run.numbers().missed
               : 0;
}

/// In a forked child it returns without the lock.
void TimerThread::runTask(Lock& lock) {
    JTIMER_ASSERT(monitor_.isHeldBy(lock));
    lock.unlock();
    std::exception_ptr goesOnAfter;
    try {
        if (isExtended_) {
            runExtended();
        } else {
            state_.run.task()->run();
        }
    } catch (const Interrupted&) {
        // Java's loop swallows an InterruptedException, wherever it comes from.
    } catch (const RefusedTask& e) {
        reporter_->countFailedRun();
        const IllegalStateException& asDocumented = e;
        goesOnAfter = std::make_exception_ptr(asDocumented);
    } catch (...) {
        const std::exception_ptr thrown = std::current_exception();
        // The unwinding caused by pthread_exit is not a C++ exception, hence null.
        if (thrown == nullptr) throw;
        reporter_->countFailedRun();
        if (state_.options.onException == OnException::StopTimer) throw;
        goesOnAfter = thrown;
    }
    // Not inside the handler, where a pthread_exit of user code would end the process.
    if (goesOnAfter != nullptr) {
        reportAndGoOn(goesOnAfter);
        goesOnAfter = nullptr;
    }
    if (isForkedChild()) return;
    dropRunning();  // may destroy it, which runs user code, too
    if (isForkedChild()) return;
    if (fromClock_ != nullptr) {
        endRunIfDropped();
        std::rethrow_exception(fromClock_);
    }
    // No user code runs in between: it could make another task at the same address.
    monitor_.enter(lock);
    state_.run.end(lock);
}

/// Drops the thread's reference to the task, which has run. With removeOnCancel, first destroys
/// what the task captured if it was cancelled during its run. A task that is cancelled later is no
/// longer inside its run, and leaves nothing to this thread.
void TimerThread::dropRunning() {
    if (state_.options.removeOnCancel && state_.run.task() != nullptr) {
        Lock lock = monitor_.enter();
        const bool release = state_.run.leaveInside(lock);
        lock.unlock();
        if (release) TaskAccess::release(*state_.run.task());
    }
    state_.run.drop();
}

void TimerThread::endRunIfDropped() {
    if (state_.run.task() != nullptr) return;
    state_.run.end(monitor_.enter());
}

/// A run that is timed, or whose task has a rule: that is asked for the time after the queued one.
void TimerThread::runExtended() {
    const std::shared_ptr<RuleTimes> rule = std::move(rule_);
    isExtended_ = slowTaskThreshold_.has_value();
    if (!std::exchange(asksOnly_, false)) {
        if (slowTaskThreshold_.has_value()) {
            runTimed();
        } else {
            state_.run.task()->run();
        }
    }
    if (rule == nullptr || isForkedChild() || fromClock_ != nullptr) return;
    if (!state_.run.task()->isCancelled()) rule->ask();
}

void TimerThread::runTimed() {
    Nanos begin = 0;
    fromClock_ = exceptionOf([&] { begin = monitor_.now(); });
    if (fromClock_ != nullptr || isForkedChild()) return;
    const std::exception_ptr thrown = exceptionOf([this] { state_.run.task()->run(); });
    Nanos duration = 0;
    if (!isForkedChild())
        fromClock_ = exceptionOf([&] { duration = saturatingSubtract(monitor_.now(), begin); });
    if (duration > *slowTaskThreshold_ && !isForkedChild())
        reports_.slow(*state_.run.task(), duration);
    if (thrown != nullptr) std::rethrow_exception(thrown);
}

void TimerThread::reportAndGoOn(const std::exception_ptr& exception) {
    if (isForkedChild()) return reports_.failed(exception, failedRun());
    if (state_.options.onException == OnException::CancelTask)
        state_.run.task()->TimerTask::cancel();
    FailedRun run = failedRun();
    dropRunning();
    reportFailed(run, exception);
}

/// Removes cancelled tasks from the head of the queue, but only a batch, because other threads need
/// the monitor, too.
void TimerThread::removeCancelledHeads(Lock& lock) {
    JTIMER_ASSERT(monitor_.isHeldBy(lock));
    for (int i = 0; i < kBatch && !state_.queue.empty(); ++i) {
        if (!stateOf(state_.queue.getMin()).isCancelled()) break;
        TaskLink* const link = state_.queue.linkOf(1);
        removed_.push(state_.queue.removeMin(), link);
        ++state_.meter.counted.cancelled;
    }
    monitor_.letOthersIn(lock);
}

/// Destroys some of the cancelled tasks that have left the queue, not all: due tasks come first. In
/// a forked child it returns without the lock.
void TimerThread::destroyRemoved(Lock& lock) {
    JTIMER_ASSERT(monitor_.isHeldBy(lock));
    lock.unlock();
    removed_.destroy(kBatch);
    if (!isForkedChild()) monitor_.enter(lock);
}

/// By how much the tolerance has delayed a run that was due at this time, up to the end of the last
/// wait. A task that came due while the thread was busy would be just as late without a
/// tolerance.
Nanos TimerThread::heldBack(Nanos due) const noexcept {
    const Nanos until = std::min(state_.wakeUpFor(due), waitedFor_);
    return until > due ? until - due : 0;
}

/// Waits for the head task, which is not due at `now`. If no more tasks are accepted, cancelling
/// the task also ends the wait.
void TimerThread::waitForHead(Lock& lock, Nanos now) {
    JTIMER_ASSERT(monitor_.isHeldBy(lock));
    if (!state_.newTasksMayBeScheduled && !linkHead(lock)) return;
    if (state_.meter.inBurst()) state_.meter.burstEnds(now);
    // A tolerance already says how late a task may be.
    const Nanos next = state_.tolerance == 0 ? state_.queue.getSecondTime() : kNever;
    waitedFor_ = state_.wakeUpFor(state_.queue.getMinTime());
    if (state_.hasRuleTasks() && monitor_.settableClock() != nullptr) {
        if (computeAnewIfSetBack(lock, now)) return;
        waitedFor_ = std::min(waitedFor_, saturatingAdd(now, kLongestRuleWait));
    }
    monitor_.waitUntil(lock, waitedFor_, now, next);
    ++state_.meter.counted.wakeUps;
    // A new task may have ended it early.
    if (state_.tolerance != 0) waitedFor_ = std::min(waitedFor_, monitor_.now());
}

/// Links the head task, so that cancelling it wakes this thread. Without memory for the link, the
/// thread waits until the task's time. \returns false if the task is already cancelled
bool TimerThread::linkHead(const Lock& lock) {
    JTIMER_ASSERT(monitor_.isHeldBy(lock));
    TaskState& state = stateOf(state_.queue.getMin());
    TaskState::Word word = state.word();
    std::unique_ptr<TaskLink> link;
    do {
        if (!TaskState::isScheduled(word)) return false;
        if (TaskState::isLinked(word)) return true;
        const Nanos period = TaskState::periodOf(word);
        if (link == nullptr) link.reset(new (std::nothrow) TaskLink(timer_.lock(), period));
        if (link == nullptr) return true;
        link->period.store(period, std::memory_order_relaxed);
    } while (!state.link(word, link.get()));  // setPeriod() may have come first
    static_cast<void>(link.release());
    return true;
}

}  // namespace jtimer::detail
