// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "cluster/cron_dues.hpp"

#include "calendar/cron_fields.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace jtimer::cluster::detail {

namespace {

constexpr Micros kMinute = 60'000'000;
constexpr Micros kHour = 60 * kMinute;

/// Zones have been moved by up to 24 hours at once.
constexpr Micros kGreatestShift = 25 * kHour;

/// A point in time, and the local times around it.
struct Moment {
    Micros instant;
    Micros local;
    bool nearShift;  ///< whether local time is shifted within kGreatestShift of it

    std::int64_t minute() const { return jtimer::detail::floorDivide(local, kMinute); }
    /// No local time before or after these is at the other side of the moment.
    std::int64_t firstMinute() const {
        return nearShift ? minute() - kGreatestShift / kMinute : minute();
    }
    std::int64_t lastMinute() const {
        return nearShift ? minute() + kGreatestShift / kMinute : minute();
    }
};

class Dues {
  public:
    Dues(Session& session, const Recurrence& recurrence)
        : session_(session), cron_(recurrence.expression), zone_(recurrence.zone) {}

    /// Now, and `instant`; if there is none, now twice.
    std::pair<Moment, Moment> moments(std::optional<Micros> instant) {
        const Result result =
            session_.execute(statements::localTimes(), Params().text(zone_).time(instant));
        const auto moment = [&](int column) {
            const Micros around = result.time(0, column + 3) - result.time(0, column + 2);
            return Moment{result.time(0, column), result.time(0, column + 1),
                          around != 2 * kGreatestShift};
        };
        return {moment(0), moment(4)};
    }

    /// The first due later than a moment.
    Micros firstAfter(const Moment& moment) {
        // Near a shift, a local time before the moment's may be an instant after it, and a later
        // local time an earlier instant.
        std::vector<std::int64_t> minutes;
        std::int64_t minute = cron_.next(moment.firstMinute());
        const std::int64_t end = std::max(moment.lastMinute(), minute + kHour / kMinute);
        for (; minute <= end; minute = cron_.next(minute)) minutes.push_back(minute);
        minutes.push_back(minute);
        for (const Micros instant : instants(minutes)) {
            if (instant > moment.instant) return instant;
        }
        return kLastMicros;
    }

    /// The last due later than `after` and not later than `now`, and how many others there are.
    /// Nothing if there is none.
    std::optional<CronDue> lastBetween(const Moment& after, const Moment& now) {
        std::int64_t count = 0;
        std::vector<std::int64_t> lastMinutes;
        for (std::int64_t minute = cron_.next(after.firstMinute()); minute <= now.lastMinute();
             minute = cron_.next(minute)) {
            // Certainly not later than now: those before it are only counted.
            if (!now.nearShift || minute < now.firstMinute()) {
                if (!lastMinutes.empty() && lastMinutes.back() > after.minute()) ++count;
                lastMinutes.clear();
            }
            lastMinutes.push_back(minute);
        }
        std::optional<Micros> last;
        for (const Micros instant : instants(lastMinutes)) {
            if (instant <= after.instant || instant > now.instant) continue;
            if (instant != last) ++count;
            last = instant;
        }
        if (!last) return {};
        return CronDue{*last, count - 1};
    }

  private:
    /// In order.
    std::vector<Micros> instants(const std::vector<std::int64_t>& minutes) {
        std::vector<Micros> locals;
        locals.reserve(minutes.size());
        for (const std::int64_t minute : minutes) {
            // The range of Cron is far greater than that of a Date.
            locals.push_back(std::min(minute, kLastMicros / kMinute) * kMinute);
        }
        const Result result =
            session_.execute(statements::instants(), Params().text(zone_).localTimes(locals));
        std::vector<Micros> instants;
        instants.reserve(minutes.size());
        for (int i = 0; i < result.rows(); ++i) instants.push_back(result.time(i, 0));
        return instants;
    }

    Session& session_;
    const jtimer::detail::CronFields cron_;
    const std::string& zone_;
};

}  // namespace

CronDue nextCronDue(Session& session, const Recurrence& cron, std::optional<Micros> after) {
    Dues dues(session, cron);
    const auto [now, last] = dues.moments(after);
    if (cron.missedRuns == MissedRuns::Burst || last.instant >= now.instant) {
        return {dues.firstAfter(last), 0};
    }
    const std::optional<CronDue> missed = dues.lastBetween(last, now);
    if (!missed) return {dues.firstAfter(last), 0};
    if (cron.missedRuns == MissedRuns::Once || missed->due == now.instant) return *missed;
    return {dues.firstAfter(now), missed->missed + 1};
}

}  // namespace jtimer::cluster::detail
