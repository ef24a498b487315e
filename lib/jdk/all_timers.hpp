// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <memory>

namespace jtimer {
class TimerTask;
}

namespace jtimer::detail {

struct TaskLink;
class TimerImpl;

/// The list of all timers of the process. A task does not know its timer, because most tasks never
/// need it: cancelAndWait() asks each timer whether it runs the task.
struct AllTimers {
    /// To be called once the timer is complete and its thread started; so it must not fail.
    static void add(TimerImpl& timer) noexcept;
    /// To be called first in the timer's destructor.
    static void remove(TimerImpl& timer) noexcept;

    /// The timer that is running the task on a thread other than the calling one, or null.
    static std::shared_ptr<TimerImpl> runnerOf(const TimerTask& task);

    /// Calls TimerImpl::taskCancelled() for a timer to which no references remain, and which may
    /// no longer exist. TaskLink explains why the memory order is right.
    static std::shared_ptr<TimerTask> taskOfEndedCancelled(const TimerImpl* timer, TimerTask& task,
                                                           TaskLink& link);
};

}  // namespace jtimer::detail
