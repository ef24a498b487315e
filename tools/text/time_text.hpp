// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <jtimer/time.hpp>
#include <jtimer/zone.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

/// \file
/// The text format of durations, points in time and time zones, in a schedule and in the output.

/// Reads `500ms`, `10s`, `5m`, `2h`, `1d`. At most a hundred years, so that the present time plus a
/// few durations still fits into a Date.
/// \throws std::invalid_argument that says what is wrong, and what was expected
std::chrono::milliseconds parseDuration(std::string_view text);

/// Reads `2030-01-01T08:00:00` or `2030-01-01T08:00:00.250`, in local time; or with an offset from
/// UTC (`2030-01-01T08:00:00+01:00`, `2030-01-01T07:00:00Z`). A local time that occurs twice,
/// because the clocks are set back, means the second time unless it has an offset.
/// \throws std::invalid_argument that says what is wrong, and what was expected
jtimer::Date parseDate(std::string_view text);

/// Reads `08:00`.
/// \returns the minutes since midnight
/// \throws std::invalid_argument that says what is wrong, and what was expected
int parseTimeOfDay(std::string_view text);

/// Reads the name of a time zone, such as `Europe/Berlin`.
/// \throws std::invalid_argument that says what is wrong, and what was expected
jtimer::Zone parseZone(const std::string& text);

/// Returns `2030-01-01T08:00:00.250+01:00`: local time, rounded down to the millisecond, and its
/// offset from UTC. If the system does not know the local time, as after 2038 with a 32-bit time_t,
/// the result is in UTC.
std::string formatDate(jtimer::Date date);

/// In UTC: `2030-01-01T08:00:00Z`, with milliseconds if there are any.
std::string inCanonicalForm(jtimer::Date date);

/// In UTC, rounded down to the microsecond: `2030-01-01T08:00:00.250000Z`.
std::string inUtcMicros(jtimer::Date date);

/// In the largest unit that divides it: 60s is `1m`.
std::string inCanonicalForm(std::chrono::milliseconds duration);

/// Returns `250ms`, `1.2s`, `1m05s`, `1h02m` or `1d03h`: rounded down, and at least 0.
std::string inWords(std::chrono::nanoseconds time);

/// `value` as a number with that many decimals: 1050 with three is `1.050`.
std::string inDecimal(std::int64_t value, std::size_t decimals);
