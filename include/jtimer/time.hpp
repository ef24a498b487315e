// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <jtimer/detail/millis_and_nanos.hpp>
#include <jtimer/detail/time_advice.hpp>

#include <chrono>
#include <cstdint>
#include <type_traits>

/// \file
/// The types of time arguments. Arguments convert to them: `timer.schedule(task, 500)`,
/// `timer.schedule(task, 250us)`, `timer.schedule(task, std::chrono::system_clock::now() + 1h)`.
/// Use the types themselves to store a time or to pass one on.
///
/// Internally, times are 64-bit nanoseconds since 1970. A time after April 2262 and a span of more
/// than 292 years saturate; a saturated time is never due.

namespace jtimer {

/// A point in time, like java.util.Date. Any `std::chrono::system_clock` time point converts to it.
using Date = std::chrono::system_clock::time_point;

/// A span of time: an integer, which means milliseconds as in Java, or any std::chrono duration.
class TimeSpan {
  public:
    /// \param millis milliseconds, of any integer type
    template <class Integer, std::enable_if_t<detail::isMillis<Integer>, int> = 0>
    constexpr TimeSpan(Integer millis) noexcept : value_{detail::saturatingCast(millis), 0} {}

    /// \param span a duration of any unit. A fraction of a nanosecond is rounded up. A
    ///   floating-point duration is rounded to the nearest nanosecond, but to 0 only if it is 0
    /// \throws IllegalArgumentException if it is a floating-point NaN
    template <class Rep, class Unit>
    constexpr TimeSpan(std::chrono::duration<Rep, Unit> span) : value_(detail::split(span)) {}

    /// A `bool`, a floating-point number or a text is not a time.
    template <class T, std::enable_if_t<detail::isTimeMistake<T>, int> = 0>
    TimeSpan(T, detail::write_integer_milliseconds_or_a_std_chrono_duration = {}) = delete;

    /// \returns the span in whole milliseconds, and the remaining nanoseconds
    constexpr detail::MillisAndNanos value() const noexcept { return value_; }

  private:
    detail::MillisAndNanos value_;
};

/// When a task is first due: after a delay, counted from the call, or at a Date.
class When {
  public:
    /// A delay. \param millis milliseconds, of any integer type
    template <class Integer, std::enable_if_t<detail::isMillis<Integer>, int> = 0>
    constexpr When(Integer millis) noexcept : millis_(detail::saturatingCast(millis)) {}

    /// A delay.
    /// \param delay a duration of any unit, rounded as a TimeSpan is
    /// \throws IllegalArgumentException if it is a floating-point NaN
    template <class Rep, class Unit>
    constexpr When(std::chrono::duration<Rep, Unit> delay) : When(detail::split(delay), false) {}

    /// A Date.
    /// \param date a time of any resolution
    template <class Duration>
    constexpr When(std::chrono::time_point<std::chrono::system_clock, Duration> date)
        : When(detail::split(date.time_since_epoch()), true) {}

    /// A `bool`, a floating-point number or a text is not a time.
    template <class T, std::enable_if_t<detail::isTimeMistake<T>, int> = 0>
    When(T, detail::write_integer_milliseconds_or_a_std_chrono_duration = {}) = delete;

    /// A time point of another clock is not a Date.
    template <class C, class D, std::enable_if_t<detail::isOtherClock<C>, int> = 0>
    When(std::chrono::time_point<C, D>, detail::write_a_delay_or_a_system_clock_time = {}) = delete;

    /// \returns whether it is a Date rather than a delay
    constexpr bool isDate() const noexcept { return isDate_; }

    /// \returns the delay, or the time since 1970
    constexpr detail::MillisAndNanos value() const noexcept { return {millis_, nanos_}; }

  private:
    constexpr When(detail::MillisAndNanos value, bool isDate) noexcept
        : millis_(value.millis), nanos_(value.nanos), isDate_(isDate) {}

    // Not a MillisAndNanos: isDate_ would then take a third word, and only two are passed in
    // registers.
    std::int64_t millis_;
    std::int32_t nanos_ = 0;
    bool isDate_ = false;
};

}  // namespace jtimer
