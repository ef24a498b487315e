// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "netty/timeout_access.hpp"
#include "sync/assert.hpp"

#include <memory>
#include <utility>

namespace jtimer::netty::detail {

/// A doubly linked list of timeouts, which contain their own links: adding and removing a timeout
/// allocates nothing, takes constant time and cannot fail. The links form a ring that the list
/// itself closes, so a caller can remove a timeout without knowing which list it is in.
///
/// The list owns its timeouts: each has a reference to itself (SelfReference), which is held from
/// append(std::shared_ptr) until remove(). Moving a timeout from one list to another touches no
/// reference count.
class TimeoutList {
    using Access = TimeoutAccess;

  public:
    TimeoutList() noexcept : ring_{&ring_, &ring_} {}
    TimeoutList(const TimeoutList&) = delete;
    TimeoutList& operator=(const TimeoutList&) = delete;
    /// Drops the timeouts, which may destroy them and so call user code.
    ~TimeoutList() {
        while (!empty()) popFront();
    }

    bool empty() const noexcept { return ring_.next == &ring_; }

    /// Null if the list is empty.
    Timeout* front() const noexcept { return timeoutWith(ring_.next); }

    /// Null after the last timeout.
    Timeout* next(const Timeout& timeout) const noexcept {
        return timeoutWith(Access::links(const_cast<Timeout&>(timeout)).next);
    }

    /// Appends a timeout that holds no reference to itself.
    void append(std::shared_ptr<Timeout> timeout) noexcept {
        JTIMER_ASSERT(timeout != nullptr);
        Timeout& appended = *timeout;
        Access::self(appended).hold(std::move(timeout));
        append(appended);
    }

    /// Appends a timeout that unlink() has removed from a list.
    void append(Timeout& timeout) noexcept {
        TimeoutLinks& links = Access::links(timeout);
        links.next = &ring_;
        links.previous = ring_.previous;
        ring_.previous->next = &links;
        ring_.previous = &links;
    }

    /// Appends all timeouts of `other`, which is then empty.
    void append(TimeoutList& other) noexcept {
        if (other.empty()) return;
        ring_.previous->next = other.ring_.next;
        other.ring_.next->previous = ring_.previous;
        ring_.previous = other.ring_.previous;
        ring_.previous->next = &ring_;
        other.ring_ = {&other.ring_, &other.ring_};
    }

    /// Removes the first timeout. The list must not be empty.
    std::shared_ptr<Timeout> popFront() noexcept {
        JTIMER_ASSERT(!empty());
        return remove(*front());
    }

    /// Removes a timeout from the list that it is in.
    static std::shared_ptr<Timeout> remove(Timeout& timeout) noexcept {
        unlink(timeout);
        return Access::self(timeout).take();
    }

    /// Like remove(), but the timeout goes on holding its reference to itself.
    static void unlink(Timeout& timeout) noexcept {
        TimeoutLinks& links = Access::links(timeout);
        JTIMER_ASSERT(links.previous->next == &links && links.next->previous == &links);
        links.previous->next = links.next;
        links.next->previous = links.previous;
    }

    /// Removes all timeouts, which go on holding their references to themselves, and passes them to
    /// `sink`, which must not touch the list.
    template <class Sink>
    void clear(const Sink& sink) {
        while (Timeout* const timeout = front()) {
            unlink(*timeout);
            sink(*timeout);
        }
    }

    /// Recomputes the invariants by brute force: every link, in both directions.
    /// \throws std::logic_error that names the rule
    void check() const;

  private:
    Timeout* timeoutWith(TimeoutLinks* links) const noexcept {
        return links == &ring_ ? nullptr : &Access::timeoutWith(*links);
    }

    /// Next is the first timeout, previous the last.
    TimeoutLinks ring_;
};

}  // namespace jtimer::netty::detail
