// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "netty/timeout_access.hpp"

#include <memory>
#include <utility>

namespace jtimer::netty::detail {

/// A doubly linked list of timeouts, which bring their own links: to add and to remove one
/// allocates nothing, takes constant time and cannot fail.
///
/// The list owns its timeouts. What owns the first one is a shared_ptr of the list, what owns each
/// other one is the shared_ptr in the timeout before it; and each timeout knows the shared_ptr that
/// owns it. So the forward links and the references are the same 16 bytes, and a timeout that is
/// added or removed only moves them: no reference count is touched.
///
/// The shared_ptr at the end owns nothing, but points to the list: so that a timeout can be removed
/// by somebody who does not know which list it is in.
class TimeoutList {
    using Access = TimeoutAccess;
    using Owner = std::shared_ptr<Timeout>;

  public:
    TimeoutList() noexcept = default;
    TimeoutList(TimeoutList&& other) noexcept { append(other); }
    TimeoutList(const TimeoutList&) = delete;
    TimeoutList& operator=(const TimeoutList&) = delete;
    /// Drops the timeouts, which may destroy them and so call the user's code.
    ~TimeoutList() {
        while (!empty()) popFront();
    }

    bool empty() const noexcept { return end_ == &first_; }

    /// Null if the list is empty.
    Timeout* front() const noexcept { return empty() ? nullptr : first_.get(); }

    /// Null after the last one.
    Timeout* next(const Timeout& timeout) const noexcept {
        const Owner& next = Access::next(const_cast<Timeout&>(timeout));
        return &next == end_ ? nullptr : next.get();
    }

    void append(std::shared_ptr<Timeout> timeout) noexcept {
        Owner& next = Access::next(*timeout);
        Access::ownedBy(*timeout) = end_;
        next = endMark();
        *end_ = std::move(timeout);
        end_ = &next;
    }

    /// Takes over all timeouts of `other`, behind its own.
    void append(TimeoutList& other) noexcept {
        if (other.empty()) return;
        Access::ownedBy(*other.first_) = end_;
        *other.end_ = endMark();
        *end_ = std::move(other.first_);
        end_ = std::exchange(other.end_, &other.first_);
    }

    /// Takes out the first timeout. The list must not be empty.
    std::shared_ptr<Timeout> popFront() noexcept { return remove(*first_); }

    /// Takes a timeout out of the list that it is in.
    static std::shared_ptr<Timeout> remove(Timeout& timeout) noexcept {
        Owner& owner = *std::exchange(Access::ownedBy(timeout), nullptr);
        Owner& next = Access::next(timeout);
        std::shared_ptr<Timeout> removed = std::move(owner);
        // Only the end mark owns nothing.
        if (next.use_count() == 0) {
            listOf(next).end_ = &owner;
        } else {
            Access::ownedBy(*next) = &owner;
        }
        owner = std::move(next);
        return removed;
    }

    /// Recomputes the invariants the dumb way: every link, back and forth, and the end.
    /// \throws std::logic_error that names the rule
    void check() const;

  private:
    /// Never dereferenced as what it says it is.
    Owner endMark() noexcept { return Owner(Owner(), reinterpret_cast<Timeout*>(this)); }
    static TimeoutList& listOf(const Owner& endMark) noexcept {
        return *reinterpret_cast<TimeoutList*>(endMark.get());
    }

    Owner first_;
    /// The last of the owners, which is the end mark (of a list that was never used: null).
    Owner* end_ = &first_;
};

}  // namespace jtimer::netty::detail
