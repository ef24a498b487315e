// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <jtimer/jdk/timer_task.hpp>

namespace jtimer::detail {

/// Gives the library access to a task's private members.
struct TaskAccess {
    static TaskState& stateOf(TimerTask& task) noexcept { return task.jtimerState_; }
    static void release(TimerTask& task) noexcept { task.jtimerRelease(); }
};

inline TaskState& stateOf(TimerTask& task) noexcept { return TaskAccess::stateOf(task); }

}  // namespace jtimer::detail
