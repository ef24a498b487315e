// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "data/intrusive_list.hpp"
#include "go/item.hpp"
#include "go/last_turn.hpp"
#include "go/wait.hpp"
#include "sync/assert.hpp"
#include "sync/lock.hpp"
#include "sync/process_number.hpp"

#include <jtimer/go/detail/chan_ref.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace jtimer::go::detail {

class ChanCell;
using ChanNodePtr = std::unique_ptr<ChanNode>;

/// The values inside a Chan, in the order in which they were sent. They contain the links: adding
/// one allocates nothing and cannot fail.
class ChanQueue {
  public:
    ChanQueue() = default;
    ChanQueue(const ChanQueue&) = delete;
    ChanQueue& operator=(const ChanQueue&) = delete;
    ~ChanQueue() {
        while (!empty()) pop();
    }

    bool empty() const noexcept { return first_ == nullptr; }
    void push(ChanNodePtr node) noexcept {
        (empty() ? first_ : last_->next_) = node.get();
        last_ = node.release();
    }
    /// Must not be empty.
    ChanNodePtr pop() noexcept {
        JTIMER_ASSERT(!empty());
        ChanNodePtr node(first_);
        first_ = node->next_;
        node->next_ = nullptr;
        return node;
    }

  private:
    ChanNode* first_ = nullptr;
    ChanNode* last_ = nullptr;
};

/// What a call does with one Chan: it sends a value, or receives one. While the call waits, this is
/// an element of a list of the Chan, whose lock guards the link.
///
/// The node belongs to the call; but while the case is in the list, it belongs to the thread that
/// has claimed the call's wait for this Chan, until that thread releases the Chan's lock. The call
/// touches it again when it has taken the case out of the list, under the lock.
class ChanCase : public jtimer::detail::ListHook {
  public:
    ChanCase(ChanCell& of, std::size_t indexOfCase, bool doesSend) noexcept;

    const Ref<ChanCell> cell;
    const std::size_t index;  ///< in the call's list
    const bool sends;
    /// To be sent: null once it is. Or received: null if the Chan is closed.
    ChanNodePtr node;
    Wait* wait = nullptr;  ///< set before the case is added

    // While the call holds the Chan's lock: the lock, and where it is, which is in the first of the
    // call's cases of this Chan.
    Lock lock{};
    Lock* held = nullptr;
};

/// One Chan, to which its handles and blocked calls refer: values in a queue, receives that wait
/// because there is none, and sends that wait because there is no room.
///
/// The lock guards all of it. A call adds itself to a list under the lock, after it has found there
/// that it cannot go on; and every call that makes it able to go on claims its wait under the same
/// lock, and gives it a node, or takes its node. So no wake-up is lost. A claim also fails if
/// another Chan, an event, a timer or the time-out has claimed the wait: then the next one in the
/// list has its turn. While a receive waits, the queue is empty and no send waits; while a send
/// waits, the queue is full.
///
/// Two selects that meet need no lock of each other: the one that finds the other waiting is in no
/// list itself, as it adds itself only while it holds the locks of all its Chans, having found
/// nothing ready. So nobody else can claim it meanwhile for a value, and one claim decides for
/// both.
///
/// **Values.** User code of a value runs where nodes are made, and where they are destroyed, by the
/// calls and by free(). This class only moves pointers to them.
///
/// In a forked child a thread of the parent may hold the lock for ever, or may have left the queue
/// half changed: there the lock is never taken, and the values stay where they are.
class ChanCell final : public Item {
  public:
    explicit ChanCell(std::size_t capacity) noexcept : Item(Kind::Chan), capacity_(capacity) {}

    std::size_t capacity() const noexcept { return capacity_; }
    std::size_t size() const noexcept { return size_.load(std::memory_order_relaxed); }
    bool isClosed() const noexcept { return isClosed_.load(std::memory_order_acquire); }
    bool isOfAnotherProcess() const noexcept {
        return madeIn_ != jtimer::detail::numberOfThisProcess();
    }
    /// \throws TimersDestroyed with the text of a forked child, if this is one
    void requireOfThisProcess() const;

    /// \throws IllegalStateException if it is closed
    void close();

    // For calls, which hold the lock.

    Lock lock() { return Lock(mutex_); }
    /// Whether pass() would succeed, unless another thread claims the waiting call meanwhile.
    bool isReady(Lock& lock, const ChanCase& c) noexcept;
    /// Sends the case's node, or receives one into it. If the Chan is closed, leaves the node.
    /// \returns false, with nothing changed, if that has to wait
    bool pass(Lock& lock, ChanCase& c, WakeList& toWake) noexcept {
        return c.sends ? send(lock, c.node, toWake) : receive(lock, c.node, toWake);
    }
    bool send(Lock& lock, ChanNodePtr& node, WakeList& toWake) noexcept;
    bool receive(Lock& lock, ChanNodePtr& node, WakeList& toWake) noexcept;
    void addWaiter(Lock& lock, ChanCase& c) noexcept;
    void removeWaiter(ChanCase& c) noexcept;
    /// To send and to receive are two sources of a select.
    LastTurn& lastTurn(const ChanCase& c) noexcept { return c.sends ? lastSend_ : lastReceive_; }

  private:
    friend class Item;
    using Cases = jtimer::detail::IntrusiveList<ChanCase>;

    ~ChanCell() = default;

    void push(Lock& lock, ChanNodePtr node) noexcept;
    ChanNodePtr pop(Lock& lock) noexcept;
    bool hasPending(Lock& lock, Cases& cases) noexcept;
    ChanCase* claimFirst(Lock& lock, Cases& cases, WakeList& toWake) noexcept;
    void free() noexcept;

    Mutex mutex_;
    /// Written under the lock, and never reset. The release lets a thread that has seen it without
    /// the lock see what was done before close().
    std::atomic<bool> isClosed_{false};
    const std::uint32_t madeIn_ = jtimer::detail::numberOfThisProcess();
    const std::size_t capacity_;
    LastTurn lastSend_, lastReceive_;

    // Guarded by the lock.

    ChanQueue values_;
    std::atomic<std::size_t> size_{0};  ///< of the queue; read without the lock, too
    /// The longest wait comes first. Claimed waits stay until their turn comes or their thread
    /// runs.
    Cases senders_, receivers_;
};

inline ChanCase::ChanCase(ChanCell& of, std::size_t indexOfCase, bool doesSend) noexcept
    : cell(&of), index(indexOfCase), sends(doesSend) {}

}  // namespace jtimer::go::detail
