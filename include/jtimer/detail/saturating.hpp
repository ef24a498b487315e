// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <jtimer/detail/compiler.hpp>

#include <cstdint>
#include <limits>

/// All arithmetic on times: it saturates at the ends of the range and is never undefined.
namespace jtimer::detail {

/// Nanoseconds, as a point in time (since 1970, on the time line of some Clock) or as a span.
using Nanos = std::int64_t;

/// The time that never comes: a task due then never runs, and a wait for it has no limit.
inline constexpr Nanos kNever = (std::numeric_limits<Nanos>::max)();

inline constexpr Nanos kNanosPerMilli = 1'000'000;

constexpr std::int64_t saturatingAdd(std::int64_t a, std::int64_t b) noexcept {
    std::int64_t sum = 0;
    if (!addOverflows(a, b, &sum)) return sum;
    return b < 0 ? (std::numeric_limits<std::int64_t>::min)()
                 : (std::numeric_limits<std::int64_t>::max)();
}

constexpr std::int64_t saturatingSubtract(std::int64_t a, std::int64_t b) noexcept {
    std::int64_t difference = 0;
    if (!subtractOverflows(a, b, &difference)) return difference;
    return b > 0 ? (std::numeric_limits<std::int64_t>::min)()
                 : (std::numeric_limits<std::int64_t>::max)();
}

constexpr std::int64_t saturatingMultiply(std::int64_t a, std::int64_t b) noexcept {
    std::int64_t product = 0;
    if (!multiplyOverflows(a, b, &product)) return product;
    return (a < 0) != (b < 0) ? (std::numeric_limits<std::int64_t>::min)()
                              : (std::numeric_limits<std::int64_t>::max)();
}

/// a / b rounded towards minus infinity, for b > 0. Integer division rounds towards zero, which
/// would move a time before 1970 into its future.
constexpr std::int64_t floorDivide(std::int64_t a, std::int64_t b) noexcept {
    return a / b - (a % b < 0 ? 1 : 0);
}

}  // namespace jtimer::detail
