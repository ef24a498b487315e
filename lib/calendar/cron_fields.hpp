// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <cstdint>
#include <string>

namespace jtimer::detail {

/// A cron(5) expression: minute, hour, day of month, month, day of week. Matches local times; which
/// instant a local time is, is up to the caller.
///
/// A field is a list of `*`, values, and ranges `first-last`; a step `/n` may follow `*` or a
/// range. 0 and 7 are Sunday. Months and weekdays have English names of three letters in any case;
/// in sat-sun, sun is 7. If both day fields are restricted, a day matches if either matches; a
/// field that begins with `*` is not restricted, and then a day must match both.
class CronFields {
  public:
    /// \throws IllegalArgumentException if the expression is malformed, or never due, such as on the
    ///   30th of February
    explicit CronFields(const std::string& expression);

    /// The first matching local time later than `after`. Both are in minutes since 1970-01-01
    /// 00:00, local time, in the proleptic Gregorian calendar.
    /// \returns kNever if that time lies beyond the range
    std::int64_t next(std::int64_t after) const;

    /// Whether the field of the minute or of the hour begins with `*`.
    bool keepsInterval() const noexcept { return keepsInterval_; }

  private:
    bool matchesDay(std::int64_t dayNumber) const;
    bool isEverDue() const;
    std::int64_t nextDay(std::int64_t dayNumber) const;
    int timeFrom(int minuteOfDay) const;

    // Bit N is set if the value N matches.
    std::uint64_t minutes_ = 0;
    std::uint64_t hours_ = 0;
    std::uint64_t days_ = 0;
    std::uint64_t months_ = 0;
    std::uint64_t weekdays_ = 0;  ///< Sunday is bit 0 only
    bool eitherDay_ = false;      ///< both day fields are restricted
    bool keepsInterval_ = false;
};

}  // namespace jtimer::detail
