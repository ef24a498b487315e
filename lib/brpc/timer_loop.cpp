// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "brpc/timer_loop.hpp"

#include "sync/uninterruptible.hpp"
#include "thread/run_loop.hpp"
#include "thread/uncaught_exception.hpp"

#include <algorithm>
#include <chrono>
#include <limits>
#include <memory>
#include <utility>

// No wake-up is lost, and the thread never sleeps past a task's time, except that of one which is
// still being scheduled.
//
// Consider schedule(), when it has pushed a task of time t into its bucket:
//
//  1. If t is not the bucket's earliest, an earlier task was pushed since the bucket was last
//     emptied. For that one, 2 to 4 hold, or will as soon as its schedule() goes on; and the round
//     that its time brings about finds both. (Until then the task waits for another thread, which
//     is somewhere between these two locks. Nobody else can know of that earlier one either.)
//  2. Otherwise it announces t under the global mutex. If the thread sleeps, until s say: either
//     s <= t, and the round after the sleep comes in time; or it is woken.
//  3. If the thread is in a round, and the announcement came after that round's beginRound(): it
//     runs nothing later than t, and goes to sleep only until t or earlier. In the first case
//     another round follows at once, in the second at the end of the sleep, or earlier.
//  4. If the announcement came before beginRound(): the push comes before that round in the order
//     of the global mutex, so the round sees a list that is not empty, though it looks without the
//     bucket's mutex, and takes it over.
//
// In 3 the round may have found the bucket empty by that look or not; it does not matter.
//
// The flag `stopped_` is written, and read for the decision to sleep, under the same mutex as
// `nearest`: so a stop is not slept over either. test/brpc/model/ has this protocol as a model that
// can be searched whole, with and without mistakes.

