// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include <jtimer/zone.hpp>

#include "calendar/civil_date.hpp"
#include "calendar/instants.hpp"
#include "calendar/local_time.hpp"
#include "calendar/zone_file.hpp"

#include <jtimer/exceptions.hpp>

#include <algorithm>
#include <cstdint>
#include <utility>

namespace jtimer {

using std::chrono::seconds;

Zone Zone::local() { return {}; }

Zone::Zone(const std::string& name) : name_(name) {
    std::optional<detail::ZoneFile> file = detail::ZoneFile::named(name);
    if (!file) throw IllegalArgumentException("Unknown time zone: " + name);
    file_ = std::make_shared<const detail::ZoneFile>(std::move(*file));
}

bool Zone::isKnown(const std::string& name) { return detail::ZoneFile::named(name).has_value(); }

std::optional<seconds> Zone::offsetAt(Date time) const {
    const auto instant = std::chrono::floor<seconds>(time.time_since_epoch()).count();
    const std::optional<std::int64_t> offset = detail::ZoneAccess::offsetAt(*this, instant);
    if (!offset) return std::nullopt;
    return seconds(*offset);
}

namespace detail {

std::optional<std::int64_t> ZoneAccess::offsetAt(const Zone& zone, std::int64_t instant) {
    if (zone.file_ == nullptr) return localOffsetAt(instant);
    return zone.file_->offsetAt(instant);
}

std::vector<std::int64_t> instantsOf(const Zone& zone, std::int64_t local) {
    std::vector<std::int64_t> instants;
    // The clocks change at most once in these two days, so one of the two offsets applies.
    for (const std::int64_t nearby : {local - kSecondsPerDay, local + kSecondsPerDay}) {
        const std::optional<std::int64_t> offset = ZoneAccess::offsetAt(zone, nearby);
        if (!offset || ZoneAccess::offsetAt(zone, local - *offset) != offset) continue;
        instants.push_back(local - *offset);
    }
    std::sort(instants.begin(), instants.end());
    instants.erase(std::unique(instants.begin(), instants.end()), instants.end());
    return instants;
}

std::optional<std::int64_t> instantOf(const Zone& zone, std::int64_t local) {
    const std::optional<std::int64_t> before = ZoneAccess::offsetAt(zone, local - kSecondsPerDay);
    if (!before || !ZoneAccess::offsetAt(zone, local + kSecondsPerDay)) return std::nullopt;
    const std::vector<std::int64_t> instants = instantsOf(zone, local);
    return instants.empty() ? local - *before : instants.back();
}

}  // namespace detail

}  // namespace jtimer
