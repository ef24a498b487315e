// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <jtimer/detail/task_mistake.hpp>
#include <jtimer/time.hpp>

/// \file
/// Advice for mistaken calls: see jtimer/jdk/detail/advice.hpp.

namespace jtimer::go::detail {

using jtimer::detail::write_a_lambda_that_calls_the_member_function;
struct write_C_of_the_timer {};
struct write_a_duration_and_a_callable_without_parameters {};
struct write_a_variable_of_type_Timers_not_a_temporary {};

/// Deleted overloads, which Timers has by using-declarations. A correct call never chooses one.
class CallAdvice {
  public:
    ///@{ Not for a temporary: its destructor would at once end what was started.
    template <class... T>
    write_a_variable_of_type_Timers_not_a_temporary newTimer(T&&...) && = delete;
    template <class... T>
    write_a_variable_of_type_Timers_not_a_temporary afterFunc(T&&...) && = delete;
    template <class... T>
    write_a_variable_of_type_Timers_not_a_temporary after(T&&...) && = delete;
    template <class... T>
    write_a_variable_of_type_Timers_not_a_temporary newTicker(T&&...) && = delete;
    template <class... T>
    write_a_variable_of_type_Timers_not_a_temporary tick(T&&...) && = delete;
    ///@}
    template <class C, class M, class... T>
    write_a_lambda_that_calls_the_member_function afterFunc(TimeSpan, M C::*, T&&...) & = delete;
    /// Not in another order, nor for a callable with parameters.
    write_a_duration_and_a_callable_without_parameters afterFunc(...) & = delete;
};

}  // namespace jtimer::go::detail
