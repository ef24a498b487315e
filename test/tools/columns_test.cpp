// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "text/columns.hpp"

#include <boost/test/unit_test.hpp>

BOOST_AUTO_TEST_CASE(a_text_takes_columns_and_not_bytes) {
    BOOST_TEST(widthOf("") == 0U);
    BOOST_TEST(widthOf("caf\xC3\xA9") == 4U);
    BOOST_TEST(widthOf("e\xCC\x81") == 1U);                 // an accent of its own
    BOOST_TEST(widthOf("\xE6\x9C\x88\xEC\x9B\x94") == 4U);  // two wide characters
    BOOST_TEST(widthOf("\xF0\x9F\x99\x82") == 2U);
    BOOST_TEST(padded("\xE6\x9C\x88", 4) == "\xE6\x9C\x88  ");
    BOOST_TEST(rightAligned("\xE6\x9C\x88", 4) == "  \xE6\x9C\x88");
}

BOOST_AUTO_TEST_CASE(what_is_cut_ends_with_an_ellipsis_and_fits) {
    BOOST_TEST(cutTo("report", 6) == "report");
    BOOST_TEST(cutTo("report", 5) == "repo\u2026");
    BOOST_TEST(cutTo("report", 1) == "\u2026");
    BOOST_TEST(cutTo("report", 0) == "");
    BOOST_TEST(cutTo("\xE6\x9C\x88\xE6\x9C\x88", 3) == "\xE6\x9C\x88\u2026");
    BOOST_TEST(cutTo("\xE6\x9C\x88\xE6\x9C\x88", 2) == "\u2026");
}
