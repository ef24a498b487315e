// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "jdk/task_link.hpp"

#include "jdk/task_names.hpp"
#include "jdk/timer_thread.hpp"

namespace jtimer::detail {

TaskLink::TaskLink(const std::shared_ptr<TimerThread>& owner, Nanos signedPeriod,
                   MissedRuns missedRuns) noexcept
    : timer(owner), address(owner.get()), period(signedPeriod), missed(missedRuns) {}

void finishCancel(TimerTask& task, TaskState::Word linked) {
    const std::unique_ptr<TaskLink> link(TaskState::linkOf(linked));
    const std::shared_ptr<TimerThread> timer = link->timer.lock();
    const std::shared_ptr<TimerTask> removed =
        timer != nullptr ? timer->taskCancelled(task, *link)
                         : AmongAllTimers::taskOfEndedCancelled(link->address, task, *link);
    if (removed != nullptr) TaskAccess::release(*removed);
}

void finishTask(TimerTask& task, TaskState::Word last) noexcept {
    if ((last & TaskState::kNamed) != 0) TaskNames::forget(task);
    if (TaskState::isLinked(last)) delete TaskState::linkOf(last);
}

}  // namespace jtimer::detail
