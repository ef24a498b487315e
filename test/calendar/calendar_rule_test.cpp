// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "calendar/calendar_rule.hpp"

#include "calendar/zone.hpp"
#include "support/dates.hpp"
#include "support/time_zone.hpp"
#include "support/zone_folder.hpp"

#include <boost/test/unit_test.hpp>

#include <chrono>
#include <cstdint>
#include <string>

using jtimer::detail::CalendarRule;
using jtimer::detail::Zone;
using test::inUtc;
using test::kBerlin;
using test::secondsOf;
using test::utc;
using test::zoneFile;
using test::ZoneFolder;

namespace {

/// The first `count` times that match, in UTC.
std::string timesOf(const std::string& expression, const Zone& zone, const std::string& after,
                    int count) {
    const CalendarRule rule(expression, zone);
    std::string text;
    jtimer::Date date = utc(after);
    for (int i = 0; i < count; ++i) {
        date = rule.next(date);
        text += (i == 0 ? "" : " ") + inUtc(date).substr(5, 11);
    }
    return text;
}

/// Berlin without a database.
Zone berlin() {
    const ZoneFolder folder;
    folder.add("Europe/Berlin", zoneFile(3600, {}, kBerlin));
    return Zone::named("Europe/Berlin");
}

/// Compares what a wildcard rule gives from the day before `day` (in minutes) to the day after it
/// with a look at each minute.
void checkEachMinute(const std::string& name, const Zone& zone, int every, std::int64_t day) {
    const std::string field = every == 60 ? "0" : "*/" + std::to_string(every);
    const CalendarRule rule(field + " * * * *", zone);
    const auto matches = [every](std::int64_t local) { return local % 60 % every == 0; };
    jtimer::Date next = rule.next(jtimer::Date(std::chrono::minutes(day - 1441)));
    for (std::int64_t minute = day - 1440; minute < day + 2880; ++minute) {
        const std::int64_t local = minute + *zone.offsetAt(minute * 60) / 60;
        // What the clocks have skipped in the last hour is due now.
        const std::int64_t earlier = minute + *zone.offsetAt(minute * 60 - 3600) / 60;
        const bool isSkipped = zone.momentsOf(earlier * 60).empty();
        const jtimer::Date now{std::chrono::minutes(minute)};
        const bool isDue = matches(local) || (isSkipped && matches(earlier));
        BOOST_REQUIRE_MESSAGE((next == now) == isDue && next >= now,
                              name << ' ' << field << ' ' << inUtc(now));
        if (isDue) next = rule.next(now);
    }
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_rule_is_due_at_its_local_time_in_winter_and_in_summer) {
    BOOST_TEST(timesOf("0 8 * * *", berlin(), "2030-01-01T07:00:00Z", 2) ==
               "01-02T07:00 01-03T07:00");
    BOOST_TEST(timesOf("0 8 * * *", berlin(), "2030-07-01T05:59:59.999Z", 2) ==
               "07-01T06:00 07-02T06:00");
    BOOST_TEST(timesOf("*/30 8 * * mon-fri", Zone::named("UTC"), "2030-01-04T08:10:00Z", 2) ==
               "01-04T08:30 01-07T08:00");
}

BOOST_AUTO_TEST_CASE(a_rule_without_a_zone_is_local) {
    const test::TimeZone kolkata("IST-5:30");
    const CalendarRule rule("0 8 * * *", {});
    BOOST_TEST(inUtc(rule.next(utc("2030-01-01T02:30:00Z"))) == "2030-01-02T02:30:00Z");
}

BOOST_AUTO_TEST_CASE(r40_a_local_time_that_the_clocks_skip_is_due_that_much_later) {
    // 2030-03-31: 02:00 becomes 03:00, at 01:00 UTC. 02:30 is due at 03:30, which is 01:30 UTC.
    BOOST_TEST(timesOf("30 2 * * *", berlin(), "2030-03-30T00:00:00Z", 3) ==
               "03-30T01:30 03-31T01:30 04-01T00:30");
    BOOST_TEST(timesOf("30 2 * * *", berlin(), "2030-03-31T01:10:00Z", 1) == "03-31T01:30");
    BOOST_TEST(timesOf("30 2 * * *", berlin(), "2030-03-31T01:30:00Z", 1) == "04-01T00:30");
    // Each local time once: 02:00 and 03:00 are the same.
    BOOST_TEST(timesOf("0 * * * *", berlin(), "2030-03-30T23:30:00Z", 3) ==
               "03-31T00:00 03-31T01:00 03-31T02:00");
}

BOOST_AUTO_TEST_CASE(r38_a_local_time_that_the_clocks_show_twice_is_due_the_second_time) {
    // 2030-10-27: 03:00 becomes 02:00, at 01:00 UTC. 02:30 is 00:30 and 01:30 UTC.
    BOOST_TEST(timesOf("30 2 * * *", berlin(), "2030-10-26T00:00:00Z", 3) ==
               "10-26T00:30 10-27T01:30 10-28T01:30");
    BOOST_TEST(timesOf("30 2 * * *", berlin(), "2030-10-27T00:30:00Z", 1) == "10-27T01:30");
    BOOST_TEST(timesOf("30 2 * * *", berlin(), "2030-10-27T00:50:00Z", 1) == "10-27T01:30");
    BOOST_TEST(timesOf("0 0-23 * * *", berlin(), "2030-10-26T22:30:00Z", 3) ==
               "10-26T23:00 10-27T01:00 10-27T02:00");
}

BOOST_AUTO_TEST_CASE(r39_a_wildcard_keeps_its_interval_in_the_hour_that_comes_twice) {
    const auto times = [](const std::string& expression, int count) {
        return timesOf(expression, berlin(), "2030-10-26T23:30:00Z", count);
    };
    BOOST_TEST(times("*/30 * * * *", 6) ==
               "10-27T00:00 10-27T00:30 10-27T01:00 10-27T01:30 10-27T02:00 10-27T02:30");
    BOOST_TEST(times("0 * * * *", 4) == "10-27T00:00 10-27T01:00 10-27T02:00 10-27T03:00");
    BOOST_TEST(times("*/30 2 * * *", 5) ==
               "10-27T00:00 10-27T00:30 10-27T01:00 10-27T01:30 10-28T01:00");
    BOOST_TEST(times("15 */2 * * *", 3) == "10-27T00:15 10-27T01:15 10-27T03:15");
    // Neither field begins with a star.
    BOOST_TEST(times("0-59/30 0-23 * * *", 3) == "10-27T01:00 10-27T01:30 10-27T02:00");
    // From the middle of either hour.
    BOOST_TEST(timesOf("*/20 2 * * *", berlin(), "2030-10-27T00:30:00Z", 2) ==
               "10-27T00:40 10-27T01:00");
    BOOST_TEST(timesOf("* * * * *", berlin(), "2030-10-27T00:59:30Z", 2) ==
               "10-27T01:00 10-27T01:01");
}

BOOST_AUTO_TEST_CASE(r39_r40_a_wildcard_is_due_at_each_matching_minute_and_at_what_is_skipped) {
    // Beside a count of all minutes, and of the skipped ones that are due that much later.
    const ZoneFolder folder;
    folder.add("Howe", zoneFile(37'800, {}, "<+1030>-10:30<+11>-11,M10.1.0,M4.1.0"));
    folder.add("Berlin", zoneFile(3600, {}, kBerlin));
    folder.add("Santiago", zoneFile(-14'400, {}, "<-04>4<-03>,M9.1.6/24,M4.1.6/24"));
    folder.add("Sydney", zoneFile(36'000, {}, "AEST-10AEDT,M10.1.0,M4.1.0/3"));
    for (const std::string name : {"Howe", "Berlin", "Santiago", "Sydney"}) {
        const Zone zone = Zone::named(name);
        // The days around the two changes of 2030.
        const std::int64_t end = secondsOf("2031-01-01T00:00:00Z");
        for (std::int64_t day = secondsOf("2030-01-01T00:00:00Z"); day < end; day += 86'400) {
            if (zone.offsetAt(day) == zone.offsetAt(day + 86'400)) continue;
            for (const int every : {1, 7, 30, 60}) checkEachMinute(name, zone, every, day / 60);
        }
    }
}

BOOST_AUTO_TEST_CASE(a_zone_may_skip_a_whole_day_or_change_by_half_an_hour) {
    const ZoneFolder folder;
    // Samoa, which had no 30th of December 2011; Lord Howe, whose summer time is half an hour.
    folder.add("Apia", zoneFile(-36'000, {{secondsOf("2011-12-30T10:00:00Z"), 50'400}}, ""));
    folder.add("Howe", zoneFile(37'800, {}, "<+1030>-10:30<+11>-11,M10.1.0,M4.1.0"));
    BOOST_TEST(timesOf("0 12 * * *", Zone::named("Apia"), "2011-12-29T00:00:00Z", 3) ==
               "12-29T22:00 12-30T22:00 12-31T22:00");
    BOOST_TEST(timesOf("15 2 * * *", Zone::named("Howe"), "2030-10-05T12:00:00Z", 2) ==
               "10-05T15:45 10-06T15:15");
    BOOST_TEST(timesOf("45 1 * * *", Zone::named("Howe"), "2030-04-06T12:00:00Z", 2) ==
               "04-06T15:15 04-07T15:15");
    // 02:15 does not exist, and comes after 02:30, which does.
    BOOST_TEST(timesOf("15,30 2 * * *", Zone::named("Howe"), "2030-10-05T12:00:00Z", 3) ==
               "10-05T15:30 10-05T15:45 10-06T15:15");
    // Troll, where 01:00 becomes 03:00.
    folder.add("Troll", zoneFile(0, {}, "<+00>0<+02>-2,M3.5.0/1,M10.5.0/3"));
    BOOST_TEST(timesOf("0,30 2-3 * * *", Zone::named("Troll"), "2030-03-30T12:00:00Z", 5) ==
               "03-31T01:00 03-31T01:30 03-31T02:00 03-31T02:30 04-01T00:00");
}

BOOST_AUTO_TEST_CASE(a_rule_ends_with_the_range_of_dates) {
    const CalendarRule rule("0 0 29 2 *", Zone::named("UTC"));
    BOOST_CHECK(rule.next(jtimer::Date::max() - std::chrono::hours(24)) == jtimer::Date::max());
    BOOST_TEST(inUtc(rule.next(jtimer::Date::min())).substr(0, 10) == "1680-02-29");
}
