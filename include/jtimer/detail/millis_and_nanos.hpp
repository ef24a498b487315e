// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <jtimer/detail/compiler.hpp>
#include <jtimer/detail/saturating.hpp>

#include <chrono>
#include <cstdint>
#include <limits>
#include <ratio>
#include <type_traits>

namespace jtimer::detail {

/// `millis` milliseconds plus `nanos` nanoseconds, with 0 <= nanos < 1,000,000, so that the sum is
/// negative exactly when `millis` is. An argument in this form keeps both Java's whole range of
/// milliseconds, of which 64-bit nanoseconds cover only 292 years, and its nanoseconds.
struct MillisAndNanos {
    std::int64_t millis = 0;
    std::int32_t nanos = 0;
};

/// In nanoseconds. Saturates 292 years away.
constexpr Nanos toNanos(MillisAndNanos time) noexcept {
    return saturatingAdd(saturatingMultiply(time.millis, kNanosPerMilli), time.nanos);
}

/// `count` units of `Unit` seconds. Saturates. Fractions of a nanosecond are rounded up, so that
/// nothing is early and no period becomes 0.
template <class Unit>
constexpr MillisAndNanos splitCount(std::int64_t count) noexcept {
    using InMillis = std::ratio_divide<Unit, std::milli>;
    constexpr std::int64_t num = InMillis::num, den = InMillis::den;
    constexpr std::int64_t max = (std::numeric_limits<std::int64_t>::max)();
    static_assert(
        den <= max / num,
        "the unit of this duration is not a fraction of a second that 64 bits can convert");

    const std::int64_t whole = floorDivide(count, den);
    // Not count - whole * den, which may overflow.
    const std::int64_t above = count % den + (count % den < 0 ? den : 0);
    const std::int64_t rest = above * num;  // in 1/den milliseconds
    std::int64_t millis = 0;
    if (multiplyOverflows(whole, num, &millis) || addOverflows(millis, rest / den, &millis)) {
        return {count < 0 ? (std::numeric_limits<std::int64_t>::min)() : max, 0};
    }
    const std::int64_t fraction = rest % den;
    std::int64_t nanos = 0;
    if constexpr (den % kNanosPerMilli == 0) {
        constexpr std::int64_t perNano = den / kNanosPerMilli;
        nanos = fraction / perNano + (fraction % perNano != 0 ? 1 : 0);
    } else {
        static_assert(den <= max / (kNanosPerMilli + 1), "the unit of this duration is too small");
        nanos = (fraction * kNanosPerMilli + den - 1) / den;
    }
    if (nanos == kNanosPerMilli) return {saturatingAdd(millis, 1), 0};
    return {millis, static_cast<std::int32_t>(nanos)};
}

/// A floating-point count of milliseconds, rounded to the nearest nanosecond, but to 0 only if it
/// is 0.
/// \throws IllegalArgumentException for NaN
JTIMER_API MillisAndNanos splitMillis(long double millis);

template <class Integer>
constexpr std::int64_t saturatingCast(Integer value) noexcept {
    constexpr std::int64_t max = (std::numeric_limits<std::int64_t>::max)();
    constexpr std::int64_t min = (std::numeric_limits<std::int64_t>::min)();
    constexpr bool isSigned = static_cast<Integer>(-1) < static_cast<Integer>(0);
    // A type wider than 64 bits is __int128, which counts as an integer with -std=gnu++17.
    if constexpr (sizeof(Integer) > sizeof max || (sizeof(Integer) == sizeof max && !isSigned)) {
        if (value > static_cast<Integer>(max)) return max;
    }
    if constexpr (sizeof(Integer) > sizeof max && isSigned) {
        if (value < static_cast<Integer>(min)) return min;
    }
    return static_cast<std::int64_t>(value);
}

template <class Rep, class Unit>
constexpr MillisAndNanos split(std::chrono::duration<Rep, Unit> span) {
    if constexpr (std::is_floating_point_v<Rep>) {
        using Millis = std::chrono::duration<long double, std::milli>;
        return splitMillis(std::chrono::duration_cast<Millis>(span).count());
    } else {
        static_assert(std::is_integral_v<Rep>, "a duration counts in integers or floating point");
        return splitCount<Unit>(saturatingCast(span.count()));
    }
}

/// A Date in nanoseconds since 1970. Saturates.
constexpr Nanos toNanos(std::chrono::system_clock::time_point date) noexcept {
    const auto sinceEpoch = date.time_since_epoch();
    if constexpr (std::is_same_v<decltype(sinceEpoch), const std::chrono::nanoseconds>) {
        return sinceEpoch.count();
    } else {
        return toNanos(splitCount<std::chrono::system_clock::period>(sinceEpoch.count()));
    }
}

template <class T>
inline constexpr bool isMillis =
    std::is_integral_v<T> && !std::is_same_v<std::remove_cv_t<T>, bool>;

}  // namespace jtimer::detail
