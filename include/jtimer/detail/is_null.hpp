// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <functional>
#include <type_traits>
#include <utility>

namespace jtimer::detail {

/// Functions, function pointers, and lambdas without captures.
template <class F, class = void>
struct DecaysToFunction : std::false_type {};

template <class F>
struct DecaysToFunction<F, std::void_t<decltype(+std::declval<const F&>())>>
    : std::is_function<std::remove_pointer_t<decltype(+std::declval<const F&>())>> {};

/// Types that compare with nullptr can be null: function pointers, std::function, boost::function.
/// Functions and lambdas without captures also compare with it, since they convert to a function
/// pointer, but they are never null.
template <class F, class = void>
struct CanBeNull : std::false_type {};

template <class F>
struct CanBeNull<F, std::void_t<decltype(std::declval<const F&>() == nullptr)>>
    : std::bool_constant<std::is_pointer_v<F> || !DecaysToFunction<F>::value> {};

/// Whether `callable` is an empty function object or a null pointer, directly or in a
/// reference_wrapper.
template <class F>
bool isNull(const F& callable) {
    if constexpr (CanBeNull<F>::value) {
        // Not `callable == nullptr`, which has another meaning for a boost::function.
        return !static_cast<bool>(callable);
    } else {
        return false;
    }
}

template <class F>
bool isNull(const std::reference_wrapper<F>& callable) {
    return isNull<std::remove_cv_t<F>>(callable.get());
}

}  // namespace jtimer::detail
