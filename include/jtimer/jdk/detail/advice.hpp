// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

/// \file
/// Advice for common mistakes in a call: a deleted function matches the mistaken call, and the name
/// of one of its types is the advice that the compiler prints. The type stands on the same line as
/// the function's name, because Clang prints only that line. To a SFINAE test the call is as
/// invalid as without the deleted function.

namespace jtimer::detail {

struct write_public_before_the_base_class_jtimer_TimerTask {};
struct write_a_callable_that_takes_nothing_or_a_TimerTask_reference {};
struct write_a_variable_of_type_Timer_not_a_temporary {};

}  // namespace jtimer::detail
