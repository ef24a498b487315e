// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "data/intrusive_list.hpp"

#include <memory>

namespace jtimer {
class TimerTask;
}

namespace jtimer::detail {

struct TaskLink;
class TimerThread;

/// A timer's place among all timers of the process. A task does not know its timer, because most
/// never need to: cancelAndWait() asks each timer whether it is running the task.
class AmongAllTimers : public ListHook {
  public:
    AmongAllTimers() = default;
    AmongAllTimers(const AmongAllTimers&) = delete;
    AmongAllTimers& operator=(const AmongAllTimers&) = delete;

    /// Which timer is running the task on a thread other than the calling one; null: none.
    static std::shared_ptr<TimerThread> runnerOf(const TimerTask& task);

    /// TimerThread::taskCancelled() of a timer to which nobody has a reference any more, and which
    /// may be gone. See TaskLink for what that orders.
    static std::shared_ptr<TimerTask> taskOfEndedCancelled(const AmongAllTimers* timer,
                                                           TimerTask& task, TaskLink& link);

  protected:
    ~AmongAllTimers() = default;

    /// When the timer is complete and its thread is started: so it must not fail.
    void joinAllTimers() noexcept;
    /// The first thing that the destructor of a timer does.
    void leaveAllTimers() noexcept;
};

}  // namespace jtimer::detail
