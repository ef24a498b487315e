// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "calendar/cron_model.hpp"
#include "support/choices.hpp"
#include "support/dates.hpp"

#include <jtimer/cron.hpp>
#include <jtimer/time.hpp>
#include <jtimer/zone.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

namespace test {

/// What the main loop of cronie does in a zone, minute by minute. It keeps a virtual time, in
/// minutes of local time, which follows the clock:
///
/// - The clock has gone on by up to 5 minutes: all lines run for each of these minutes.
/// - By up to 3 hours, as in spring: wildcard lines run for the minute that the clock shows, and
/// fixed
///   ones for each minute that was missed.
/// - It shows a time again, by up to 3 hours, as in autumn: only wildcard lines run, and the
/// virtual
///   time waits.
/// - Otherwise, all lines run for the minute that the clock shows.
class CronieLoop {
  public:
    /// Lines are looked through for a minute of local time.
    struct Look {
        std::int64_t instant;  ///< in minutes since 1970
        std::int64_t local;    ///< the same, by the clocks of the zone
        bool wildcards, fixed;
    };

    CronieLoop(const jtimer::Zone& zone, std::int64_t begin, std::int64_t end)
        : zone_(zone), virtual_(localAt(begin)) {
        for (std::int64_t now = begin + 1; now < end; ++now) wakeUp(now);
    }

    const std::vector<Look>& looks() const { return looks_; }

    /// When a fixed line is due that was looked through for this minute: where the clocks show that
    /// twice, cronie takes the first time and jtimer the second; where they skip it, cronie takes
    /// the moment at which they do so, and jtimer that much later as the gap is long.
    std::int64_t dueFixed(const Look& look) const {
        std::int64_t due = look.local - *offsets_.begin();
        for (const std::int64_t offset : offsets_) {
            const std::int64_t instant = look.local - offset;
            if (localAt(instant) != look.local) continue;
            due = instant;
            break;  // the lower offset is that of the second time
        }
        return due;
    }

  private:
    static constexpr int kSmall = 5, kMedium = 180;

    std::int64_t localAt(std::int64_t instant) const {
        const jtimer::Date date{std::chrono::minutes(instant)};
        return instant + zone_.offsetAt(date).value() / std::chrono::minutes(1);
    }

    void wakeUp(std::int64_t now) {
        const std::int64_t local = localAt(now), ahead = local - virtual_;
        offsets_.insert(local - now);
        if (ahead > kMedium || ahead < -kMedium) {
            virtual_ = local;
            looks_.push_back({now, local, true, true});
        } else if (ahead > 0) {
            const bool isSmall = ahead <= kSmall;
            if (!isSmall) looks_.push_back({now, local, true, false});
            while (virtual_ < local) looks_.push_back({now, ++virtual_, isSmall, true});
        } else {
            looks_.push_back({now, local, true, false});
        }
    }

    const jtimer::Zone zone_;
    std::int64_t virtual_;
    std::set<std::int64_t> offsets_;  ///< that the zone has had
    std::vector<Look> looks_;
};

/// Compares the times of random expressions with those at which cronie runs them.
class CronieComparison {
  public:
    CronieComparison(const std::string& zone, std::int64_t begin, std::int64_t end)
        : zone_(zone), begin_(begin), end_(end), loop_(zone_, begin, end) {
        for (const CronieLoop::Look& look : loop_.looks()) {
            dueFixed_.push_back(look.fixed ? loop_.dueFixed(look) : 0);
            if (look.fixed && dueFixed_.back() != look.instant) ++moved_;
        }
    }

    /// How many minutes of fixed lines cronie runs at another time.
    int moved() const { return moved_; }

    void compare(Choices& choices, int expressions) const {
        while (expressions > 0) {
            const CronModel model(choices);
            if (!model.isEverDue()) continue;
            compare(model);
            --expressions;
        }
    }

  private:
    void compare(const CronModel& model) const {
        const std::vector<std::int64_t> expected = timesOfCronie(model);
        const jtimer::Cron cron(model.text(), zone_);
        jtimer::Date date{std::chrono::minutes(begin_)};
        for (const std::int64_t minute : expected) {
            const jtimer::Date due{std::chrono::minutes(minute)};
            date = cron.next(date);
            if (date != due)
                throw std::logic_error(model.text() + ' ' + zone_.name() + ": " + inUtc(date) +
                                       ", by cronie " + inUtc(due));
        }
        MODEL_REQUIRE(cron.next(date) >= jtimer::Date(std::chrono::minutes(end_)));
    }

    /// Each once, sorted.
    std::vector<std::int64_t> timesOfCronie(const CronModel& model) const {
        std::array<bool, CronModel::kMinutes> matches{};
        for (int minute = 0; minute < CronModel::kMinutes; ++minute)
            matches[static_cast<std::size_t>(minute)] = model.matchesTime(minute);
        const bool isWildcard = model.isWildcard();
        std::vector<std::int64_t> times;
        std::int64_t day = -1;
        bool dayMatches = false;
        for (std::size_t i = 0; i < loop_.looks().size(); ++i) {
            const CronieLoop::Look& look = loop_.looks()[i];
            if (look.local / CronModel::kMinutes != day) {
                day = look.local / CronModel::kMinutes;
                dayMatches = model.matchesDay(day);
            }
            if (!dayMatches || !matches[static_cast<std::size_t>(look.local % CronModel::kMinutes)])
                continue;
            if (isWildcard ? look.wildcards : look.fixed)
                times.push_back(isWildcard ? look.instant : dueFixed_[i]);
        }
        std::sort(times.begin(), times.end());
        times.erase(std::unique(times.begin(), times.end()), times.end());
        return times;
    }

    const jtimer::Zone zone_;
    const std::int64_t begin_, end_;
    const CronieLoop loop_;
    std::vector<std::int64_t> dueFixed_;  ///< of each look
    int moved_ = 0;
};

/// Zones with ordinary summer time, and how many minutes a year have fixed lines that cronie runs
/// at another time: all that are shown twice, and all that are skipped but for the first, which is
/// due at the change.
struct SummerTime {
    std::string zone;
    int moved;
};

inline const std::vector<SummerTime> kSummerTimes{{"Europe/Berlin", 119},
                                                  {"America/New_York", 119},
                                                  {"America/Santiago", 119},
                                                  {"Australia/Lord_Howe", 59},
                                                  {"Australia/Sydney", 119}};

/// The year 2027, in UTC, in minutes since 1970.
inline const std::int64_t kYearBegins =
    utc("2027-01-01T00:00:00Z").time_since_epoch() / std::chrono::minutes(1);
constexpr std::int64_t kMinutesOfYear = 365 * 1440;

}  // namespace test
