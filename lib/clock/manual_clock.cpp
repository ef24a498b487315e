// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include <jtimer/exceptions.hpp>
#include <jtimer/manual_clock.hpp>

#include "clock/waiter.hpp"
#include "sync/assert.hpp"
#include "sync/exception_of.hpp"
#include "sync/process_number.hpp"
#include "sync/reported_wait.hpp"
#include "sync/threads.hpp"
#include "sync/uninterruptible.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace jtimer {

using detail::Condition;
using detail::kNever;
using detail::Lock;
using detail::Mutex;
using detail::Nanos;
using detail::saturatingAdd;
namespace threads = detail::threads;

/// A small discrete-event simulation. Its participants are the timers' threads on this clock; each
/// is busy, or waits for a deadline, or is *parked*: inside a move that a task has requested. While
/// a participant is busy, the time stands still. The last one to stop being busy looks at the
/// deadlines of all the others, and moves the time to the earliest (settle). So a single timer
/// moves the time by itself, without a thread switch, and the caller of advance() is woken once, at
/// the end.
///
/// mutex_ guards everything here, and is innermost: a thread may lock it while it holds a
/// timer's monitor, and locks nothing else while it holds mutex_. now_ is written under mutex_
/// and read anywhere.
class ManualClock::Impl {
  public:
    explicit Impl(Nanos start) : now_(start) {}

    Nanos now() const noexcept { return now_.load(std::memory_order_acquire); }

    /// Moves the time to `target`, or if that is empty to the next deadline, and returns when all
    /// work is done.
    /// \param call the function of the ManualClock, for a report
    /// \returns whether there was such a time
    bool moveTo(Lock& lock, std::optional<Nanos> target, const char* call);

    void check() const;

    class Waiter;
    struct Move;

    mutable Mutex mutex_;

  private:
    enum class Activity { Busy, Waiting, Parked };

    void settle();
    bool completeMoves();
    bool completeOne(Move& move, bool anyParked);
    bool stepTime();
    bool isAny(Activity activity) const;
    Nanos earliestDeadline() const;
    Waiter* waiterOfThisThread() const;

    /// How often each thread has looked whether something is due.
    using Looks = std::map<const Waiter*, std::uint64_t>;
    void awaitCompletion(Lock& lock, Move& move, const char* call);
    Looks looks(const Lock& lock) const;
    std::string reportOf(const char* call, const Looks& before, Nanos stoodAt) const;

    std::atomic<Nanos> now_;
    std::vector<Waiter*> waiters_;  // in the order of the timers' construction
    std::vector<Move*> moves_;      // the moves that are not done
};

/// The Waiter of a timer's thread. Busy from its construction, so that a clock that is moved right
/// after the construction of a Timer waits until that Timer's thread has started.
class ManualClock::Impl::Waiter final : public detail::Waiter {
  public:
    explicit Waiter(std::shared_ptr<Impl> clock) : clock_(std::move(clock)) {
        const Lock lock(clock_->mutex_);
        clock_->waiters_.push_back(this);
    }
    /// In a forked child the mutex may never be released, and what moves the time does not exist.
    ~Waiter() override {
        if (process_ == detail::numberOfThisProcess()) {
            end();
        } else if (const Lock lock(clock_->mutex_, threads::try_to_lock); lock.owns_lock()) {
            remove();
        }
    }

    void setOwner(const std::weak_ptr<detail::WaiterOwner>& owner) override {
        const Lock lock(clock_->mutex_);
        owner_ = owner;
    }

    void begin() override {
        const Lock lock(clock_->mutex_);
        thread_ = threads::this_thread::get_id();
    }

    void waitUntil(Lock& monitor, Nanos deadline, Nanos) override {
        JTIMER_ASSERT(monitor.owns_lock());
        look();
        Lock lock(clock_->mutex_);
        if (deadline <= clock_->now()) return;
        deadline_ = deadline;
        activity_ = Activity::Waiting;
        clock_->settle();  // this thread may be the last busy one, and its deadline the next
        if (activity_ == Activity::Busy) return;

        monitor.unlock();
        woken_.wait(lock, [this] { return activity_ == Activity::Busy; });
        lock.unlock();
        monitor.lock();
    }

    /// Makes the thread busy from this moment, before it runs: the time does not move meanwhile.
    void announce() override {
        const Lock lock(clock_->mutex_);
        if (activity_ == Activity::Waiting) activity_ = Activity::Busy;
    }

    void notify() override { woken_.notify_one(); }

    Nanos reached() const noexcept override {
        look();
        return clock_->now();
    }
    bool isReachedExact() const noexcept override { return true; }
    bool canBeSetForward() const noexcept override { return false; }

    void end() override {
        const Lock lock(clock_->mutex_);
        if (remove()) clock_->settle();
    }

  private:
    friend class Impl;

    /// \returns false if it has been removed before
    bool remove() {
        auto& waiters = clock_->waiters_;
        const auto self = std::find(waiters.begin(), waiters.end(), this);
        if (self == waiters.end()) return false;
        waiters.erase(self);
        return true;
    }

