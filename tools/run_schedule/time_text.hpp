// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <jtimer/time.hpp>

#include <chrono>
#include <stdexcept>
#include <string>
#include <string_view>

/// \file
/// How durations and points in time are written, in a schedule and in the output.

/// `500ms`, `10s`, `5m`, `2h`, `1d`. At most a hundred years, so that a few of them added to the
/// present time are still a Date.
/// \throws std::invalid_argument that says what is wrong, and what was expected
std::chrono::milliseconds parseDuration(std::string_view text);

/// `2030-01-01T08:00:00` or `2030-01-01T08:00:00.250`, in local time; or with the offset from UTC
/// (`2030-01-01T08:00:00+01:00`, `2030-01-01T07:00:00Z`). Where the clocks are set back, local
/// times occur twice: without an offset the first is meant.
/// \throws std::invalid_argument that says what is wrong, and what was expected
jtimer::Date parseDate(std::string_view text);

/// `2030-01-01T08:00:00.250+01:00`: local time, rounded down to the millisecond, and its offset
/// from UTC. Where the system cannot tell local time, after 2038 if its time_t has 32 bits, it is
/// UTC.
std::string formatDate(jtimer::Date date);

/// `text` in quotes, for messages.
std::string inQuotes(std::string_view text);

/// \throws std::invalid_argument "WRONG: expected EXPECTED"
[[noreturn]] void failExpecting(const std::string& wrong, const std::string& expected);
