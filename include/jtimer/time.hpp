// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <jtimer/detail/compiler.hpp>
#include <jtimer/detail/millis_and_nanos.hpp>
#include <jtimer/detail/span_arithmetic.hpp>
#include <jtimer/detail/time_advice.hpp>

#include <chrono>
#include <cstdint>
#include <iosfwd>
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
///
/// Where an operator takes two spans, either may be such an integer or duration: `span > 0`,
/// `2s - span`. Arithmetic keeps nanoseconds, and saturates at the range of 64-bit milliseconds.
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

    /// The longest span there is. Nobody waits as long: as a limit, it is none.
    static constexpr TimeSpan(max)() noexcept { return TimeSpan(Exactly{detail::kLongestSpan}); }

    /// Saturates 292 years away.
    constexpr std::chrono::nanoseconds toChrono() const noexcept {
        return std::chrono::nanoseconds(detail::toNanos(value_));
    }

    /// Rounded down to whole milliseconds, in Java's whole range.
    constexpr std::int64_t toMillis() const noexcept { return value_.millis; }

    /// \returns the span in whole milliseconds, and the remaining nanoseconds
    constexpr detail::MillisAndNanos value() const noexcept { return value_; }

    ///@{ By length.
    friend constexpr bool operator==(TimeSpan a, TimeSpan b) noexcept {
        return detail::toWide(a.value_) == detail::toWide(b.value_);
    }
    friend constexpr bool operator!=(TimeSpan a, TimeSpan b) noexcept { return !(a == b); }
    friend constexpr bool operator<(TimeSpan a, TimeSpan b) noexcept {
        return detail::toWide(a.value_) < detail::toWide(b.value_);
    }
    friend constexpr bool operator>(TimeSpan a, TimeSpan b) noexcept { return b < a; }
    friend constexpr bool operator<=(TimeSpan a, TimeSpan b) noexcept { return !(b < a); }
    friend constexpr bool operator>=(TimeSpan a, TimeSpan b) noexcept { return !(a < b); }
    ///@}

    ///@{ Saturates at the ends of Java's whole range.
    friend constexpr TimeSpan operator+(TimeSpan a, TimeSpan b) noexcept {
        return TimeSpan(Exactly{detail::toWide(a.value_) + detail::toWide(b.value_)});
    }
    friend constexpr TimeSpan operator-(TimeSpan a, TimeSpan b) noexcept {
        return TimeSpan(Exactly{detail::toWide(a.value_) - detail::toWide(b.value_)});
    }
    friend constexpr TimeSpan operator-(TimeSpan span) noexcept {
        return TimeSpan(Exactly{-detail::toWide(span.value_)});
    }
    ///@}

    ///@{ By an integer of at most 64 bits; by a fraction: `span.toChrono() * 1.5`.
    template <class Integer, std::enable_if_t<detail::isFactor<Integer>, int> = 0>
    friend constexpr TimeSpan operator*(TimeSpan span, Integer factor) noexcept {
        return TimeSpan(Exactly{detail::toWide(detail::times(span.value_, factor))});
    }
    template <class Integer, std::enable_if_t<detail::isFactor<Integer>, int> = 0>
    friend constexpr TimeSpan operator*(Integer factor, TimeSpan span) noexcept {
        return span * factor;
    }
    /// Rounds towards zero. \throws IllegalArgumentException "Division by zero."
    template <class Integer, std::enable_if_t<detail::isFactor<Integer>, int> = 0>
    friend constexpr TimeSpan operator/(TimeSpan span, Integer divisor) {
        return TimeSpan(Exactly{detail::toWide(detail::dividedBy(span.value_, divisor))});
    }
    ///@}

    ///@{ A Date beyond the range is the end of time, which never comes, or the beginning.
    friend constexpr Date operator+(Date date, TimeSpan span) noexcept {
        return detail::toDate<Date>(detail::WideNanos{detail::toNanos(date)} +
                                    detail::toWide(span.value_));
    }
    friend constexpr Date operator+(TimeSpan span, Date date) noexcept { return date + span; }
    friend constexpr Date operator-(Date date, TimeSpan span) noexcept {
        return detail::toDate<Date>(detail::WideNanos{detail::toNanos(date)} -
                                    detail::toWide(span.value_));
    }
    ///@}

    /// Exactly, whatever the flags of the stream: `1500 ms`, `0.25 ms`, `-3 ms`.
    JTIMER_API friend std::ostream& operator<<(std::ostream& out, TimeSpan span);

  private:
    /// Not std::chrono: a saturated span may be longer than its nanoseconds.
    struct Exactly {
        detail::WideNanos nanos;
    };
    constexpr explicit TimeSpan(Exactly exactly) noexcept
        : value_(detail::saturated(exactly.nanos)) {}

    detail::MillisAndNanos value_;
};

/// When a task is first due: after a delay, counted from the call, or at a Date.
class When {
  public:
    /// A delay. A template for exactly this type, which no integer and no braces convert to.
    template <class Span, std::enable_if_t<std::is_same_v<Span, TimeSpan>, int> = 0>
    constexpr When(Span delay) noexcept : When(delay.value(), false) {}

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

    /// \returns the Date, or the time that is the delay after `now`
    [[nodiscard]] constexpr Date at(Date now) const noexcept {
        const detail::WideNanos nanos = detail::toWide(value());
        return detail::toDate<Date>(isDate_ ? nanos : detail::toNanos(now) + nanos);
    }

    ///@{ Equal are two delays or two Dates of the same value. There is no order, as a delay and a
    ///   Date have none.
    friend constexpr bool operator==(When a, When b) noexcept {
        return a.isDate_ == b.isDate_ && a.millis_ == b.millis_ && a.nanos_ == b.nanos_;
    }
    friend constexpr bool operator!=(When a, When b) noexcept { return !(a == b); }
    ///@}

    /// A delay as a TimeSpan; a Date in UTC, exactly: `2025-11-26T08:00:00.25Z`.
    JTIMER_API friend std::ostream& operator<<(std::ostream& out, When when);

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
