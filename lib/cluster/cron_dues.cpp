// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "cluster/cron_dues.hpp"

#include "cluster/columns.hpp"

#include <jtimer/cron.hpp>

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>
#include <vector>

namespace jtimer::cluster::detail {

namespace {

constexpr Micros kMinute = 60'000'000;
constexpr Micros kHour = 60 * kMinute;

constexpr std::int64_t kLastMinute = kLastMicros / kMinute;

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
        : session_(session), cron_(recurrence.expression, Zone("UTC")), zone_(recurrence.zone) {}

    /// Now, and `instant`; if there is none, now twice.
    std::pair<Moment, Moment> moments(std::optional<Micros> instant) {
        const Result result =
            session_.execute(statements::localTimes(), Params().text(zone_).time(instant));
        namespace localTimes = columns::localTimes;
        const auto moment = [&result](int first) {
            const auto time = [&](localTimes::Column column) {
                return result.time(0, first + column);
            };
            const Micros around = time(localTimes::After) - time(localTimes::Before);
            return Moment{time(localTimes::Instant), time(localTimes::Local),
                          around != 2 * kGreatestShift};
        };
        return {moment(0), moment(localTimes::kColumns)};
    }

    /// The first due later than a moment.
    Micros firstAfter(const Moment& moment) {
        // Near a shift, a local time before the moment's may be an instant after it, and a later
        // local time an earlier instant.
        std::int64_t minute = next(moment.firstMinute());
        while (minute < kLastMinute) {
            std::vector<std::int64_t> minutes;
            const std::int64_t end =
                std::min(std::max(moment.lastMinute(), minute + kHour / kMinute), kLastMinute - 1);
            for (; minute <= end; minute = next(minute)) minutes.push_back(minute);
            minutes.push_back(minute);
            for (const Micros instant : instants(minutes)) {
                if (instant > moment.instant) return instant;
            }
            // By its interval, nothing is due at local times that are skipped.
        }
        return kLastMicros;
    }

    /// The last due later than `after` and not later than `now`, and how many others there are.
    /// Nothing if there is none. Long before now, local times are counted: one that has come twice
    /// counts once, and one that was skipped counts, too.
    std::optional<CronDue> lastBetween(const Moment& after, const Moment& now) {
        std::int64_t count = 0;
        std::vector<std::int64_t> lastMinutes;
        for (std::int64_t minute = next(after.firstMinute());
             minute <= now.lastMinute() && minute < kLastMinute; minute = next(minute)) {
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
    /// The first matching local time later than `after`, at most kLastMinute. The cron's UTC stands
    /// for local time, which Cron would shift in another zone.
    std::int64_t next(std::int64_t after) const {
        if (after >= kLastMinute) return kLastMinute;
        const Date date = cron_.next(Date(std::chrono::minutes(after)));
        return std::min<std::int64_t>(kLastMinute,
                                      date.time_since_epoch() / std::chrono::minutes(1));
    }

    /// The instants at which these local times are due, in order.
    std::vector<Micros> instants(const std::vector<std::int64_t>& minutes) {
        std::vector<Micros> locals;
        locals.reserve(minutes.size());
        for (const std::int64_t minute : minutes) {
            locals.push_back(minute * kMinute);
        }
        const Result result = session_.execute(
            cron_.keepsInterval() ? statements::instantsByInterval() : statements::instants(),
            Params().text(zone_).localTimes(locals));
        std::vector<Micros> instants;
        instants.reserve(minutes.size());
        for (int i = 0; i < result.rows(); ++i) instants.push_back(result.time(i, columns::kOnly));
        return instants;
    }

    Session& session_;
    const Cron cron_;
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
