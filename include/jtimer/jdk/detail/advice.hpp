// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <jtimer/detail/task_mistake.hpp>

/// \file
/// Advice for common mistakes in a call: a deleted function matches the mistaken call, and the name
/// of one of its types is the advice that the compiler prints. The type stands on the same line as
/// the function's name, because Clang prints only that line. To a SFINAE test the call is as
/// invalid as without the deleted function.

namespace jtimer::detail {

struct write_public_before_the_base_class_jtimer_TimerTask {};
struct write_a_callable_that_takes_nothing_or_a_TimerTask_reference {};
struct write_a_variable_of_type_Timer_not_a_temporary {};
struct write_a_Timer_that_is_not_const {};
struct write_a_task_and_when_it_is_due_and_perhaps_a_period {};
struct write_a_task_and_when_it_is_first_due_and_a_period {};
struct write_a_task_and_a_rule_such_as_a_Cron {};

class TaskArgument;

/// Deleted overloads, which Timer has by using-declarations. A correct call never chooses one: on a
/// Timer that is neither const nor a temporary, every conversion of an argument is better than one
/// to `...`. Templates without `...` would match better than Timer's own functions, or be
/// ambiguous.
class CallAdvice {
  public:
    ///@{ Not for a temporary: its destructor would at once wait for the task, or discard it.
    template <class... T>
    write_a_variable_of_type_Timer_not_a_temporary schedule(T&&...) && = delete;
    template <class... T>
    write_a_variable_of_type_Timer_not_a_temporary scheduleAtFixedRate(T&&...) && = delete;
    template <class... T>
    write_a_variable_of_type_Timer_not_a_temporary scheduleBy(T&&...) && = delete;
    ///@}
    write_when_the_task_is_due schedule(TaskArgument) & = delete;
    write_a_Timer_that_is_not_const schedule(...) const& = delete;
    write_a_Timer_that_is_not_const scheduleAtFixedRate(...) const& = delete;
    write_a_Timer_that_is_not_const scheduleBy(...) const& = delete;
    write_a_task_and_when_it_is_due_and_perhaps_a_period schedule(...) & = delete;
    write_a_task_and_when_it_is_first_due_and_a_period scheduleAtFixedRate(...) & = delete;
    write_a_task_and_a_rule_such_as_a_Cron scheduleBy(...) & = delete;
};

}  // namespace jtimer::detail
