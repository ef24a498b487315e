// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "brpc/bucket_loop.hpp"

#include "sync/assert.hpp"
#include "sync/reported_wait.hpp"
#include "sync/uninterruptible.hpp"
#include "thread/uncaught_exception.hpp"

#include <algorithm>
#include <chrono>
#include <exception>
#include <memory>
#include <utility>

// No wake-up is lost, and the thread never sleeps past the time of a task, unless that task is
// still being scheduled.
//
// Consider schedule() after it has pushed a task with time t into its bucket:
//
//  1. If t is not the bucket's earliest, an earlier task was pushed since the bucket was last
//     emptied. For that task, 2 to 4 hold, or will hold as soon as its schedule() continues; and
//     the round that it causes finds both tasks. (Until then this task waits for another thread,
//     which is between these two locks. No other thread can know of the earlier task either.)
//  2. Otherwise schedule() announces t under the global mutex. If the thread is sleeping until a
//     time s: either s <= t, and the round after the sleep is in time; or the thread is woken.
//  3. If the thread is in a round, and the announcement came after that round's beginRound(): the
//     thread runs nothing later than t, and sleeps only until t or earlier. Either another round
//     follows at once, or it follows at the end of the sleep, or earlier.
//  4. If the announcement came before beginRound(): the push comes before that round in the order
//     of the global mutex, so the round sees that the list is not empty, although it looks without
//     the bucket's mutex, and takes the list over.
//
// In 3 it does not matter whether the round has found the bucket empty.
//
// The flag `stopped_` is written, and read for the decision to sleep, under the same mutex as
// `nearest`: so the thread does not sleep through a stop either. test/brpc/model/ has a model of
// this protocol that can be searched exhaustively, with and without deliberate mistakes.

