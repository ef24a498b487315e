// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "clock/waiter.hpp"
#include "go/item.hpp"
#include "go/quad_heap.hpp"
#include "sync/cache_line.hpp"

#include <jtimer/clock.hpp>
#include <jtimer/stats.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace jtimer::go::detail {

class Runtime;
using jtimer::detail::kCacheLine;
using jtimer::detail::kNever;
using jtimer::detail::Lock;
using jtimer::detail::Mutex;

/// An item in the heap of a Shard.
class Scheduled : public HeapItem, public Item {
  public:
    explicit Scheduled(Kind kind) noexcept : Item(kind) {}

    /// Counts how often the item has been put into a heap. A thread that has popped it can tell by
    /// this number whether it has been started again since. Written with the shard's lock held and,
    /// for a Cell, also the Cell's own lock: so either is enough to read it.
    std::uint32_t start() const noexcept { return start_; }

  protected:
    ~Scheduled() = default;

  private:
    friend class Shard;

    std::uint32_t start_ = 0;
};

/// One heap, its lock, and the time of its head, which is read without the lock. It has its own
/// cache lines, so that threads with different shards share none.
///
/// The lock is held for a few heap operations, never while user code runs. A Cell's own lock comes
/// before it, and while it is held no other lock is acquired, except that a move between two shards
/// holds both.
///
/// **References.** Each started Cell holds a reference to its shard, and a shard with references
/// keeps the Runtime alive. Each shard has its own count, since every start of a timer would write
/// to the cache line of a common one. The heap holds a reference to each function's cell in it.
class alignas(kCacheLine) Shard {
  public:
    explicit Shard(Runtime& runtime) noexcept : runtime_(runtime) {}

    Runtime& runtime() const noexcept { return runtime_; }

    /// Puts an item into the heap, or moves it there if it is in it already.
    /// \returns whether it is now the first item: then the caller must signal the poller
    /// \throws std::bad_alloc, TimersDestroyed, with nothing changed
    bool add(Scheduled& item, Nanos when) { return move(item, *this, when); }

    /// add() for an item that may be in the heap of `from`, perhaps this shard: removes it there.
    /// If that is another shard, also adds a reference to this one, for the cell.
    bool move(Scheduled& item, Shard& from, Nanos when);

    /// Removes the item if it is in this heap. For a function's cell, the caller has a reference.
    void remove(Scheduled& item);

    /// remove() for a timer that was stopped or dropped while it was running, and for one whose
    /// value a call receives. Also counts that, whether it was in the heap or popped.
    void cancel(Scheduled& item);
    void fire(Scheduled& item, Nanos lateness);
    /// Counts a value that a call receives from a ticker.
    void countFired(Nanos lateness);

    /// move() for a ticker that has fired, which the poller may have popped. Counts that.
    /// \returns whether it is now the first item. Does nothing after the runtime's end
    bool restart(Scheduled& item, Nanos when, Nanos lateness) noexcept;

    /// The time of the head; kNever if the heap is empty.
    Nanos head() const noexcept { return head_.load(std::memory_order_seq_cst); }

    /// An item that the poller has popped to fire it.
    struct Popped {
        Ref<Scheduled> item;
        std::uint32_t start = 0;
    };

    /// Pops the head if it is due at `limit`. \returns a null item if not
    /// \param settable a clock that may be set back; null: none. It must show the head's time, too
    Popped pop(Nanos limit, const jtimer::Clock* settable = nullptr);

    /// From now on nothing can be added, and the heap is emptied. To be called until it
    /// returns null.
    /// \returns a function's cell that was in the heap. Other items are only removed: their owners
    ///   keep them
    Ref<Scheduled> close();

    /// Adds its counts, but for what the poller counts.
    void addTo(CommonStats& stats) const;

    /// Calls QuadHeap::check(). \returns the items that are cells of channels or functions
    std::vector<Ref<Scheduled>> check() const;
    bool contains(const Scheduled& item) const;

    /// Adds a reference. The caller keeps the runtime alive.
    /// \throws TimersDestroyed if the last reference was released: it is never followed by another
    void retain();
    void release() noexcept;
    /// Keeps the runtime alive as long as the shard has references. The shard's initial reference
    /// belongs to the caller.
    void keepAlive(std::shared_ptr<Runtime> runtime) noexcept;

  private:
    void removeFrom(Lock& lock, Scheduled& item) noexcept;
    bool insert(Lock& lock, Scheduled& item, Nanos when) noexcept;
    void updateHead(Lock& lock) noexcept;

    mutable Mutex mutex_;
    QuadHeap heap_;
    bool closed_ = false;
    std::atomic<Nanos> head_{kNever};

    Runtime& runtime_;
    std::atomic<std::size_t> references_{1};
    std::shared_ptr<Runtime> keptAlive_;

    /// Guarded by the mutex. What the poller fires is counted by the poller.
    std::uint64_t cancelled_ = 0;
    LatenessHistogram fired_;
};

}  // namespace jtimer::go::detail
