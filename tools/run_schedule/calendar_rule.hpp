// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "cluster/cron.hpp"
#include "zone.hpp"

#include <jtimer/time.hpp>

#include <string>

/// Points in time that match a cron expression in a time zone.
class CalendarRule {
  public:
    /// \throws std::invalid_argument that says what is wrong, and what was expected
    CalendarRule(const std::string& expression, Zone zone);

    const std::string& expression() const { return expression_; }
    const std::string& zoneName() const { return zone_.name(); }  ///< empty: local time

    /// The first matching local time that is later than `after`; Date::max() if there is none. A
    /// local time that the clocks skip means that much later: 02:30 is due at 03:30. One that they
    /// show twice is due once, the second time.
    jtimer::Date next(jtimer::Date after) const;

  private:
    std::string expression_;
    jtimer::cluster::detail::Cron cron_;
    Zone zone_;
};
