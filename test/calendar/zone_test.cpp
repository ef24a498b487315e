// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include <jtimer/zone.hpp>

#include "calendar/instants.hpp"
#include "calendar/local_time.hpp"
#include "calendar/posix_zone.hpp"
#include "support/abilities.hpp"
#include "support/dates.hpp"
#include "support/test.hpp"
#include "support/throws.hpp"
#include "support/time_zone.hpp"
#include "support/zone_folder.hpp"

#include <jtimer/exceptions.hpp>

#include <filesystem>

using jtimer::Zone;
using jtimer::detail::localOffsetAt;
using jtimer::detail::PosixZone;
using jtimer::detail::ZoneAccess;
using test::kBerlin;
using test::secondsOf;
using test::zoneFile;
using test::ZoneFolder;

namespace {

std::int64_t offsetAt(const Zone& zone, std::int64_t instant) {
    return ZoneAccess::offsetAt(zone, instant).value();
}

/// That of Windows knows neither zone files nor the rules of POSIX.
void needZonesOfTheLibrary() {
#if defined(_WIN32)
    test::skipCase("a C library with time zones");
#endif
}

}  // namespace

// Rules of POSIX.

BOOST_AUTO_TEST_CASE(rules_of_posix_give_the_offsets_of_the_c_library) {
    needZonesOfTheLibrary();
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

BOOST_AUTO_TEST_CASE(a45_a_zone_file_gives_the_changes_and_the_rule_after_the_last) {
    const ZoneFolder folder;
    folder.add("A/B", zoneFile(100, {{1000, 200}, {5'000'000'000, -300}}, "XXX-1"));
    const Zone zone = Zone("A/B");
    BOOST_TEST(offsetAt(zone, -9'000'000'000) == 100);
    BOOST_TEST(offsetAt(zone, 999) == 100);
    BOOST_TEST(offsetAt(zone, 1000) == 200);
    BOOST_TEST(offsetAt(zone, 4'999'999'999) == 200);
    BOOST_TEST(offsetAt(zone, 5'000'000'000) == 3600);

    folder.add("no-rule", zoneFile(100, {{1000, 200}}, ""));
    BOOST_TEST(offsetAt(Zone("no-rule"), 1000) == 200);
    folder.add("version-1", zoneFile(100, {{-1000, -200}, {1000, 200}}, "", '\0'));
    BOOST_TEST(offsetAt(Zone("version-1"), -1001) == 100);
    BOOST_TEST(offsetAt(Zone("version-1"), -1000) == -200);
    BOOST_TEST(offsetAt(Zone("version-1"), 5'000'000'000) == 200);
}

BOOST_AUTO_TEST_CASE(a45_a_zone_that_is_not_there_or_not_understood_is_refused) {
    const ZoneFolder folder;
    const std::string good = zoneFile(100, {{1000, 200}}, "XXX-1");
    folder.add("text", "Not a zone\n");
    folder.add("empty", "");
    folder.add("folder/zone", good);
    for (std::size_t size = 0; size < good.size() - 7; ++size) {
        folder.add("cut", good.substr(0, size));
        BOOST_REQUIRE(!Zone::isKnown("cut"));
    }
    for (const std::string zone : {"Europe/Berln", "text", "empty", "folder", "", "/folder/zone",
                                   "folder/../folder/zone", "."}) {
        CHECK_THROWS(Zone(zone), jtimer::IllegalArgumentException, "Unknown time zone: " + zone);
    }
    BOOST_TEST(offsetAt(Zone("folder/zone"), 0) == 100);
    BOOST_TEST(offsetAt(Zone("UTC"), 0) == 0);  // without a file
}

BOOST_AUTO_TEST_CASE(a45_a_file_is_read_once) {
    const ZoneFolder folder;
    folder.add("A/B", zoneFile(3600, {}, ""));
    const Zone zone("A/B");
    folder.add("A/B", zoneFile(7200, {}, ""));
    const Zone copy = zone;
    BOOST_CHECK(copy.offsetAt(jtimer::Date()) == std::chrono::seconds(3600));
    BOOST_TEST(copy.name() == "A/B");
}

BOOST_AUTO_TEST_CASE(a45_an_offset_beyond_26_hours_is_none_of_a_zone) {
    const ZoneFolder folder;
    folder.add("x", zoneFile(100, {{1000, 93'601}}, ""));
    BOOST_TEST(!Zone::isKnown("x"));
    BOOST_TEST(!PosixZone::parse("XXX27").has_value());
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
            static_cast<void>(ZoneAccess::offsetAt(Zone("x"), 2'000'000'000));
        } catch (const std::invalid_argument&) {
        }
    }
}

BOOST_AUTO_TEST_CASE(the_zones_of_this_system_are_those_of_the_c_library) {
    needZonesOfTheLibrary();
    std::mt19937_64 random(1);
    std::uniform_int_distribution<std::int64_t> moments(-2'000'000'000, 7'258'118'400);
    for (const std::string name : {"Europe/Berlin", "America/New_York", "Australia/Lord_Howe",
                                   "Africa/Casablanca", "Asia/Kolkata", "Pacific/Apia",
                                   "America/Sao_Paulo", "Europe/Dublin", "UTC", "Asia/Tehran"}) {
        if (!std::filesystem::exists("/usr/share/zoneinfo/" + name)) {
            BOOST_TEST_MESSAGE("skipped: this system does not have " + name);
            continue;
        }
        const Zone zone = Zone(name);
        const test::TimeZone here(name.c_str());
        for (int i = 0; i < 1000; ++i) {
            const std::int64_t moment = moments(random);
            BOOST_TEST_CONTEXT(name << " at " << moment)
            BOOST_REQUIRE_EQUAL(offsetAt(zone, moment), localOffsetAt(moment).value());
        }
    }
}
