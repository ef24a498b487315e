// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <jtimer/detail/task_mistake.hpp>
#include <jtimer/netty/detail/task_argument.hpp>

#include <chrono>
#include <type_traits>

/// \file
/// Advice for mistaken calls: see jtimer/jdk/detail/advice.hpp.

namespace jtimer::netty::detail {

using jtimer::detail::write_when_the_task_is_due;
struct write_a_variable_of_type_HashedWheelTimer_not_a_temporary {};
struct write_a_delay_not_a_Date {};
struct write_a_std_chrono_duration_instead_of_a_number_and_a_unit {};
struct write_a_task_and_a_delay {};

/// Accepts a number and what may be a unit.
template <class Number, class Unit>
using IfUnit = std::enable_if_t<std::is_arithmetic_v<Number> && !std::is_arithmetic_v<Unit>, int>;

/// Deleted overloads, which HashedWheelTimer has by using-declarations. A correct call never
/// chooses one.
class CallAdvice {
  public:
    using Task = TaskArgument;

    ///@{ Not for a temporary: its destructor would at once stop the timer.
    write_a_variable_of_type_HashedWheelTimer_not_a_temporary start() && = delete;
    template <class... T>
    write_a_variable_of_type_HashedWheelTimer_not_a_temporary newTimeout(T&&...) && = delete;
    ///@}
    write_when_the_task_is_due newTimeout(Task) & = delete;
    template <class C, class D>
    write_a_delay_not_a_Date newTimeout(Task, std::chrono::time_point<C, D>) & = delete;
    template <class N, class U, IfUnit<N, U> = 0>
    write_a_std_chrono_duration_instead_of_a_number_and_a_unit newTimeout(Task, N, U) & = delete;
    write_a_task_and_a_delay newTimeout(...) & = delete;
};

}  // namespace jtimer::netty::detail
