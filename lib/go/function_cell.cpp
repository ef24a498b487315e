// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "go/function_cell.hpp"

#include "data/aligned_memory.hpp"
#include "go/runtime.hpp"
#include "sync/reported_wait.hpp"
#include "sync/uninterruptible.hpp"
#include "thread/run_here.hpp"
#include "thread/uncaught_exception.hpp"

#include <jtimer/go/channel.hpp>

#include <atomic>
#include <cstdint>
#include <exception>
#include <new>
#include <utility>

namespace jtimer::go::detail {

using jtimer::detail::allocateAligned;
using jtimer::detail::deallocateAligned;
using jtimer::detail::RunHere;

namespace {

/// Whether this is the exception that a blocked call throws at the end of a runtime.
bool tellsOfTheEnd(const std::exception_ptr& thrown) {
    try {
        std::rethrow_exception(thrown);
    } catch (const TimersDestroyed&) {
        return true;
    } catch (...) {
        return false;
    }
}

}  // namespace

FunctionCell::FunctionCell(Shard& home, const FunctionType& type)
    : Cell(Kind::Function, home), type_(type) {}

FunctionCell& FunctionCell::create(Shard& home, const FunctionMaker& maker) {
    const FunctionType& type = maker.type();
    void* const block = allocateAligned(offsetOf(type) + type.size, type.alignment);
    FunctionCell* cell = nullptr;
    try {
        cell = ::new (block) FunctionCell(home, type);
        maker(cell->function());
    } catch (...) {
        if (cell != nullptr) {
            cell->~FunctionCell();
            home.release();
        }
        deallocateAligned(block, type.alignment);
        throw;
    }
    return *cell;
}

FunctionCell& FunctionCell::createAndStart(Runtime& runtime, Nanos when, const FunctionMaker& maker,
                                           RunsOn on) {
    runtime.requireNotOver();
    if (on == RunsOn::FunctionThread) runtime.prepareForFunctions();
    FunctionCell& cell = create(runtime.shardOfThisThread(), maker);
    cell.runsOnPoller_ = on == RunsOn::Poller;
    cell.startFirst(when);
    return cell;
}

std::size_t FunctionCell::offsetOf(const FunctionType& type) noexcept {
    return (sizeof(FunctionCell) + type.alignment - 1) / type.alignment * type.alignment;
}

void* FunctionCell::function() noexcept { return reinterpret_cast<char*>(this) + offsetOf(type_); }

void FunctionCell::destroyFunction() noexcept {
    if (type_.destroy != nullptr) type_.destroy(function());
}

void FunctionCell::releaseFunction() noexcept {
    const std::uint32_t uses = uses_.fetch_sub(1, std::memory_order_acq_rel);
    if ((uses & kUseBits) == 1) destroyFunction();
    notifyIfAwaited(uses);
}

/// In a forked child no thread waits, and the lock may never be released.
void FunctionCell::notifyIfAwaited(std::uint32_t uses) noexcept {
    if ((uses & kAwaited) == 0 || runtime().isOfAnotherProcess()) return;
    RunEnds& ends = runtime().runEnds();
    const Lock lock(ends.mutex);
    uses_.fetch_and(~kAwaited, std::memory_order_relaxed);
    ends.ended.notify_all();
}

/// \param uses just read, with acquire
bool FunctionCell::hasRuns(std::uint32_t uses) const noexcept {
    const bool hasExecutor = runtime().hasExecutor();
    const std::uint32_t ended =
        hasExecutor ? endedOrQueuedRuns_.load(std::memory_order_acquire) : 0;
    const std::uint32_t ofTheCell = (uses & kAbandoned) == 0 ? 1 : 0;
    return (uses & kUseBits) > ofTheCell + ended;
}

/// Each run begins under the cell's lock, so none begins after this has returned true, unless the
/// timer is reset, and none begins between the two loads of hasRuns(): it may find too many runs,
/// but never too few.
bool FunctionCell::isAtRest() const {
    const CellLock lock = enter();
    return (state_ == State::Idle || runtime().isOver()) &&
           !hasRuns(uses_.load(std::memory_order_acquire));
}

/// The end of a run costs nothing more unless a thread waits, as it is a read-modify-write of uses_
/// anyway. All changes of that word have one order, so no notification is lost: if the end of the
/// last run comes before kAwaited is set here, this finds no run; otherwise it finds kAwaited set,
/// and takes the lock, which this thread releases only in its wait.
///
/// It may return early, if a run resets the timer and the next run begins and ends meanwhile.
void FunctionCell::awaitRuns(WaitReport& report) {
    RunEnds& ends = runtime().runEnds();
    Lock lock(ends.mutex);
    jtimer::detail::waitReported(report, ends.ended, lock, [this] {
        return !hasRuns(uses_.fetch_or(kAwaited, std::memory_order_acq_rel));
    });
}

/// A run that it waits for may reset the timer, so it stops the timer again after each wait.
bool FunctionCell::stopAndWait() {
    bool prevented = stop();
    if (runtime().isOfAnotherProcess() || RunHere::isInside(this)) return prevented;
    const jtimer::detail::Uninterruptible uninterruptible;
    jtimer::detail::RunReport report(runtime().title(), "stopAndWait()", runtime().hasExecutor());
    while (!isAtRest()) {
        awaitRuns(report);
        if (stop()) prevented = true;
    }
    return prevented;
}

/// Relaxed: what destroys the function, or ends a wait, is in the order of releaseFunction().
void FunctionCell::abandon() noexcept {
    const std::uint32_t uses = uses_.fetch_or(kAbandoned, std::memory_order_relaxed);
    if ((uses & kAbandoned) == 0) releaseFunction();
}

/// Each run holds a reference, so only the cell can still use the function: that takes no atomic
/// read-modify-write.
void FunctionCell::free(FunctionCell* cell) noexcept {
    const FunctionType& type = cell->type_;
    const std::uint32_t uses = cell->uses_.load(std::memory_order_relaxed);
    const bool isAbandoned = (uses & kAbandoned) != 0;
    JTIMER_ASSERT((uses & kUseBits) == (isAbandoned ? 0 : 1));
    if (!isAbandoned) cell->destroyFunction();
    cell->~FunctionCell();
    deallocateAligned(cell, type.alignment);
}

void FunctionCell::fire(std::uint32_t start) {
    CellLock lock = enter();
    if (state_ != State::Running || this->start() != start || runtime().isOver()) {
        lock.unlock();
        if (runtime().isOver()) abandon();  // the end has not found it in a heap
        release();
        return;
    }
    state_ = State::Idle;
    runtime().countFired(when_);
    Run run(*this);
    lock.unlock();
    if (runsOnPoller_) return run();
    runtime().handOver(std::move(run));
}

/// The function is still there: the runtime abandons it only after its end, and the cell has seen
/// that the runtime is not over.
Run::Run(FunctionCell& cell) noexcept : cell_(&cell, false) {
    cell.uses_.fetch_add(1, std::memory_order_relaxed);
}

Run::~Run() {
    if (cell_ != nullptr) cell_->releaseFunction();
}

/// A blocked function learns of the end of its runtime by an exception. Most functions do not catch
/// it, so it is not reported.
void Run::operator()() const {
    const RunHere here(cell_.get());
    const auto thrown =
        jtimer::detail::exceptionOf([this] { cell_->type_.call(cell_->function()); });
    if (thrown == nullptr) return;
    const Runtime& runtime = cell_->runtime();
    if (runtime.isOver() && !runtime.isOfAnotherProcess() && tellsOfTheEnd(thrown)) return;
    runtime.reportRun(thrown);
}

/// Counted as ended until here, so that a wait finds a run too many, not too few, until ~Run, which
/// notifies it.
GivenRun::~GivenRun() {
    if (!ended_.load(std::memory_order_relaxed)) return;
    run_.cell_->endedOrQueuedRuns_.fetch_sub(1, std::memory_order_relaxed);
}

/// Also ends it when pthread_exit unwinds the thread.
void GivenRun::call() {
    struct End {
        GivenRun& run;
        ~End() { run.end(); }
    } const end{*this};
    run_();
}

/// The count is published by the read-modify-write of uses_: either a wait sees both, or this sees
/// kAwaited.
void GivenRun::end() noexcept {
    if (ended_.exchange(true, std::memory_order_relaxed)) return;
    FunctionCell& cell = *run_.cell_;
    cell.endedOrQueuedRuns_.fetch_add(1, std::memory_order_release);
    cell.notifyIfAwaited(cell.uses_.fetch_add(0, std::memory_order_acq_rel));
}

}  // namespace jtimer::go::detail
