// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <jtimer/detail/compiler.hpp>
#include <jtimer/detail/is_null.hpp>
#include <jtimer/detail/task_mistake.hpp>
#include <jtimer/netty/detail/node_allocator.hpp>
#include <jtimer/netty/timeout.hpp>
#include <jtimer/netty/timer_task.hpp>

#include <functional>
#include <memory>
#include <type_traits>
#include <utility>

namespace jtimer {
class TimerTask;  // of jtimer::Timer
}

namespace jtimer::netty::detail {

using jtimer::detail::TaskMistake;
using jtimer::detail::write_a_lambda_that_calls_the_member_function;
using jtimer::detail::write_std_make_shared_of_the_class_not_an_object;
using jtimer::detail::write_std_make_shared_or_shared_from_this_not_a_raw_pointer;

// Advice: see jtimer/jdk/detail/advice.hpp.
struct write_public_before_the_base_class_jtimer_netty_TimerTask {};
struct write_a_callable_that_takes_nothing_or_a_shared_ptr_to_Timeout {};
struct write_a_task_derived_from_jtimer_netty_TimerTask {};

template <class Callable>
inline constexpr bool takesHandle = std::is_invocable_v<Callable&, const std::shared_ptr<Timeout>&>;

template <class F>
inline constexpr bool isTaskCallable =
    jtimer::detail::isCallableOfTask<F, const std::shared_ptr<Timeout>&>;

/// A timeout that contains the callable that it was made of: timeout, callable and reference count
/// in one allocation.
template <class Callable>
class CallableTimeout final : public Timeout {
  public:
    /// Only std::allocate_shared calls it.
    template <class F>
    CallableTimeout(TimeoutKey key, F&& callable)
        : Timeout(key), callable_(std::forward<F>(callable)) {}

  private:
    void run(const std::shared_ptr<Timeout>& timeout) override {
        if constexpr (takesHandle<Callable>) {
            static_cast<void>(std::invoke(callable_, timeout));
        } else {
            static_cast<void>(timeout);
            static_cast<void>(std::invoke(callable_));
        }
    }

    Callable callable_;
};

/// A timeout that refers to `task`, or null if that is null.
/// \throws std::bad_alloc
JTIMER_API std::shared_ptr<Timeout> timeoutOf(std::shared_ptr<TimerTask> task);

class TaskArgument;

/// Why a T cannot be a task.
template <class T>
inline constexpr TaskMistake
    mistakeOf = jtimer::detail::taskMistake<TimerTask, TaskArgument, isTaskCallable<T>,
                                            std::decay_t<T>, jtimer::TimerTask>();

/// The types that newTimeout accepts as a task: a `std::shared_ptr` (or `std::unique_ptr`) to
/// TimerTask or to any class derived from it; or any callable, even a move-only one, that takes the
/// handle, a `const std::shared_ptr<Timeout>&`, or no arguments. A callable that accepts both gets
/// the handle. `nullptr`, an empty std::function and a null function pointer become the null task.
class TaskArgument {
  public:
    template <class T,
              std::enable_if_t<std::is_convertible_v<T, std::shared_ptr<TimerTask>>, int> = 0>
    TaskArgument(T&& task) : timeout_(timeoutOf(std::forward<T>(task))) {}

    template <class F, std::enable_if_t<!std::is_convertible_v<F, std::shared_ptr<TimerTask>> &&
                                            !std::is_same_v<std::decay_t<F>, TaskArgument> &&
                                            isTaskCallable<F>,
                                        int> = 0>
    TaskArgument(F&& callable) {
        if (jtimer::detail::isNull(callable)) return;
        using Made = CallableTimeout<std::decay_t<F>>;
        timeout_ = std::allocate_shared<Made>(NodeAllocator<Made>(), TimeoutKey(),
                                              std::forward<F>(callable));
    }

    ///@{ Advice.
    template <class T, std::enable_if_t<mistakeOf<T> == TaskMistake::RawPointer, int> = 0>
    TaskArgument(T&&, write_std_make_shared_or_shared_from_this_not_a_raw_pointer = {}) = delete;
    template <class T, std::enable_if_t<mistakeOf<T> == TaskMistake::Object, int> = 0>
    TaskArgument(T&&, write_std_make_shared_of_the_class_not_an_object = {}) = delete;
    template <class T, std::enable_if_t<mistakeOf<T> == TaskMistake::PrivateBase, int> = 0>
    TaskArgument(T&&, write_public_before_the_base_class_jtimer_netty_TimerTask = {}) = delete;
    template <class T, std::enable_if_t<mistakeOf<T> == TaskMistake::Other, int> = 0>
    TaskArgument(T&&, write_a_task_derived_from_jtimer_netty_TimerTask = {}) = delete;
    template <class T, std::enable_if_t<mistakeOf<T> == TaskMistake::MemberFunction, int> = 0>
    TaskArgument(T&&, write_a_lambda_that_calls_the_member_function = {}) = delete;
    template <class T, std::enable_if_t<mistakeOf<T> == TaskMistake::Parameters, int> = 0>
    TaskArgument(T&&, write_a_callable_that_takes_nothing_or_a_shared_ptr_to_Timeout = {}) = delete;
    ///@}

    /// Null for a null task.
    std::shared_ptr<Timeout>& timeout() noexcept { return timeout_; }

  private:
    std::shared_ptr<Timeout> timeout_;
};

}  // namespace jtimer::netty::detail
