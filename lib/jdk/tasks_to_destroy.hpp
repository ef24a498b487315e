// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "jdk/task_link.hpp"
#include "sync/assert.hpp"

#include <jtimer/detail/compiler.hpp>
#include <jtimer/jdk/detail/task_access.hpp>
#include <jtimer/jdk/timer_task.hpp>

#include <cstddef>
#include <limits>
#include <memory>
#include <utility>

namespace jtimer::detail {

/// Cancelled tasks that have left the queue under the monitor and are to be destroyed outside of
/// it, where their destructors may do anything. A chain through queueReference, which the queue no
/// longer needs: so collecting them takes no memory and never fails.
class TasksToDestroy {
  public:
    TasksToDestroy() = default;
    TasksToDestroy(const TasksToDestroy&) = delete;
    TasksToDestroy& operator=(const TasksToDestroy&) = delete;
    ~TasksToDestroy() { destroyAll(); }

    bool empty() const noexcept { return first_ == nullptr; }

    /// \param task cancelled, so that it cannot be scheduled again
    /// \param link not null: the task's cancel() is in progress and looks for the reference there
    void push(std::shared_ptr<TimerTask> task, TaskLink* link) noexcept {
        JTIMER_ASSERT(stateOf(*task).isCancelled());
        if (unlikely(link != nullptr)) {
            link->removed = std::move(task);
            return;
        }
        TimerTask* const pushed = task.get();
        (first_ == nullptr ? first_ : stateOf(*last_).queueReference) = std::move(task);
        last_ = pushed;
    }

    /// Destroys up to `count` tasks, in the order in which they were added, in a loop: with
    /// recursion, a long chain would overflow the stack.
    void destroy(std::size_t count) noexcept {
        for (; count != 0 && first_ != nullptr; --count) {
            std::shared_ptr<TimerTask> next = std::move(stateOf(*first_).queueReference);
            first_ = std::move(next);
        }
    }

    void destroyAll() noexcept { destroy(std::numeric_limits<std::size_t>::max()); }

  private:
    std::shared_ptr<TimerTask> first_;
    TimerTask* last_ = nullptr;  // valid only while first_ is not null
};

}  // namespace jtimer::detail
