// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "go/function_threads.hpp"

#include "go/runtime.hpp"
#include "sync/assert.hpp"
#include "sync/reported_wait.hpp"
#include "sync/threads.hpp"
#include "sync/uninterruptible.hpp"
#include "thread/loop_thread.hpp"
#include "thread/uncaught_exception.hpp"

#include <algorithm>
#include <exception>
#include <utility>

namespace jtimer::go::detail {

namespace {

/// How long the last free thread waits for the busy ones before it starts another.
constexpr Nanos kPatience = 1'000'000;

/// How long it waits before it tries again, if the system could not create a thread.
constexpr Nanos kRetry = 10'000'000;

std::size_t processors() noexcept {
    static const std::size_t count =
        std::max(1U, jtimer::detail::threads::thread::hardware_concurrency());
    return count;
}

}  // namespace

/// Kept alive by its own body, by any thread that wakes it, and from its end until it is joined.
class FunctionThreads::Thread final : public jtimer::detail::ListHook,
                                      public std::enable_shared_from_this<Thread>,
                                      private LoopThread {
  public:
    Thread(FunctionThreads& pool, LoopThread::Settings settings)
        : LoopThread(std::move(settings)), pool_(&pool) {}

    /// \param runtime the pool's
    /// \returns what onThreadStart has thrown: then the thread has ended
    std::exception_ptr start(std::shared_ptr<Runtime> runtime) {
        const Lock lock(starting_);
        return tryToStart(std::make_shared<KeptAlive>(shared_from_this(), std::move(runtime)));
    }
    void letGo() { thread_.letGo(); }
    void finish() { thread_.finish(); }

    /// For the thread itself.
    std::shared_ptr<Monitor> sharedMonitor() { return {shared_from_this(), &monitor_}; }

    void wake() {
        Lock lock = monitor_.enter();
        woken_ = true;
        monitor_.leaveAndWake(lock);
    }
    void awaitWake() {
        Lock lock = monitor_.enter();
        while (!woken_) monitor_.wait(lock);
        woken_ = false;
    }
    /// Waits for at most a span on the thread's clock. May end early.
    void awaitWake(Nanos span) {
        Nanos now = 0;
        if (jtimer::detail::exceptionOf([&] { now = monitor_.now(); }) != nullptr) span = kNever;
        Lock lock = monitor_.enter();
        const Nanos deadline = jtimer::detail::saturatingAdd(now, span);
        if (!woken_) monitor_.waitUntil(lock, deadline, now);
        woken_ = false;
    }

    static thread_local Thread* current;

    /// The thread itself, while it is among those that have ended: its body may be destroyed before
    /// it is joined, if pthread_exit unwinds it, and always where threads are the standard
    /// library's. Guarded by the pool's mutex.
    std::shared_ptr<Thread> untilJoined;

  private:
    using KeptAlive = std::pair<std::shared_ptr<Thread>, std::shared_ptr<Runtime>>;

    void mainLoop() override;
    void end() override;

    /// Only the thread itself uses it: for the others, the pool may no longer exist.
    FunctionThreads* const pool_;
    /// Held while start() uses thread_, which the started thread, too, uses at its end.
    Mutex starting_;
    /// Guarded by the monitor.
    bool woken_ = false;
    // Used by the thread only.
    bool hasReturned_ = false;
    bool hasLeft_ = false;
};

thread_local FunctionThreads::Thread* FunctionThreads::Thread::current = nullptr;

FunctionThreads::FunctionThreads(Runtime& runtime) : runtime_(runtime) {}

FunctionThreads::~FunctionThreads() = default;

std::shared_ptr<Monitor> FunctionThreads::monitorOfThisThread() {
    return Thread::current != nullptr ? Thread::current->sharedMonitor() : nullptr;
}

void FunctionThreads::startFirst() noexcept {
    Lock lock(mutex_);
    if (free_ == 0 && !stopped_) start(lock);
}

void FunctionThreads::handOver(Run run) {
    Lock lock(mutex_);
    queue_.push(std::move(run));
    if (!idle_.empty()) return wakeIdle(lock);
    if (free_ != 0 || start(lock)) return;
    while (threads_ == 0 && !queue_.empty()) {
        {
            const Run here = queue_.pop();
            lock.unlock();
            here();
        }  // perhaps also destroys the function, with no lock held
        if (runtime_.isOfAnotherProcess()) return;
        lock.lock();
    }
}

/// Starts a thread, and releases the lock meanwhile. \returns false if the system cannot create one,
/// or onThreadStart fails on it, which is reported
bool FunctionThreads::start(Lock& lock) noexcept {
    JTIMER_ASSERT(holds(lock, mutex_));
    ++free_;
    ++threads_;
    progress_ = false;
    lock.unlock();
    bool started = false;
    try {
        const auto thread = std::make_shared<Thread>(*this, runtime_.threadSettings());
        const std::exception_ptr thrown = thread->start(runtime_.shared_from_this());
        if (thrown != nullptr) runtime_.report(thrown);
        started = thrown == nullptr;
    } catch (const std::exception&) {
    }
    lock.lock();
    if (!started) {
        --free_;
        --threads_;
        changed(lock);
    }
    return started;
}

/// Each run, and with it what the function has captured, is destroyed before the thread becomes
/// free.
void FunctionThreads::Thread::mainLoop() {
    { const Lock untilStarted(starting_); }
    current = this;
    const Runtime::OnItsThread here(pool_->runtime_);
    for (bool first = true;; first = false) {
        const Run run = pool_->nextRun(*this, first);
        if (!run) break;
        run();
    }
    hasReturned_ = true;
}

void FunctionThreads::Thread::end() {
    current = nullptr;
    if (std::exchange(hasLeft_, true) || pool_->runtime_.isOfAnotherProcess()) return;
    pool_->leave(*this, !hasReturned_);
}

/// \returns none if the thread is to end
Run FunctionThreads::nextRun(Thread& thread, bool first) {
    if (runtime_.isOfAnotherProcess()) return {};  // the function has forked
    const jtimer::detail::Uninterruptible uninterruptible;
    Lock lock(mutex_);
    if (!first) {
        ++free_;
        --busy_;
        progress_ = progress_ || !queue_.empty();
    }
    for (bool hasWaited = false;;) {
        if (queue_.empty()) {
            // The others are idle or about to be. It keeps one more of them than there are
            // processors: the spare one.
            if (stopped_ || free_ - 1 > processors()) {
                --free_;
                return {};
            }
            if (first) {
                idle_.push_back(thread);
            } else {
                idle_.push_front(thread);
            }
            awaitRun(lock, thread, false);
            hasWaited = false;
        } else if (free_ > 1) {
            return take(lock);
        } else if (!hasWaited && progress_ && busy_ >= processors()) {
            awaitChange(lock, kPatience);
            hasWaited = true;
        } else if (!start(lock) && free_ == 1 && !queue_.empty()) {
            if (busy_ == 0) return take(lock);
            idle_.push_front(thread);
            awaitRun(lock, thread, true);
        }
    }
}

/// Waits in the list of idle threads, to which the caller has added the thread.
void FunctionThreads::awaitRun(Lock& lock, Thread& thread, bool isForRetry) {
    JTIMER_ASSERT(holds(lock, mutex_) && thread.is_linked());
    lock.unlock();
    if (isForRetry) {
        thread.awaitWake(kRetry);
    } else {
        thread.awaitWake();
    }
    lock.lock();
    if (thread.is_linked()) thread.unlink();
}

Run FunctionThreads::take(Lock& lock) noexcept {
    JTIMER_ASSERT(holds(lock, mutex_));
    --free_;
    ++busy_;
    Run run = queue_.pop();
    if (queue_.empty()) {
        progress_ = false;
        changed(lock);
    }
    return run;
}

void FunctionThreads::awaitChange(Lock& lock, Nanos longest) {
    JTIMER_ASSERT(holds(lock, mutex_));
    ++waiting_;
    changed_.wait_for(lock, jtimer::detail::threads::chrono::nanoseconds(longest));
    --waiting_;
}

void FunctionThreads::changed(Lock& lock) noexcept {
    JTIMER_ASSERT(holds(lock, mutex_));
    if (waiting_ != 0) changed_.notify_all();
}

/// There must be an idle thread. Releases the lock. A thread that only waits to try again may
/// continue by itself, and end, before it is woken.
void FunctionThreads::wakeIdle(Lock& lock) noexcept {
    JTIMER_ASSERT(holds(lock, mutex_) && !idle_.empty());
    const std::shared_ptr<Thread> thread = idle_.front().shared_from_this();
    idle_.pop_front();
    lock.unlock();
    thread->wake();
}

void FunctionThreads::leave(Thread& thread, bool unwound) noexcept {
    const jtimer::detail::Uninterruptible uninterruptible;
    Lock lock(mutex_);
    if (unwound) --busy_;
    // There are other threads, unless the system could not create any. This thread has time to
    // try again.
    while (!queue_.empty() && free_ == 0 && busy_ == 0 && !start(lock)) awaitChange(lock, kRetry);
    --threads_;
    if (join_) {
        thread.untilJoined = thread.shared_from_this();
        ended_.push_back(thread);
    } else {
        thread.letGo();
    }
    changed(lock);
    if (stopped_ && !idle_.empty()) wakeIdle(lock);
}

void FunctionThreads::stop(WaitReport* report) noexcept {
    Lock lock(mutex_);
    stopped_ = true;
    join_ = report != nullptr;
    while (!idle_.empty()) {
        wakeIdle(lock);
        lock.lock();
    }
    while (report != nullptr) {
        ++waiting_;
        jtimer::detail::waitReported(*report, changed_, lock,
                                     [this] { return !ended_.empty() || threads_ == 0; });
        --waiting_;
        if (ended_.empty()) return;
        const std::shared_ptr<Thread> thread = std::move(ended_.front().untilJoined);
        ended_.pop_front();
        lock.unlock();
        thread->finish();
        lock.lock();
    }
}

}  // namespace jtimer::go::detail
