// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include <jtimer/cron.hpp>

#include "support/cron_cases.hpp"
#include "support/dates.hpp"
#include "support/test.hpp"
#include "support/throws.hpp"
#include "support/time_zone.hpp"
#include "support/zone_folder.hpp"

#include <jtimer/exceptions.hpp>

using jtimer::Cron;
using jtimer::Zone;
using test::berlin;
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
    const Cron rule(expression, zone);
    std::string text;
    jtimer::Date date = utc(after);
    for (int i = 0; i < count; ++i) {
        date = rule.next(date);
        text += (i == 0 ? "" : " ") + inUtc(date).substr(5, 11);
    }
    return text;
}

/// Compares an expression that keeps its interval, from the day before `day` (in minutes) to the
/// day after it, with a look at each minute.
void checkEachMinute(const std::string& name, const Zone& zone, int every, std::int64_t day) {
    const std::string field = every == 60 ? "0" : "*/" + std::to_string(every);
    const Cron cron(field + " * * * *", zone);
    jtimer::Date next = cron.next(jtimer::Date(std::chrono::minutes(day - 1441)));
    for (std::int64_t minute = day - 1440; minute < day + 2880; ++minute) {
        const jtimer::Date now{std::chrono::minutes(minute)};
        const std::int64_t local = minute + zone.offsetAt(now).value() / std::chrono::minutes(1);
        const bool isDue = local % 60 % every == 0;
        BOOST_REQUIRE_MESSAGE((next == now) == isDue && next >= now,
                              name << ' ' << field << ' ' << inUtc(now));
        if (isDue) next = cron.next(now);
    }
}

}  // namespace

BOOST_AUTO_TEST_CASE(a44_the_expression_is_the_clusters_with_its_messages) {
    const auto refuse = [](const std::string& expression, const std::string& why) {
        CHECK_THROWS(Cron(expression), jtimer::IllegalArgumentException,
                     "Cron expression \"" + expression + '"' + why);
    };
    const std::string five = ": expected 5: minute, hour, day of month, month, day of week";
    refuse("0 0 2 * * *", " has 6 fields" + five);
    refuse("@daily", " has 1 field" + five);
    refuse("0 2 L * *", R"(: "L" is not a day of the month: expected 1 to 31)");
    refuse("0 2 30 2 *", " is never due: expected a day that one of its months has");
    const Cron cron("30 2 * * Mon-FRI", Zone("UTC"));
    BOOST_TEST(cron.expression() == "30 2 * * Mon-FRI");
    BOOST_TEST(cron.zone().name() == "UTC");
}

BOOST_AUTO_TEST_CASE(a46_the_next_time_is_later_in_winter_and_in_summer) {
    BOOST_TEST(timesOf("0 8 * * *", berlin(), "2030-01-01T07:00:00Z", 2) ==
               "01-02T07:00 01-03T07:00");
    BOOST_TEST(timesOf("0 8 * * *", berlin(), "2030-07-01T05:59:59Z", 2) ==
               "07-01T06:00 07-02T06:00");
    BOOST_TEST(timesOf("*/30 8 * * mon-fri", Zone("UTC"), "2030-01-04T08:10:00Z", 2) ==
               "01-04T08:30 01-07T08:00");
    const Cron cron("* * * * *", Zone("UTC"));
    BOOST_TEST(inUtc(cron(utc("2030-01-01T00:00:59Z") + std::chrono::milliseconds(999))) ==
               "2030-01-01T00:01:00Z");
}

BOOST_AUTO_TEST_CASE(a46_it_ends_with_the_range_of_dates) {
    const Cron cron("0 0 29 2 *", Zone("UTC"));
    BOOST_CHECK(cron.next(jtimer::Date::max() - std::chrono::hours(24)) == jtimer::Date::max());
    BOOST_CHECK(cron.next(jtimer::Date::max()) == jtimer::Date::max());
    BOOST_TEST(inUtc(cron.next(jtimer::Date::min())) ==
               (test::kDatesHaveNanos ? "1680-02-29T00:00:00Z" : "-290304-02-29T00:00:00Z"));
}

BOOST_AUTO_TEST_CASE(a_cron_without_a_zone_follows_local_time) {
    const test::TimeZone kolkata("IST-5:30");
    const Cron cron("0 8 * * *");
    BOOST_TEST(inUtc(cron.next(utc("2030-01-01T02:30:00Z"))) == "2030-01-02T02:30:00Z");
    BOOST_TEST(cron.zone().name() == "");
}

