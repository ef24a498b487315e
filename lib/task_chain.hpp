// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <jtimer/timer_task.hpp>

#include <memory>
#include <utility>

namespace jtimer {

/// Tasks that have left the queue under the monitor and are to be dropped outside of it, where
/// their destructors may do anything. The link is the self_ of each task, which the queue needs no
/// more: so collecting them allocates nothing and cannot fail.
class TaskChain {
  public:
    TaskChain() = default;
    TaskChain(const TaskChain&) = delete;
    TaskChain& operator=(const TaskChain&) = delete;
    ~TaskChain() { clear(); }

    bool empty() const noexcept { return first_ == nullptr; }

    /// \param task cancelled, so that nobody can schedule it again, and in no queue
    void push(std::shared_ptr<TimerTask> task) noexcept {
        TimerTask& pushed = *task;
        pushed.self_ = std::move(first_);
        first_ = std::move(task);
    }

    /// Drops the tasks one after another: by recursion, a long chain would overflow the stack.
    void clear() noexcept {
        while (first_ != nullptr) {
            std::shared_ptr<TimerTask> next = std::move(first_->self_);
            first_ = std::move(next);
        }
    }

  private:
    std::shared_ptr<TimerTask> first_;
};

}  // namespace jtimer
