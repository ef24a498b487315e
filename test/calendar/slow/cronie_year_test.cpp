// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "calendar/cronie_model.hpp"

#include "support/choices.hpp"

#include <jtimer/zone.hpp>

#include <boost/test/unit_test.hpp>

BOOST_AUTO_TEST_SUITE(cronie_year)

BOOST_AUTO_TEST_CASE(r38_r39_r40_cronie_runs_ten_thousand_expressions_the_same_but_for_two_rules) {
    test::Choices choices(2027);
    for (const test::SummerTime& each : test::kSummerTimes) {
        if (!jtimer::Zone::isKnown(each.zone)) continue;
        const test::CronieComparison comparison(each.zone, test::kYearBegins,
                                                test::kYearBegins + test::kMinutesOfYear);
        BOOST_TEST(comparison.moved() == each.moved);
        comparison.compare(choices, 2000);
    }
}

BOOST_AUTO_TEST_SUITE_END()
