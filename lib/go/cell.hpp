// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "data/intrusive_list.hpp"
#include "go/shard.hpp"
#include "go/wait.hpp"

#include <jtimer/detail/function_type.hpp>

#include <boost/thread/lock_types.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

namespace jtimer::go::detail {

/// Holds the lock of a cell.
using CellLock = jtimer::detail::Lock;
using jtimer::detail::FunctionMaker;
using jtimer::detail::FunctionType;

/// One timer or ticker, to which handles and channels refer.
///
/// **One place decides.** The cell's own lock guards its state, and stop, reset, receive and fire
/// each read and change the state while holding it once. So the outcomes of one start exclude each
/// other, whatever the poller does:
///
/// 1. The poller locks the shard, pops an item, retains it, notes the number of its start, and
///    unlocks the shard. At this moment the timer is still running, but not in the heap.
/// 2. A stop() locks the cell, finds it running, does not find it in the heap, sets it to idle and
///    returns true. A reset() after that returns false, and starts it again, with another number.
/// 3. The poller locks the cell, and finds that the timer is not running, or that its start has
///    another number. It does nothing.
/// 4. Had the poller locked the cell before 2, it would have made the timer unread, given the value
///    to a waiter, or handed the function over; and the stop() would have found that.
///
/// There is no intermediate state that a thread has to wait for.
///
/// **Locks**, in locking order: the cells' (those of several cells in the order of their
/// addresses), one shard's, one monitor's, the clock's. None is held while user code runs.
///
/// **References** are held by the handle, the channels, blocked calls, runs of the function, the
/// poller while it fires the cell, and, for a function, the heap. The heap does not keep a
/// channel's cell alive: the cell leaves the heap when its last reference is released.
class Cell : public Scheduled {
  public:
    Runtime& runtime() const noexcept { return home().runtime(); }
    /// Starts the cell for the first time, after its creation.
    void startFirst(Nanos when);

    void retain() noexcept { references_.fetch_add(1, std::memory_order_relaxed); }
    bool retainIfAlive() noexcept { return addUnlessZero(references_); }
    /// May free the cell, and with it what the function has captured.
    void release() noexcept;

    bool stop();
    /// \param period of a ticker; else 0
    bool reset(Nanos d, Nanos period);
    /// Called when the handle is destroyed.
    void dropHandle();

    /// \throws std::logic_error if the cell is in a heap but not running
    void check() const;

  protected:
    /// Running: will fire. Unread: has fired, and the value has not been received. Idle: received,
    /// handed over, or stopped.
    enum class State : std::uint8_t { Running, Unread, Idle };

    /// \throws TimersDestroyed
    Cell(Kind kind, Shard& home);
    ~Cell() = default;

    Shard& home() const noexcept { return *home_.load(std::memory_order_relaxed); }
    CellLock enter() const { return CellLock(mutex_); }
    /// Locks the cell after delivering everything that is due by now.
    CellLock enterCurrent();

    /// The lock guards all members below, except the count.
    State state_ = State::Running;
    /// The cell has a handle, which can reset it.
    bool hasHandle_ = true;
    /// Of a function: the poller calls it. Does not change once the cell is started.
    bool runsOnPoller_ = false;
    mutable Mutex mutex_;
    std::atomic<std::uint32_t> references_{1};
    /// While running: the due time. While unread: the value.
    Nanos when_ = kNever;

  private:
    void startAnew(CellLock& lock, Nanos when);
    void destroy() noexcept;

    /// The shard in which it was last started. All its homes belong to the same runtime, which it
    /// keeps alive: so without the lock, any of them will do.
    std::atomic<Shard*> home_;
};

/// A timer with a channel, or a ticker.
class ChannelCell final : public Cell {
  public:
    /// \param period of a ticker; else 0
    /// \param hasHandle false: only a channel. The caller makes the handle or the channel
    static ChannelCell& create(Shard& home, Nanos period, bool hasHandle) {
        return *new ChannelCell(home, period, hasHandle);
    }

    /// To be called before the cell is used, as it may be due but not yet fired by the poller: then
    /// gives the value to the call that has waited for it longest, as the poller would have.
    /// Without such a call it does nothing: a receiver looks at the clock.
    void catchUp();

    /// Called by the poller, which has popped this start.
    void fire(std::uint32_t start);

    std::optional<Nanos> tryReceive();

    // For a call on several channels, which holds the locks of all of them.

    CellLock lock() { return enter(); }
    /// The value that is ready for a new call, if any; older calls get it first.
    std::optional<Nanos> ready(CellLock& lock, WakeList& toWake);
    /// Receives that value. \returns false, with nothing changed, if the runtime has ended
    /// since ready()
    /// \throws std::bad_alloc, with nothing changed
    bool take(CellLock& lock, WakeList& toWake);
    /// Whether no value can ever come: only a handle could change that.
    bool isHopeless(CellLock&) const noexcept { return state_ == State::Idle && !hasHandle_; }
    void addWaiter(CellLock&, Case& c) noexcept { waiters_.push_back(c); }
    void removeWaiter(Case& c);

