// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "run_schedule/calendar_rule.hpp"
#include "run_schedule/posix_zone.hpp"
#include "run_schedule/time_text.hpp"
#include "run_schedule/zone.hpp"
#include "support/time_zone.hpp"

#include <boost/test/unit_test.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <unistd.h>

using std::chrono::seconds;
using test::kBerlin;

namespace {

std::int64_t secondsOf(const std::string& date) {
    return parseDate(date).time_since_epoch() / seconds(1);
}

std::string bigEndian(std::int64_t number, int bytes) {
    std::string text;
    for (int i = bytes - 1; i >= 0; --i) text += static_cast<char>(number >> (8 * i));
    return text;
}

/// A zone file: the offset at first, changes to others, and the rule after these.
std::string zoneFile(std::int64_t first,
                     const std::vector<std::pair<std::int64_t, std::int64_t>>& changes,
                     const std::string& rule, char version = '2') {
    const auto block = [&](int timeSize) {
        std::string text = "TZif" + std::string(1, version) + std::string(15, '\0');
        const auto count = static_cast<std::int64_t>(changes.size());
        for (const std::int64_t each : {std::int64_t{0}, std::int64_t{0}, std::int64_t{0}, count,
                                        count + 1, std::int64_t{4}}) {
            text += bigEndian(each, 4);
        }
        for (const auto& change : changes) text += bigEndian(change.first, timeSize);
        for (std::int64_t i = 1; i <= count; ++i) text += static_cast<char>(i);
        text += bigEndian(first, 4) + std::string(2, '\0');
        for (const auto& change : changes)
            text += bigEndian(change.second, 4) + std::string(2, '\0');
        return text + "XXX" + '\0';
    };
    return version == '\0' ? block(4) : block(4) + block(8) + '\n' + rule + '\n';
}

/// A folder of zone files, in the place of the system's.
class ZoneFolder {
  public:
    ZoneFolder() {
        std::string name = (std::filesystem::temp_directory_path() / "zonesXXXXXX").string();
        BOOST_REQUIRE(mkdtemp(name.data()) != nullptr);
        folder_ = name;
        setenv("TZDIR", name.c_str(), 1);
    }
    ZoneFolder(const ZoneFolder&) = delete;
    ZoneFolder& operator=(const ZoneFolder&) = delete;
    ~ZoneFolder() {
        unsetenv("TZDIR");
        std::filesystem::remove_all(folder_);
    }

    std::string name() const { return folder_.string(); }

    void add(const std::string& name, const std::string& contents) const {
        create_directories((folder_ / name).parent_path());
        std::ofstream(folder_ / name, std::ios::binary) << contents;
    }

  private:
    std::filesystem::path folder_;
};

std::string errorOf(const std::string& zone) {
    try {
        Zone::named(zone);
    } catch (const std::invalid_argument& e) {
        return e.what();
    }
    return "no error";
}

/// The first `count` times that match, in UTC.
std::string timesOf(const std::string& expression, const Zone& zone, const std::string& after,
                    int count) {
    const CalendarRule rule(expression, zone);
    const test::TimeZone utc("UTC0");
    std::string text;
    jtimer::Date date = parseDate(after);
    for (int i = 0; i < count; ++i) {
        date = rule.next(date);
        text += (i == 0 ? "" : " ") + formatDate(date).substr(5, 11);
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
                              name << ' ' << field << ' ' << formatDate(now));
        if (isDue) next = rule.next(now);
    }
}

}  // namespace

// Rules of POSIX.

