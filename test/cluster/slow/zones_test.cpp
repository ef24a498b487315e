// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.

// Cron beside the cluster, in all zones of this computer, through forty years. A zone for which the
// server has other rules than this computer is only reported.

#include "calendar/zone_file.hpp"
#include "cluster/columns.hpp"
#include "cluster/cron_dues.hpp"
#include "cluster/schema.hpp"
#include "support/dates.hpp"

#include <jtimer/cron.hpp>

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace {

using namespace jtimer::cluster::detail;
using jtimer::Cron;
using jtimer::Date;
using jtimer::Zone;

/// The first three are of fixed lines, the others keep their interval.
constexpr std::array<const char*, 6> kExpressions = {"30 2 * * *",         "0 0 * * *",
                                                     "45 1,3 * * sun",     "30 */24 * * *",
                                                     "*/30 2 * * sat,sun", "0 * 28-31 3,10 *"};

const Date kBegin = test::utc("2000-01-01T00:00Z");
const Date kEnd = test::utc("2040-01-01T00:00Z");
/// More than the offset of any local time.
constexpr std::chrono::hours kFar{50};

Micros microsOf(Date date) { return date.time_since_epoch() / std::chrono::microseconds(1); }
Date dateOf(Micros time) { return Date(std::chrono::microseconds(time)); }

/// When it is due, after `begin` and before `end`.
std::vector<Micros> duesOf(const Cron& cron, Date begin, Date end) {
    std::vector<Micros> dues;
    for (Date due = cron.next(begin); due < end; due = cron.next(due))
        dues.push_back(microsOf(due));
    return dues;
}

/// All names of this computer's zones, but for the copies with and without leap seconds.
std::vector<std::string> zoneNames() {
    const std::filesystem::path folder = jtimer::detail::zoneFolder();
    std::vector<std::string> names;
    for (const auto& each : std::filesystem::recursive_directory_iterator(folder)) {
        const std::string name = each.path().lexically_relative(folder).string();
        if (name.rfind("posix/", 0) == 0 || name.rfind("right/", 0) == 0) continue;
        if (each.is_regular_file() && Zone::isKnown(name)) names.push_back(name);
    }
    std::sort(names.begin(), names.end());
    return names;
}

struct Fixture : test::Schema {
    Session session{options, options.conninfo};

    Fixture() { session.connect(); }

    /// The same by the cluster's statements: local times match here, the server knows the instants.
    std::vector<Micros> serversDues(const Cron& cron) {
        const Cron local(cron.expression(), Zone("UTC"));
        const Result result = session.read(
            cron.keepsInterval() ? statements::instantsByInterval() : statements::instants(),
            Params()
                .text(cron.zone().name())
                .localTimes(duesOf(local, kBegin - kFar, kEnd + kFar)));
        std::vector<Micros> dues;
        for (int i = 0; i < result.rows(); ++i) {
            const Micros due = result.time(i, columns::kOnly);
            const bool isNew = dues.empty() || dues.back() != due;
            if (isNew && due > microsOf(kBegin) && due < microsOf(kEnd)) dues.push_back(due);
        }
        return dues;
    }

    /// Whether the server has other rules for the zone, and so shows another time, around an
    /// instant.
    bool hasOtherRules(const Zone& zone, Micros around) const {
        const std::string day = test::inUtc(dateOf(around)).substr(0, 10);
        std::string ours;
        const Date first = test::utc(day + "T00:00Z") - kFar;
        for (Date time = first; time <= first + 3 * kFar; time += std::chrono::minutes(15))
            ours += std::to_string(zone.offsetAt(time).value().count()) + ' ';
        const std::string offset =
            "extract(epoch from t at time zone '" + zone.name() + "' - t at time zone 'UTC')";
        const std::string times = "generate_series('" + day +
                                  "Z'::timestamptz - interval '50 h', '" + day +
                                  "Z'::timestamptz + interval '100 h', '15 min')";
        return ours != ask("select string_agg(" + offset + "::bigint || ' ', '' order by t) from " +
                           times + " t");
    }

    /// The dues of an expression by Cron and by the cluster. Where the offset has changed between
    /// two of them, also what the cluster schedules after the first.
    void check(const std::string& expression, const Zone& zone) {
        const Cron cron(expression, zone);
        const std::vector<Micros> ours = duesOf(cron, kBegin, kEnd);
        const std::vector<Micros> theirs = serversDues(cron);
        const auto differs =
            std::mismatch(ours.begin(), ours.end(), theirs.begin(), theirs.end()).first;
        if (differs != ours.end() || ours.size() != theirs.size()) {
            const Micros around = differs == ours.end() ? theirs[ours.size()] : *differs;
            if (hasOtherRules(zone, around)) {
                BOOST_TEST_MESSAGE(zone.name() << ": the server has other rules");
            } else {
                BOOST_ERROR(zone.name() << ' ' << expression << ' ' << test::inUtc(dateOf(around)));
            }
            return;
        }
        const Recurrence recurrence{Kind::Cron, 0, jtimer::MissedRuns::Burst, expression,
                                    zone.name()};
        for (std::size_t i = 1; i < ours.size(); ++i) {
            if (zone.offsetAt(dateOf(ours[i - 1])) == zone.offsetAt(dateOf(ours[i]))) continue;
            const CronDue next =
                session.once([&] { return nextCronDue(session, recurrence, ours[i - 1]); });
            if (next.due == ours[i]) continue;
            BOOST_ERROR(zone.name() << ' ' << expression << ' ' << test::inUtc(dateOf(ours[i])));
        }
    }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(zones, Fixture)

BOOST_AUTO_TEST_CASE(a59_cron_and_the_server_agree_in_all_zones_for_forty_years) {
    std::size_t zones = 0;
    for (const std::string& name : zoneNames()) {
        if (!session.read(statements::isZone(), Params().text(name)).boolean(0, columns::kOnly)) {
            BOOST_TEST_MESSAGE(name << ": the server does not know it");
            continue;
        }
        ++zones;
        for (const char* const expression : kExpressions) check(expression, Zone(name));
    }
    BOOST_TEST_MESSAGE(zones << " zones");
    BOOST_TEST(zones != 0U);
}

BOOST_AUTO_TEST_SUITE_END()
