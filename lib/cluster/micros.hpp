// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <jtimer/detail/millis_and_nanos.hpp>
#include <jtimer/detail/saturating.hpp>
#include <jtimer/time.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <limits>

namespace jtimer::cluster::detail {

/// Microseconds, which is how the database keeps time: since 1970 by its clock, or a span.
using Micros = std::int64_t;

/// A time that never comes: `infinity`, the wake of a dead task.
inline constexpr Micros kNeverDue = std::numeric_limits<Micros>::max();

/// The greatest point in time that a Date can hold, and the longest span, in whole microseconds.
/// Later ones are stored as this one.
inline constexpr Micros kLastMicros = std::numeric_limits<std::int64_t>::max() / 1000;

/// A hundred years: what is longer cannot be added to every time or clock.
inline constexpr Micros kLongestWait = 3'155'760'000'000'000;

/// Rounded up, so that nothing is early and no period becomes 0.
constexpr Micros toMicros(jtimer::detail::Nanos nanos) noexcept {
    return jtimer::detail::floorDivide(nanos, 1000) +
           (nanos - 1000 * jtimer::detail::floorDivide(nanos, 1000) > 0 ? 1 : 0);
}

constexpr Micros toMicros(jtimer::detail::MillisAndNanos time) noexcept {
    return std::min(toMicros(jtimer::detail::toNanos(time)), kLastMicros);
}

constexpr Micros toMicros(const TimeSpan& span) noexcept { return toMicros(span.value()); }

/// The delay, or the time since 1970.
constexpr Micros toMicros(const When& when) noexcept { return toMicros(when.value()); }

constexpr Date toDate(Micros micros) noexcept {
    if (micros > kLastMicros) return Date::max();
    return Date(std::chrono::duration_cast<Date::duration>(std::chrono::microseconds(micros)));
}

}  // namespace jtimer::cluster::detail