  private:
    friend class Cell;

    ChannelCell(Shard& home, Nanos period, bool hasHandle);

    bool isDue(CellLock& lock) const;
    /// When it is due, if that is now and before `time`.
    std::optional<Nanos> dueBefore(Nanos time) const;
    static ChannelCell* earliestBefore(Nanos time, const Wait& wait);
    Case* firstPending(CellLock& lock) noexcept;
    bool settle(CellLock& lock, Case& c, WakeList& toWake);
    bool giveTo(CellLock& lock, Case& c, WakeList& toWake);
    void becomeIdle(CellLock& lock, WakeList& toWake) noexcept;
    void loseHope(CellLock& lock, WakeList& toWake) noexcept;

    Nanos period_;
    /// The longest wait comes first. Claimed waits stay until their thread runs.
    jtimer::detail::IntrusiveList<Case> waiters_;
};

/// A timer with a function, which is stored behind the cell, in the same block of memory.
class FunctionCell final : public Cell {
  public:
    /// The new cell has one reference for the handle and one for the heap.
    /// \throws what the construction of the function throws
    static FunctionCell& create(Shard& home, const FunctionMaker& maker);

    /// Creates a cell and starts it. \returns a reference for the handle
    /// \param on Poller: for a short function of this library, which throws nothing
    /// \throws std::bad_alloc, TimersDestroyed, and what the construction of the function throws
    enum class RunsOn { RoomThread, Poller };
    static FunctionCell& createAndStart(Runtime& runtime, Nanos when, const FunctionMaker& maker,
                                        RunsOn on);

    /// Called by the poller, which has popped this start and holds the heap's reference.
    void fire(std::uint32_t start);
    /// Called at the end of the runtime: no other start will call the function.
    void abandon() noexcept;

    /// Stops the timer until no run is in progress or handed over, and none can begin. Inside a run
    /// of this timer, and in a forked child, it only stops the timer.
    /// \returns whether it has prevented a run
    bool stopAndWait();

  private:
    friend class Cell;
    friend class GivenRun;
    friend class Run;
    friend class RunQueue;

    FunctionCell(Shard& home, const FunctionType& type);
    ~FunctionCell() = default;

    static std::size_t offsetOf(const FunctionType& type) noexcept;
    void* function() noexcept;
    void releaseFunction() noexcept;
    void notifyIfAwaited(std::uint32_t uses) noexcept;
    bool hasRuns(std::uint32_t uses) const noexcept;
    bool isAtRest() const;
    void awaitRuns();
    static void free(FunctionCell* cell) noexcept;

    const FunctionType& type_;
    /// The function is used by each run and, as long as it may be started again, by the cell. It is
    /// destroyed after the last use. The highest bit is set once the cell no longer uses it. The
    /// next one is set while a thread may wait for the end of a run; it is written under the lock
    /// of the runtime's RunEnds.
    static constexpr std::uint32_t kAbandoned = std::uint32_t{1} << 31;
    static constexpr std::uint32_t kAwaited = std::uint32_t{1} << 30;
    static constexpr std::uint32_t kUseBits = kAwaited - 1;
    std::atomic<std::uint32_t> uses_{1};

    /// With an executor: how many of the uses are those of a GivenRun that has ended. Otherwise for
    /// the runtime's RunQueue, and guarded by its lock: how often the cell is queued. One member
    /// for both keeps the cell at 64 bytes.
    std::atomic<std::uint32_t> endedOrQueuedRuns_{0};
    /// For the RunQueue: the next cell.
    FunctionCell* nextQueued_ = nullptr;
};

/// One run of a timer's function, which has been handed over and is to be called; or none.
class Run {
  public:
    Run() noexcept = default;
    /// Takes over a reference to the cell. The caller holds the cell's lock.
    explicit Run(FunctionCell& cell) noexcept;
    Run(const Run&) = delete;
    Run(Run&& other) noexcept;
    Run& operator=(const Run&) = delete;
    ~Run();

    explicit operator bool() const noexcept { return cell_ != nullptr; }

    /// Calls the function and reports what it throws, except the exception for the end of
    /// the runtime.
    void operator()() const;

  private:
    friend class GivenRun;
    friend class RunQueue;

    FunctionCell* cell_ = nullptr;
};

/// A run that an executor is given. All copies of the executor's function share it. The executor
/// may keep its function for long after the call. That keeps what the function has captured, but
/// the run ends with the call.
class GivenRun {
  public:
    explicit GivenRun(Run run) noexcept : run_(std::move(run)) {}
    GivenRun(const GivenRun&) = delete;
    GivenRun& operator=(const GivenRun&) = delete;
    ~GivenRun();

    void call();

  private:
    void end() noexcept;

    const Run run_;
    std::atomic<bool> ended_{false};
};

}  // namespace jtimer::go::detail
