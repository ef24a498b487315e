// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "calendar/cron_fields.hpp"
#include "calendar/zone.hpp"

#include <jtimer/time.hpp>

#include <cstdint>
#include <optional>
#include <string>

namespace jtimer::detail {

/// Points in time that match a cron expression in a time zone.
class CalendarRule {
  public:
    /// \throws IllegalArgumentException as CronFields
    CalendarRule(const std::string& expression, Zone zone);

    const std::string& expression() const { return expression_; }
    const std::string& zoneName() const { return zone_.name(); }  ///< empty: local time

    /// Whether it is due at even intervals: its minute or hour field begins with `*`.
    bool isWildcard() const { return isWildcard_; }

    /// The first matching local time that is later than `after`; Date::max() if there is none. A
    /// local time that the clocks skip means that much later: 02:30 is due at 03:30. One that they
    /// show twice is due twice by a wildcard rule, and only the second time by another one.
    jtimer::Date next(jtimer::Date after) const;

  private:
    std::optional<std::int64_t> firstMoment(std::int64_t local, std::int64_t after) const;

    std::string expression_;
    CronFields fields_;
    bool isWildcard_;
    Zone zone_;
};

}  // namespace jtimer::detail
