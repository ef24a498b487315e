// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "data/periods.hpp"
#include "support/test.hpp"

using jtimer::detail::kNever;
using jtimer::detail::Nanos;
using jtimer::detail::nextOnGrid;
using jtimer::detail::onGrid;

namespace {
constexpr Nanos kMin = std::numeric_limits<Nanos>::min();
}

BOOST_AUTO_TEST_CASE(the_next_time_on_the_grid_lies_after_the_present_one) {
    BOOST_TEST(nextOnGrid(100, 10, 100) == 110);  // in time
    BOOST_TEST(nextOnGrid(100, 10, 109) == 110);
    BOOST_TEST(nextOnGrid(100, 10, 110) == 120);  // exactly one period late
    BOOST_TEST(nextOnGrid(100, 10, 111) == 120);
    BOOST_TEST(nextOnGrid(100, 10, 135) == 140);
    BOOST_TEST(nextOnGrid(100, 1, 1000) == 1001);
    BOOST_TEST(nextOnGrid(-25, 10, 0) == 5);     // before 1970
    BOOST_TEST(nextOnGrid(100, 10, 50) == 110);  // a clock that was set back
    BOOST_TEST(nextOnGrid(100, 10, kMin) == 110);
}

BOOST_AUTO_TEST_CASE(missed_are_the_times_after_the_scheduled_one_that_have_passed) {
    BOOST_TEST(onGrid(100, 10, 99).missed == 0);
    BOOST_TEST(onGrid(100, 10, 100).missed == 0);
    BOOST_TEST(onGrid(100, 10, 109).missed == 0);
    BOOST_TEST(onGrid(100, 10, 110).missed == 1);
    BOOST_TEST(onGrid(100, 10, 135).missed == 3);
    BOOST_TEST(onGrid(0, 1, kNever).missed == static_cast<std::uint64_t>(kNever));
    BOOST_TEST(onGrid(kMin, 1, kNever).missed == std::numeric_limits<std::uint64_t>::max());
}

BOOST_AUTO_TEST_CASE(a_sum_beyond_the_end_of_time_is_never) {
    BOOST_TEST(nextOnGrid(0, kNever, 0) == kNever);
    BOOST_TEST(nextOnGrid(kNever - 5, 10, kNever - 5) == kNever);
    BOOST_TEST(nextOnGrid(kNever - 15, 10, kNever - 15) == kNever - 5);
    BOOST_TEST(nextOnGrid(0, kNever / 2, kNever - 1) == kNever);
    BOOST_TEST(nextOnGrid(kMin, kNever, 0) == kNever - 1);
}

BOOST_AUTO_TEST_CASE(the_last_time_on_the_grid_is_the_present_or_lies_before_it) {
    BOOST_TEST(onGrid(100, 10, 100).last == 100);
    BOOST_TEST(onGrid(100, 10, 109).last == 100);
    BOOST_TEST(onGrid(100, 10, 110).last == 110);
    BOOST_TEST(onGrid(100, 10, 135).last == 130);
    BOOST_TEST(onGrid(-25, 10, 0).last == -5);
    BOOST_TEST(onGrid(100, 10, 50).last == 100);  // a clock that was set back
    BOOST_TEST(onGrid(kMin, kNever, kNever).last == kNever - 1);
    BOOST_TEST(onGrid(kMin, 1, kNever).last == kNever);
}
