// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "jdk/timer_thread.hpp"

#include "base/uncaught_exception.hpp"
#include "base/unwound_thread.hpp"
#include "jdk/dropped_tasks.hpp"

#include <jtimer/exceptions.hpp>

#include <boost/chrono/duration.hpp>

#include <algorithm>
#include <iostream>
#include <limits>
#include <pthread.h>
#include <system_error>
#include <utility>
#if defined(__linux__)
#include <sys/prctl.h>
#endif

namespace jtimer {

using detail::floorDivide;
using detail::kNanosPerMilli;
using detail::saturatingAdd;

namespace {

constexpr Nanos kLinuxTimerSlack = 50'000;

/// Tells the processor that this thread only waits for another.
void pauseShortly() noexcept {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("yield");
#endif
}

/// Takes a monitor that others hold for some 100 ns at a time, while to sleep and to be woken takes
/// thousands: so a thread that finds it taken tries again for two or three microseconds, and only
/// then sleeps. Where nobody else wants the monitor this costs nothing.
Lock acquire(Mutex& monitor) {
    constexpr int attempts = 20;
    constexpr int pauses = 8;
    Lock lock(monitor, boost::try_to_lock);
    for (int attempt = 1; attempt < attempts && !lock.owns_lock(); ++attempt) {
        for (int i = 0; i < pauses; ++i) pauseShortly();
        lock.try_lock();
    }
    if (!lock.owns_lock()) lock.lock();
    return lock;
}

/// The name that tools such as `top -H` show. Linux keeps 15 bytes of it (C9).
void nameThisThread(const std::string& name) {
    const std::string shown = name.substr(0, 15);
#if defined(__APPLE__)
    pthread_setname_np(shown.c_str());
#else
    pthread_setname_np(pthread_self(), shown.c_str());
#endif
}

/// Calls `function`.
/// \returns what the function has thrown, if anything
template <class Function>
std::exception_ptr exceptionOf(const Function& function) {
    try {
        function();
        return nullptr;
    } catch (...) {
        std::exception_ptr thrown = std::current_exception();
        // The unwinding that pthread_exit and pthread_cancel cause in glibc comes by here as well.
        // It is no exception of C++, hence null, and must go on (C4).
        if (thrown == nullptr) throw;
        return thrown;
    }
}

}  // namespace

/// Also runs when pthread_exit unwinds the thread.
struct TimerThread::Finally {
    TimerThread& thread;
    bool unwound = true;
    ~Finally() { thread.finish(unwound); }
};

TimerThread::TimerThread(Settings settings)
    : settings_(std::move(settings)), condition_(settings_.clock->makeCondition()) {}

void TimerThread::start() {
    try {
        thread_ = boost::thread([self = shared_from_this()] { self->run(); });
    } catch (const boost::thread_resource_error& e) {
        throw std::system_error(e.code().value(), std::generic_category(),
                                "cannot start the thread of timer \"" + name() + '"');
    }
}

// --- called from any thread ---------------------------------------------------------------------

void TimerThread::schedule(const std::shared_ptr<TimerTask>& task, const Schedule& schedule) {
    Lock lock = acquire(mutex_);
    if (!newTasksMayBeScheduled_) throw IllegalStateException("Timer already cancelled.");
    if (task == nullptr) throw NullPointerException("task cannot be null");
    queue_.reserveOne();  // can fail, so it comes before the first change
    if (!task->startSchedule(schedule.period)) {
        throw IllegalStateException("Task already scheduled or cancelled");
    }
    task->scheduledExecutionTime_.store(schedule.scheduledExecutionTime, std::memory_order_relaxed);
    queue_.add(task, schedule.time);
    if (schedule.time <= dueBy_) dueBy_ = kLongAgo;  // it came after the clock was read
    if (&queue_.getMin() != task.get()) return;
    if (wakesAt_ == kNever || wakeUpFor(schedule.time) < wakesAt_) releaseAndWake(lock);
}

int TimerThread::purge() {
    DroppedTasks purged;  // outlives the lock: what it holds is destroyed outside
    Lock lock(mutex_);
    int count = 0;
    for (std::size_t i = queue_.size(); i >= 1; --i) {
        queue_.prefetchStateBefore(i);
        if (!queue_.get(i).isCancelled()) continue;
        if (count == 0) purged.reserve(i);
        purged.push(queue_.quickRemove(i));
        ++count;
    }
    if (count != 0) {
        queue_.heapify();
        // Perhaps the thread waits for a task that is gone. Nobody relies on that wait any more,
        // for a step of the wall clock may make it too long (J117).
        wakesAt_ = kNever;
    }
    return count;
}

void TimerThread::cancel() {
    Lock lock(mutex_);
    const TaskQueue discarded = stopScheduling(lock);
    releaseAndWake(lock);
}

/// From now on no task is accepted. \returns the queued ones, to be destroyed outside of the lock
TaskQueue TimerThread::stopScheduling(Lock&) noexcept {
    newTasksMayBeScheduled_ = false;
    return std::move(queue_);
}

/// Releases the monitor first, so that the woken thread does not run into it. From then on a task
/// may run that destroys the Timer, so that only the reference taken here keeps this object alive.
void TimerThread::releaseAndWake(Lock& lock) {
    std::shared_ptr<TimerThread> toWake;
    if (std::exchange(waiting_, false)) toWake = shared_from_this();
    lock.unlock();
    if (toWake != nullptr) toWake->condition_->notify();
}

void TimerThread::close(bool discardTasks) noexcept {
    // Joining is an interruption point of Boost.Thread, which a destructor must not throw from.
    const boost::this_thread::disable_interruption uninterrupted;
    if (discardTasks) {
        cancel();
    } else {
        Lock lock(mutex_);
        newTasksMayBeScheduled_ = false;
        releaseAndWake(lock);  // for it may wait without a limit, or for a cancelled task (J137)
    }
    Lock lock(mutex_);
    if (thread_.get_id() == boost::this_thread::get_id()) {
        orphaned_ = true;
    } else {
        awaitEnd(lock);
    }
}

void TimerThread::awaitEnd(Lock& lock) {
    const auto hasEnded = [this] { return hasEnded_; };
    const boost::chrono::seconds patience(5);
    if (!ended_.wait_for(lock, patience, hasEnded) && hasRepeatingTask(lock)) {
        lock.unlock();
        std::cerr << "Timer \"" + name() +
                         "\": its destructor has waited five seconds for a repeating task to be "
                         "cancelled, and waits on. Cancel the task, or make the timer a daemon.\n"
                  << std::flush;
        lock.lock();
    }
    ended_.wait(lock, hasEnded);
    lock.unlock();
    if (thread_.joinable()) thread_.join();  // if it has not been unwound
}

bool TimerThread::hasRepeatingTask(Lock&) const noexcept {
    for (std::size_t i = 1; i <= queue_.size(); ++i) {
        if (queue_.get(i).status().period != 0) return true;
    }
    return false;
}

// --- the timer's thread -------------------------------------------------------------------------

void TimerThread::run() {
    nameThisThread(name());
    // Nobody outside can interrupt this thread, and without interruption points a wait is cheaper.
    const boost::this_thread::disable_interruption uninterrupted;
    condition_->begin();
    Finally finally{*this};
    const std::exception_ptr uncaught = exceptionOf([this] { mainLoop(); });
    discardTasks();  // so the handler finds a timer that is over (J124)
    if (uncaught != nullptr) {
        // As in Java, nobody is left to be told what the handler throws.
        exceptionOf([&] {
            settings_.handler ? settings_.handler(name(), uncaught)
                              : printUncaughtException(name(), uncaught);
        });
    }
    finally.unwound = false;
}

/// Drops every task, the one that has thrown too, when no new one is accepted any more.
void TimerThread::discardTasks() {
    Lock lock(mutex_);
    const TaskQueue discarded = stopScheduling(lock);
    lock.unlock();
    running_.reset();
}

/// The last thing that the thread does with this object, however it ends.
void TimerThread::finish(bool unwound) {
    discardTasks();
    condition_->end();
    const Lock lock(mutex_);
    if (unwound) {
        detachAtThreadEnd(std::move(thread_));
    } else if (orphaned_) {
        thread_.detach();
    }
    hasEnded_ = true;
    ended_.notify_all();
}

void TimerThread::mainLoop() {
    Lock lock(mutex_);
    for (;;) {
        if (queue_.empty()) {
            if (!newTasksMayBeScheduled_) return;
            waitUntil(lock, kNever);
            continue;
        }
        if (queue_.getMin().isCancelled()) {
            dropCancelledHeads(lock);
            continue;
        }
        const Nanos time = queue_.getMinTime();
        const bool clockRead = time > dueBy_;
        if (clockRead) dueBy_ = settings_.clock->nanos();
        if (time > dueBy_) {
            waitFor(lock, time);
            continue;
        }
        running_ = fireMin(lock, clockRead);
        if (running_ == nullptr) continue;

        lock.unlock();
        try {
            running_->run();
        } catch (const boost::thread_interrupted&) {
            // Java's loop swallows an InterruptedException, wherever it comes from (J127).
        }
        running_.reset();  // may destroy it, which is the user's code as well
        lock.lock();
    }
}

/// Decides that the task at the head, which is due, runs; and moves it to where it belongs during
/// its run: a one-shot out of the queue, a repeating one to its next time.
/// \param clockRead whether dueBy_ is the present time
/// \returns null if it has been cancelled after all
std::shared_ptr<TimerTask> TimerThread::fireMin(Lock&, bool clockRead) noexcept {
    TimerTask& task = queue_.getMin();
    const Nanos signedPeriod = task.status().period;  // 0 too if it has just been cancelled
    if (signedPeriod == 0) {
        return task.startOnlyRun() ? TaskQueue::takeReference(queue_.removeMin()) : nullptr;
    }
    const bool fixedDelay = signedPeriod < 0;
    // A fixed delay counts from the moment at which this run begins.
    if (fixedDelay && !clockRead) dueBy_ = settings_.clock->nanos();
    const Nanos scheduled = fixedDelay ? dueBy_ : queue_.getMinTime();
    const Nanos period = fixedDelay ? -signedPeriod : signedPeriod;
    task.scheduledExecutionTime_.store(floorDivide(scheduled, kNanosPerMilli),
                                       std::memory_order_relaxed);
    std::shared_ptr<TimerTask> running = queue_.getMinReference();
    const bool endless = period == TimerTask::kEndlessPeriod;
    queue_.rescheduleMin(endless ? kNever : saturatingAdd(scheduled, period));
    return running;
}

/// Drops all leading cancelled tasks (J67); the monitor is free while they are destroyed.
void TimerThread::dropCancelledHeads(Lock& lock) {
    DroppedTasks dropped;
    while (!queue_.empty() && queue_.getMin().isCancelled()) dropped.push(queue_.removeMin());
    lock.unlock();
    dropped.clear();
    lock.lock();
}

/// When the thread wakes up for a task of this time: with a tolerance, at the next multiple of it.
Nanos TimerThread::wakeUpFor(Nanos time) const noexcept {
    const Nanos tolerance = settings_.tolerance;
    if (tolerance == 0) return time;
    const Nanos past = time % tolerance;  // no task's time lies before 1970
    return past == 0 ? time : saturatingAdd(time, tolerance - past);
}

/// Waits for the task at the head, which is not due yet at dueBy_.
///
/// When notifications come faster than the thread can go to sleep and wake up again, as from a
/// producer whose every task is the new first one, each costs both sides thousands of
/// nanoseconds. So, after two within a settling time, the thread makes do with a wait no longer
/// than that, in which only a task that is due before its end needs to notify. When it has passed
/// without a notification, the wait is as long as it should be.
void TimerThread::waitFor(Lock& lock, Nanos time) {
    const Nanos now = dueBy_;
    const Nanos settling = condition_->settlingTime();
    const bool unsettled =
        notifiedWaitBegan_ <= now && notifiedWaitBegan_ > saturatingAdd(now, -settling);
    Nanos deadline = wakeUpFor(time);
    if (unsettled) deadline = std::min(deadline, saturatingAdd(now, settling));
    constexpr Nanos shortWait = 100'000;
    setTimerSlack(deadline < saturatingAdd(now, shortWait) ? kLinuxTimerSlack : 0);
    notifiedWaitBegan_ = waitUntil(lock, deadline) ? now : kLongAgo;
}

/// Half of what a wake-up is late by is Linux's timer slack of 50 us, so a timer does without. But
/// where deadlines come every few microseconds, the slack is what lets one wake-up serve many, and
/// is left to short waits. A call of the system only where it changes.
void TimerThread::setTimerSlack(Nanos usual) {
#if defined(__linux__)
    const Nanos slack = settings_.timerSlack.value_or(usual);
    if (timerSlack_ == slack) return;
    timerSlack_ = slack;
    const Nanos most = std::numeric_limits<long>::max();
    const auto told = static_cast<unsigned long>(std::clamp(slack, Nanos{1}, most));
    prctl(PR_SET_TIMERSLACK, told, 0, 0, 0);
#else
    static_cast<void>(usual);
#endif
}

/// \returns whether the thread has been notified
bool TimerThread::waitUntil(Lock& lock, Nanos deadline) {
    wakesAt_ = deadline;
    waiting_ = true;
    condition_->waitUntil(lock, deadline);
    wakesAt_ = kNever;
    return !std::exchange(waiting_, false);
}

}  // namespace jtimer
