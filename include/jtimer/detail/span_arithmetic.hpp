// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <jtimer/detail/millis_and_nanos.hpp>
#include <jtimer/detail/saturating.hpp>
#include <jtimer/exceptions.hpp>

#if !defined(__SIZEOF_INT128__)  // 32-bit systems, and compilers without an integer of 128 bits
#include <boost/multiprecision/cpp_int.hpp>
#endif

#include <chrono>
#include <cstdint>
#include <limits>
#include <type_traits>

/// \file
/// What TimeSpan computes: exactly, in 128 bits, and then saturated to what a MillisAndNanos holds.

namespace jtimer::detail {

#if defined(__SIZEOF_INT128__)
__extension__ typedef __int128 WideNanos;  // NOLINT(modernize-use-using): for __extension__
#else
using WideNanos = boost::multiprecision::int128_t;
#endif

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

/// The Date of a time in nanoseconds, which is rounded down if a Date is coarser, as with libc++.
/// What never comes is the end of time, whatever a Date counts; and so with the beginning.
template <class Date>
constexpr Date toDate(WideNanos sinceEpoch) noexcept {
    if (sinceEpoch >= (std::numeric_limits<Nanos>::max)()) return (Date::max)();
    if (sinceEpoch <= (std::numeric_limits<Nanos>::min)()) return (Date::min)();
    const std::chrono::nanoseconds nanos(static_cast<Nanos>(sinceEpoch));
    return Date(std::chrono::floor<typename Date::duration>(nanos));
}

/// Rounded up: after a wait until that Date, the time must have come.
template <class Date>
constexpr Date toDateNotBefore(WideNanos sinceEpoch) noexcept {
    const auto date = toDate<Date>(sinceEpoch);
    return toNanos(date) < sinceEpoch ? date + typename Date::duration(1) : date;
}

/// What a span is multiplied with and divided by.
template <class T>
inline constexpr bool isFactor = isMillis<T> && sizeof(T) <= sizeof(std::int64_t);

}  // namespace jtimer::detail
