// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <jtimer/cluster/schedule.hpp>

#include <cstdint>
#include <string>

namespace jtimer::cluster::detail {

/// The private parts of a Schedule.
class ScheduleAccess {
  public:
    static Kind kind(const Schedule& schedule) { return schedule.kind_; }
    static const When& first(const Schedule& schedule) { return schedule.first_; }
    static std::int64_t period(const Schedule& schedule) { return schedule.period_; }
    static MissedRuns missedRuns(const Schedule& schedule) { return schedule.missedRuns_; }
    static const std::string& expression(const Schedule& schedule) { return schedule.expression_; }
    static const std::string& zone(const Schedule& schedule) { return schedule.zone_; }
};

}  // namespace jtimer::cluster::detail
