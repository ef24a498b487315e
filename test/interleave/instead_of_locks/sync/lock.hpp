// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once
#pragma GCC system_header  // for include_next

#include "interleave/engine/locks.hpp"

#include <boost/thread/condition_variable.hpp>

namespace explore {

/// In place of boost::condition_variable_any. Waits are no interruption points.
class Condition {
  public:
    Condition() noexcept = default;
    Condition(const Condition&) = delete;
    Condition& operator=(const Condition&) = delete;

    template <class Lock>
    void wait(Lock& lock) {
        waitOn(this, lock.mutex(), false);
    }
    template <class Lock, class Predicate>
    void wait(Lock& lock, Predicate isOver) {
        while (!isOver()) wait(lock);
    }
    /// Ends when the explorer decides so.
    template <class Lock, class Duration>
    void wait_for(Lock& lock, const Duration&) {
        waitOn(this, lock.mutex(), true);
    }
    template <class Lock, class Duration, class Predicate>
    bool wait_for(Lock& lock, const Duration&, Predicate isOver) {
        while (!isOver())
            if (waitOn(this, lock.mutex(), true)) return isOver();
        return true;
    }
    void notify_one() noexcept { notifyOf(this, false); }
    void notify_all() noexcept { notifyOf(this, true); }
};

}  // namespace explore

namespace boost {
using explored_condition = explore::Condition;
}

// lib/sync/lock.hpp with that condition.
#define condition_variable_any explored_condition
#include_next "sync/lock.hpp"
#undef condition_variable_any