    void look() const noexcept { looks_.fetch_add(1, std::memory_order_relaxed); }

    void wake() {
        activity_ = Activity::Busy;
        woken_.notify_one();
    }

    const std::shared_ptr<Impl> clock_;
    const std::uint32_t process_ = detail::numberOfThisProcess();
    threads::thread::id thread_;
    Activity activity_ = Activity::Busy;
    Nanos deadline_ = kNever;  // valid only while Waiting
    Condition woken_;
    std::weak_ptr<detail::WaiterOwner> owner_;
    /// The calls that each loop makes before each run, of whatever room. A thread that makes none
    /// is inside a run.
    mutable std::atomic<std::uint64_t> looks_{0};
};

/// One call that moves the time; on its caller's stack.
struct ManualClock::Impl::Move {
    Move(std::optional<Nanos> to, Waiter* caller) : target(to), parked(caller) {}

    std::optional<Nanos> target;  // empty: the next deadline, found when none is busy
    Waiter* const parked;         // the caller's Waiter, if the caller is a task
    bool found = true;
    bool done = false;
    Condition completed;
};

bool ManualClock::Impl::moveTo(Lock& lock, std::optional<Nanos> target, const char* call) {
    JTIMER_ASSERT(detail::holds(lock, mutex_));
    const detail::Uninterruptible uninterruptible;  // moves_ refers to this stack frame
    Move move(target, waiterOfThisThread());
    moves_.push_back(&move);
    if (move.parked != nullptr) move.parked->activity_ = Activity::Parked;
    settle();
    awaitCompletion(lock, move, call);
    return move.found;
}

/// As long as runs end and the time moves, nothing hangs: then a report waits for another five
/// seconds.
void ManualClock::Impl::awaitCompletion(Lock& lock, Move& move, const char* call) {
    JTIMER_ASSERT(detail::holds(lock, mutex_));
    Looks before;
    Nanos stoodAt = 0;
    detail::WaitReportOf report([&] { return reportOf(call, before, stoodAt); });
    do {
        stoodAt = now();
        int step = 0;
        const bool over = detail::waitOrReport(report, lock, [&](std::chrono::milliseconds span) {
            if (++step == detail::WaitReport::kSteps)
                detail::exceptionOf([&] { before = looks(lock); });  // which takes memory
            return move.completed.wait_for(lock, threads::chrono::milliseconds(span.count()),
                                           [&move] { return move.done; });
        });
        if (over) return;
    } while (now() != stoodAt);
    move.completed.wait(lock, [&move] { return move.done; });
}

ManualClock::Impl::Looks ManualClock::Impl::looks(const Lock& lock) const {
    JTIMER_ASSERT(detail::holds(lock, mutex_));
    Looks looks;
    for (const Waiter* waiter : waiters_) {
        looks.emplace(waiter, waiter->looks_.load(std::memory_order_relaxed));
    }
    return looks;
}

/// Names a busy thread that has begun no run in the last second; or else, if the time has not moved
/// since it was `stoodAt`, one that always has more to run.
/// \param before what looks() said when that second began
/// \returns nothing if neither holds; or in a forked child, where the threads do not exist
std::string ManualClock::Impl::reportOf(const char* call, const Looks& before,
                                        Nanos stoodAt) const {
    std::shared_ptr<detail::WaiterOwner> busy;  // outlives the lock
    bool isInRun = false;
    {
        const Lock lock(mutex_);
        const Waiter* named = nullptr;
        for (const Waiter* waiter : waiters_) {
            if (waiter->activity_ != Activity::Busy) continue;
            if (waiter->process_ != detail::numberOfThisProcess()) continue;
            const auto known = before.find(waiter);
            isInRun = known != before.end() &&
                      known->second == waiter->looks_.load(std::memory_order_relaxed);
            if (isInRun || now() == stoodAt) named = waiter;
            if (isInRun) break;
        }
        if (named != nullptr) busy = named->owner_.lock();
    }
    if (busy == nullptr) return {};
    const std::string timer = " for " + busy->title().text() + ", which ";
    if (isInRun) {
        return detail::WaitReport::sentence(nullptr, call,
                                            timer + "is running " + busy->runningTask() + ". " +
                                                std::string(detail::WaitReport::kAdviceOfRun));
    }
    return detail::WaitReport::sentence(nullptr, call,
                                        timer + "always has something due at " +
                                            detail::WaitReport::textOfTime(stoodAt) +
                                            ". A task or waker makes more due at the same time.");
}

/// To be called whenever a participant has stopped being busy, or a move has been added.
void ManualClock::Impl::settle() {
    while (!isAny(Activity::Busy)) {
        if (completeMoves()) continue;
        if (!stepTime()) return;
    }
}

/// Called while no participant is busy: ends the moves that have reached their targets. A task that
/// continues is busy again. \returns whether anything has changed
bool ManualClock::Impl::completeMoves() {
    JTIMER_ASSERT(!isAny(Activity::Busy));
    const bool anyParked = isAny(Activity::Parked);
    const auto done = std::partition(moves_.begin(), moves_.end(),
                                     [&](Move* move) { return !completeOne(*move, anyParked); });
    const bool changed = done != moves_.end();
    moves_.erase(done, moves_.end());
    return changed;
}