BOOST_AUTO_TEST_CASE(rules_of_posix_give_the_offsets_of_the_c_library) {
    std::mt19937_64 random(1);
    std::uniform_int_distribution<std::int64_t> moments(0, 7'258'118'400);  // to 2200
    for (const char* text :
         {"UTC0", "CET-1CEST,M3.5.0,M10.5.0/3", "EST5EDT,M3.2.0,M11.1.0", "<-03>3", "<+0530>-5:30",
          "AEST-10AEDT,M10.1.0,M4.1.0/3", "IST-1GMT0,M10.5.0,M3.5.0/1",
          "XXX3YYY2:30,J60/0,J300/1:30:15", "XXX-3YYY,59/0,299", "<-02>2<-01>,M3.5.0/-1,M10.5.0/0",
          "XXX9:30", "XXX0:44:30"}) {
        const auto zone = PosixZone::parse(text);
        BOOST_REQUIRE(zone);
        const test::TimeZone here(text);
        for (int i = 0; i < 2000; ++i) {
            const std::int64_t moment = moments(random);
            BOOST_REQUIRE_EQUAL(zone->offsetAt(moment), localOffsetAt(moment).value());
        }
    }
}

BOOST_AUTO_TEST_CASE(summer_time_begins_and_ends_to_the_second) {
    const auto zone = PosixZone::parse(kBerlin);
    BOOST_REQUIRE(zone);
    const std::int64_t begin = secondsOf("2030-03-31T01:00:00Z");
    const std::int64_t end = secondsOf("2030-10-27T01:00:00Z");
    BOOST_TEST(zone->offsetAt(begin - 1) == 3600);
    BOOST_TEST(zone->offsetAt(begin) == 7200);
    BOOST_TEST(zone->offsetAt(end - 1) == 7200);
    BOOST_TEST(zone->offsetAt(end) == 3600);
}

BOOST_AUTO_TEST_CASE(what_is_no_rule_of_posix_is_not_taken_for_one) {
    for (const char* text :
         {"", "CET", "C-1", "CET-", "CET-1CEST", "CET-1CEST,M3.5.0", "CET-1CEST,M3.5.0,M10.5.0/3x",
          "CET-1CEST,M13.5.0,M10.5.0", "CET-1CEST,M3.6.0,M10.5.0", "CET-1CEST,M3.5.7,M10.5.0",
          "CET-1CEST,J0,J300", "CET-1CEST,366,1", "CET-168", "<+01-1", "Europe/Berlin"}) {
        BOOST_TEST(!PosixZone::parse(text), text);
    }
}

// Zone files.

BOOST_AUTO_TEST_CASE(a_zone_file_gives_the_changes_and_the_rule_after_the_last) {
    const ZoneFolder folder;
    folder.add("A/B", zoneFile(100, {{1000, 200}, {5'000'000'000, -300}}, "XXX-1"));
    const Zone zone = Zone::named("A/B");
    BOOST_TEST(zone.offsetAt(-9'000'000'000).value() == 100);
    BOOST_TEST(zone.offsetAt(999).value() == 100);
    BOOST_TEST(zone.offsetAt(1000).value() == 200);
    BOOST_TEST(zone.offsetAt(4'999'999'999).value() == 200);
    BOOST_TEST(zone.offsetAt(5'000'000'000).value() == 3600);

    folder.add("no-rule", zoneFile(100, {{1000, 200}}, ""));
    BOOST_TEST(Zone::named("no-rule").offsetAt(1000).value() == 200);
    folder.add("version-1", zoneFile(100, {{-1000, -200}, {1000, 200}}, "", '\0'));
    BOOST_TEST(Zone::named("version-1").offsetAt(-1001).value() == 100);
    BOOST_TEST(Zone::named("version-1").offsetAt(-1000).value() == -200);
    BOOST_TEST(Zone::named("version-1").offsetAt(5'000'000'000).value() == 200);
}

BOOST_AUTO_TEST_CASE(a_zone_that_is_not_there_or_not_understood_is_refused) {
    const ZoneFolder folder;
    const std::string good = zoneFile(100, {{1000, 200}}, "XXX-1");
    folder.add("text", "Not a zone\n");
    folder.add("empty", "");
    folder.add("folder/zone", good);
    for (std::size_t size = 0; size < good.size() - 7; ++size) {
        folder.add("cut", good.substr(0, size));
        BOOST_REQUIRE(errorOf("cut") != "no error");
    }
    for (const std::string zone : {"Europe/Berln", "text", "empty", "folder", "", "/folder/zone",
                                   "folder/../folder/zone", "."}) {
        BOOST_TEST(errorOf(zone) == '"' + zone + "\" is not a time zone here: expected a name in " +
                                        folder.name() + ", such as Europe/Berlin or UTC");
    }
    BOOST_TEST(Zone::named("folder/zone").offsetAt(0).value() == 100);
    BOOST_TEST(Zone::named("UTC").offsetAt(0).value() == 0);  // without a file
}

BOOST_AUTO_TEST_CASE(random_bytes_in_a_zone_file_do_no_harm) {
    const ZoneFolder folder;
    const std::string good = zoneFile(100, {{1000, 200}, {5'000'000'000, -300}}, kBerlin);
    std::mt19937 random(1);
    for (int i = 0; i < 2000; ++i) {
        std::string file = good;
        for (int changes = 0; changes < 3; ++changes) {
            file[random() % file.size()] = static_cast<char>(random() % 256);
        }
        folder.add("x", file);
        try {
            static_cast<void>(Zone::named("x").offsetAt(2'000'000'000));
        } catch (const std::invalid_argument&) {
        }
    }
}

BOOST_AUTO_TEST_CASE(the_zones_of_this_system_are_those_of_the_c_library) {
    std::mt19937_64 random(1);
    std::uniform_int_distribution<std::int64_t> moments(-2'000'000'000, 7'258'118'400);
    for (const std::string name : {"Europe/Berlin", "America/New_York", "Australia/Lord_Howe",
                                   "Africa/Casablanca", "Asia/Kolkata", "Pacific/Apia",
                                   "America/Sao_Paulo", "Europe/Dublin", "UTC", "Asia/Tehran"}) {
        if (!std::filesystem::exists("/usr/share/zoneinfo/" + name)) {
            BOOST_TEST_MESSAGE("skipped: this system does not have " + name);
            continue;
        }
        const Zone zone = Zone::named(name);
        const test::TimeZone here(name.c_str());
        for (int i = 0; i < 1000; ++i) {
            const std::int64_t moment = moments(random);
            BOOST_TEST_CONTEXT(name << " at " << moment)
            BOOST_REQUIRE_EQUAL(zone.offsetAt(moment).value(), localOffsetAt(moment).value());
        }
    }
}

// Times of the calendar.

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
    BOOST_TEST(formatDate(rule.next(parseDate("2030-01-01T08:00:00"))) ==
               "2030-01-02T08:00:00.000+05:30");
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
    BOOST_TEST(formatDate(rule.next(jtimer::Date::min())).substr(0, 10) == "1680-02-29");
}
