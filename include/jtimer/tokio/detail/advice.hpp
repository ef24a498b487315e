// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <jtimer/time.hpp>

/// \file
/// Advice for mistaken calls: see jtimer/jdk/detail/advice.hpp.

namespace jtimer::tokio::detail {

struct write_a_variable_of_type_TimeDriver_not_a_temporary {};
struct write_sleepUntil_or_reset_with_a_Date {};
struct write_sleep_or_resetAfter_with_a_duration {};
struct write_an_operation_on_a_Waker_that_returns_an_optional {};
struct write_the_time_before_the_operation {};

/// Deleted overloads, which TimeDriver has by using-declarations. A correct call never chooses one.
class CallAdvice {
  public:
    ///@{ Not for a temporary: its destructor would at once end what the call makes.
    template <class... T>
    write_a_variable_of_type_TimeDriver_not_a_temporary sleep(T&&...) && = delete;
    template <class... T>
    write_a_variable_of_type_TimeDriver_not_a_temporary sleepUntil(T&&...) && = delete;
    template <class... T>
    write_a_variable_of_type_TimeDriver_not_a_temporary interval(T&&...) && = delete;
    template <class... T>
    write_a_variable_of_type_TimeDriver_not_a_temporary intervalAt(T&&...) && = delete;
    ///@}
    ///@{ A Date is not a duration.
    write_sleepUntil_or_reset_with_a_Date sleep(Date) & = delete;
    write_sleep_or_resetAfter_with_a_duration sleepUntil(TimeSpan) & = delete;
    ///@}
};

}  // namespace jtimer::tokio::detail
