// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "http/form.hpp"

#include <boost/test/unit_test.hpp>

#include <optional>
#include <string>

using http::Form;
using http::parseForm;

BOOST_AUTO_TEST_CASE(o57_a_form_has_a_value_for_each_name) {
    BOOST_TEST((parseForm("") == Form()));
    BOOST_TEST((parseForm("a=1&b=2") == Form{{"a", "1"}, {"b", "2"}}));
    BOOST_TEST(
        (parseForm("a=1=2&b&c=&&=d&") == Form{{"a", "1=2"}, {"b", ""}, {"c", ""}, {"", "d"}}));
    BOOST_TEST((parseForm("a+b=c+%2B%26%3d&%61=%e2%82%ac") ==
                Form{{"a b", "c +&="}, {"a", "\xE2\x82\xAC"}}));
}

BOOST_AUTO_TEST_CASE(o57_what_is_no_form_is_refused) {
    for (const char* text : {"a=%", "a=%2", "a=%2g", "a=%g2", "%=1", "a=%-1", "a=%+1"})
        BOOST_TEST(!parseForm(text), text);
    for (const char* text : {"a=1&a=2", "a=1&%61=1", "a&a"}) BOOST_TEST(!parseForm(text), text);
    for (const char* text : {"a=%00", "%00=a", "a=%ff", "a=%c0%80", "a=\xff", "a=%ed%a0%80"})
        BOOST_TEST(!parseForm(text), text);
    BOOST_TEST(!parseForm(std::string("a=\0", 3)));
}

BOOST_AUTO_TEST_CASE(o57_any_text_can_be_a_value) {
    BOOST_TEST(http::percentEncoded("aZ09-._~") == "aZ09-._~");
    BOOST_TEST(http::percentEncoded("a b&c=d+%/\xE2\x82\xAC\n") ==
               "a%20b%26c%3Dd%2B%25%2F%E2%82%AC%0A");
}

BOOST_AUTO_TEST_CASE(o57_fields_are_removed_and_the_others_stay_as_they_are_written) {
    BOOST_TEST(http::without("a=%41&did=run&b=+&d%69d2=1", {"did", "count"}) ==
               "a=%41&b=+&d%69d2=1");
    BOOST_TEST(http::without("d%69d=run&&a", {"did"}) == "a");
    BOOST_TEST(http::without("a", {"a"}) == "");
}
