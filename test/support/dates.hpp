// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "calendar/civil_date.hpp"

#include <jtimer/time.hpp>

#include <chrono>
#include <cstdio>
#include <ratio>
#include <sstream>
#include <stdexcept>
#include <string>
#include <type_traits>

namespace test {

/// As in libstdc++, where they end in 2262; in libc++ they have microseconds.
inline constexpr bool kDatesHaveNanos = std::is_same_v<jtimer::Date::period, std::nano>;

/// Reads 2030-01-01T08:00:00Z, whose seconds may be missing.
inline jtimer::Date utc(const std::string& text) {
    int year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0;
    if (std::sscanf(text.c_str(), "%d-%d-%dT%d:%d:%d", &year, &month, &day, &hour, &minute,
                    &second) < 5) {
        throw std::invalid_argument(text);
    }
    const std::int64_t days = jtimer::detail::dayNumber({year, month, day});
    return jtimer::Date(std::chrono::hours(24 * days + hour) + std::chrono::minutes(minute) +
                        std::chrono::seconds(second));
}

/// In the form that utc() reads.
inline std::string inUtc(jtimer::Date date) {
    std::ostringstream text;
    text << jtimer::When(date);
    return text.str();
}

/// In seconds since 1970.
inline std::int64_t secondsOf(const std::string& text) {
    return utc(text).time_since_epoch() / std::chrono::seconds(1);
}

}  // namespace test
