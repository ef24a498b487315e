// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "netty/worker.hpp"

#include "netty/instances.hpp"
#include "sync/process_number.hpp"
#include "sync/uninterruptible.hpp"
#include "thread/run_loop.hpp"
#include "thread/uncaught_exception.hpp"

#include <jtimer/exceptions.hpp>

#include <algorithm>
#include <utility>

namespace jtimer::netty::detail {

using jtimer::detail::exceptionOf;
using jtimer::detail::kLongAgo;
using jtimer::detail::kNever;
using jtimer::detail::saturatingAdd;
using jtimer::detail::saturatingSubtract;
using jtimer::detail::Uninterruptible;
using Access = TimeoutAccess;

namespace {

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

void Worker::Reporter::report(const std::exception_ptr& exception) const {
    // What the handler throws is ignored.
    static_cast<void>(jtimer::detail::reportUncaughtException(handler, name, exception));
}

Worker::Worker(Settings settings, HashedWheelTimer& timer)
    : reporter_(std::make_shared<Reporter>(
          Reporter{std::move(settings.name), std::move(settings.handler)})),
      taskExecutor_(std::move(settings.taskExecutor)), tickDuration_(settings.tickDuration),
      revolution_(settings.tickDuration * static_cast<Nanos>(settings.slots)),
      maxPendingTimeouts_(settings.maxPendingTimeouts), origin_(new Origin(timer)),
      monitor_(std::move(settings.clock), jtimer::detail::Monitor::WithoutThread{}),
      wheel_(settings.slots) {}

Worker::~Worker() { origin_.release()->workerIsGone(accepted_); }

// --- called from any thread ---------------------------------------------------------------------

/// Whether it has not been started, as far as this thread knows.
bool Worker::isNew() const {
    const State state = state_.load(std::memory_order_acquire);
    if (state == State::Stopped) throwStopped();
    // The monitor, too, may be held by a thread that is not there.
    if (state == State::Started && process_ != jtimer::detail::numberOfThisProcess()) throwForked();
    return state == State::New;
}

void Worker::start() {
    if (isNew()) start(monitor_.now());
}

void Worker::start(Nanos now) {
    Lock lock = monitor_.enter();
    if (!isNew()) return;
    start_ = now;
    process_ = jtimer::detail::numberOfThisProcess();
    monitor_.takePart(lock);
    try {
        thread_.start(name(), [self = shared_from_this()] { self->run(); });
    } catch (...) {
        monitor_.takeNoPart(lock);
        throw;
    }
    state_.store(State::Started, std::memory_order_release);
}

/// The tick that covers a time since the start.
Tick Worker::tickAt(Nanos elapsed) const noexcept {
    const Tick tick = elapsed / tickDuration_;
    return elapsed % tickDuration_ < 0 ? tick - 1 : tick;
}

std::int64_t Worker::pending(Lock&) const noexcept {
    return accepted_ - done_.load(std::memory_order_acquire);
}

std::shared_ptr<Timeout> Worker::newTimeout(std::shared_ptr<TimerTask> task, Nanos delay) {
    if (task == nullptr) throw NullPointerException("task");
    const bool mustStart = isNew();
    std::shared_ptr<Timeout> timeout = Access::make(std::move(task));
    const Nanos now = monitor_.now();  // once, for a user's clock may throw
    if (mustStart) start(now);

    const Nanos elapsed = saturatingSubtract(now, start_);
    Access::setDue(*timeout, tickAt(saturatingAdd(elapsed, delay)));

    Lock lock = monitor_.enter();
    if (state_.load(std::memory_order_relaxed) == State::Stopped) throwStopped();
    if (maxPendingTimeouts_ > 0 && pending(lock) >= maxPendingTimeouts_)
        throwRejected(maxPendingTimeouts_);
    Access::origin(*timeout) = origin_.get();
    ++accepted_;
    inbox_.append(timeout);
    // From here on the task may run, and destroy the timer: after the release of the monitor,
    // nothing of it may be touched.
    if (std::exchange(idle_, false)) {
        resumeTick_ = tickAt(elapsed);
        monitor_.leaveAndWake(lock);
    }
    return timeout;
}

/// From now on no timeout is accepted. \returns what the state was
Worker::State Worker::stopAccepting(Lock&) noexcept {
    const State before = state_.exchange(State::Stopped, std::memory_order_relaxed);
    if (before != State::Stopped) instanceEnded();
    return before;
}

std::vector<std::shared_ptr<Timeout>> Worker::stop() {
    if (thread_.isOfAnotherProcess()) return {};
    if (thread_.isCurrent()) {
        throw IllegalStateException("HashedWheelTimer.stop() cannot be called from TimerTask");
    }
    Lock lock = monitor_.enter();
    // A worker that has ended by itself, or is about to, is waited for as well.
    if (stopAccepting(lock) == State::New || stopWasCalled_) return {};
    stopWasCalled_ = true;
    monitor_.leaveAndWake(lock);
    thread_.finish();

    std::size_t count = 0;
    for (const Timeout* timeout = cancelledByStop_.front(); timeout != nullptr; ++count)
        timeout = cancelledByStop_.next(*timeout);
    std::vector<std::shared_ptr<Timeout>> result;
    result.reserve(count);
    while (!cancelledByStop_.empty()) result.push_back(cancelledByStop_.popFront());
    return result;
}

std::int64_t Worker::pendingTimeouts() {
    Lock lock = monitor_.enterUnlessForked(thread_);
    return pending(lock);
}

void Worker::close() noexcept {
    if (!thread_.isOfAnotherProcess()) {  // in a forked child there is nobody to wait for
        const Uninterruptible uninterruptible;
        if (thread_.isCurrent()) abandoned_ = true;
        Lock lock = monitor_.enter();
        stopAccepting(lock);
        monitor_.leaveAndWake(lock);
        thread_.finish();
    }
    origin_->timerIsGone();
}

// --- the worker's thread ------------------------------------------------------------------------

void Worker::run() {
    jtimer::detail::runLoop(
        monitor_, [this] { mainLoop(); }, [this] { finish(); },
        [this](const std::exception_ptr& uncaught) { reporter_->report(uncaught); });
}

/// The order of things in a tick: what is due must not wait for the calls of cancelled().
void Worker::mainLoop() {
    Lock lock = monitor_.enter();
    while (awaitEndOfTick(lock)) {
        lock.unlock();
        skipEmptyTicks();
        transfer();
        wheel_.expire(tick_, [this](std::shared_ptr<Timeout> timeout) {
            handOver(std::move(timeout));
            return !abandoned_;
        });
        if (abandoned_) return;
        processCancellations();
        ++tick_;
        monitor_.enter(lock);
    }
}

/// Waits until tick_ is over, and takes over the inbox. While nothing is pending, neither in the
/// wheel nor on its way there or out of there, it waits without a deadline; then tick_ goes on with
/// the tick in which something was added, as it would have by itself.
///
/// A late worker reads the clock once for all the ticks that it has missed, unless something has
/// arrived since: the clock may have been set back before that was added, to a time at which it is
/// not due though these ticks were over. By a reading that comes after it, it is.
/// \returns false if the timer is stopped
bool Worker::awaitEndOfTick(Lock& lock) {
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
        knownTime_ = monitor_.reached();
        if (end <= knownTime_) return true;
        knownTime_ = monitor_.now();
        if (end <= knownTime_) return true;
        if (const Tick present = knownTick(); present < tick_) tick_ = nextLook_ = present;
        monitor_.waitUntil(lock, endOfTick(), knownTime_);
    }
}

Nanos Worker::endOfTick() const noexcept {
    Nanos elapsed = 0;
    // What is beyond 64 bits since the start never comes, even if the clock could show it.
    if (__builtin_mul_overflow(tickDuration_, tick_ + 1, &elapsed)) return kNever;
    return saturatingAdd(start_, elapsed);
}

Tick Worker::knownTick() const noexcept { return tickAt(saturatingSubtract(knownTime_, start_)); }

/// When tick_ and more than a whole revolution after it are over: goes on to the first tick in
/// which something is due, or else to the last one that is over. So a clock that jumps, or a
/// computer that was asleep, does not keep the worker busy with millions of ticks in which nothing
/// happens.
///
/// What happens is the same as without it, for in the ticks that are skipped nothing would:
///
///  1. Nothing arrives: arrived_ is empty. What is put into the inbox from now on comes during a
///     tick, whichever that is, and is transferred in the next.
///  2. Nothing expires: what is neither cancelled nor in the inbox is in the wheel, and none of
///     it is due before. What is cancelled from now on does not expire either.
///  3. No cancellation is processed: there is none. One that is on its way comes, as in 1, during
///     whichever tick this is.
///
/// And a stop() that comes meanwhile finds the worker in the tick to which it goes, where it would
/// be if it were faster.
///
/// The look at the wheel takes as long as a revolution, or less. So there is at most one for as
/// many ticks as a revolution has, walked or skipped, and at the worst the way takes twice as long.
void Worker::skipEmptyTicks() noexcept {
    if (saturatingSubtract(knownTime_, endOfTick()) <= revolution_ || tick_ < nextLook_) return;
    if (!arrived_.empty() || !origin_->empty()) return;
    nextLook_ = tick_ + static_cast<Tick>(wheel_.slots());
    tick_ = wheel_.leastDue(knownTick() - 1);
}

void Worker::transfer() {
    while (!arrived_.empty()) {
        std::shared_ptr<Timeout> timeout = arrived_.popFront();
        if (Access::isInit(*timeout)) {
            wheel_.place(std::move(timeout), tick_);
        } else {
            unplaced_.append(std::move(timeout));
        }
    }
}

void Worker::countDown() noexcept {
    done_.store(done_.load(std::memory_order_relaxed) + 1, std::memory_order_release);
}

void Worker::handOver(std::shared_ptr<Timeout> timeout) {
    countDown();
    if (!taskExecutor_) {
        runTask(timeout, *reporter_);
        return;
    }
    const std::exception_ptr uncaught = exceptionOf([&] {
        taskExecutor_(
            [timeout = std::move(timeout), reporter = reporter_] { runTask(timeout, *reporter); });
    });
    if (uncaught != nullptr) reporter_->report(uncaught);
}

void Worker::runTask(const std::shared_ptr<Timeout>& timeout, const Reporter& reporter) {
    const std::exception_ptr uncaught = exceptionOf([&] { timeout->task()->run(timeout); });
    if (uncaught != nullptr) reporter.report(uncaught);
}

/// What cancelled() cancels in its turn is finished as well. But other threads that add and cancel
/// all the time cannot keep the worker here: when it has finished as many as were pending, it goes
/// on.
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
            cancelled = next;
        }
    }
}

