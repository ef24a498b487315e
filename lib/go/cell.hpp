// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "go/shard.hpp"

#include <atomic>
#include <cstdint>

namespace jtimer::go::detail {

/// Holds the lock of a cell.
using CellLock = jtimer::detail::Lock;

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
/// addresses), the Chans' (likewise), one shard's or, by std::lock, those of two, one monitor's,
/// the clock's. None is held while user code runs.
///
/// **References** are held by the handle, the channels, blocked calls, runs of the function, the
/// poller while it fires the cell, and, for a function, the heap. The heap does not keep a
/// channel's cell alive: the cell leaves the heap when its last reference is released.
class Cell : public Scheduled {
  public:
    Runtime& runtime() const noexcept { return home().runtime(); }
    /// Starts the cell for the first time, after its creation. If that fails, frees it.
    /// \throws std::bad_alloc, TimersDestroyed
    void startFirst(Nanos when);

    bool stop();
    /// \param period a ticker's; else 0
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
    /// Whether the lock is held, and is this cell's: for assertions.
    bool isHeldBy(const CellLock& lock) const noexcept {
        return jtimer::detail::holds(lock, mutex_);
    }
    /// Locks the cell after delivering everything that is due by now.
    CellLock enterCurrent();

    /// The lock guards all members below.
    State state_ = State::Running;
    /// The cell has a handle, which can reset it.
    bool hasHandle_ = true;
    /// The poller calls the cell's function. Does not change once the cell is started.
    bool runsOnPoller_ = false;
    mutable Mutex mutex_;
    /// While running: the due time. While unread: the value.
    Nanos when_ = kNever;

  private:
    friend class Item;

    void free() noexcept;

    /// The shard in which it was last started. All its homes belong to the same runtime, which it
    /// keeps alive: so without the lock, any of them will do.
    std::atomic<Shard*> home_;
};

}  // namespace jtimer::go::detail
