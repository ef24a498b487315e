// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <type_traits>

/// \file
/// Advice for numbers that are not times, as in advice.hpp.

namespace jtimer::detail {

struct write_integer_milliseconds_or_a_std_chrono_duration {};

/// Whether T is a number that is not a time.
template <class T>
inline constexpr bool isTimeMistake =
    std::is_same_v<std::remove_cv_t<T>, bool> || std::is_floating_point_v<T>;

}  // namespace jtimer::detail
