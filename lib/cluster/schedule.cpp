// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include <jtimer/cluster/schedule.hpp>

#include "cluster/checks.hpp"
#include "cluster/micros.hpp"

#include <jtimer/cron.hpp>
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
    return {when, {}};
}

Schedule Schedule::fixedRate(When first, TimeSpan period, MissedRuns missedRuns) {
    detail::checkWhen(first);
    return {first, {detail::Kind::FixedRate, checkedPeriod(period), missedRuns, {}, {}}};
}

Schedule Schedule::fixedDelay(When first, TimeSpan delay) {
    detail::checkWhen(first);
    return {first, {detail::Kind::FixedDelay, checkedPeriod(delay), MissedRuns::Once, {}, {}}};
}

Schedule Schedule::cron(std::string expression, std::string zone, MissedRuns missedRuns) {
    static_cast<void>(Cron(expression, Zone("UTC")));  // checks it
    return {0, {detail::Kind::Cron, 0, missedRuns, std::move(expression), std::move(zone)}};
}

}  // namespace jtimer::cluster
