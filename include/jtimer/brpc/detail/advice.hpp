// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <jtimer/detail/task_mistake.hpp>

#include <chrono>
#include <type_traits>

/// \file
/// Advice for mistaken calls: see jtimer/jdk/detail/advice.hpp.

namespace jtimer::brpc {
struct TimerThreadOptions;
}

namespace jtimer::brpc::detail {

using jtimer::detail::write_a_lambda_that_calls_the_member_function;
using jtimer::detail::write_when_the_task_is_due;
struct write_a_variable_of_type_TimerThread_not_a_temporary {};
struct write_a_time_such_as_system_clock_now_plus_the_delay {};
struct write_a_callable_without_parameters_and_its_time {};

template <class T>
inline constexpr bool isDelay = std::is_arithmetic_v<T>;
template <class Rep, class Unit>
inline constexpr bool isDelay<std::chrono::duration<Rep, Unit>> = true;

/// Accepts a delay after anything but a member function.
template <class T, class F = void>
using IfDelay = std::enable_if_t<isDelay<T> && !std::is_member_pointer_v<std::decay_t<F>>, int>;
template <class F>
using IfCallable = std::enable_if_t<std::is_invocable_v<std::decay_t<F>&>, int>;

/// Deleted overloads, which TimerThread has by using-declarations. A correct call never chooses
/// one.
class CallAdvice {
  public:
    using Options = TimerThreadOptions;
    using FunctionPointer = void (*)(void*);

    ///@{ Not for a temporary: its destructor would at once stop the timer.
    write_a_variable_of_type_TimerThread_not_a_temporary start() && = delete;
    write_a_variable_of_type_TimerThread_not_a_temporary start(const Options&) && = delete;
    write_a_variable_of_type_TimerThread_not_a_temporary start(const Options*) && = delete;
    template <class... T>
    write_a_variable_of_type_TimerThread_not_a_temporary schedule(T&&...) && = delete;
    ///@}
    ///@{ A delay is not a time.
    template <class F, class D, IfDelay<D, F> = 0>
    write_a_time_such_as_system_clock_now_plus_the_delay schedule(F&&, D) & = delete;
    template <class D, IfDelay<D> = 0>
    write_a_time_such_as_system_clock_now_plus_the_delay schedule(FunctionPointer, void*,
                                                                  D) & = delete;
    ///@}
    template <class F, IfCallable<F> = 0>
    write_when_the_task_is_due schedule(F&&) & = delete;
    write_when_the_task_is_due schedule(FunctionPointer, void*) & = delete;
    template <class C, class M, class... T>
    write_a_lambda_that_calls_the_member_function schedule(M C::*, T&&...) & = delete;
    write_a_callable_without_parameters_and_its_time schedule(...) & = delete;
};

}  // namespace jtimer::brpc::detail
