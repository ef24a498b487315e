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

namespace jtimer::go::detail {

/// Of the lock of a cell.
using CellLock = jtimer::detail::Lock;
using jtimer::detail::FunctionMaker;
using jtimer::detail::FunctionType;

/// One timer or ticker: what handles and channels refer to.
///
/// **One place decides.** The cell's own lock guards its state, and each of stop, reset, receive
/// and fire reads and changes the state in one hold of it. So the outcomes of one start exclude
/// each other, whatever the poller does:
///
/// 1. The poller pops an item with the shard's lock, keeps it alive, notes the number of its start,
///    and lets go. At this moment the timer runs still; it is only not in the heap.
/// 2. Somebody stops it: takes the cell's lock, finds it running, does not find it in the heap, and
///    sets it to idle: true. A reset after that says false, and gives it another start, with
///    another number.
/// 3. The poller takes the cell's lock, and finds a timer that is not running, or runs by another
///    start. It does nothing.
/// 4. Had the poller come before 2, it would have made the timer unread, or given the value to a
///    waiter, or handed the function over; and the stop would have found that.
///
/// There is no state in between that anybody has to wait for.
///
/// **Locks**, in the order in which they are taken: the cells' (those of several cells in the order
/// of their addresses), one shard's, one monitor's, the clock's. What runs user code holds none.
///
/// **References.** Handle, channels, blocked calls, runs of the function, whoever fires it, and,
/// for a function, the heap. A channel's cell in a heap is not kept by it: it leaves when the last
/// channel goes.
class Cell : public Scheduled {
  public:
    Runtime& runtime() const noexcept { return home().runtime(); }
    /// After the creation: ready to be started.
    void startFirst(Nanos when);

    void retain() noexcept { references_.fetch_add(1, std::memory_order_relaxed); }
    bool retainIfAlive() noexcept;
    /// May free it, and with it what the function has captured.
    void release() noexcept;

    bool stop();
    /// \param period of a ticker; else 0
    bool reset(Nanos d, Nanos period);
    /// The handle goes.
    void dropHandle();

    /// \throws std::logic_error if it is in a heap, but does not run
    void check() const;

  protected:
    /// Running: will fire. Unread: has fired, the value waits. Idle: received, handed over,
    /// stopped.
    enum class State : std::uint8_t { Running, Unread, Idle };

    Cell(Kind kind, Shard& home) noexcept;
    ~Cell() = default;

    Shard& home() const noexcept { return *home_.load(std::memory_order_relaxed); }
    CellLock enter() const { return CellLock(mutex_); }
    /// The lock of a cell on which everything has happened that was to happen by now.
    CellLock enterCurrent();

    /// All below are guarded by it, but for the count.
    State state_ = State::Running;
    /// Somebody can reset it.
    bool hasHandle_ = true;
    mutable Mutex mutex_;
    std::atomic<std::uint32_t> references_{1};
    /// While running: when it is due. While unread: the value.
    Nanos when_ = kNever;

  private:
    void startAnew(CellLock& lock, Nanos when);
    void destroy() noexcept;

    /// Where it was started last. All its homes belong to the same runtime, which it keeps alive:
    /// so without the lock, any of them will do.
    std::atomic<Shard*> home_;
};

/// A timer with a channel, or a ticker.
class ChannelCell final : public Cell {
  public:
    /// \param period of a ticker; else 0
    /// \param hasHandle or only a channel. That, or the handle, is the caller's to make
    static ChannelCell& create(Shard& home, Nanos period, bool hasHandle) {
        return *new ChannelCell(home, period, hasHandle);
    }

    /// For who finds it due though the poller has not come by: gives the value to the call that has
    /// waited for it longest, if there is one, as the poller would have. Without one nothing
    /// happens: whoever receives looks at the clock.
    void catchUp();

    /// For the poller, which has popped this start.
    void fire(std::uint32_t start);

    std::optional<Nanos> tryReceive();

    // --- for a call on several channels, which holds the locks of all ---

    CellLock lock() { return enter(); }
    /// The value that is ready for a new call, if any; gives it to an older one first.
    std::optional<Nanos> ready(CellLock& lock, WakeList& toWake);
    /// Receives it. \returns false, with nothing changed, if the runtime has ended since ready()
    /// \throws std::bad_alloc, with nothing changed
    bool take(CellLock& lock, WakeList& toWake);
    /// Whether no value can ever come: only a handle could change that.
    bool isHopeless(CellLock&) const noexcept { return state_ == State::Idle && !hasHandle_; }
    void addWaiter(CellLock&, Case& c) noexcept { waiters_.push_back(c); }
    void removeWaiter(Case& c);

  private:
    friend class Cell;

    ChannelCell(Shard& home, Nanos period, bool hasHandle) noexcept;

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
    /// The longest wait first. Those that have been claimed stay until their thread runs.
    jtimer::detail::IntrusiveList<Case> waiters_;
};

/// A timer with a function, which lies behind the cell, in the same block of memory.
class FunctionCell final : public Cell {
  public:
    /// With a reference for the handle, and one for the heap.
    /// \throws what making the function throws
    static FunctionCell& create(Shard& home, const FunctionMaker& maker);

    /// For the poller, which has popped this start, and the heap's reference.
    void fire(std::uint32_t start);
    /// For the end of the runtime: the function will not be called by another start.
    void abandon() noexcept;

  private:
    friend class Cell;
    friend class Run;
    friend class RunQueue;

    FunctionCell(Shard& home, const FunctionType& type) noexcept;
    ~FunctionCell() = default;

    static std::size_t offsetOf(const FunctionType& type) noexcept;
    void* function() noexcept;
    void releaseFunction() noexcept;
    static void free(FunctionCell* cell) noexcept;

    const FunctionType& type_;
    /// Each run uses the function, and as long as it may be started again, the cell does. It is
    /// destroyed after the last use. The highest bit is set when the cell does no more.
    static constexpr std::uint32_t kAbandoned = std::uint32_t{1} << 31;
    std::atomic<std::uint32_t> uses_{1};

    /// For the RunQueue of the runtime, and guarded by what guards that: how often it is in there,
    /// and the next one.
    std::uint32_t queuedRuns_ = 0;
    FunctionCell* nextQueued_ = nullptr;
};

/// One run of a timer's function: handed over, and to be called. Or none. Copies are the same run;
/// only an executor's function is copied.
class Run {
  public:
    Run() noexcept = default;
    /// Takes over a reference to the cell, with the cell's lock held.
    explicit Run(FunctionCell& cell) noexcept;
    Run(const Run& other) noexcept;
    Run(Run&& other) noexcept;
    Run& operator=(const Run&) = delete;
    ~Run();

    explicit operator bool() const noexcept { return cell_ != nullptr; }

    /// Calls it, and reports what it throws, but for the end of the runtime.
    void operator()() const;

  private:
    friend class RunQueue;

    FunctionCell* cell_ = nullptr;
};

}  // namespace jtimer::go::detail