namespace jtimer::brpc::detail {

using jtimer::detail::exceptionOf;
using jtimer::detail::saturatingAdd;

TimerLoop::TimerLoop(Settings settings)
    : settings_(std::move(settings)), monitor_(settings_.clock),
      queue_(settings_.numBuckets, settings_.sweepMinSize) {}

TimerLoop::~TimerLoop() { discardAll(); }

void TimerLoop::start() {
    thread_.start(settings_.name, [self = shared_from_this()] { self->run(); });
}

// --- called from any thread ---------------------------------------------------------------------

TaskId TimerLoop::schedule(Slot::Function function, Nanos time) {
    if (isStopped()) return kInvalidTaskId;
    Bucket& bucket = queue_.bucketOfThisThread();
    Slot* const slot = bucket.takeSlot(queue_.pool());
    if (slot == nullptr) return kInvalidTaskId;
    slot->fill(function);
    return add(bucket, *slot, time);
}

TaskId TimerLoop::schedule(const CallableOps& ops, const Emplacer& emplace, Nanos time) {
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
    if (!slot->fill(ops, emplace)) return kInvalidTaskId;
    unused.slot = nullptr;
    return add(bucket, *slot, time);
}

TaskId TimerLoop::add(Bucket& bucket, Slot& slot, Nanos time) {
    slot.time = time;
    const TaskId id = slot.publish();  // from here on it may be removed, before it is in the list
    // As soon as the bucket is unlocked the task may run, and destroy the TimerThread.
    std::shared_ptr<TimerLoop> self;
    {
        const Lock lock(bucket.mutex);
        if (!bucket.push(lock, slot, queue_.pool())) return id;
        self = shared_from_this();
    }
    Lock lock = monitor_.enter();
    if (!queue_.announce(time)) return id;
    ++signals_;
    if (settings_.maxWakeupInterval == 0) {
        monitor_.leaveAndWakeFor(lock, time);
    } else {
        monitor_.leaveAndWake(lock);  // a cap ends a sleep before its time, but spares no wake-up
    }
    return id;
}

int TimerLoop::unschedule(TaskId id) {
    Slot* const slot = queue_.pool().find(id);
    if (slot == nullptr) return kNoSuchTask;
    switch (slot->beginRemoval(id)) {
    case Slot::Removal::Done:
        return kRemoved;
    case Slot::Removal::Begun: {
        const auto self = shared_from_this();  // what the callable owns may be the TimerThread
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

TimerThreadStats TimerLoop::stats() {
    TimerThreadStats stats;
    for (Bucket& bucket : queue_.buckets())
        stats.scheduled += bucket.scheduled(lockUnlessForked(bucket.mutex));
    {
        const Lock lock = monitor_.enterUnlessForked(thread_);
        stats.triggered = triggered_;
        stats.signals = signals_;
        stats.wakeUps = wakeUps_;
        stats.heapSize = heapSize_;
    }
    const SlotPool& pool = queue_.pool();
    for (std::uint32_t number = 0; number < pool.made(); ++number) {
        const Phase phase = pool.at(number).phase();
        if (phase != Phase::Free) ++stats.slots;
        if (phase == Phase::Scheduled || phase == Phase::ScheduledCallable) ++stats.pending;
    }
    // Counted by difference: who removes a task touches nothing that all share. While others call
    // the timer, one of the three may be behind.
    const std::uint64_t other = stats.triggered + stats.pending;
    stats.unscheduled = stats.scheduled - std::min(stats.scheduled, other);
    return stats;
}

// --- the end ------------------------------------------------------------------------------------

/// In a forked child, where nothing that a mutex guards is written, takes it only if it is free.
Lock TimerLoop::lockUnlessForked(Mutex& mutex) const {
    return isOfAnotherProcess() ? Lock(mutex, boost::try_to_lock) : Lock(mutex);
}

void TimerLoop::stop() noexcept {
    Lock lock = monitor_.enter();
    stopped_ = true;
    monitor_.leaveAndWake(lock);
}

void TimerLoop::stopAndJoin() {
    if (isOfAnotherProcess()) return;
    stop();
    if (!thread_.isCurrent()) thread_.finish();
}

void TimerLoop::close() noexcept {
    if (isOfAnotherProcess()) return;
    const jtimer::detail::Uninterruptible uninterruptible;
    stop();
    thread_.finish();
    // On the thread itself, ~TimerLoop does this, when the run has ended.
    if (!thread_.isCurrent()) discardAll();
}

/// Removes the tasks that are pending, calls `visit` with each, and destroys it if it is a
/// callable.
template <class Visit>
void TimerLoop::removeAll(std::size_t atMost, const Visit& visit) {
    const SlotPool& pool = queue_.pool();
    for (std::uint32_t number = 0; number < pool.made() && atMost > 0; ++number) {
        Slot& slot = pool.at(number);
        const TaskId id = slot.id();
        if (!slot.beginTaking(id)) continue;
        --atMost;
        PendingTask task;
        task.id = id;
        task.abstime =
            Date(std::chrono::duration_cast<Date::duration>(std::chrono::nanoseconds(slot.time)));
        task.fn = slot.function().fn;
        task.arg = slot.function().arg;
        visit(task);
        slot.destroyCallable();
        slot.endRemoval();
    }
}

void TimerLoop::discardAll() noexcept {
    removeAll(std::numeric_limits<std::size_t>::max(), [](const PendingTask&) {});
}

std::vector<PendingTask> TimerLoop::takePending() {
    const auto self = shared_from_this();  // as in unschedule()
    {
        const Lock lock = monitor_.enterUnlessForked(thread_);
        if (!ended_ && !isOfAnotherProcess()) throw IllegalStateException("TimerThread is running");
    }
    std::vector<PendingTask> tasks;
    tasks.reserve(stats().pending);
    // No more than that: a schedule() that the stop has overtaken may still add one.
    removeAll(tasks.capacity(), [&tasks](const PendingTask& task) { tasks.push_back(task); });
    std::sort(tasks.begin(), tasks.end(),
              [](const PendingTask& a, const PendingTask& b) { return a.abstime < b.abstime; });
    return tasks;
}

// --- the timer's thread -------------------------------------------------------------------------

void TimerLoop::run() {
    const auto end = [this] {
        const Lock lock = monitor_.enter();
        stopped_ = true;
        ended_ = true;
    };
    // What a user's clock throws: tasks do not end the loop.
    const auto report = [this](const std::exception_ptr& uncaught) {
        jtimer::detail::reportUncaughtException(settings_.handler, settings_.name, uncaught);
    };
    jtimer::detail::runLoop(
        monitor_, [this] { mainLoop(); }, end, report);
}

void TimerLoop::mainLoop() {
    Lock lock = monitor_.enter();
    while (!stopped_) {
        queue_.beginRound();
        lock.unlock();
        pull();
        queue_.tidy();
        const bool ranAll = runDue();
        monitor_.enter(lock);
        if (!ranAll) continue;
        heapSize_ = queue_.endRound();
        if (!stopped_ && !queue_.isToldOfEarlier()) sleep(lock);
    }
}

/// Empties the buckets.
void TimerLoop::pull() {
    queue_.acceptOld();
    for (Bucket& bucket : queue_.buckets()) {
        if (bucket.looksEmpty()) continue;
        Lock lock(bucket.mutex);
        const std::uint32_t first = bucket.takeAll(lock);
        lock.unlock();
        queue_.accept(first);
    }
}

/// Runs what is due. \returns false if it was not the end of that which ended it: then the loop has
/// to look at the buckets again, or to end
bool TimerLoop::runDue() {
    for (;;) {
        const Nanos least = queue_.least();
        if (least == kNever) return true;
        if (least > monitor_.reached()) {  // else it is certainly due
            now_ = monitor_.now();
            if (least > now_) return true;
        }
        Lock lock = monitor_.enter();
        if (stopped_ || queue_.isToldOfEarlier()) return false;
        // Under the mutex, so that no run begins after a stop.
        Slot* const slot = queue_.beginRun();
        if (slot == nullptr) continue;
        ++triggered_;
        lock.unlock();
        queue_.removeTop();
        runTask(*slot);
    }
}

void TimerLoop::runTask(Slot& slot) {
    /// Also when pthread_exit unwinds the thread.
    struct Finish {
        BucketedQueue& queue;
        Slot& slot;
        ~Finish() {
            slot.destroyCallable();
            queue.recycle(slot);
        }
    } const finish{queue_, slot};
    const std::exception_ptr thrown = exceptionOf([&slot] { slot.run(); });
    if (thrown != nullptr) {
        jtimer::detail::reportUncaughtException(settings_.handler, settings_.name, thrown);
    }
}

void TimerLoop::sleep(Lock& lock) {
    const Nanos until = queue_.beginSleep();
    if (until == kNever) {
        monitor_.wait(lock);
    } else {
        const Nanos cap = settings_.maxWakeupInterval;
        const Nanos latest = cap == 0 ? kNever : saturatingAdd(now_, cap);
        monitor_.waitUntil(lock, std::min(until, latest), now_);
    }
    ++wakeUps_;
}

}  // namespace jtimer::brpc::detail
