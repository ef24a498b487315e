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

/// A timer's entry in the list of all timers of the process. A task does not know its timer,
/// because most tasks never need it: cancelAndWait() asks each timer whether it runs the task.
class AmongAllTimers : public ListHook {
  public:
    AmongAllTimers() = default;
    AmongAllTimers(const AmongAllTimers&) = delete;
    AmongAllTimers& operator=(const AmongAllTimers&) = delete;

    /// The timer that is running the task on a thread other than the calling one, or null.
    static std::shared_ptr<TimerThread> runnerOf(const TimerTask& task);

    /// Calls TimerThread::taskCancelled() for a timer to which no references remain, and which may
    /// no longer exist. TaskLink explains why the memory order is right.
    static std::shared_ptr<TimerTask> taskOfEndedCancelled(const AmongAllTimers* timer,
                                                           TimerTask& task, TaskLink& link);

  protected:
    ~AmongAllTimers() = default;

    /// To be called once the timer is complete and its thread started; so it must not fail.
    void joinAllTimers() noexcept;
    /// To be called first in the timer's destructor.
    void leaveAllTimers() noexcept;
};

}  // namespace jtimer::detail
