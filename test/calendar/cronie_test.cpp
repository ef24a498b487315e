// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "calendar/cronie_model.hpp"

#include "support/choices.hpp"

#include <jtimer/zone.hpp>

#include <boost/test/unit_test.hpp>

#include <chrono>
#include <cstdint>
#include <vector>

namespace {

/// The minutes of the year at which the clocks of the zone are changed.
std::vector<std::int64_t> changesOf(const jtimer::Zone& zone) {
    std::vector<std::int64_t> changes;
    const auto offsetAt = [&](std::int64_t minute) {
        return zone.offsetAt(jtimer::Date(std::chrono::minutes(minute))).value();
    };
    for (std::int64_t minute = test::kYearBegins; minute < test::kYearBegins + test::kMinutesOfYear;
         minute += 30) {
        if (offsetAt(minute) != offsetAt(minute - 30)) changes.push_back(minute);
    }
    return changes;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(cronie)

// test/calendar/slow does so for more expressions, and for the whole year.
BOOST_AUTO_TEST_CASE(r38_r39_r40_around_changes_of_clocks_cronie_runs_the_same_but_for_two_rules) {
    for (const test::SummerTime& each : test::kSummerTimes) {
        if (!jtimer::Zone::isKnown(each.zone)) continue;
        const std::vector<std::int64_t> changes = changesOf(jtimer::Zone(each.zone));
        BOOST_REQUIRE_EQUAL(changes.size(), 2U);
        test::Choices choices(1);
        int moved = 0;
        for (const std::int64_t change : changes) {
            const test::CronieComparison comparison(each.zone, change - 2880, change + 2880);
            moved += comparison.moved();
            comparison.compare(choices, 60);
        }
        BOOST_TEST(moved == each.moved);
    }
}

BOOST_AUTO_TEST_SUITE_END()
