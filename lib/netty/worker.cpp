// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "netty/worker.hpp"

#include "netty/prefetch.hpp"
#include "netty/task_run.hpp"
#include "sync/assert.hpp"
#include "sync/process_number.hpp"
#include "thread/run_here.hpp"
#include "thread/uncaught_exception.hpp"

#include <jtimer/detail/compiler.hpp>
#include <jtimer/exceptions.hpp>

#include <algorithm>
#include <cstddef>
#include <exception>
#include <optional>
#include <utility>

namespace jtimer::netty::detail {

using jtimer::detail::exceptionOf;
using jtimer::detail::Guard;
using jtimer::detail::kLongAgo;
using jtimer::detail::kNever;
using jtimer::detail::multiplyOverflows;
using jtimer::detail::RunHere;
using jtimer::detail::saturatingAdd;
using jtimer::detail::saturatingSubtract;
using Access = TimeoutAccess;

namespace {

/// The timers of the process that are neither stopped nor destroyed, each of which needs a thread.
std::atomic<int> instances{0};
std::atomic<bool> instancesReported{false};

/// The first time that there are more than 64 instances, prints a warning to std::cerr.
void countInstance() {
    constexpr int manyInstances = 64;
    if (instances.fetch_add(1, std::memory_order_relaxed) + 1 <= manyInstances) return;
    if (instancesReported.exchange(true, std::memory_order_relaxed)) return;
    jtimer::detail::printLine(
        {"You are creating too many HashedWheelTimer instances. HashedWheelTimer is a shared "
         "resource that must be reused across the process, so that only a few instances are "
         "created."});
}

[[noreturn]] void throwStopped() { throw IllegalStateException("cannot be started once stopped"); }

[[noreturn]] void throwForked() {
    throw IllegalStateException("cannot be used in a forked child once started");
}

[[noreturn]] void throwRejected(std::int64_t max) {
    throw RejectedExecutionException("Number of pending timeouts (" + std::to_string(max + 1) +
                                     ") is greater than or equal to maximum allowed pending "
                                     "timeouts (" +
                                     std::to_string(max) + ')');
}

}  // namespace

Worker::Worker(Settings settings, HashedWheelTimer& timer)
    : LoopThread(std::move(settings.thread)), taskExecutor_(std::move(settings.taskExecutor)),
      tickDuration_(settings.tickDuration), maxPendingTimeouts_(settings.maxPendingTimeouts),
      origin_(new Origin(timer, reporter_, static_cast<bool>(taskExecutor_))),
      wheel_(settings.slots) {
    countInstance();
}

Worker::~Worker() { origin_.release()->workerIsGone(accepted_); }

// Called from any thread.

/// Whether it has not been started, as far as this thread knows.
bool Worker::isNew() const {
    const State state = state_.load(std::memory_order_acquire);
    if (state == State::Stopped) throwStopped();
    // A thread that does not exist in the child may also hold the monitor.
    if (state == State::Started && process_ != jtimer::detail::numberOfThisProcess()) throwForked();
    return state == State::New;
}

void Worker::start() {
    if (isNew()) start(monitor_.now());
}

/// The monitor is not held while onThreadStart runs. What is written first is read only once the
/// state is Started.
void Worker::start(Nanos now) {
    if (starting_.isOfParent()) throwForked();
    if (isCurrent()) throw IllegalStateException("cannot be used in onThreadStart");
    const Guard lockStart(startMutex_);
    if (!isNew()) return;
    const jtimer::detail::ProcessOfSection::Scope starts(starting_);
    start_ = now;
    process_ = jtimer::detail::numberOfThisProcess();
    origin_->startedIn(process_);
    Lock lock = monitor_.enter();
    monitor_.takePart(lock);
    lock.unlock();
    try {
        LoopThread::start(shared_from_this());
    } catch (...) {
        lock.lock();
        monitor_.takeNoPart(lock);
        throw;
    }
    // The worker may have ended itself already.
    State expected = State::New;
    state_.compare_exchange_strong(expected, State::Started, std::memory_order_release,
                                   std::memory_order_relaxed);
}

/// The tick that covers a time since the start.
Tick Worker::tickAt(Nanos elapsed) const noexcept {
    const Tick tick = elapsed / tickDuration_;
    return elapsed % tickDuration_ < 0 ? tick - 1 : tick;
}

/// \param lock held, but perhaps not in a forked child
std::int64_t Worker::pending(Lock& lock) const noexcept {
    JTIMER_ASSERT(monitor_.isHeldBy(lock) || isOfAnotherProcess());
    return accepted_ - done_.load(std::memory_order_acquire);
}

/// Moving a shared_ptr is one load of both its words, where compilers vectorise. If these have just
/// been stored one by one, the load waits until both stores, and those before them, have reached
/// the cache: 4 to 8 ns. So `given` is left alone until the clock has been read, which takes longer
/// than that; and the handle, which the caller moves, is made before the monitor is entered.
std::shared_ptr<Timeout> Worker::newTimeout(std::shared_ptr<Timeout>& given, Nanos delay) {
    if (given == nullptr) throw NullPointerException("task");
    const bool mustStart = isNew();
    const Nanos now = monitor_.now();  // read once, as a user's clock may throw
    if (mustStart) start(now);

    std::shared_ptr<Timeout> timeout = given;
    const Nanos elapsed = saturatingSubtract(now, start_);
    Access::setDue(*timeout, tickAt(saturatingAdd(elapsed, delay)));
    nodes_.supply();

    Lock lock = monitor_.enter();
    if (state_.load(std::memory_order_relaxed) == State::Stopped) throwStopped();
    if (maxPendingTimeouts_ > 0 && pending(lock) >= maxPendingTimeouts_)
        throwRejected(maxPendingTimeouts_);
    Access::origin(*timeout) = origin_.get();
    ++accepted_;
    inbox_.append(std::move(given));
    // From here on the task may run and destroy the timer: after the release of the monitor, no
    // part of it may be touched.
    if (std::exchange(idle_, false)) {
        resumeTick_ = tickAt(elapsed);
        monitor_.leaveAndWake(lock);
    }
    return timeout;
}

/// From now on no timeout is accepted. \returns the former state
Worker::State Worker::stopAccepting(Lock& lock) noexcept {
    JTIMER_ASSERT(monitor_.isHeldBy(lock));
    const State before = state_.exchange(State::Stopped, std::memory_order_relaxed);
    if (before != State::Stopped) instances.fetch_sub(1, std::memory_order_relaxed);
    return before;
}

std::vector<std::shared_ptr<Timeout>> Worker::stop() {
    if (isOfAnotherProcess() || starting_.isOfParent()) return {};
    if (isCurrent()) {
        throw IllegalStateException("HashedWheelTimer.stop() cannot be called from TimerTask");
    }
    std::vector<std::shared_ptr<Timeout>> result;
    Guard lockStart(startMutex_);  // a start in progress comes first
    Lock lock = monitor_.enter();
    // Can fail, so call it before the first change. Nothing is added once the timer has stopped.
    result.reserve(static_cast<std::size_t>(pending(lock)));
    // Also waits for a worker that has ended by itself, or is about to.
    if (stopAccepting(lock) == State::New || stopWasCalled_) return {};
    stopWasCalled_ = true;
    monitor_.leaveAndWake(lock);
    lockStart.unlock();
    finish("stop()", static_cast<bool>(taskExecutor_));

    while (!cancelledByStop_.empty()) result.push_back(cancelledByStop_.popFront());
    return result;
}

std::int64_t Worker::pendingTimeouts() {
    Lock lock = monitor_.enterUnlessForked(thread_);
    return pending(lock);
}

HashedWheelTimerStats Worker::stats() {
    HashedWheelTimerStats stats;
    const Lock lock = monitor_.enterUnlessForked(thread_);
    // Read after `done`, so that it includes all runs among them. The cancelled ones are the rest.
    const std::int64_t done = done_.load(std::memory_order_acquire);
    stats.lateness = lateness_.read();
    stats.executed = stats.lateness.count();
    stats.pending = static_cast<std::size_t>(accepted_ - done);
    stats.cancelled = static_cast<std::uint64_t>(done) -
                      std::min(stats.executed, static_cast<std::uint64_t>(done));
    stats.failed = reporter_->failedRuns();
    return stats;
}

void Worker::close() noexcept {
    LoopThread::close([this] {
        if (isCurrent()) abandoned_ = true;
        Lock lock = monitor_.enter();
        stopAccepting(lock);
        monitor_.leaveAndWake(lock);
        finish("its destructor", static_cast<bool>(taskExecutor_));
    });
    origin_->timerIsGone();
}

// On the worker's thread.

/// In each tick, timeouts that are due come before the calls of cancelled(), so that they do not
/// wait for these calls.
void Worker::mainLoop() {
    const NodeStock::Collecting collecting(nodes_);
    std::optional<RunHere> runsAll;
    if (!taskExecutor_) runsAll.emplace(origin_.get());
    isReachedExact_ = monitor_.isReachedExact();
    Lock lock = monitor_.enter();
    while (awaitEndOfTick(lock)) {
        lock.unlock();
        skipEmptyTicks();
        transfer();
        prefetchSlotsIfLate(wheel_, tick_, knownTick());
        wheel_.expire(tick_, [this](std::shared_ptr<Timeout> timeout) {
            handOver(std::move(timeout));
            return !abandoned_ && !isForkedChild();
        });
        if (abandoned_ || isForkedChild()) return;
        processCancellations();
        if (isForkedChild()) return;
        ++tick_;
        if (pendingTimeouts() == 0) {
            nodes_.deleteAll();
        } else {
            nodes_.deleteSurplus();
        }
        monitor_.enter(lock);
    }
}

/// Waits until tick_ is over, and takes over the inbox. While nothing is pending, neither in the
/// wheel nor on its way into or out of it, it waits without a deadline; then tick_ continues at the
/// tick in which something was added, where it would have been anyway.
///
/// A late worker reads the clock once for all the ticks that it has missed, unless a timeout has
/// arrived since. In that case it reads the clock again: the clock may have been set back before
/// the timeout was added, so that the timeout is not yet due, although these ticks were over.
/// \returns false if the timer is stopped, or this is a forked child
bool Worker::awaitEndOfTick(Lock& lock) {
    JTIMER_ASSERT(monitor_.isHeldBy(lock));
    for (;;) {
        if (state_.load(std::memory_order_relaxed) == State::Stopped) return false;
        arrived_.append(inbox_);
        if (!arrived_.empty()) knownTime_ = kLongAgo;
        if (pending(lock) == 0) {
            idle_ = true;
            monitor_.wait(lock);
            tick_ = std::max(tick_, resumeTick_);
            continue;
        }
        const Nanos end = endOfTick();
        if (end <= knownTime_) return true;
        knownTime_ = monitor_.now();
        if (isForkedChild()) return false;  // by the clock
        if (end <= knownTime_) return true;
        if (const Tick present = knownTick(); present < tick_) tick_ = nextLook_ = present;
        monitor_.waitUntil(lock, endOfTick(), knownTime_);
    }
}

Nanos Worker::endOf(Tick tick) const noexcept {
    Nanos elapsed = 0;
    // A time that is more than 64 bits after the start never comes, even if the clock could
    // show it.
    if (multiplyOverflows(tickDuration_, tick + 1, &elapsed)) return kNever;
    return saturatingAdd(start_, elapsed);
}

Tick Worker::knownTick() const noexcept { return tickAt(saturatingSubtract(knownTime_, start_)); }

/// When tick_ and more than a whole revolution after it are over: skips to the first tick in which
/// something is due, or else to the last tick that is over. So when a clock jumps, or the computer
/// was asleep, the worker need not process millions of ticks in which nothing happens.
///
/// The result is the same as without skipping, because nothing would happen in the skipped ticks:
///
///  1. Nothing arrives: arrived_ is empty. A timeout that is put into the inbox from now on comes
///     during some tick, and is transferred in the next.
///  2. Nothing expires: the timeouts that are neither cancelled nor in the inbox are in the
///     wheel, and none of them is due before. A timeout that is cancelled from now on does not
///     expire either.
///  3. No cancellation is processed: there is none. One that is being pushed comes, as in 1, during
///     some tick.
///
/// And a concurrent stop() finds the worker in the tick to which it skips, where it would be if it
/// were faster.
///
/// Searching the wheel takes at most as long as a revolution. So there is at most one search per
/// revolution of ticks, walked or skipped, and in the worst case this doubles the time.
void Worker::skipEmptyTicks() noexcept {
    const auto revolution = static_cast<Tick>(wheel_.slots());
    if (tick_ < nextLook_ || knownTick() - tick_ <= revolution) return;
    if (!arrived_.empty() || !origin_->empty()) return;
    nextLook_ = tick_ + revolution;
    tick_ = wheel_.leastDue(knownTick() - 1);
}

/// What has been cancelled stays in arrived_ until processCancellations() removes it.
void Worker::transfer() {
    for (Timeout* timeout = arrived_.front(); timeout != nullptr;) {
        Timeout* const next = arrived_.next(*timeout);
        if (Access::isInit(*timeout)) {
            TimeoutList::unlink(*timeout);
            wheel_.place(*timeout, tick_);
        }
        timeout = next;
    }
}

void Worker::countDown() noexcept {
    JTIMER_ASSERT(isCurrent());
    done_.store(done_.load(std::memory_order_relaxed) + 1, std::memory_order_release);
}

/// Before it runs. The clock has shown the end of tick_, and so of the tick in which it was due. On
/// a real clock, a reading for each of the many short runs of a tick would take a tenth of their
/// time.
void Worker::countRun(const Timeout& timeout) noexcept {
    constexpr int few = 16;
    if (isReachedExact_ || ++runsSinceReading_ == few) {
        runsSinceReading_ = 0;
        knownTime_ = std::max(knownTime_, monitor_.reached());
    }
    lateness_.add(saturatingSubtract(knownTime_, endOf(Access::due(timeout))));
    countDown();
}

void Worker::handOver(std::shared_ptr<Timeout> timeout) {
    countRun(*timeout);
    if (taskExecutor_) {
        handTo(taskExecutor_, std::move(timeout), reporter_);
    } else {
        runTask(timeout, *reporter_);
    }
}

/// Also finishes the timeouts that cancelled() cancels in its turn. But other threads that
/// constantly add and cancel cannot keep the worker here: it returns once it has finished as many
/// as were pending.
void Worker::processCancellations() {
    std::int64_t most = 1;
    for (std::int64_t count = 0; count < most;) {
        Timeout* cancelled = origin_->takeOldestFirst();
        if (cancelled == nullptr) return;
        {
            Lock lock = monitor_.enter();
            if (count == 0) most = pending(lock);
            arrived_.append(inbox_);
        }
        for (; cancelled != nullptr; ++count) {
            Timeout* const next = Access::link(*cancelled);
            finishCancelled(TimeoutList::remove(*cancelled));
            if (isForkedChild()) return;
            cancelled = next;
        }
    }
}

void Worker::finishCancelled(const std::shared_ptr<Timeout>& timeout) {
    countDown();
    const std::exception_ptr uncaught = exceptionOf([&] { Access::callCancelled(timeout); });
    if (uncaught != nullptr) report(uncaught);
}

/// Cancels what is pending.
void Worker::end() {
    Lock lock = monitor_.enter();
    stopAccepting(lock);
    arrived_.append(inbox_);
    const bool keep = stopWasCalled_;
    lock.unlock();
    nodes_.deleteAll();
    if (!ended_) {
        processCancellations();
        if (isForkedChild()) return;
        cancelAll();
        ended_ = true;
    }
    if (!keep) owed_.append(toCall_);
    while (!owed_.empty() && !isForkedChild()) finishCancelled(owed_.popFront());
    while (Timeout* const timeout = isForkedChild() ? nullptr : toCall_.front()) {
        TimeoutList::unlink(*timeout);
        cancelledByStop_.append(*timeout);
        finishCancelled(Access::self(*timeout).get());
    }
}

/// Every timeout that has been accepted and is not finished is in one of two places. Other threads
/// may have cancelled some, and may not have pushed them to the inbox of cancellations yet. What
/// they push there later is ignored.
void Worker::cancelAll() {
    const auto cancel = [this](Timeout& timeout) {
        (Access::cancel(timeout) ? toCall_ : owed_).append(timeout);
    };
    wheel_.clear(cancel);
    arrived_.clear(cancel);
}

}  // namespace jtimer::netty::detail
