// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "clock/last_reading.hpp"

#include <boost/test/unit_test.hpp>

using jtimer::detail::kLongAgo;
using jtimer::detail::LastReading;

BOOST_AUTO_TEST_CASE(what_was_read_is_reached_as_long_as_the_cheap_reading_is_the_same) {
    LastReading last;
    BOOST_TEST(last.reached(1000) == 1000);
    last.note(1000, 1700);
    BOOST_TEST(last.reached(1000) == 1700);
    BOOST_TEST(last.reached(2000) == 2000);  // a tick
    BOOST_TEST(last.reached(1650) == 1650);  // set back, to a time after the last tick
    BOOST_TEST(last.reached(500) == 500);
    last.note(1000, 1900);
    BOOST_TEST(last.reached(1000) == 1900);
}

BOOST_AUTO_TEST_CASE(without_a_cheap_reading_nothing_is_known_to_be_reached) {
    LastReading last;
    last.note(kLongAgo, 1700);
    BOOST_TEST(last.reached(kLongAgo) == kLongAgo);
    last.note(1000, 1700);
    last.note(kLongAgo, 1800);
    BOOST_TEST(last.reached(kLongAgo) == kLongAgo);
    BOOST_TEST(last.reached(1000) == 1700);
}
