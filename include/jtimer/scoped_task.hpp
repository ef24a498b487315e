// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <jtimer/timer_task.hpp>

#include <memory>
#include <utility>

namespace jtimer {

/// A task that ends with its owner: the destructor cancels it and waits until no run is in
/// progress. That makes it safe for a task to use the object of which the ScopedTask is a member.
///
/// \code
/// class Cache {
///     ...
///     // The last member: it is destroyed first, and so before what evict() uses.
///     jtimer::ScopedTask eviction_{timer_.schedule([this] { evict(); }, 60'000, 60'000)};
/// };
/// \endcode
///
/// The destructor must not run with a lock held that the task may be waiting for. On the task's own
/// thread it does not wait: see TimerTask::cancelAndWait. It keeps a reference to the task. An
/// override of TimerTask::cancel must not throw here. Not thread-safe: one thread at a time.
class ScopedTask {
  public:
    /// Owns nothing.
    ScopedTask() noexcept = default;
    /// Owns `task`, which may be null. Must be a variable or a member: a temporary would at once
    /// cancel the task.
    [[nodiscard]] explicit ScopedTask(std::shared_ptr<TimerTask> task) noexcept
        : task_(std::move(task)) {}
    ScopedTask(ScopedTask&& other) noexcept = default;  ///< leaves the other without a task
    /// Ends the task that this object has owned.
    ScopedTask& operator=(ScopedTask&& other) noexcept {
        ScopedTask former(std::exchange(task_, std::move(other.task_)));
        return *this;
    }
    ~ScopedTask() {
        if (task_ != nullptr) task_->cancelAndWait();
    }

    /// The task; null if it owns none.
    [[nodiscard]] const std::shared_ptr<TimerTask>& task() const noexcept { return task_; }

  private:
    std::shared_ptr<TimerTask> task_;
};

}  // namespace jtimer
