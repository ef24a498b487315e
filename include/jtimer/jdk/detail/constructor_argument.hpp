// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <string>
#include <type_traits>

namespace jtimer {
struct TimerOptions;
}

namespace jtimer::detail {

template <class T>
inline constexpr bool isString =
    std::is_convertible_v<T, std::string> && !std::is_convertible_v<T, const char*>;
template <class T>
using IfString = std::enable_if_t<isString<T>, int>;

/// Whether T, which is neither a `bool` nor a name, converts to `bool`.
template <class T>
inline constexpr bool convertsToFlag =
    !std::is_same_v<T, bool> && std::is_convertible_v<T, bool> &&
    !std::is_convertible_v<T, const char*> && !isString<T> && !std::is_same_v<T, TimerOptions>;

}  // namespace jtimer::detail
