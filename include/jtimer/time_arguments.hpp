// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <jtimer/detail/export.hpp>
#include <jtimer/detail/saturating.hpp>

#include <chrono>
#include <cstdint>
#include <limits>
#include <ratio>
#include <type_traits>

/// \file
/// How a call says when. Nobody writes the names in this file: `timer.schedule(task, 500)`,
/// `timer.schedule(task, 250us)` and `timer.schedule(task, std::chrono::system_clock::now() + 1h)`
/// all convert to them.

namespace jtimer {

/// A moment, as java.util.Date is one: any `std::chrono::system_clock` time point converts to it.
using Date = std::chrono::system_clock::time_point;

namespace detail {

/// `millis` milliseconds and `nanos` nanoseconds more, 0 <= nanos < 1,000,000; so it is negative
/// exactly when `millis` is. In this form an argument keeps Java's whole range of milliseconds
/// (which nanoseconds would leave after 292 years) as well as its nanoseconds.
struct MillisAndNanos {
    std::int64_t millis = 0;
    std::int32_t nanos = 0;
};

/// In nanoseconds, which saturate 292 years away.
constexpr Nanos toNanos(MillisAndNanos time) noexcept {
    return saturatingAdd(saturatingMultiply(time.millis, kNanosPerMilli), time.nanos);
}

/// `count` units of `Unit` seconds. Saturates; what is finer than a nanosecond is rounded up, so
/// that nothing is ever early and no period becomes nothing.
template <class Unit>
constexpr MillisAndNanos splitCount(std::int64_t count) noexcept {
    using InMillis = std::ratio_divide<Unit, std::milli>;
    constexpr std::int64_t num = InMillis::num, den = InMillis::den;
    constexpr std::int64_t max = std::numeric_limits<std::int64_t>::max();
    static_assert(den <= max / num, "the unit of this duration is too odd a fraction of a second");

    const std::int64_t whole = floorDivide(count, den);
    // Not count - whole * den, which may overflow.
    const std::int64_t above = count % den + (count % den < 0 ? den : 0);
    const std::int64_t rest = above * num;  // in 1/den milliseconds
    std::int64_t millis = 0;
    if (__builtin_mul_overflow(whole, num, &millis) ||
        __builtin_add_overflow(millis, rest / den, &millis)) {
        return {count < 0 ? std::numeric_limits<std::int64_t>::min() : max, 0};
    }
    const std::int64_t fraction = rest % den;
    std::int64_t nanos = 0;
    if constexpr (den % kNanosPerMilli == 0) {
        constexpr std::int64_t perNano = den / kNanosPerMilli;
        nanos = fraction / perNano + (fraction % perNano != 0 ? 1 : 0);
    } else {
        static_assert(den <= max / kNanosPerMilli, "the unit of this duration is too small");
        nanos = (fraction * kNanosPerMilli + den - 1) / den;
    }
    if (nanos == kNanosPerMilli) return {saturatingAdd(millis, 1), 0};
    return {millis, static_cast<std::int32_t>(nanos)};
}

/// The same for a floating-point count of milliseconds, to the nearest nanosecond, but never from
/// something to nothing. \throws IllegalArgumentException for NaN.
JTIMER_API MillisAndNanos splitMillis(long double millis);

template <class Integer>
constexpr std::int64_t saturatingCast(Integer value) noexcept {
    constexpr std::int64_t max = std::numeric_limits<std::int64_t>::max();
    if constexpr (std::is_unsigned_v<Integer> && sizeof(Integer) >= sizeof max) {
        return value > static_cast<Integer>(max) ? max : static_cast<std::int64_t>(value);
    } else {
        return static_cast<std::int64_t>(value);
    }
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

template <class T>
inline constexpr bool isMillis =
    std::is_integral_v<T> && !std::is_same_v<std::remove_cv_t<T>, bool>;

}  // namespace detail

/// A span of time: an integer means milliseconds, as in Java; or any std::chrono duration.
class TimeSpan {
  public:
    /// \param millis milliseconds, of any integer type
    template <class Integer, std::enable_if_t<detail::isMillis<Integer>, int> = 0>
    constexpr TimeSpan(Integer millis) noexcept : value_{detail::saturatingCast(millis), 0} {}

    /// \throws IllegalArgumentException if the duration is a floating-point NaN
    template <class Rep, class Unit>
    constexpr TimeSpan(std::chrono::duration<Rep, Unit> span) : value_(detail::split(span)) {}

    constexpr detail::MillisAndNanos value() const noexcept { return value_; }

  private:
    detail::MillisAndNanos value_;
};

/// When a task is first to run: after a delay (a TimeSpan, from the moment of the call), or at a
/// Date.
class When {
  public:
    /// A delay. \param millis milliseconds, of any integer type
    template <class Integer, std::enable_if_t<detail::isMillis<Integer>, int> = 0>
    constexpr When(Integer millis) noexcept : value_{detail::saturatingCast(millis), 0} {}

    /// A delay. \throws IllegalArgumentException if it is a floating-point NaN
    template <class Rep, class Unit>
    constexpr When(std::chrono::duration<Rep, Unit> delay) : value_(detail::split(delay)) {}

    /// A Date.
    template <class Duration>
    constexpr When(std::chrono::time_point<std::chrono::system_clock, Duration> date)
        : value_(detail::split(date.time_since_epoch())), isDate_(true) {}

    constexpr bool isDate() const noexcept { return isDate_; }

    /// The delay, or the time since 1970.
    constexpr detail::MillisAndNanos value() const noexcept { return value_; }

  private:
    detail::MillisAndNanos value_;
    bool isDate_ = false;
};

}  // namespace jtimer
