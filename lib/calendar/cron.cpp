// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include <jtimer/cron.hpp>

#include "calendar/civil_date.hpp"
#include "calendar/cron_fields.hpp"
#include "calendar/instants.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <utility>

namespace jtimer {

using detail::instantOf;
using detail::instantsOf;
using detail::kSecondsPerDay;
using detail::ZoneAccess;
using std::chrono::seconds;

struct Cron::Data {
    std::string expression;
    detail::CronFields fields;
    Zone zone;

    /// The first instant later than `after` at which `local` is due, all in seconds.
    std::optional<std::int64_t> firstInstant(std::int64_t local, std::int64_t after) const {
        if (fields.keepsInterval()) {
            for (const std::int64_t instant : instantsOf(zone, local)) {
                if (instant > after) return instant;
            }
            return std::nullopt;
        }
        const std::optional<std::int64_t> instant = instantOf(zone, local);
        if (!instant || *instant <= after) return std::nullopt;
        return instant;
    }
};

Cron::Cron(const std::string& expression, Zone zone)
    : data_(std::make_shared<const Data>(
          Data{expression, detail::CronFields(expression), std::move(zone)})) {}

const std::string& Cron::expression() const noexcept { return data_->expression; }

const Zone& Cron::zone() const noexcept { return data_->zone; }

bool Cron::keepsInterval() const noexcept { return data_->fields.keepsInterval(); }

Date Cron::next(Date after) const {
    const Zone& zone = data_->zone;
    const std::int64_t now = std::chrono::floor<seconds>(after.time_since_epoch()).count();
    // The least of the offsets nearby: a local time that the clocks show again, or have skipped,
    // may be due after `after`, though it is earlier than what they show then.
    std::int64_t offset = kSecondsPerDay;
    for (const std::int64_t nearby : {now - kSecondsPerDay, now, now + kSecondsPerDay}) {
        offset = std::min(offset, ZoneAccess::offsetAt(zone, nearby).value_or(kSecondsPerDay));
    }
    const std::int64_t last = Date::max().time_since_epoch() / seconds(1);
    std::int64_t first = last;
    std::int64_t minute = detail::floorDivide(now + offset, 60) - 1;
    for (;;) {
        minute = data_->fields.next(minute);
        if (minute >= last / 60) break;
        const std::int64_t local = minute * 60;
        const std::optional<std::int64_t> before =
            ZoneAccess::offsetAt(zone, local - kSecondsPerDay);
        const std::optional<std::int64_t> later =
            ZoneAccess::offsetAt(zone, local + kSecondsPerDay);
        if (!before || !later) break;
        if (const auto instant = data_->firstInstant(local, now)) first = std::min(first, *instant);
        // Near a change of the clocks, a later local time may be due earlier.
        if (local + 60 - std::max(*before, *later) > first) break;
    }
    return first < last ? Date(seconds(first)) : Date::max();
}

}  // namespace jtimer
