// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "netty/node_blocks.hpp"
#include "sync/lock.hpp"

#include <jtimer/netty/detail/node_allocator.hpp>

#include <atomic>
#include <cstddef>

namespace jtimer::netty::detail {

using jtimer::detail::Lock;

/// Nodes on their way back from the thread that frees timeouts, a timer's worker, to the threads
/// that make them. Exists for speed only: the plain version of takeNode() and giveNode() calls
/// NodeBlocks, and everything else in this file does nothing.
///
/// Without it, each time-out is allocated by one thread and freed by another, for which glibc's
/// malloc takes locks that both threads need, and gives out memory in the order in which it was
/// freed, which is the order of cancellation. W3 of two producers takes 1.35 of the time, of
/// one 1.11.
///
/// **The path of a node.** Each thread keeps up to kBatch nodes, which it has freed or which are
/// the rest of its last block, and takes its next ones from there. A worker gives each batch that
/// is complete to its timer's NodeStock. A producer that has run out of nodes takes a batch from
/// there. So no node takes an atomic operation on its way: what a thread keeps is its own, and the
/// stock's mutex is locked once in kBatch nodes.
///
/// **Lifetime.** A node belongs to no timer. So a timeout may outlive its timer, and any thread may
/// free it. A thread that ends deletes the nodes it keeps.
///
/// **Bounds.** A stock has at most kMostBatches. In each tick the worker deletes an eighth of the
/// batches that were not needed since the tick before, and, when nothing is pending, all. A thread
/// keeps at most kBatch nodes, 6 KiB, which may be in as many blocks.
///
/// **Memory checkers.** Nothing is kept if memoryIsChecked(). Poisoning the nodes that are kept was
/// rejected: a node is reused within a tick, and then a stale use of it looks valid.
class NodeStock {
  public:
    /// A batch is a list of this many nodes, of which the first has the link to the next batch.
    static constexpr std::size_t kBatch = 64;
    static constexpr std::size_t kMostBatches = 1024;

    NodeStock() noexcept = default;
    NodeStock(const NodeStock&) = delete;
    NodeStock& operator=(const NodeStock&) = delete;

    /// Whether nodes are kept. Set before main(); a test may change it while no timeout exists.
    static bool isEnabled;

    /// Called by a producer: if it has run out of nodes, it gets a batch.
    void supply() noexcept {
        if (count_ != 0) supplyIfNeeded();
    }

    // Called by the worker.

    /// From now on the calling thread gives its batches to the stock, until the end of
    /// `Collecting`.
    class Collecting {
      public:
        explicit Collecting(NodeStock& stock) noexcept;
        Collecting(const Collecting&) = delete;
        Collecting& operator=(const Collecting&) = delete;
        ~Collecting();
    };

    /// Adds a batch. Does not wait for the mutex, which a thread that does not exist may hold in a
    /// forked child. \returns false if it is taken or the stock is full
    bool add(Node& batch) noexcept;

    /// Deletes an eighth of the batches that no producer has needed since the last call.
    void deleteSurplus() noexcept;

    /// Deletes all batches, and the nodes that the calling thread keeps. To be called after the
    /// last add(), as the destructor deletes nothing: in a forked child, a thread that does not
    /// exist may have been changing the list.
    void deleteAll() noexcept;

    // For tests.

    std::size_t batches() const noexcept { return count_; }
    jtimer::detail::Mutex& mutex() noexcept { return mutex_; }

  private:
    void supplyIfNeeded() noexcept;
    Node* takeBatch() noexcept;

    jtimer::detail::Mutex mutex_;
    // Written under the mutex. The count is also read without it.
    Node* first_ = nullptr;
    std::atomic<std::size_t> count_{0};
    /// The least count since the last deleteSurplus().
    std::size_t least_ = 0;
};

}  // namespace jtimer::netty::detail
