// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <jtimer/brpc/timer_thread.hpp>

#include <utility>

namespace jtimer::brpc {

/// Owns a scheduled task: the destructor unschedules it and waits until its run is over. So a task
/// can safely use the object that has its ScopedTimerTask as a member.
///
/// \code
/// class Call {
///     ...
///     // The last member: it is destroyed first, and so before what end() uses.
///     jtimer::brpc::ScopedTimerTask task_{timer_, timer_.schedule([this] { end(); }, endAt_)};
/// };
/// \endcode
///
/// The timer must outlive it. Do not destroy it while holding a lock that the task may be waiting
/// for. On the timer's thread the destructor does not wait: see TimerThread::unscheduleAndWait. Not
/// thread-safe: one thread at a time.
class ScopedTimerTask {
  public:
    /// Owns nothing.
    ScopedTimerTask() noexcept = default;
    /// Owns the task `id` of `timer`; kInvalidTaskId is none. Use a variable or a member: a
    /// temporary would unschedule the task at once.
    [[nodiscard]] ScopedTimerTask(TimerThread& timer, TaskId id) noexcept
        : timer_(&timer), id_(id) {}
    /// Leaves the other without a task.
    ScopedTimerTask(ScopedTimerTask&& other) noexcept
        : timer_(other.timer_), id_(std::exchange(other.id_, kInvalidTaskId)) {}
    /// Unschedules the task that this object owned, as the destructor does. A move onto itself
    /// changes nothing.
    ScopedTimerTask& operator=(ScopedTimerTask&& other) noexcept {
        // Not by value: a parameter may last until the end of the caller's whole expression.
        ScopedTimerTask taken(std::move(other));
        std::swap(timer_, taken.timer_);
        std::swap(id_, taken.id_);
        return *this;
    }
    ~ScopedTimerTask() {
        if (id_ != kInvalidTaskId) timer_->unscheduleAndWait(id_);
    }

    /// The task's id; kInvalidTaskId if it owns none.
    [[nodiscard]] TaskId id() const noexcept { return id_; }

  private:
    TimerThread* timer_ = nullptr;
    TaskId id_ = kInvalidTaskId;
};

}  // namespace jtimer::brpc
