// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <jtimer/detail/saturating.hpp>

#include <cstdint>

/// The proleptic Gregorian calendar. Days are numbered from 1970-01-01, which is day 0.
namespace jtimer::detail {

inline constexpr std::int64_t kSecondsPerDay = 86'400;

struct CivilDate {
    std::int64_t year;
    int month;  ///< 1 to 12
    int day;    ///< 1 to 31
};

constexpr bool isLeapYear(std::int64_t year) noexcept {
    return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
}

constexpr int daysIn(std::int64_t year, int month) noexcept {
    if (month == 2) return isLeapYear(year) ? 29 : 28;
    return month == 4 || month == 6 || month == 9 || month == 11 ? 30 : 31;
}

// The two functions below count years from March, so that the leap day is the last of its year, and
// periods of 400 years, which all have the same number of days.
inline constexpr std::int64_t kDaysPer400Years = 146'097;
inline constexpr std::int64_t kDaysFromYear0 = 719'468;  ///< from 0000-03-01 to 1970-01-01

constexpr std::int64_t dayNumber(const CivilDate& date) noexcept {
    const std::int64_t year = date.month <= 2 ? date.year - 1 : date.year;
    const std::int64_t period = floorDivide(year, 400);
    const std::int64_t yearOfPeriod = year - 400 * period;
    const int monthFromMarch = (date.month + 9) % 12;
    const std::int64_t dayOfYear = (153 * monthFromMarch + 2) / 5 + date.day - 1;
    return kDaysPer400Years * period + 365 * yearOfPeriod + yearOfPeriod / 4 - yearOfPeriod / 100 +
           dayOfYear - kDaysFromYear0;
}

/// The inverse of dayNumber().
constexpr CivilDate civilDate(std::int64_t dayNumber) noexcept {
    const std::int64_t day = dayNumber + kDaysFromYear0;
    const std::int64_t period = floorDivide(day, kDaysPer400Years);
    const std::int64_t dayOfPeriod = day - kDaysPer400Years * period;
    const std::int64_t yearOfPeriod =
        (dayOfPeriod - dayOfPeriod / 1460 + dayOfPeriod / 36'524 - dayOfPeriod / 146'096) / 365;
    const auto dayOfYear = static_cast<int>(
        dayOfPeriod - (365 * yearOfPeriod + yearOfPeriod / 4 - yearOfPeriod / 100));
    const int monthFromMarch = (5 * dayOfYear + 2) / 153;
    const int month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9;
    return {400 * period + yearOfPeriod + (month <= 2 ? 1 : 0), month,
            dayOfYear - (153 * monthFromMarch + 2) / 5 + 1};
}

/// 0 is Sunday.
constexpr int weekday(std::int64_t dayNumber) noexcept {
    return static_cast<int>(dayNumber + 4 - 7 * floorDivide(dayNumber + 4, 7));
}

}  // namespace jtimer::detail