BOOST_AUTO_TEST_CASE(a_cron_that_was_moved_from_is_still_one) {
    Cron cron("0 8 * * *", Zone("UTC"));
    const Cron other = std::move(cron);
    BOOST_TEST(cron.expression() == other.expression());  // NOLINT(bugprone-use-after-move)
}

BOOST_AUTO_TEST_CASE(a47_r40_a_fixed_time_that_the_clocks_skip_is_due_that_much_later) {
    // 2030-03-31: 02:00 becomes 03:00, at 01:00 UTC. 02:30 is due at 03:30, which is 01:30 UTC.
    BOOST_TEST(timesOf("30 2 * * *", berlin(), "2030-03-30T00:00:00Z", 3) ==
               "03-30T01:30 03-31T01:30 04-01T00:30");
    BOOST_TEST(timesOf("30 2 * * *", berlin(), "2030-03-31T01:10:00Z", 1) == "03-31T01:30");
    BOOST_TEST(timesOf("30 2 * * *", berlin(), "2030-03-31T01:30:00Z", 1) == "04-01T00:30");
    // Times that coincide are one: 02:00 and 03:00 are the same.
    BOOST_TEST(timesOf("0 0-23 * * *", berlin(), "2030-03-30T23:30:00Z", 3) ==
               "03-31T00:00 03-31T01:00 03-31T02:00");
}

BOOST_AUTO_TEST_CASE(a47_r38_a_fixed_time_that_the_clocks_show_twice_is_due_the_second_time) {
    // 2030-10-27: 03:00 becomes 02:00, at 01:00 UTC. 02:30 is 00:30 and 01:30 UTC.
    BOOST_TEST(timesOf("30 2 * * *", berlin(), "2030-10-26T00:00:00Z", 3) ==
               "10-26T00:30 10-27T01:30 10-28T01:30");
    BOOST_TEST(timesOf("30 2 * * *", berlin(), "2030-10-27T00:30:00Z", 1) == "10-27T01:30");
    BOOST_TEST(timesOf("30 2 * * *", berlin(), "2030-10-27T00:50:00Z", 1) == "10-27T01:30");
    BOOST_TEST(timesOf("0 0-23 * * *", berlin(), "2030-10-26T22:30:00Z", 3) ==
               "10-26T23:00 10-27T01:00 10-27T02:00");
}

BOOST_AUTO_TEST_CASE(a48_it_keeps_its_interval_if_the_minute_or_the_hour_begins_with_a_star) {
    for (const char* each :
         {"* * * * *", "*/15 2 * * *", "0 * * * *", "5 */2 1 1 *", "*,5 3 * * *"}) {
        BOOST_TEST(Cron(each).keepsInterval(), each);
    }
    for (const char* each : {"0 2 * * *", "0-59/5 0-23 * * *", "1,2 3,4 */2 * *"}) {
        BOOST_TEST(!Cron(each).keepsInterval(), each);
    }
}

BOOST_AUTO_TEST_CASE(a48_r39_an_interval_is_kept_in_the_hour_that_comes_twice) {
    const auto times = [](const std::string& expression, int count) {
        return timesOf(expression, berlin(), "2030-10-26T23:30:00Z", count);
    };
    BOOST_TEST(times("*/30 * * * *", 6) ==
               "10-27T00:00 10-27T00:30 10-27T01:00 10-27T01:30 10-27T02:00 10-27T02:30");
    BOOST_TEST(times("0 * * * *", 4) == "10-27T00:00 10-27T01:00 10-27T02:00 10-27T03:00");
    BOOST_TEST(times("*/15 2 * * *", 9) ==
               "10-27T00:00 10-27T00:15 10-27T00:30 10-27T00:45 "
               "10-27T01:00 10-27T01:15 10-27T01:30 10-27T01:45 10-28T01:00");
    BOOST_TEST(times("15 */2 * * *", 3) == "10-27T00:15 10-27T01:15 10-27T03:15");
    // Neither field begins with a star.
    BOOST_TEST(times("0-59/30 0-23 * * *", 3) == "10-27T01:00 10-27T01:30 10-27T02:00");
    // From the middle of either hour.
    BOOST_TEST(timesOf("*/20 2 * * *", berlin(), "2030-10-27T00:30:00Z", 2) ==
               "10-27T00:40 10-27T01:00");
    BOOST_TEST(timesOf("* * * * *", berlin(), "2030-10-27T00:59:30Z", 2) ==
               "10-27T01:00 10-27T01:01");
}

