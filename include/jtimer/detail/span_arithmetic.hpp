// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <jtimer/detail/millis_and_nanos.hpp>
#include <jtimer/detail/saturating.hpp>
#include <jtimer/exceptions.hpp>

#include <chrono>
#include <cstdint>
#include <limits>
#include <type_traits>

/// \file
/// What TimeSpan computes: exactly, in 128 bits, and then saturated to what a MillisAndNanos holds.

namespace jtimer::detail {

__extension__ typedef __int128 WideNanos;  // NOLINT(modernize-use-using): for __extension__

inline constexpr WideNanos kLongestSpan =
    WideNanos{(std::numeric_limits<std::int64_t>::max)()} * kNanosPerMilli + (kNanosPerMilli - 1);
inline constexpr WideNanos kShortestSpan =
    WideNanos{(std::numeric_limits<std::int64_t>::min)()} * kNanosPerMilli;

constexpr WideNanos toWide(MillisAndNanos time) noexcept {
    return WideNanos{time.millis} * kNanosPerMilli + time.nanos;
}

constexpr MillisAndNanos saturated(WideNanos nanos) noexcept {
    if (nanos > kLongestSpan) nanos = kLongestSpan;
    if (nanos < kShortestSpan) nanos = kShortestSpan;
    WideNanos millis = nanos / kNanosPerMilli;
    if (millis * kNanosPerMilli > nanos) --millis;
    return {static_cast<std::int64_t>(millis),
            static_cast<std::int32_t>(nanos - millis * kNanosPerMilli)};
}

/// Not by an overflow of 128 bits, which clang++ finds by a function that not every system has.
constexpr MillisAndNanos times(MillisAndNanos time, WideNanos factor) noexcept {
    const WideNanos nanos = toWide(time);
    if (nanos == 0 || factor == 0) return {};
    const WideNanos most = (nanos < 0) == (factor < 0) ? kLongestSpan : kShortestSpan;
    // Both divisions round towards zero: the product is within the range up to this factor.
    const WideNanos bound = most / nanos;
    const bool isBeyond = factor < 0 ? factor < bound : factor > bound;
    return saturated(isBeyond ? most : nanos * factor);
}

/// \throws IllegalArgumentException "Division by zero."
constexpr MillisAndNanos dividedBy(MillisAndNanos time, WideNanos divisor) {
    if (divisor == 0) throw IllegalArgumentException("Division by zero.");
    return saturated(toWide(time) / divisor);
}

/// A Date beyond the range is the end of time, or its beginning.
template <class Date>
constexpr Date toDate(WideNanos sinceEpoch) noexcept {
    if (sinceEpoch >= (std::numeric_limits<Nanos>::max)()) return (Date::max)();
    if (sinceEpoch <= (std::numeric_limits<Nanos>::min)()) return (Date::min)();
    const std::chrono::nanoseconds nanos(static_cast<Nanos>(sinceEpoch));
    return Date(std::chrono::duration_cast<typename Date::duration>(nanos));
}

/// What a span is multiplied with and divided by.
template <class T>
inline constexpr bool isFactor = isMillis<T> && sizeof(T) <= sizeof(std::int64_t);

}  // namespace jtimer::detail
