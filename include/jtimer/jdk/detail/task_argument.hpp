// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <jtimer/detail/task_mistake.hpp>
#include <jtimer/jdk/detail/advice.hpp>
#include <jtimer/jdk/detail/callable_task.hpp>
#include <jtimer/jdk/timer_task.hpp>

#include <memory>
#include <type_traits>
#include <utility>

namespace jtimer::detail {

class TaskArgument;

/// Why a T cannot be a task.
template <class T>
inline constexpr TaskMistake
    mistakeOf = taskMistake<TimerTask, TaskArgument, isTaskCallable<T>, std::decay_t<T>>();

/// The types that Timer accepts as a task: a `std::shared_ptr` (or `std::unique_ptr`) to TimerTask
/// or to any class derived from it, `nullptr`, or any callable, even a move-only one, that takes
/// its task, a `TimerTask&`, or no arguments. An empty std::function or a null function pointer
/// becomes the null task.
class TaskArgument {
  public:
    template <class T,
              std::enable_if_t<std::is_convertible_v<T, std::shared_ptr<TimerTask>>, int> = 0>
    TaskArgument(T&& task) : task_(std::forward<T>(task)) {}

    template <class F, std::enable_if_t<!std::is_convertible_v<F, std::shared_ptr<TimerTask>> &&
                                            !std::is_same_v<std::decay_t<F>, TaskArgument> &&
                                            isTaskCallable<F>,
                                        int> = 0>
    TaskArgument(F&& callable) : task_(callableTask(std::forward<F>(callable))), isNew_(true) {}

    ///@{ Advice: see advice.hpp.
    template <class T, std::enable_if_t<mistakeOf<T> == TaskMistake::RawPointer, int> = 0>
    TaskArgument(T&&, write_std_make_shared_or_shared_from_this_not_a_raw_pointer = {}) = delete;
    template <class T, std::enable_if_t<mistakeOf<T> == TaskMistake::Object, int> = 0>
    TaskArgument(T&&, write_std_make_shared_of_the_class_not_an_object = {}) = delete;
    template <class T, std::enable_if_t<mistakeOf<T> == TaskMistake::PrivateBase, int> = 0>
    TaskArgument(T&&, write_public_before_the_base_class_jtimer_TimerTask = {}) = delete;
    template <class T, std::enable_if_t<mistakeOf<T> == TaskMistake::MemberFunction, int> = 0>
    TaskArgument(T&&, write_a_lambda_that_calls_the_member_function = {}) = delete;
    template <class T, std::enable_if_t<mistakeOf<T> == TaskMistake::Parameters, int> = 0>
    TaskArgument(T&&, write_a_callable_that_takes_nothing_or_a_TimerTask_reference = {}) = delete;
    ///@}

    std::shared_ptr<TimerTask>& task() noexcept { return task_; }

    /// Whether the task was made here from a callable, so that no other code knows it yet.
    bool isNew() const noexcept { return isNew_; }

  private:
    std::shared_ptr<TimerTask> task_;
    bool isNew_ = false;
};

}  // namespace jtimer::detail