BOOST_AUTO_TEST_CASE(a48_r39_what_keeps_its_interval_has_no_run_at_times_that_are_skipped) {
    BOOST_TEST(timesOf("*/15 2 * * *", berlin(), "2030-03-30T01:45:00Z", 2) ==
               "04-01T00:00 04-01T00:15");
    BOOST_TEST(timesOf("0 * * * *", berlin(), "2030-03-30T23:30:00Z", 3) ==
               "03-31T00:00 03-31T01:00 03-31T02:00");
    BOOST_TEST(timesOf("*/45 * * * *", berlin(), "2030-03-31T00:10:00Z", 3) ==
               "03-31T00:45 03-31T01:00 03-31T01:45");
}

BOOST_AUTO_TEST_CASE(a48_r39_it_is_due_at_each_instant_whose_local_time_matches) {
    const ZoneFolder folder;
    folder.add("Howe", zoneFile(37'800, {}, "<+1030>-10:30<+11>-11,M10.1.0,M4.1.0"));
    folder.add("Berlin", zoneFile(3600, {}, kBerlin));
    folder.add("Santiago", zoneFile(-14'400, {}, "<-04>4<-03>,M9.1.6/24,M4.1.6/24"));
    folder.add("Sydney", zoneFile(36'000, {}, "AEST-10AEDT,M10.1.0,M4.1.0/3"));
    for (const std::string name : {"Howe", "Berlin", "Santiago", "Sydney"}) {
        const Zone zone(name);
        // The days around the two changes of 2030.
        const jtimer::Date end = utc("2031-01-01T00:00:00Z");
        const std::chrono::hours day(24);
        for (jtimer::Date date = utc("2030-01-01T00:00:00Z"); date < end; date += day) {
            if (zone.offsetAt(date) == zone.offsetAt(date + day)) continue;
            const std::int64_t minutes = date.time_since_epoch() / std::chrono::minutes(1);
            for (const int every : {1, 7, 30, 60}) checkEachMinute(name, zone, every, minutes);
        }
    }
}

BOOST_AUTO_TEST_CASE(a47_a_zone_may_skip_a_whole_day_or_change_by_half_an_hour) {
    const ZoneFolder folder;
    // Samoa, which had no 30th of December 2011; Lord Howe, whose summer time is half an hour.
    folder.add("Apia", zoneFile(-36'000, {{secondsOf("2011-12-30T10:00:00Z"), 50'400}}, ""));
    folder.add("Howe", zoneFile(37'800, {}, "<+1030>-10:30<+11>-11,M10.1.0,M4.1.0"));
    BOOST_TEST(timesOf("0 12 * * *", Zone("Apia"), "2011-12-29T00:00:00Z", 3) ==
               "12-29T22:00 12-30T22:00 12-31T22:00");
    BOOST_TEST(timesOf("15 2 * * *", Zone("Howe"), "2030-10-05T12:00:00Z", 2) ==
               "10-05T15:45 10-06T15:15");
    BOOST_TEST(timesOf("45 1 * * *", Zone("Howe"), "2030-04-06T12:00:00Z", 2) ==
               "04-06T15:15 04-07T15:15");
    // 02:15 does not exist, and comes after 02:30, which does.
    BOOST_TEST(timesOf("15,30 2 * * *", Zone("Howe"), "2030-10-05T12:00:00Z", 3) ==
               "10-05T15:30 10-05T15:45 10-06T15:15");
    // Troll, where 01:00 becomes 03:00.
    folder.add("Troll", zoneFile(0, {}, "<+00>0<+02>-2,M3.5.0/1,M10.5.0/3"));
    BOOST_TEST(timesOf("0,30 2-3 * * *", Zone("Troll"), "2030-03-30T12:00:00Z", 5) ==
               "03-31T01:00 03-31T01:30 03-31T02:00 03-31T02:30 04-01T00:00");
}

BOOST_AUTO_TEST_CASE(a59_a_cron_is_due_as_the_file_of_cases_says) {
    for (const test::CronCase& each : test::cronCases()) {
        BOOST_TEST_CONTEXT(each.line)
        BOOST_TEST(inUtc(Cron(each.expression, Zone(each.zone)).next(each.after)) ==
                   inUtc(each.due));
    }
}
