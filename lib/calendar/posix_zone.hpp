// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace jtimer::detail {

/// In seconds, of local time from UTC, to the east and to the west: RFC 8536 has 26 hours.
inline constexpr std::int64_t kGreatestOffset = std::int64_t{26} * 3600;

/// A time zone as POSIX writes it in TZ, and zone files at their end: `CET-1CEST,M3.5.0,M10.5.0/3`.
class PosixZone {
  public:
    /// \returns nothing if `text` is not of this form
    static std::optional<PosixZone> parse(std::string_view text);

    /// Local time minus UTC, in seconds, at `moment` (in seconds since 1970).
    std::int64_t offsetAt(std::int64_t moment) const;

  private:
    /// A day of each year, and a time of that day.
    struct Change {
        enum class Kind { JulianWithoutLeapDay, DayOfYear, WeekdayOfMonth };
        Kind kind = Kind::DayOfYear;
        int month = 0, week = 0;
        int day = 0;  ///< of the year or of the week
        std::int64_t seconds = 7200;

        std::int64_t in(std::int64_t year) const;
    };
    class Parser;

    std::int64_t standard_ = 0;
    std::int64_t summer_ = 0;
    std::optional<Change> begin_, end_;  ///< of summer time
};

}  // namespace jtimer::detail
