// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <jtimer/timer_task.hpp>

#include <functional>
#include <memory>
#include <type_traits>
#include <utility>

namespace jtimer::detail {

/// A callable as a TimerTask: callable, task and reference count in one allocation.
template <class Callable>
class CallableTask final : public TimerTask {
  public:
    template <class F>
    explicit CallableTask(F&& callable) : callable_(std::forward<F>(callable)) {}

    void run() override { static_cast<void>(std::invoke(callable_)); }

  private:
    Callable callable_;
};

template <class F, class = void>
struct CanBeNull : std::false_type {};

/// Whatever compares with nullptr can be null: function pointers, std::function, boost::function. A
/// function itself and a lambda without captures compare as well, as they convert to a function
/// pointer, but are never null.
template <class F>
struct CanBeNull<F, std::void_t<decltype(std::declval<const F&>() == nullptr)>>
    : std::bool_constant<std::is_pointer_v<F> ||
                         !std::is_convertible_v<F, std::invoke_result_t<F&> (*)()>> {};

/// What can stand where Timer asks for a task: a `std::shared_ptr` (or `std::unique_ptr`) to
/// TimerTask or to any class derived from it, `nullptr`, or anything that can be called without
/// arguments, move-only too. An empty std::function or a null function pointer becomes the null
/// task (C3).
class TaskArgument {
  public:
    template <class T,
              std::enable_if_t<std::is_convertible_v<T, std::shared_ptr<TimerTask>>, int> = 0>
    TaskArgument(T&& task) : task_(std::forward<T>(task)) {}

    template <class F, std::enable_if_t<!std::is_convertible_v<F, std::shared_ptr<TimerTask>> &&
                                            !std::is_same_v<std::decay_t<F>, TaskArgument> &&
                                            std::is_invocable_v<std::decay_t<F>&>,
                                        int> = 0>
    TaskArgument(F&& callable) {
        if constexpr (CanBeNull<std::remove_cv_t<std::remove_reference_t<F>>>::value) {
            // Not `callable == nullptr`, which asks a boost::function something else.
            if (!static_cast<bool>(callable)) return;
        }
        task_ = std::make_shared<CallableTask<std::decay_t<F>>>(std::forward<F>(callable));
    }

    std::shared_ptr<TimerTask>& task() noexcept { return task_; }

  private:
    std::shared_ptr<TimerTask> task_;
};

}  // namespace jtimer::detail
