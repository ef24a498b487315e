// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <chrono>
#include <string_view>
#include <type_traits>

/// \file
/// Advice for what is not a time, as in advice.hpp.

namespace jtimer::detail {

struct write_integer_milliseconds_or_a_std_chrono_duration {};
struct write_a_delay_or_a_system_clock_time {};

/// Whether T is a number or a text that is not a time.
template <class T>
inline constexpr bool isTimeMistake =
    std::is_same_v<std::remove_cv_t<T>, bool> || std::is_floating_point_v<T> ||
    std::is_convertible_v<T, std::string_view>;

/// Whether a time point of the clock is not a Date.
template <class OtherClock>
inline constexpr bool isOtherClock = !std::is_same_v<OtherClock, std::chrono::system_clock>;

}  // namespace jtimer::detail
