// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <jtimer/jdk/timer_task.hpp>

#include <memory>
#include <utility>

namespace jtimer {

/// Owns a task: the destructor cancels the task and waits until no run is in progress. So a task
/// can safely use the object that has its ScopedTask as a member.
///
/// \code
/// class Cache {
///     ...
///     // The last member: it is destroyed first, and so before what evict() uses.
///     jtimer::ScopedTask eviction_{timer_.schedule([this] { evict(); }, 60'000, 60'000)};
/// };
/// \endcode
///
/// Do not destroy a ScopedTask while holding a lock that the task may be waiting for. On the thread
/// that runs the task, the destructor does not wait: see TimerTask::cancelAndWait. A ScopedTask
/// keeps a reference to its task. The destructor calls TimerTask::cancel, so an override of that
/// must not throw. Not thread-safe: one thread at a time.
class ScopedTask {
  public:
    /// Owns nothing.
    ScopedTask() noexcept = default;
    /// Owns `task`, which may be null. Use a variable or a member: a temporary would cancel the
    /// task at once.
    [[nodiscard]] explicit ScopedTask(std::shared_ptr<TimerTask> task) noexcept
        : task_(std::move(task)) {}
    ScopedTask(ScopedTask&& other) noexcept = default;  ///< leaves the other without a task
    /// Cancels the task that this object owned, as the destructor does. A move onto itself changes
    /// nothing.
    ScopedTask& operator=(ScopedTask&& other) noexcept {
        // Not by value: a parameter may last until the end of the caller's whole expression.
        ScopedTask taken(std::move(other));
        std::swap(task_, taken.task_);
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