/// A task's move ends when its time has come. Any other move also waits for the parked tasks,
/// because these are still running.
bool ManualClock::Impl::completeOne(Move& move, bool anyParked) {
    if (move.parked == nullptr && anyParked) return false;
    if (!move.target) {
        const Nanos next = earliestDeadline();
        move.found = next != kNever;
        move.target = move.found ? next : now();
    }
    if (*move.target > now()) return false;
    if (move.parked != nullptr) move.parked->activity_ = Activity::Busy;
    move.done = true;
    move.completed.notify_one();
    return true;
}

/// Called while no participant is busy and no move can end: moves the time to the next event, a
/// deadline or the end of a move, and wakes the participants that waited for it. \returns false if
/// no move requires it
bool ManualClock::Impl::stepTime() {
    JTIMER_ASSERT(!isAny(Activity::Busy));
    Nanos next = kNever;
    for (const Move* move : moves_) {
        if (move->target && *move->target > now()) next = std::min(next, *move->target);
    }
    if (next == kNever) return false;
    next = std::min(next, earliestDeadline());
    now_.store(next, std::memory_order_release);
    for (Waiter* waiter : waiters_) {
        if (waiter->activity_ == Activity::Waiting && waiter->deadline_ <= next) waiter->wake();
    }
    return true;
}

bool ManualClock::Impl::isAny(Activity activity) const {
    return std::any_of(waiters_.begin(), waiters_.end(),
                       [=](const Waiter* waiter) { return waiter->activity_ == activity; });
}

Nanos ManualClock::Impl::earliestDeadline() const {
    Nanos earliest = kNever;
    for (const Waiter* waiter : waiters_) {
        if (waiter->activity_ == Activity::Waiting)
            earliest = std::min(earliest, waiter->deadline_);
    }
    return earliest;
}

ManualClock::Impl::Waiter* ManualClock::Impl::waiterOfThisThread() const {
    const auto thread = threads::this_thread::get_id();
    const auto found = std::find_if(waiters_.begin(), waiters_.end(), [=](const Waiter* waiter) {
        return waiter->thread_ == thread;
    });
    return found == waiters_.end() ? nullptr : *found;
}

void ManualClock::Impl::check() const {
    for (const Waiter* waiter : waiters_) {
        if (waiter->activity_ == Activity::Waiting && waiter->deadline_ <= now()) {
            throw std::logic_error("ManualClock: a timer waits for a time that has come");
        }
        const auto parksHere = [=](const Move* move) { return move->parked == waiter; };
        const bool parked = waiter->activity_ == Activity::Parked;
        if (std::count_if(moves_.begin(), moves_.end(), parksHere) != (parked ? 1 : 0)) {
            throw std::logic_error("ManualClock: a parked task and its move do not match");
        }
    }
    if (!isAny(Activity::Busy) && !moves_.empty()) {
        throw std::logic_error("ManualClock: a move waits although no timer is busy");
    }
}

namespace {

/// The last moment before kNever, so that what is never due is not due here either.
constexpr Nanos kEndOfTime = kNever - 1;

}  // namespace

ManualClock::ManualClock(Date start)
    : impl_(std::make_shared<Impl>(std::min(detail::toNanos(start), kEndOfTime))) {}
ManualClock::~ManualClock() = default;

std::int64_t ManualClock::nanos() const { return impl_->now(); }

void ManualClock::advance(TimeSpan span) {
    const detail::MillisAndNanos by = span.value();
    if (by.millis < 0) {
        throw IllegalArgumentException("ManualClock::advance(" + std::to_string(by.millis) +
                                       " ms): a manual clock cannot go back.");
    }
    Lock lock(impl_->mutex_);
    impl_->moveTo(lock, std::min(saturatingAdd(impl_->now(), detail::toNanos(by)), kEndOfTime),
                  "advance()");
}

void ManualClock::advanceTo(Date time) {
    const Nanos target = std::min(detail::toNanos(time), kEndOfTime);
    Lock lock(impl_->mutex_);
    if (target < impl_->now()) {
        throw IllegalArgumentException(
            "ManualClock::advanceTo(" + std::to_string(target) +
            " ns since 1970): a manual clock cannot go back, and it shows " +
            std::to_string(impl_->now()) + " ns already.");
    }
    impl_->moveTo(lock, target, "advanceTo()");
}

bool ManualClock::advanceToNext() {
    Lock lock(impl_->mutex_);
    return impl_->moveTo(lock, std::nullopt, "advanceToNext()");
}

void ManualClock::waitUntilIdle() {
    Lock lock(impl_->mutex_);
    impl_->moveTo(lock, impl_->now(), "waitUntilIdle()");
}

void ManualClock::check() const {
    const Lock lock(impl_->mutex_);
    impl_->check();
}

std::shared_ptr<detail::Waiter> ManualClock::makeWaiter() const {
    return std::make_shared<Impl::Waiter>(impl_);
}

}  // namespace jtimer