void Worker::finishCancelled(const std::shared_ptr<Timeout>& timeout) {
    countDown();
    const std::exception_ptr uncaught = exceptionOf([&] { timeout->task()->cancelled(timeout); });
    if (uncaught != nullptr) reporter_->report(uncaught);
}

/// The end: cancels what is pending. Goes on where it was if a cancelled() call has ended the
/// thread.
void Worker::finish() {
    Lock lock = monitor_.enter();
    stopAccepting(lock);
    arrived_.append(inbox_);
    const bool keep = stopWasCalled_;
    lock.unlock();
    if (!ended_) {
        processCancellations();
        cancelAll();
        ended_ = true;
    }
    while (!owed_.empty()) finishCancelled(owed_.popFront());
    while (!toCall_.empty()) {
        std::shared_ptr<Timeout> timeout = toCall_.popFront();
        finishCancelled(timeout);
        if (keep) cancelledByStop_.append(std::move(timeout));
    }
}

/// Every timeout that has been accepted and is not done with is in one of three places. Some may
/// have been cancelled by others; also by threads that have not come to the inbox of cancellations
/// yet. What these push there later, is not looked at any more.
void Worker::cancelAll() {
    const auto cancel = [this](std::shared_ptr<Timeout> timeout) {
        (Access::cancel(*timeout) ? toCall_ : owed_).append(std::move(timeout));
    };
    wheel_.clear(cancel);
    for (TimeoutList* list : {&arrived_, &unplaced_}) {
        while (!list->empty()) cancel(list->popFront());
    }
}

}  // namespace jtimer::netty::detail
