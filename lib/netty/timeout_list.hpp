// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "netty/timeout_access.hpp"

#include <memory>
#include <utility>

namespace jtimer::netty::detail {

/// A doubly linked list of timeouts, which contain their own links: adding and removing a timeout
/// allocates nothing, takes constant time and cannot fail.
///
/// The list owns its timeouts. A shared_ptr of the list owns the first timeout, and the shared_ptr
/// in each timeout owns the next one; and each timeout knows the shared_ptr that owns it. So the
/// forward links and the references are the same 16 bytes, and adding or removing a timeout only
/// moves them: no reference count is touched.
///
/// The shared_ptr at the end owns nothing, but points to the list: so a caller can remove a timeout
/// without knowing which list it is in.
class TimeoutList {
    using Access = TimeoutAccess;
    using Owner = std::shared_ptr<Timeout>;

  public:
    TimeoutList() noexcept = default;
    TimeoutList(TimeoutList&& other) noexcept { append(other); }
    TimeoutList(const TimeoutList&) = delete;
    TimeoutList& operator=(const TimeoutList&) = delete;
    /// Drops the timeouts, which may destroy them and so call user code.
    ~TimeoutList() {
        while (!empty()) popFront();
    }

    bool empty() const noexcept { return end_ == &first_; }

    /// Null if the list is empty.
    Timeout* front() const noexcept { return empty() ? nullptr : first_.get(); }

    /// Null after the last timeout.
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

    /// Appends all timeouts of `other`, which is then empty.
    void append(TimeoutList& other) noexcept {
        if (other.empty()) return;
        Access::ownedBy(*other.first_) = end_;
        *other.end_ = endMark();
        *end_ = std::move(other.first_);
        end_ = std::exchange(other.end_, &other.first_);
    }

    /// Removes the first timeout. The list must not be empty.
    std::shared_ptr<Timeout> popFront() noexcept { return remove(*first_); }

    /// Removes a timeout from the list that it is in.
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

    /// Recomputes the invariants by brute force: every link, in both directions, and the end.
    /// \throws std::logic_error that names the rule
    void check() const;

  private:
    /// Never dereferenced as a Timeout.
    Owner endMark() noexcept { return Owner(Owner(), reinterpret_cast<Timeout*>(this)); }
    static TimeoutList& listOf(const Owner& endMark) noexcept {
        return *reinterpret_cast<TimeoutList*>(endMark.get());
    }

    Owner first_;
    /// The last of the owners, which holds the end mark (null in a list that was never used).
    Owner* end_ = &first_;
};

}  // namespace jtimer::netty::detail
