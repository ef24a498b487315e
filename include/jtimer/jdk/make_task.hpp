// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <jtimer/exceptions.hpp>
#include <jtimer/jdk/detail/callable_task.hpp>
#include <jtimer/jdk/timer_task.hpp>

#include <memory>
#include <type_traits>
#include <utility>

namespace jtimer {

/// Makes a task from a callable, for code that needs the task before scheduling it: to store it
/// where its first run will look for it, or to name it.
///
/// \code
/// reminder_ = jtimer::makeTask([this] { remind(); });
/// reminder_->setName("reminder");
/// timer.schedule(reminder_, 500);
/// \endcode
///
/// A handle assigned from the result of `schedule` may come too late for the first run. A callable
/// that needs only its own task can take it as a parameter: see Timer::schedule.
///
/// \param callable as for Timer::schedule
/// \throws NullPointerException "task cannot be null" for an empty std::function or a null function
///   pointer
template <class F, std::enable_if_t<detail::isTaskCallable<F>, int> = 0>
[[nodiscard]] std::shared_ptr<TimerTask> makeTask(F&& callable) {
    std::shared_ptr<TimerTask> task = detail::callableTask(std::forward<F>(callable));
    if (task == nullptr) throw NullPointerException("task cannot be null");
    return task;
}

}  // namespace jtimer