namespace jtimer::brpc::detail {

using jtimer::detail::exceptionOf;
using jtimer::detail::kLongAgo;
using jtimer::detail::saturatingAdd;
using jtimer::detail::saturatingSubtract;

BucketLoop::BucketLoop(Settings settings)
    : LoopThread(std::move(settings.thread)), maxWakeupInterval_(settings.maxWakeupInterval),
      queue_(settings.numBuckets, settings.sweepMinSize) {}

BucketLoop::~BucketLoop() { removeAll(nullptr); }

std::exception_ptr BucketLoop::start() { return tryToStart(shared_from_this()); }

// Called from any thread.

TaskId BucketLoop::schedule(Slot::Function function, Nanos time) {
    if (isStopped()) return kInvalidTaskId;
    Bucket& bucket = queue_.bucketOfThisThread();
    Slot* const slot = bucket.takeSlot(queue_.pool());
    if (slot == nullptr) return kInvalidTaskId;
    slot->fill(function);
    return add(bucket, *slot, time);
}

TaskId BucketLoop::schedule(const FunctionMaker& maker, Nanos time) {
    if (isStopped()) return kInvalidTaskId;
    Bucket& bucket = queue_.bucketOfThisThread();
    Slot* const slot = bucket.takeSlot(queue_.pool());
    if (slot == nullptr) return kInvalidTaskId;
    struct ReturnSlot {
        Bucket& bucket;
        Slot* slot;
        ~ReturnSlot() {
            if (slot != nullptr) bucket.returnSlot(Lock(bucket.mutex), *slot);
        }
    } unused{bucket, slot};
    if (!slot->fill(maker)) return kInvalidTaskId;
    unused.slot = nullptr;
    return add(bucket, *slot, time);
}

TaskId BucketLoop::add(Bucket& bucket, Slot& slot, Nanos time) {
    slot.time = time;
    const TaskId id = slot.publish();  // from here on unschedule() may remove the task
    // As soon as the bucket is unlocked, the task may run and destroy the TimerThread.
    std::shared_ptr<BucketLoop> self;
    {
        const Lock lock(bucket.mutex);
        if (!bucket.push(lock, slot, queue_.pool())) return id;
        self = shared_from_this();
    }
    Lock lock = monitor_.enter();
    if (!queue_.announce(time)) return id;
    ++signals_;
    if (maxWakeupInterval_ == 0) {
        monitor_.leaveAndWakeFor(lock, time);
    } else {
        monitor_.leaveAndWake(lock);  // a sleep that the cap ends early spares no wake-up
    }
    return id;
}

int BucketLoop::unschedule(TaskId id) {
    Slot* const slot = queue_.pool().find(id);
    if (slot == nullptr) return kNoSuchTask;
    switch (slot->beginRemoval(id)) {
    case Slot::Removal::Done:
        return kRemoved;
    case Slot::Removal::Begun: {
        const auto self = shared_from_this();  // the callable may own the TimerThread
        slot->destroyCallable();
        slot->endRemoval();
        return kRemoved;
    }
    case Slot::Removal::Running:
        return kRunning;
    case Slot::Removal::None:
        break;
    }
    return kNoSuchTask;
}

/// The wait costs a run nothing but a look at runEndWaiters_ under the mutex, which the thread
/// locks after each run anyway: to begin the next one, to sleep, or to end. No user code but the
/// clock's runs in between. No notification is lost:
///
///  1. If the thread locks the mutex after the run, and before this call does, it has released the
///     slot by then, and this call finds it free.
///  2. Otherwise this call counts itself first. It may find the slot running, and waits, which
///     releases the mutex; then the thread locks it, sees the count, and notifies.
///
/// The word of the slot needs no stronger order for this. After the wait the slot may already have
/// another task, with another version, which isRunning() tells apart.
int BucketLoop::unscheduleAndWait(TaskId id) {
    const int result = unschedule(id);
    if (result != kRunning || isOfAnotherProcess() || isCurrent()) return result;
    const Slot& slot = *queue_.pool().find(id);
    const auto self = shared_from_this();  // the run may destroy the TimerThread
    const jtimer::detail::Uninterruptible uninterruptible;
    jtimer::detail::RunReport report(title(), "unscheduleAndWait()");
    Lock lock = monitor_.enter();
    ++runEndWaiters_;
    jtimer::detail::waitReported(report, runEnded_, lock,
                                 [&slot, id] { return !slot.isRunning(id); });
    --runEndWaiters_;
    return result;
}

TimerThreadStats BucketLoop::stats() {
    TimerThreadStats stats;
    {
        const Lock lock = monitor_.enterUnlessForked(thread_);
        stats.lateness = lateness_;
        stats.signals = signals_;
        stats.wakeUps = wakeUps_;
        stats.heapSize = heapSize_;
    }
    stats.failed = failedRuns();
    stats.executed = stats.triggered = stats.lateness.count();
    const SlotPool& pool = queue_.pool();
    for (std::uint32_t number = 0; number < pool.made(); ++number) {
        const Slot& slot = pool.at(number);
        stats.scheduled += slot.uses();
        const Phase phase = slot.phase();
        if (phase != Phase::Free) ++stats.slots;
        if (isPending(phase)) ++stats.pending;
    }
    // Computed as a difference, so that unschedule() writes to no shared counter. While other
    // threads call the timer, one of the three numbers may be behind.
    const std::uint64_t other = stats.triggered + stats.pending;
    stats.cancelled = stats.unscheduled = stats.scheduled - std::min(stats.scheduled, other);
    return stats;
}

// The end.

void BucketLoop::stop() noexcept {
    Lock lock = monitor_.enter();
    stopped_ = true;
    monitor_.leaveAndWake(lock);
}

void BucketLoop::stopAndJoin() {
    if (isOfAnotherProcess()) return;
    stop();
    if (!isCurrent()) finish("stopAndJoin()");
}

void BucketLoop::close() noexcept {
    LoopThread::close([this] {
        stop();
        finish("its destructor");
        // If this is the timer's thread, ~BucketLoop does this after the run.
        if (!isCurrent()) removeAll(nullptr);
    });
}

/// Removes the pending tasks, and destroys their callables, if any.
/// \param into gets the tasks, as many as it has room for; null: all are removed, and none is kept
void BucketLoop::removeAll(std::vector<PendingTask>* into) {
    const SlotPool& pool = queue_.pool();
    for (std::uint32_t number = 0; number < pool.made(); ++number) {
        if (into != nullptr && into->size() == into->capacity()) return;
        Slot& slot = pool.at(number);
        if (!slot.take(Phase::Removing)) continue;
        if (into != nullptr) {
            const Slot::Function function = slot.function();
            into->push_back(
                {slot.id(), jtimer::detail::toDate<Date>(slot.time), function.fn, function.arg});
        }
        slot.destroyCallable();
        slot.endRemoval();
    }
}

std::vector<PendingTask> BucketLoop::takePending() {
    const auto self = shared_from_this();  // as in unschedule()
    {
        const Lock lock = monitor_.enterUnlessForked(thread_);
        if (!ended_ && !isOfAnotherProcess()) throw IllegalStateException("TimerThread is running");
    }
    std::vector<PendingTask> tasks;
    tasks.reserve(stats().pending);
    // Takes no more than that: a schedule() that races with the stop may still add one.
    removeAll(&tasks);
    std::sort(tasks.begin(), tasks.end(),
              [](const PendingTask& a, const PendingTask& b) { return a.abstime < b.abstime; });
    return tasks;
}

// On the timer's thread.

void BucketLoop::end() {
    const Lock lock = monitor_.enter();
    stopped_ = true;
    ended_ = true;
    notifyOfRunEnd(lock);
}

void BucketLoop::mainLoop() {
    Lock lock = monitor_.enter();
    while (!stopped_) {
        queue_.beginRound();
        lock.unlock();
        pull();
        queue_.tidy();
        const bool ranAll = runDue();
        if (isForkedChild()) return;
        monitor_.enter(lock);
        notifyOfRunEnd(lock);
        if (!ranAll) continue;
        heapSize_ = queue_.endRound();
        if (!stopped_ && !queue_.isToldOfEarlier()) sleep(lock);
    }
}

/// Empties the buckets.
void BucketLoop::pull() {
    for (Bucket& bucket : queue_.buckets()) {
        if (bucket.first() == Slot::kNone) continue;
        Lock lock(bucket.mutex);
        const std::uint32_t first = bucket.takeAll(lock);
        lock.unlock();
        queue_.accept(first);
    }
}

/// Runs what is due. \returns false if it stopped early, because an earlier task was announced or
/// the timer was stopped: then the loop has to look at the buckets again, or to end
bool BucketLoop::runDue() {
    Nanos known = kLongAgo;  // the latest time that the clock has shown, for the lateness
    for (;;) {
        const Nanos least = queue_.least();
        if (least == kNever) return true;
        const Nanos reached = monitor_.reached();
        if (least <= reached) {  // it is certainly due
            known = std::max(known, reached);
        } else {
            known = now_ = monitor_.now();
            if (least > now_ || isForkedChild()) return true;
        }
        Lock lock = monitor_.enter();
        notifyOfRunEnd(lock);
        if (stopped_ || queue_.isToldOfEarlier()) return false;
        // Under the mutex, so that no run begins after a stop.
        Slot* const slot = queue_.beginRun();
        if (slot == nullptr) continue;
        lateness_.add(std::chrono::nanoseconds(saturatingSubtract(known, least)));
        lock.unlock();
        queue_.removeTop();
        runTask(*slot);
        if (isForkedChild()) return false;
    }
}

void BucketLoop::runTask(Slot& slot) {
    /// Also runs when pthread_exit unwinds the thread.
    struct Finish {
        BucketedQueue& queue;
        Slot& slot;
        ~Finish() {
            slot.destroyCallable();
            queue.recycle(slot);
        }
    } const finish{queue_, slot};
    const std::exception_ptr thrown = exceptionOf([&slot] { slot.run(); });
    if (thrown != nullptr) reportRun(thrown);
}

void BucketLoop::sleep(Lock& lock) {
    JTIMER_ASSERT(monitor_.isHeldBy(lock));
    const Nanos until = queue_.beginSleep();
    if (until == kNever) {
        monitor_.wait(lock);
    } else {
        const Nanos cap = maxWakeupInterval_;
        const Nanos latest = cap == 0 ? kNever : saturatingAdd(now_, cap);
        monitor_.waitUntil(lock, std::min(until, latest), now_);
    }
    ++wakeUps_;
}

}  // namespace jtimer::brpc::detail
