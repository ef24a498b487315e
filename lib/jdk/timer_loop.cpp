// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "jdk/timer_loop.hpp"

#include "data/periods.hpp"
#include "jdk/refused_task.hpp"
#include "jdk/task_names.hpp"
#include "thread/uncaught_exception.hpp"

#include <jtimer/exceptions.hpp>

#include <boost/thread/thread.hpp>

#include <algorithm>
#include <new>
#include <utility>

namespace jtimer::detail {

namespace {

/// How many cancelled tasks leave the queue in one hold of the monitor, or are destroyed between
/// two looks at the queue. From a queue of a million it is some 30 us.
constexpr int kBatch = 32;

/// Whose thread the calling thread is, if any.
thread_local const TimerLoop* ofThisThread = nullptr;

/// Keeps the constructor of the Timer from waiting for ever if onThreadStart calls pthread_exit.
struct AnswerWhenUnwound {
    std::promise<bool>* answer;
    ~AnswerWhenUnwound() {
        if (answer != nullptr) answer->set_value(false);
    }
};

}  // namespace

/// Also runs when pthread_exit unwinds the thread.
struct TimerLoop::AtEnd {
    TimerLoop& loop;
    ~AtEnd() {
        loop.endRunIfDropped();  // of a task that has thrown, when that has been reported
        loop.discardTasks();
        loop.endRunIfDropped();
        loop.monitor_.end();
        ofThisThread = nullptr;  // what thread_local objects call comes when `loop` is gone
    }
};

TimerLoop::TimerLoop(Settings settings)
    : settings_(std::move(settings)), monitor_(settings_.clock, settings_.timerSlack),
      queue_(TaskQueue::Extended{settings_.ties == Ties::Fifo, settings_.removeOnCancel}),
      reports_(settings_.name, settings_.handlers), isReachedExact_(monitor_.isReachedExact()) {}

void TimerLoop::run(const std::shared_ptr<TimerThread>& timer, std::promise<bool>* started) {
    timer_ = timer;
    ofThisThread = this;
    monitor_.begin();
    const AtEnd atEnd{*this};
    if (started != nullptr) {
        AnswerWhenUnwound unwound{started};
        const std::exception_ptr thrown = exceptionOf(settings_.onThreadStart);
        unwound.answer = nullptr;
        if (thrown != nullptr) return started->set_exception(thrown);
        started->set_value(true);
    }
    const std::exception_ptr uncaught = exceptionOf([this] { mainLoop(); });
    exceptionOf([this] {
        const Lock lock = monitor_.enter();
        endBurst();  // where a clock has thrown, it may throw again
    });
    FailedRun failed = failedRun();
    discardTasks();  // so the handler finds a timer that is over
    keepUntilReported(failed);
    if (uncaught != nullptr) reports_.failed(uncaught, failed);
}

void TimerLoop::finishSweepUnderWay() noexcept { meter_.cancelled += sweep_.finish(queue_); }

TaskQueue TimerLoop::stopAccepting(Lock&) noexcept {
    acceptsTasks_ = false;
    meter_.discarded += queue_.size();
    queue_.forgetLinks();
    return std::move(queue_);
}

/// Drops every task when no new one is accepted any more. The one that has thrown, or exited its
/// thread, comes last: see keepUntilReported().
void TimerLoop::discardTasks() {
    {
        Lock lock = enter();
        const TaskQueue discarded = stopAccepting(lock);
        lock.unlock();
    }
    removed_.destroyAll();
    dropRunning();
}

FailedRun TimerLoop::failedRun() const noexcept {
    FailedRun run;
    if (run_.task() == nullptr) return run;
    run.taskName = TaskNames::forReport(run_.task().get());
    run.dropped = run_.task();
    if (reports_.nameTask()) run.task = run_.task();
    run.number = std::max<std::uint64_t>(run_.numbers().number, 1);
    return run;
}

/// The thread has dropped the task of a run that has ended by an exception, and is about to report
/// that, which may take long. If others have the task, they may wait until then, so the report
/// keeps it: the run's identity must not be the address of a task that is gone, where another one
/// may lie. If there are no other references, no thread can wait, and the run ends here.
void TimerLoop::keepUntilReported(FailedRun& run) {
    if (run.task == nullptr) run.task = run.dropped.lock();
    if (run.task != nullptr) return;
    run_.end(monitor_.enter());
}

void TimerLoop::mainLoop() {
    Lock lock = monitor_.enter();
    for (;;) {
        finishSweep();
        if (queue_.empty()) {
            if (!removed_.empty()) {
                destroyRemoved(lock);
            } else if (acceptsTasks_) {
                endBurst();
                monitor_.wait(lock);
                ++meter_.wakeUps;
            } else {
                return endBurst();
            }
            continue;
        }
        const Nanos now = readClock();
        const bool due = queue_.getMinTime() <= now;
        if (!due && !removed_.empty()) {
            destroyRemoved(lock);
        } else if (stateOf(queue_.getMin()).isCancelled()) {
            removeCancelledHeads(lock);
        } else if (!due) {
            waitForHead(lock, now);
        } else if (startRun(lock, now)) {
            runTask(lock);
            // Not only when nothing is due, for that may never come.
            if (!removed_.empty()) destroyRemoved(lock);
        } else {
            monitor_.letOthersIn(lock);  // many runs may be dropped one after another
        }
    }
}

/// The present time; or, if that makes the head due as well, a time that the clock has reached. A
/// fixed delay counts from the present time, and from the reading that found the task due: a second
/// one may be earlier, if somebody sets the clock.
Nanos TimerLoop::readClock() {
    const Nanos cheap = monitor_.reached();
    if (isReachedExact_) {
        meter_.noteExact(cheap);
        return cheap;
    }
    const Nanos reached = lastReading_.reached(cheap);
    if (queue_.getMinTime() > reached || needsPresentTime(stateOf(queue_.getMin()).word()) ||
        meter_.wantsReading(reached)) {
        const Nanos now = monitor_.now();
        lastReading_.note(cheap, now);
        meter_.noteReading(now);
        return now;
    }
    return reached;
}

/// The thread is about to wait with nothing to run.
void TimerLoop::endBurst() {
    if (meter_.inBurst()) meter_.burstEnds(monitor_.now());
}

/// Decides that the task at the head, which is due, runs; and moves it to where it belongs during
/// its run: a one-shot out of the queue, a repeating one to its next time.
/// \returns false if it does not run after all
bool TimerLoop::startRun(const Lock& lock, Nanos now) noexcept {
    TaskState& state = stateOf(queue_.getMin());
    const TaskState::Word word = state.word();
    const Nanos signedPeriod = signedPeriodOf(word);  // 0 too if it has just been cancelled
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
    run_.begin(lock, TaskQueue::takeReference(queue_.removeMin()), {});
    if (TaskState::isLinked(word)) delete TaskState::linkOf(word);  // which the queue needed
    return true;
}

/// \returns false if the run has been dropped, with those that would have followed it by now
bool TimerLoop::startLinkedRun(const Lock& lock, TaskLink& link, Nanos now) noexcept {
    Nanos due = queue_.getMinTime();
    std::uint64_t missed = 0;
    if (link.missed != MissedRuns::Burst) {
        const OnGrid position = onGrid(due, link.period, now);
        missed = position.missed;
        due = position.last;
        // Not twice in a row: the thread may be late by more than a period every time.
        if (link.missed == MissedRuns::Skip && missed != 0 && due != now && link.dropped == 0) {
            link.dropped = missed + 1;
            meter_.missed += link.dropped;
            queue_.rescheduleMin(saturatingAdd(due, link.period));
            return false;
        }
    }
    meter_.missed += missed;
    run_.begin(lock, queue_.getMinReference(),
               {++link.runs, missed + std::exchange(link.dropped, 0)});
    startRepeatedRun(link.period, due, now);
    return true;
}

/// \param due which time of the task this run is for
void TimerLoop::startRepeatedRun(Nanos signedPeriod, Nanos due, Nanos now) noexcept {
    meter_.runBegins(due);
    const bool fixedDelay = signedPeriod < 0;
    // A fixed delay counts from the start of this run. But what the tolerance makes the run late by
    // must not add up over the runs.
    const Nanos scheduled = fixedDelay ? std::max(due, now - heldBack(due)) : due;
    const Nanos period = fixedDelay ? -signedPeriod : signedPeriod;
    stateOf(queue_.getMin())
        .scheduledExecutionTime.store(floorDivide(scheduled, kNanosPerMilli),
                                      std::memory_order_relaxed);
    queue_.rescheduleMin(saturatingAdd(scheduled, period));
}

std::uint64_t TimerLoop::missedBefore(const TimerTask& task) noexcept {
    const TimerLoop* const thread = ofThisThread;
    return thread != nullptr && thread->run_.task().get() == &task ? thread->run_.numbers().missed
                                                                   : 0;
}

void TimerLoop::runTask(Lock& lock) {
    lock.unlock();
    try {
        if (settings_.slowTaskThreshold.has_value()) {
            runTimed();
        } else {
            run_.task()->run();
        }
    } catch (const boost::thread_interrupted&) {
        // Java's loop swallows an InterruptedException, wherever it comes from.
    } catch (const RefusedTask& e) {
        countFailure();
        const IllegalStateException& asDocumented = e;
        reportAndGoOn(std::make_exception_ptr(asDocumented));
    } catch (...) {
        if (!survive(std::current_exception())) throw;
    }
    dropRunning();  // may destroy it, which is the user's code as well
    if (fromClock_ != nullptr) {
        endRunIfDropped();
        std::rethrow_exception(fromClock_);
    }
    // No user's code in between: another task may lie where this one lay.
    monitor_.enter(lock);
    run_.end(lock);
}

/// With removeOnCancel: destroys what the task captured if it has been cancelled during its run.
/// One cancelled later is no more in its run, and leaves nothing to the thread.
void TimerLoop::releaseIfCancelled() {
    Lock lock = monitor_.enter();
    const bool release = run_.leaveInside(lock);
    lock.unlock();
    if (release) TaskAccess::release(*run_.task());
}

void TimerLoop::endRunIfDropped() {
    if (run_.task() != nullptr) return;
    run_.end(monitor_.enter());
}

void TimerLoop::countFailure() {
    const Lock lock = monitor_.enter();
    ++meter_.failed;
}

void TimerLoop::runTimed() {
    Nanos begin = 0;
    fromClock_ = exceptionOf([&] { begin = monitor_.now(); });
    if (fromClock_ != nullptr) return;
    const std::exception_ptr thrown = exceptionOf([this] { run_.task()->run(); });
    Nanos duration = 0;
    fromClock_ = exceptionOf([&] { duration = saturatingSubtract(monitor_.now(), begin); });
    if (duration > *settings_.slowTaskThreshold) reports_.slow(*run_.task(), duration);
    if (thrown != nullptr) std::rethrow_exception(thrown);
}

/// Does what TimerOptions::onException asks for. \returns whether the timer goes on
bool TimerLoop::survive(const std::exception_ptr& exception) {
    // The unwinding that pthread_exit causes is no exception of C++, hence null.
    if (exception == nullptr) return false;
    countFailure();
    if (settings_.onException == OnException::StopTimer) return false;
    reportAndGoOn(exception);
    return true;
}

void TimerLoop::reportAndGoOn(const std::exception_ptr& exception) {
    if (settings_.onException == OnException::CancelTask) run_.task()->TimerTask::cancel();
    FailedRun failed = failedRun();
    dropRunning();
    keepUntilReported(failed);
    reports_.failed(exception, failed);
}

/// Cancelled tasks at the head leave the queue: some of them, as others want the monitor too.
void TimerLoop::removeCancelledHeads(Lock& lock) {
    for (int i = 0; i < kBatch && !queue_.empty(); ++i) {
        if (!stateOf(queue_.getMin()).isCancelled()) break;
        TaskLink* const link = queue_.linkOf(1);
        removed_.push(queue_.removeMin(), link);
        ++meter_.cancelled;
    }
    monitor_.letOthersIn(lock);
}

/// Destroys some of the tasks that have left the queue cancelled: what is due goes first.
void TimerLoop::destroyRemoved(Lock& lock) {
    lock.unlock();
    removed_.destroyChained(kBatch);
    monitor_.enter(lock);
}

/// By how much the tolerance has made a run late that was due at this time: not by more than the
/// thread has really waited. What was due while it was busy would be as late without a tolerance.
Nanos TimerLoop::heldBack(Nanos due) const noexcept {
    const Nanos until = std::min(wakeUpFor(due), waitedFor_);
    return until > due ? until - due : 0;
}

/// Waits for the task at the head, which is not due at `now`. Where no more tasks are accepted, the
/// wait is for this one and no other: then it ends if the task is cancelled.
void TimerLoop::waitForHead(Lock& lock, Nanos now) {
    if (!acceptsTasks_ && !linkHead()) return;
    if (meter_.inBurst()) meter_.burstEnds(now);
    // A tolerance that was asked for says how late a task may be.
    const Nanos next = settings_.tolerance == 0 ? queue_.getSecondTime() : kNever;
    waitedFor_ = wakeUpFor(queue_.getMinTime());
    monitor_.waitUntil(lock, waitedFor_, now, next);
    ++meter_.wakeUps;
}

/// Has the cancellation of the task at the head come by this timer. Without memory for that, the
/// thread lingers until the task's time. \returns false if the task is cancelled already
bool TimerLoop::linkHead() {
    TaskState& state = stateOf(queue_.getMin());
    const TaskState::Word word = state.word();
    if ((word & TaskState::kScheduled) == 0) return false;
    if (TaskState::isLinked(word)) return true;
    try {
        auto link = std::make_unique<TaskLink>(timer_.lock(), TaskState::periodOf(word));
        if (!state.link(word, link.get())) return false;
        static_cast<void>(link.release());
    } catch (const std::bad_alloc&) {
    }
    return true;
}

}  // namespace jtimer::detail
