// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "clock/waiter.hpp"
#include "go/quad_heap.hpp"
#include "sync/cache_line.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace jtimer::go::detail {

class Runtime;
class Wait;
using jtimer::detail::kCacheLine;
using jtimer::detail::kNever;
using jtimer::detail::Lock;
using jtimer::detail::Mutex;

/// What lies in the heap of a Shard.
class Scheduled : public HeapItem {
  public:
    enum class Kind : std::uint8_t { Channel, Function, Wait };

    explicit Scheduled(Kind kind) noexcept : kind_(kind) {}

    Kind kind() const noexcept { return kind_; }

    /// Counts how often it has been put into a heap. Who has popped it, and looks at it later, can
    /// tell by this number whether it has been started anew meanwhile. Written with the lock of its
    /// shard and, of a Cell, its own lock held: so either is enough to read it.
    std::uint32_t start() const noexcept { return start_; }

  protected:
    ~Scheduled() = default;

  private:
    friend class Shard;

    const Kind kind_;
    std::uint32_t start_ = 0;
};

/// One heap, its lock, and the time of its head, which is read without the lock. On cache lines of
/// its own, so that threads with different shards do not meet.
///
/// The lock is taken for a few heap operations, never for user code; while it is held no other lock
/// is taken. A Cell's own lock comes before it.
///
/// **References.** Each Cell refers to its shard, which keeps the Runtime alive as long as there is
/// one: a count for each shard, since a single one would be a cache line that every start of a
/// timer writes to.
class alignas(kCacheLine) Shard {
  public:
    /// \param place among the shards of the runtime
    Shard(Runtime& runtime, std::size_t place) noexcept : runtime_(runtime), place_(place) {}

    Runtime& runtime() const noexcept { return runtime_; }

    /// Puts an item into the heap.
    /// \returns whether it is the first now: then the poller is to be told
    /// \throws std::bad_alloc, IllegalStateException "time: Timers destroyed", with nothing changed
    bool add(Scheduled& item, Nanos when);

    /// Makes room for an item that addReserved() adds. \throws as add()
    void reserve();
    bool addReserved(Scheduled& item, Nanos when);

    /// Removes the item, if it is in this heap. \returns whether it was
    bool remove(Scheduled& item);

    /// Removes the item and adds it again, with one hold of the lock.
    /// \returns false if it is not in this heap; then nothing has changed
    bool move(Scheduled& item, Nanos when, bool& isFirst);

    /// The same for a ticker that has fired, which the poller may have popped.
    /// \returns whether it is the first now. After the runtime's end nothing happens
    bool restart(Scheduled& item, Nanos when) noexcept;

    /// The time of the head, for the ShardOrder; kNever if there is none.
    const std::atomic<Nanos>& head() const noexcept { return head_; }

    /// An item that the poller has taken out to fire it, kept alive.
    struct Popped {
        Scheduled* item = nullptr;
        Nanos when = 0;
        std::uint32_t start = 0;
        std::shared_ptr<Wait> wait;  ///< if the item is one
    };

    /// Takes out the head, if it is due at `limit`. \returns a null item if not
    Popped pop(Nanos limit);

    /// From now on nothing is added, and the heap is emptied. To be called until it answers null.
    /// \returns a function's cell that was in there, with the heap's reference to it. The other
    ///   items are their owners' business
    Scheduled* close();

    std::size_t size() const;

    /// Calls QuadHeap::check(). \returns the items that are channels' and functions' cells, each
    /// with a reference for the caller
    std::vector<Scheduled*> check() const;
    bool contains(const Scheduled& item) const;

    void retain() noexcept { references_.fetch_add(1, std::memory_order_relaxed); }
    void release() noexcept;
    /// While there are references, the runtime is kept alive. The one that there is from the
    /// beginning belongs to the caller.
    void keepAlive(std::shared_ptr<Runtime> runtime) noexcept;

  private:
    Lock enter() const;
    void requireOpen(Lock& lock) const;
    bool insert(Lock& lock, Scheduled& item, Nanos when) noexcept;
    void updateHead(Lock& lock) noexcept;
    static bool retainIfAlive(Scheduled& item) noexcept;

    mutable Mutex mutex_;
    QuadHeap heap_;
    /// Places in the heap that are spoken for. One is for the poller, which holds one popped item
    /// at most: so it can put a ticker back without asking for memory.
    std::size_t reserved_ = 1;
    bool closed_ = false;
    std::atomic<Nanos> head_{kNever};

    Runtime& runtime_;
    const std::size_t place_;
    std::atomic<std::size_t> references_{1};
    std::shared_ptr<Runtime> keptAlive_;
};

}  // namespace jtimer::go::detail
