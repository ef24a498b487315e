// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "wall_dates.hpp"

#include <jtimer/cron.hpp>

#include <algorithm>
#include <iterator>
#include <utility>

using jtimer::Cron;
using jtimer::Date;
using std::chrono::nanoseconds;

namespace {

/// A wall clock that is set back by more than this has been wrong before, and the times of the
/// calendar are those of the new time. Otherwise they do not come twice.
constexpr std::chrono::hours kCorrection(3);

/// What is due at even intervals does not stop for so long.
constexpr std::chrono::minutes kWildcardCorrection(1);

/// When a run is due for all the times of an entry from `first` to `now`: at the first of them that
/// may still begin.
Date dueOf(const Entry& entry, Date first, Date now) {
    if (!entry.startWithin || !entry.repeats() || now - first <= *entry.startWithin) return first;
    const Date later = entry.nextDate(now - *entry.startWithin);
    return later <= now ? later : first;
}

}  // namespace

void WallDates::begin(const Now& now) {
    reached_ = reachedByWildcards_ = now.wall;
    wallAhead_ = now.wall - now.steady;
    localTime_ = now.localTime;
}

void WallDates::look(const Now& now) {
    // A Date may be coarser than a nanosecond.
    const Date unlessSet = std::chrono::time_point_cast<Date::duration>(now.steady + wallAhead_);
    wallAhead_ = now.wall - now.steady;
    const auto isSetBack = [&](Date& reached, nanoseconds by) {
        reached = std::max({reached, now.wall, unlessSet});
        if (reached - now.wall < by) return false;
        reached = now.wall;
        return true;
    };
    const bool wildcards = isSetBack(reachedByWildcards_, kWildcardCorrection);
    const bool others = isSetBack(reached_, kCorrection + nanoseconds(1));
    const bool local = std::exchange(localTime_, now.localTime) != now.localTime;
    if (!wildcards && !others && !local) return;
    computeAnewIf(now.wall, [&](const Cron& rule) {
        return (rule.keepsInterval() ? wildcards : others) || (local && rule.zone().name().empty());
    });
}

void WallDates::add(const std::shared_ptr<const Entry>& entry, Date when) {
    ledger_.isDue(entry->name, when);
    dates_.emplace(when, entry);
}

void WallDates::update(const std::shared_ptr<const Entry>& entry) {
    for (auto& each : dates_) {
        if (each.second->name == entry->name) each.second = entry;
    }
}

void WallDates::remove(const std::string& name) {
    for (auto each = dates_.begin(); each != dates_.end();)
        each = each->second->name == name ? dates_.erase(each) : std::next(each);
}

void WallDates::computeAnew(Date now) {
    computeAnewIf(now, [](const Cron&) { return true; });
}

template <class Which>
void WallDates::computeAnewIf(Date now, Which which) {
    for (const auto& [when, entry] : std::exchange(dates_, {})) {
        const bool changes = entry->calendar && which(*entry->calendar);
        add(entry, changes ? nextOf(*entry, now) : when);
    }
}

/// The first date of an entry that has not been reached yet.
Date WallDates::nextOf(const Entry& entry, Date now) const {
    return entry.nextDate(
        std::max(now, entry.calendar->keepsInterval() ? reachedByWildcards_ : reached_));
}

std::optional<WallDates::Run> WallDates::take(Date now) {
    if (dates_.empty() || dates_.begin()->first > now) return std::nullopt;
    const auto first = dates_.extract(dates_.begin());
    const std::shared_ptr<const Entry>& entry = first.mapped();
    if (entry->repeats()) {
        add(entry, nextOf(*entry, now));
    } else {
        ledger_.isDue(entry->name, std::nullopt);
    }
    return Run{entry, dueOf(*entry, first.key(), now)};
}

std::optional<Date> WallDates::next() const {
    return dates_.empty() ? std::nullopt : std::optional(dates_.begin()->first);
}
