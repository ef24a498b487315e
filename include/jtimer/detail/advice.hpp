// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

/// \file
/// Advice for mistakes that are easily made in a call: a deleted function accepts the mistake, and
/// one of its types is the sentence that the compiler prints. The sentence stands on the same line
/// as the function's name, since Clang prints no other. A program that asks whether the call
/// compiles is told no, as it would be without the deleted function.

namespace jtimer::detail {

struct write_public_before_the_base_class_jtimer_TimerTask {};
struct write_a_callable_that_takes_nothing_or_a_TimerTask_reference {};
struct write_a_variable_of_type_Timer_not_a_temporary {};

}  // namespace jtimer::detail
