// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "sync/lock.hpp"

#include <jtimer/netty/detail/node_allocator.hpp>

#include <cstddef>

namespace jtimer::netty::detail {

using jtimer::detail::Lock;

/// Nodes on their way back from the thread that frees timeouts, a timer's worker, to the threads
/// that make them. Exists for speed only: the plain version of takeNode() and giveNode() calls
/// NodeBlocks, and everything else in this file does nothing.
///
/// Without it, each time-out is allocated by one thread and freed by another, for which glibc's
/// malloc takes locks that both threads need, and gives out memory in the order in which it was
/// freed, which is the order of cancellation.
///
/// **The path of a node.** Each thread keeps up to kBatch nodes that it has freed, and takes its
/// next ones from there. A worker collects whole batches instead: at the end of a tick it hands
/// them over to its timer's NodeStock. A producer that has run out of nodes takes a batch from
/// there, while it holds the timer's monitor, as each newTimeout() does anyway. So no node takes an
/// atomic operation, nor does any list need a lock of its own: what a thread keeps is its own, and
/// the stock is guarded by the monitor.
///
/// **Lifetime.** A node belongs to no timer. So a timeout may outlive its timer, and any thread may
/// free it. A thread that ends deletes the nodes it keeps.
///
/// **Bounds.** A stock has at most kMostBatches. In each tick the worker deletes an eighth of the
/// batches that were not needed since the tick before, and, before it waits for the first timeout,
/// all. A thread keeps at most kBatch nodes, 6 KiB, which may be in as many blocks.
///
/// **Memory checkers.** Nothing is kept if memoryIsChecked(). Poisoning the nodes that are kept was
/// rejected: a node is reused within a tick, and then a stale use of it looks valid.
class NodeStock {
  public:
    static constexpr std::size_t kBatch = 64;
    static constexpr std::size_t kMostBatches = 1024;

    /// A free node: the beginning of its memory. A batch is a list of kBatch nodes, of which the
    /// first has the link to the next batch.
    struct Node {
        Node* next;
        Node* nextBatch;
    };

    NodeStock() noexcept = default;
    NodeStock(const NodeStock&) = delete;
    NodeStock& operator=(const NodeStock&) = delete;
    ~NodeStock() { deleteBatches(first_); }

    /// Whether nodes are kept. Set before main(); a test may change it while no timeout exists.
    static bool isEnabled;

    /// Called by a producer: if it has run out of nodes, it gets a batch.
    void supply(Lock& lock) noexcept {
        if (first_ != nullptr) supplyIfNeeded(lock);
    }

    // Called by the worker.

    /// From now on the calling thread collects batches, until the end of `Collecting`.
    class Collecting {
      public:
        Collecting() noexcept;
        Collecting(const Collecting&) = delete;
        Collecting& operator=(const Collecting&) = delete;
        ~Collecting();
    };

    /// Adds the batches that the worker has collected.
    void add(Lock& lock) noexcept;

    /// Removes an eighth of the batches that no producer has needed since the last call.
    /// \returns them, for deleteBatches(), which is called without the lock
    Node* takeSurplus(Lock& lock) noexcept;

    /// Removes all batches, and the nodes that the worker keeps.
    /// \returns null if there are none
    Node* takeAll(Lock& lock) noexcept;

    static void deleteBatches(Node* first) noexcept;

    /// For a forked child, where a thread that does not exist may have been changing the stock.
    void forget() noexcept { first_ = nullptr; }

    std::size_t batches(Lock&) const noexcept { return count_; }

  private:
    void supplyIfNeeded(Lock& lock) noexcept;
    Node* pop() noexcept;

    Node* first_ = nullptr;
    std::size_t count_ = 0;
    /// The least count since the last takeSurplus().
    std::size_t least_ = 0;
};

}  // namespace jtimer::netty::detail
