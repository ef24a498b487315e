// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include <jtimer/brpc/timer_thread.hpp>

#include "brpc/bucket_loop.hpp"
#include "clock/default_clocks.hpp"
#include "sync/process_number.hpp"
#include "sync/process_of_section.hpp"

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <exception>
#include <memory>
#include <new>
#include <optional>
#include <system_error>

namespace jtimer::brpc {

using detail::BucketLoop;
using jtimer::detail::Guard;
using jtimer::detail::Lock;
using jtimer::detail::Mutex;
using jtimer::detail::Nanos;
using jtimer::detail::ProcessOfSection;
using jtimer::detail::saturatingAdd;
using jtimer::detail::saturatingMultiply;

namespace {

using jtimer::detail::toNanos;

Nanos toNanos(const timespec& time) noexcept {
    return saturatingAdd(saturatingMultiply(time.tv_sec, 1'000'000'000), time.tv_nsec);
}

bool isValid(const TimerThreadOptions& options) {
    constexpr std::size_t mostBuckets = 1024;
    return options.numBuckets >= 1 && options.numBuckets <= mostBuckets &&
           options.maxWakeupInterval.value().millis >= 0;
}

BucketLoop::Settings toSettings(const TimerThreadOptions& options) {
    BucketLoop::Settings settings;
    settings.numBuckets = options.numBuckets;
    settings.thread = jtimer::detail::LoopThread::Settings::of(
        "TimerThread", options.name.empty() ? "brpc_timer" : options.name,
        options.uncaughtExceptionHandler, options.clock,
        jtimer::detail::defaultClock<jtimer::WallClock>);
    settings.thread.onThreadStart = options.onThreadStart;
    settings.thread.optionsType = "TimerThreadOptions";
    settings.sweepMinSize = options.sweepMinSize;
    settings.maxWakeupInterval = toNanos(options.maxWakeupInterval.value());
    return settings;
}

}  // namespace

/// Starts and stops the timer. The BucketLoop, which exists after a successful start, does
/// everything else.
class TimerThread::Impl {
  public:
    /// Null before a successful start.
    BucketLoop* loop() const noexcept { return published_.load(std::memory_order_acquire); }

    const std::shared_ptr<Clock>& clock() const noexcept {
        const BucketLoop* const started = loop();
        return started == nullptr ? noClock_ : started->clock();
    }

    int start(const TimerThreadOptions& options) {
        if (const auto decided = decide()) return *decided;
        if (!isValid(options)) return EINVAL;
        std::exception_ptr thrown;
        try {
            BucketLoop::Settings settings = toSettings(options);  // copies user objects
            std::shared_ptr<BucketLoop> made;                     // destroyed after the unlock
            const Guard lock(mutex_);
            if (const auto decided = decide()) return *decided;
            made = std::make_shared<BucketLoop>(std::move(settings));
            const ProcessOfSection::Scope starts(starting_);
            thrown = made->start();
            if (thrown == nullptr) {
                loop_ = made;
                published_.store(made.get(), std::memory_order_release);
                return 0;
            }
        } catch (const std::bad_alloc&) {
            return ENOMEM;
        } catch (const std::system_error& e) {
            return e.code().value();
        }
        std::rethrow_exception(thrown);
    }

    /// \returns null if the timer was not started, and from now on it cannot be
    BucketLoop* stopUnlessStarted() {
        if (BucketLoop* const started = loop()) return started;  // a forked child locks no mutex
        if (starting_.isOfParent()) return nullptr;
        const Guard lock(mutex_);
        stopped_ = true;
        return loop();
    }

  private:
    /// The result of start(), if it does not depend on the options.
    std::optional<int> decide() const noexcept {
        if (stopped_ || starting_.isOfParent()) return ECANCELED;
        const BucketLoop* const started = loop();
        if (started == nullptr) return {};
        return started->isStopped() ? ECANCELED : 0;
    }

    ProcessOfSection starting_;
    /// Held while the thread is being started, because another start() must know the result.
    Mutex mutex_;
    /// Written under the mutex, if the timer was stopped before it was started.
    std::atomic<bool> stopped_{false};
    std::shared_ptr<BucketLoop> loop_ JTIMER_GUARDED_BY(mutex_);
    /// loop_ for readers without the mutex; written once.
    std::atomic<BucketLoop*> published_{nullptr};
    /// Null: the result of clock() before a successful start.
    const std::shared_ptr<Clock> noClock_;
};

TimerThread::TimerThread() : impl_(std::make_unique<Impl>()) {}

TimerThread::~TimerThread() {
    if (BucketLoop* const loop = impl_->stopUnlessStarted()) loop->close();
}

int TimerThread::start(const TimerThreadOptions& options) & { return impl_->start(options); }

int TimerThread::start(const TimerThreadOptions* options) & {
    return options == nullptr ? start() : start(*options);
}

TaskId TimerThread::schedule(void (*fn)(void*), void* arg, Date abstime) & {
    if (fn == nullptr) throw NullPointerException("task cannot be null");
    BucketLoop* const loop = impl_->loop();
    return loop == nullptr ? kInvalidTaskId : loop->schedule({fn, arg}, toNanos(abstime));
}

TaskId TimerThread::schedule(void (*fn)(void*), void* arg, const timespec& abstime) & {
    if (fn == nullptr) throw NullPointerException("task cannot be null");
    BucketLoop* const loop = impl_->loop();
    return loop == nullptr ? kInvalidTaskId : loop->schedule({fn, arg}, toNanos(abstime));
}

TaskId TimerThread::scheduleCallable(const jtimer::detail::FunctionMaker& maker, Date abstime) {
    BucketLoop* const loop = impl_->loop();
    return loop == nullptr ? kInvalidTaskId : loop->schedule(maker, toNanos(abstime));
}

int TimerThread::unschedule(TaskId id) {
    BucketLoop* const loop = impl_->loop();
    return loop == nullptr ? kNoSuchTask : loop->unschedule(id);
}

int TimerThread::unscheduleAndWait(TaskId id) {
    BucketLoop* const loop = impl_->loop();
    return loop == nullptr ? kNoSuchTask : loop->unscheduleAndWait(id);
}

void TimerThread::stopAndJoin() {
    if (BucketLoop* const loop = impl_->stopUnlessStarted()) loop->stopAndJoin();
}

std::vector<PendingTask> TimerThread::takePending() {
    BucketLoop* const loop = impl_->loop();
    return loop == nullptr ? std::vector<PendingTask>() : loop->takePending();
}

TimerThreadStats TimerThread::stats() const {
    BucketLoop* const loop = impl_->loop();
    return loop == nullptr ? TimerThreadStats() : loop->stats();
}

const std::shared_ptr<Clock>& TimerThread::clock() const noexcept { return impl_->clock(); }

namespace {

/// Never destroyed. A forked child does not destroy that of the parent process either, as it may
/// still refer to it.
struct Global {
    TimerThread timer;
    const std::uint32_t process = jtimer::detail::numberOfThisProcess();
    const Global* inherited = nullptr;
};

std::atomic<Global*> global{nullptr};

bool isOfThisProcess(const Global* candidate) noexcept {
    return candidate != nullptr && candidate->process == jtimer::detail::numberOfThisProcess();
}

}  // namespace

/// Uses no mutex, as a forked child could inherit it locked. If several threads find no timer, each
/// of them makes one, and all but the first drop theirs.
TimerThread& getOrCreateGlobalTimerThread() {
    Global* present = global.load(std::memory_order_acquire);
    if (isOfThisProcess(present)) return present->timer;
    auto made = std::make_unique<Global>();
    made->inherited = present;
    const int error = made->timer.start();
    if (error == 0 && global.compare_exchange_strong(present, made.get(), std::memory_order_acq_rel,
                                                     std::memory_order_acquire))
        return made.release()->timer;
    if (error != 0) present = global.load(std::memory_order_acquire);
    if (isOfThisProcess(present)) return present->timer;
    throw std::system_error(error, std::generic_category(), "cannot start the global TimerThread");
}

TimerThread* getGlobalTimerThread() noexcept {
    Global* const present = global.load(std::memory_order_acquire);
    return isOfThisProcess(present) ? &present->timer : nullptr;
}

}  // namespace jtimer::brpc
