// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include <jtimer/cluster/schedule.hpp>

#include "cluster/checks.hpp"
#include "cluster/cron.hpp"
#include "cluster/micros.hpp"

#include <jtimer/exceptions.hpp>

#include <algorithm>
#include <cstdint>
#include <utility>

namespace jtimer::cluster {

namespace {

std::int64_t checkedPeriod(const TimeSpan& period) {
    const detail::Micros micros = detail::toMicros(period);
    if (micros <= 0) throw IllegalArgumentException("Non-positive period.");
    return std::max<detail::Micros>(micros, 1000);
}

}  // namespace

Schedule Schedule::once(When when) {
    detail::checkWhen(when);
    return {detail::Kind::Once, when, 0, MissedRuns::Once};
}

Schedule Schedule::fixedRate(When first, TimeSpan period, MissedRuns missedRuns) {
    detail::checkWhen(first);
    return {detail::Kind::FixedRate, first, checkedPeriod(period), missedRuns};
}

Schedule Schedule::fixedDelay(When first, TimeSpan delay) {
    detail::checkWhen(first);
    return {detail::Kind::FixedDelay, first, checkedPeriod(delay), MissedRuns::Once};
}

Schedule Schedule::cron(std::string expression, std::string zone, MissedRuns missedRuns) {
    const detail::Cron checked(expression);
    static_cast<void>(checked);
    Schedule schedule(detail::Kind::Cron, 0, 0, missedRuns);
    schedule.expression_ = std::move(expression);
    schedule.zone_ = std::move(zone);
    return schedule;
}

}  // namespace jtimer::cluster
