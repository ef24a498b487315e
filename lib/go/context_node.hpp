// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "data/intrusive_list.hpp"
#include "go/event_cell.hpp"
#include "go/runtime.hpp"
#include "sync/lock.hpp"

#include <jtimer/go/timer.hpp>

#include <atomic>
#include <cstdint>
#include <memory>
#include <system_error>

namespace jtimer::go::detail {

/// One context: an event that is set when the context is done.
///
/// **One lock for a tree.** The lock of the topmost node, a child of a background, guards the links
/// of all nodes below it. A node is cancelled together with all its descendants while the lock is
/// held once. Below that lock comes the lock of each node's event. Timers are started and stopped,
/// and waits are woken, with no lock held.
///
/// **References.** Those of an EventCell keep the node alive: they are held by handles, channels,
/// blocked calls and children, but not by the parent and not by the timer. When the last of them is
/// released, the node leaves its parent and stops its timer. Its memory stays as long as a
/// Deadline, the function of its timer, refers to it.
///
/// **Cancelled once.** err and cause are written under the lock before the event is set, which
/// publishes them. A node that is set is in no list of children, and has no timer, except for a
/// moment in the hands of the thread that has cancelled it.
class ContextNode final : public EventCell, public jtimer::detail::ListHook {
  public:
    /// \param parent null: a background
    /// \param runtime has the deadlines of its descendants; null: the default Timers'
    /// \param deadline kNever: none
    ContextNode(ContextNode* parent, std::shared_ptr<Runtime> runtime, Nanos deadline,
                bool isBackground) noexcept;

    bool isBackground() const noexcept { return isBackground_; }
    Nanos deadline() const noexcept { return deadline_; }
    const std::shared_ptr<Runtime>& runtime() const noexcept { return runtime_; }
    std::error_code err() const noexcept { return isSet() ? err_ : std::error_code(); }
    std::error_code cause() const noexcept { return isSet() ? cause_ : std::error_code(); }

    /// Makes the node and its descendants done, unless it is. Does nothing in a forked child. The
    /// caller holds a reference.
    void cancel(std::error_code err, std::error_code cause) noexcept;

    /// Called once, when the timer has been started. If the parent is done, so is the node.
    void attach(Timer timer) noexcept;

    /// Called when the last reference has been released.
    void end() noexcept;

    // For a Deadline.

    void retainMemory() noexcept { memory_.fetch_add(1, std::memory_order_relaxed); }
    void releaseMemory() noexcept;

  private:
    ~ContextNode() = default;

    Lock enterTree() noexcept { return Lock(top_.tree_); }
    void setAll(ContextNode*& last, WakeList& toWake) noexcept;
    void stopTimer() noexcept;

    /// Holds a reference to it, given back by end().
    ContextNode* const parent_;
    /// The topmost node, perhaps this: kept alive by the references of the nodes below it.
    ContextNode& top_;
    const std::shared_ptr<Runtime> runtime_;
    const Nanos deadline_;
    const bool isBackground_;

    Mutex tree_;  // used in the topmost node only
    /// Deadlines, and one for all references.
    std::atomic<std::uint32_t> memory_{1};

    // Guarded by the tree's lock.

    jtimer::detail::IntrusiveList<ContextNode> children_;
    std::error_code err_;
    std::error_code cause_;
    /// Written before the node is set; then it belongs to the thread that has set it.
    Timer timer_;
    /// The next node that the same cancel() has set, for that thread.
    ContextNode* nextSet_ = nullptr;
};

/// The function of a context's timer. If it is destroyed before the context is done, this is the
/// end of its runtime, and the deadline would never come.
class Deadline {
  public:
    /// \param cause of the context, once the deadline has come
    Deadline(ContextNode& node, std::error_code cause) noexcept : node_(node), cause_(cause) {
        node.retainMemory();
    }
    Deadline(const Deadline&) = delete;
    Deadline& operator=(const Deadline&) = delete;
    ~Deadline();

    void operator()() noexcept;

  private:
    void cancel(std::error_code err, std::error_code cause) noexcept;

    ContextNode& node_;
    const std::error_code cause_;
};

}  // namespace jtimer::go::detail
