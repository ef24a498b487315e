// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "calendar_rule.hpp"

#include "cluster/calendar.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <utility>

using jtimer::cluster::detail::kSecondsPerDay;
using std::chrono::seconds;

CalendarRule::CalendarRule(const std::string& expression, Zone zone)
    : expression_(expression), cron_(expression), zone_(std::move(zone)) {}

jtimer::Date CalendarRule::next(jtimer::Date after) const {
    const std::int64_t now = std::chrono::floor<seconds>(after.time_since_epoch()).count();
    // The least of the offsets nearby: a local time that the clocks show again, or have skipped,
    // may be due after `after`, though it is earlier than what they show then.
    std::int64_t offset = kSecondsPerDay;
    for (const std::int64_t nearby : {now - kSecondsPerDay, now, now + kSecondsPerDay}) {
        offset = std::min(offset, zone_.offsetAt(nearby).value_or(kSecondsPerDay));
    }
    const std::int64_t last = jtimer::Date::max().time_since_epoch() / seconds(1);
    std::int64_t first = last;
    std::int64_t local = jtimer::cluster::detail::floorDivide(now + offset, 60) - 1;
    // A local time that the clocks skip may be due later than the next one that they show.
    for (;;) {
        local = cron_.next(local);
        if (local >= last / 60) break;
        const std::optional<std::int64_t> moment = zone_.momentOf(local * 60);
        if (!moment || *moment >= last) break;
        if (jtimer::Date(seconds(*moment)) <= after) continue;
        first = std::min(first, *moment);
        const bool isShown = zone_.offsetAt(*moment) == local * 60 - *moment;
        if (isShown) break;
    }
    return first < last ? jtimer::Date(seconds(first)) : jtimer::Date::max();
}
