// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "jdk/timer_loop.hpp"

#include "data/periods.hpp"
#include "jdk/task_names.hpp"
#include "jdk/timer_thread.hpp"
#include "thread/uncaught_exception.hpp"

#include <jtimer/exceptions.hpp>

#include <boost/thread/thread.hpp>

#include <algorithm>
#include <atomic>
#include <memory>
#include <new>
#include <string_view>
#include <utility>

namespace jtimer::detail {

namespace {

/// How many cancelled tasks are removed from the head of the queue in one hold of the monitor, or
/// destroyed between two looks at the queue. In a queue of a million, this takes about 30 us.
constexpr int kBatch = 32;

/// The loop that the calling thread runs, or null.
thread_local const TimerLoop* ofThisThread = nullptr;

}  // namespace

TimerLoop::TimerLoop(Settings settings)
    : LoopThread(std::move(settings.thread)), options_(std::move(settings.options)),
      tolerance_(settings.tolerance), slowTaskThreshold_(settings.slowTaskThreshold),
      queue_(TaskQueue::Extended{options_.ties == Ties::Fifo, options_.removeOnCancel}),
      reports_(*reporter_, options_) {}

/// \returns whether the timer goes on
bool TimerLoop::callOnThreadStart() {
    // If pthread_exit unwinds this function, the promise is broken, which start() is told.
    std::promise<std::exception_ptr> answer = std::move(started_);
    const std::exception_ptr thrown = exceptionOf(options_.onThreadStart);
    answer.set_value(thrown);
    return thrown == nullptr && !isForkedChild();
}

void TimerLoop::end() {
    endRunIfDropped();  // of a task that threw, if pthread_exit has unwound the report
    discardTasks();
    if (isForkedChild()) return;
    endRunIfDropped();
    ofThisThread = nullptr;  // destructors of thread_local objects run after this object is gone
}

void TimerLoop::failed(const std::exception_ptr& uncaught) {
    if (isForkedChild()) return reports_.failed(uncaught, failedRun());
    exceptionOf([this] {
        const Lock lock = monitor_.enter();
        endBurst();  // reads the clock, which may have thrown, and may throw again
    });
    FailedRun run = failedRun();
    discardTasks();  // before the report, so that the handler finds the timer ended
    reportFailed(run, uncaught);
}

void TimerLoop::finishSweepUnderWay() noexcept {
    if (isOfAnotherProcess()) return;  // the stack with the sweep may have been reused
    meter_.counted.cancelled += std::exchange(sweep_, nullptr)->finish(queue_);
}

TaskQueue TimerLoop::stopAccepting(Lock&) noexcept {
    acceptsTasks_ = false;
    meter_.counted.discarded += queue_.size();
    queue_.forgetLinks();
    return std::move(queue_);
}

/// Stops accepting tasks and drops all of them. The task that has thrown, or exited its thread, is
/// dropped last: see reportFailed().
void TimerLoop::discardTasks() {
    {
        Lock lock = enter();
        const TaskQueue discarded = stopAccepting(lock);
        lock.unlock();
    }
    removed_.destroyAll();
    if (!isForkedChild()) dropRunning();
}

FailedRun TimerLoop::failedRun() const noexcept {
    FailedRun run;
    if (run_.task() == nullptr) return run;
    run.taskName = TaskNames::forReport(run_.task().get());
    run.dropped = run_.task();
    if (reports_.needsTask()) run.task = run_.task();
    run.number = std::max<std::uint64_t>(run_.numbers().number, 1);
    return run;
}

/// Reports the exception that has ended a run, of which the thread has dropped the task, and ends
/// the run. If other references to the task remain, threads may wait for the end of the run until
/// after the report, which may take long. So the report keeps the task alive: the run's identity
/// must not be the address of a destroyed task, which a new task may get. Hence the run also ends
/// here, before the destructor of the exception, which is user code. Without other references no
/// thread can wait, and the run ends before the report.
void TimerLoop::reportFailed(FailedRun& run, const std::exception_ptr& exception) {
    if (isForkedChild()) return;  // the parent reports it
    if (run.task == nullptr) run.task = run.dropped.lock();
    if (run.task == nullptr) run_.end(monitor_.enter());
    reports_.failed(exception, run);
    run.task.reset();
    if (!isForkedChild()) run_.end(monitor_.enter());
}

void TimerLoop::mainLoop() {
    ofThisThread = this;
    if (options_.onThreadStart && !callOnThreadStart()) return;
    Lock lock = monitor_.enter();
    while (!isForkedChild()) {
        finishSweep();
        if (queue_.empty()) {
            if (!removed_.empty()) {
                destroyRemoved(lock);
            } else if (acceptsTasks_) {
                endBurst();
                if (isForkedChild()) return;  // by the clock
                monitor_.wait(lock);
                ++meter_.counted.wakeUps;
            } else {
                return endBurst();
            }
            continue;
        }
        const Nanos now = readClock();
        if (isForkedChild()) return;
        const bool due = queue_.getMinTime() <= now;
        if (!due && !removed_.empty()) {
            destroyRemoved(lock);
        } else if (stateOf(queue_.getMin()).isCancelled()) {
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
Nanos TimerLoop::readClock() {
    const Nanos cheap = monitor_.reached();
    if (queue_.getMinTime() > cheap || needsPresentTime(stateOf(queue_.getMin()).word()) ||
        meter_.wantsReading(cheap)) {
        const Nanos now = monitor_.now();
        meter_.noteReading(now);
        return now;
    }
    return cheap;
}

/// To be called when the thread has nothing to run and is about to wait.
void TimerLoop::endBurst() {
    if (meter_.inBurst()) meter_.burstEnds(monitor_.now());
}

/// Starts a run of the head task, which is due. Removes a one-shot from the queue, and reschedules
/// a repeating task for its next time.
/// \returns false if the task does not run after all
bool TimerLoop::startRun(const Lock& lock, Nanos now) noexcept {
    TaskState& state = stateOf(queue_.getMin());
    const TaskState::Word word = state.word();
    const Nanos signedPeriod = signedPeriodOf(word);  // also 0 if it has just been cancelled
    if (signedPeriod == 0) return startOnlyRun(lock, state, word);
    if (TaskState::isLinked(word)) return startLinkedRun(lock, *TaskState::linkOf(word), now);
    run_.begin(lock, queue_.getMinReference(), {});
    startRepeatedRun(signedPeriod, queue_.getMinTime(), now);
    return true;
}

bool TimerLoop::startOnlyRun(const Lock& lock, TaskState& state, TaskState::Word word) noexcept {
    if (!state.startOnlyRun()) return false;
    ++meter_.oneShots;
    meter_.runBegins(queue_.getMinTime());
    run_.begin(lock, queue_.removeMin(), {});
    if (TaskState::isLinked(word)) delete TaskState::linkOf(word);  // removeMin() needed it
    return true;
}

/// \returns false if the run has been dropped, with the later runs that were also missed by now
bool TimerLoop::startLinkedRun(const Lock& lock, TaskLink& link, Nanos now) noexcept {
    Nanos due = queue_.getMinTime();
    std::uint64_t missed = 0;
    if (link.missed != MissedRuns::Burst) {
        const OnGrid position = onGrid(due, link.period, now);
        missed = position.missed;
        due = position.last;
        // Never twice in a row: the thread may be late by more than a period every time.
        if (link.missed == MissedRuns::Skip && missed != 0 && due != now && link.dropped == 0) {
            link.dropped = missed + 1;
            meter_.counted.missed += link.dropped;
            queue_.rescheduleMin(saturatingAdd(due, link.period));
            return false;
        }
    }
    meter_.counted.missed += missed;
    run_.begin(lock, queue_.getMinReference(),
               {++link.runs, missed + std::exchange(link.dropped, 0)});
    startRepeatedRun(link.period, due, now);
    return true;
}

/// \param due the time for which this run was planned
void TimerLoop::startRepeatedRun(Nanos signedPeriod, Nanos due, Nanos now) noexcept {
    meter_.runBegins(due);
    const bool fixedDelay = signedPeriod < 0;
    // A fixed delay counts from the start of this run. But the delays caused by the tolerance must
    // not add up over the runs.
    const Nanos scheduled = fixedDelay ? std::max(due, now - heldBack(due)) : due;
    const Nanos period = fixedDelay ? -signedPeriod : signedPeriod;
    stateOf(queue_.getMin())
        .scheduledExecutionTime.store(floorDivide(scheduled, kNanosPerMilli),
                                      std::memory_order_relaxed);
    queue_.rescheduleMin(saturatingAdd(scheduled, period));
}

std::string_view TimerLoop::timerOfThisThread() noexcept {
    return ofThisThread == nullptr ? std::string_view() : ofThisThread->name();
}

std::uint64_t TimerLoop::missedBefore(const TimerTask& task) noexcept {
    const TimerLoop* const thread = ofThisThread;
    return thread != nullptr && thread->run_.task().get() == &task ? thread->run_.numbers().missed
                                                                   : 0;
}

/// In a forked child it returns without the lock.
void TimerLoop::runTask(Lock& lock) {
    lock.unlock();
    try {
        if (slowTaskThreshold_.has_value()) {
            runTimed();
        } else {
            run_.task()->run();
        }
    } catch (const boost::thread_interrupted&) {
        // Java's loop swallows an InterruptedException, wherever it comes from.
    } catch (const RefusedTask& e) {
        reporter_->countFailedRun();
        const IllegalStateException& asDocumented = e;
        reportAndGoOn(std::make_exception_ptr(asDocumented));
    } catch (...) {
        const std::exception_ptr thrown = std::current_exception();
        // The unwinding caused by pthread_exit is not a C++ exception, hence null.
        if (thrown == nullptr) throw;
        reporter_->countFailedRun();
        if (options_.onException == OnException::StopTimer) throw;
        reportAndGoOn(thrown);
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
    run_.end(lock);
}

/// Drops the thread's reference to the task, which has run. With removeOnCancel, first destroys
/// what the task captured if it was cancelled during its run. A task that is cancelled later is no
/// longer inside its run, and leaves nothing to this thread.
void TimerLoop::dropRunning() {
    if (options_.removeOnCancel && run_.task() != nullptr) {
        Lock lock = monitor_.enter();
        const bool release = run_.leaveInside(lock);
        lock.unlock();
        if (release) TaskAccess::release(*run_.task());
    }
    run_.drop();
}

void TimerLoop::endRunIfDropped() {
    if (run_.task() != nullptr) return;
    run_.end(monitor_.enter());
}

void TimerLoop::runTimed() {
    Nanos begin = 0;
    fromClock_ = exceptionOf([&] { begin = monitor_.now(); });
    if (fromClock_ != nullptr || isForkedChild()) return;
    const std::exception_ptr thrown = exceptionOf([this] { run_.task()->run(); });
    Nanos duration = 0;
    if (!isForkedChild())
        fromClock_ = exceptionOf([&] { duration = saturatingSubtract(monitor_.now(), begin); });
    if (duration > *slowTaskThreshold_ && !isForkedChild()) reports_.slow(*run_.task(), duration);
    if (thrown != nullptr) std::rethrow_exception(thrown);
}

void TimerLoop::reportAndGoOn(const std::exception_ptr& exception) {
    if (isForkedChild()) return reports_.failed(exception, failedRun());
    if (options_.onException == OnException::CancelTask) run_.task()->TimerTask::cancel();
    FailedRun run = failedRun();
    dropRunning();
    reportFailed(run, exception);
}

/// Removes cancelled tasks from the head of the queue, but only a batch, because other threads need
/// the monitor, too.
void TimerLoop::removeCancelledHeads(Lock& lock) {
    for (int i = 0; i < kBatch && !queue_.empty(); ++i) {
        if (!stateOf(queue_.getMin()).isCancelled()) break;
        TaskLink* const link = queue_.linkOf(1);
        removed_.push(queue_.removeMin(), link);
        ++meter_.counted.cancelled;
    }
    monitor_.letOthersIn(lock);
}

/// Destroys some of the cancelled tasks that have left the queue, not all: due tasks come first. In
/// a forked child it returns without the lock.
void TimerLoop::destroyRemoved(Lock& lock) {
    lock.unlock();
    removed_.destroy(kBatch);
    if (!isForkedChild()) monitor_.enter(lock);
}

/// By how much the tolerance has delayed a run that was due at this time, up to the end of the last
/// wait. A task that came due while the thread was busy would be just as late without a
/// tolerance.
Nanos TimerLoop::heldBack(Nanos due) const noexcept {
    const Nanos until = std::min(wakeUpFor(due), waitedFor_);
    return until > due ? until - due : 0;
}

/// Waits for the head task, which is not due at `now`. If no more tasks are accepted, cancelling
/// the task also ends the wait.
void TimerLoop::waitForHead(Lock& lock, Nanos now) {
    if (!acceptsTasks_ && !linkHead()) return;
    if (meter_.inBurst()) meter_.burstEnds(now);
    // A tolerance already says how late a task may be.
    const Nanos next = tolerance_ == 0 ? queue_.getSecondTime() : kNever;
    waitedFor_ = wakeUpFor(queue_.getMinTime());
    monitor_.waitUntil(lock, waitedFor_, now, next);
    ++meter_.counted.wakeUps;
    // A new task may have ended it early.
    if (tolerance_ != 0) waitedFor_ = std::min(waitedFor_, monitor_.now());
}

/// Links the head task, so that cancelling it wakes this thread. Without memory for the link, the
/// thread waits until the task's time. \returns false if the task is already cancelled
bool TimerLoop::linkHead() {
    TaskState& state = stateOf(queue_.getMin());
    const TaskState::Word word = state.word();
    if ((word & TaskState::kScheduled) == 0) return false;
    if (TaskState::isLinked(word)) return true;
    auto& timer = static_cast<TimerThread&>(*this);
    std::unique_ptr<TaskLink> link(
        new (std::nothrow) TaskLink(timer.shared_from_this(), TaskState::periodOf(word)));
    if (link == nullptr) return true;
    if (!state.link(word, link.get())) return false;
    static_cast<void>(link.release());
    return true;
}

}  // namespace jtimer::detail
