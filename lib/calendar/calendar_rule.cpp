// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "calendar/calendar_rule.hpp"

#include "calendar/civil_date.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <sstream>
#include <string>
#include <utility>

namespace jtimer::detail {

using std::chrono::seconds;

namespace {

bool beginsWithStar(const std::string& expression) {
    std::istringstream fields(expression);
    std::string minute, hour;
    fields >> minute >> hour;
    return minute.front() == '*' || hour.front() == '*';
}

}  // namespace

CalendarRule::CalendarRule(const std::string& expression, Zone zone)
    : expression_(expression), fields_(expression), isWildcard_(beginsWithStar(expression)),
      zone_(std::move(zone)) {}

/// \returns the first moment later than `after` at which `local` is due, all in seconds
std::optional<std::int64_t> CalendarRule::firstMoment(std::int64_t local,
                                                      std::int64_t after) const {
    if (isWildcard_) {
        for (const std::int64_t moment : zone_.momentsOf(local)) {
            if (moment > after) return moment;
        }
    }
    // The last of them, or that much later.
    const std::optional<std::int64_t> moment = zone_.momentOf(local);
    if (!moment || *moment <= after) return std::nullopt;
    return moment;
}

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
    std::int64_t minute = floorDivide(now + offset, 60) - 1;
    for (;;) {
        minute = fields_.next(minute);
        if (minute >= last / 60) break;
        const std::int64_t local = minute * 60;
        const std::optional<std::int64_t> before = zone_.offsetAt(local - kSecondsPerDay);
        const std::optional<std::int64_t> later = zone_.offsetAt(local + kSecondsPerDay);
        if (!before || !later) break;
        if (const auto moment = firstMoment(local, now)) first = std::min(first, *moment);
        // Near a change of the clocks, a later local time may be due earlier.
        if (local + 60 - std::max(*before, *later) > first) break;
    }
    return first < last ? jtimer::Date(seconds(first)) : jtimer::Date::max();
}

}  // namespace jtimer::detail
