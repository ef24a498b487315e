// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "text/utf8.hpp"

#include <boost/test/unit_test.hpp>

#include <string_view>

BOOST_AUTO_TEST_CASE(characters_are_those_of_utf_8) {
    for (const char* text :
         {"a", "\xC3\xA4", "\xE2\x82\xAC", "\xF0\x9F\x99\x82", "\xF4\x8F\xBF\xBF"}) {
        BOOST_TEST(characterSize(text) == std::string_view(text).size(), text);
    }
    // Cut short, not a first byte, overlong, a surrogate, beyond the last.
    for (const char* text : {"", "\xC3", "\xC3z", "\x80", "\xC0\x80", "\xE0\x80\x80",
                             "\xED\xA0\x80", "\xF0\x80\x80\x80", "\xF4\x90\x80\x80", "\xFF"}) {
        BOOST_TEST(characterSize(text) == 0U);
    }
}

BOOST_AUTO_TEST_CASE(what_a_terminal_does_not_print_is_escaped) {
    BOOST_TEST(isPrintable("caf\xC3\xA9"));
    for (const char* text : {"a\x1b", "\x7f", "\xC2\x9B", "\xFF"}) BOOST_TEST(!isPrintable(text));
    BOOST_TEST(inPrintable("caf\xC3\xA9\x1b[\xC2\x9B\xFF") == "caf\xC3\xA9\\x1b[\\xc2\\x9b\\xff");
    BOOST_TEST(inUtf8("\xE2\x82\xAC\xE2\x82") == "\xE2\x82\xAC\xEF\xBF\xBD\xEF\xBF\xBD");
}

// People who read it must see what a program reads.
BOOST_AUTO_TEST_CASE(what_changes_the_direction_of_text_is_escaped) {
    BOOST_TEST(inPrintable("a\xE2\x80\xAE"
                           "b") == "a\\xe2\\x80\\xae"
                                   "b");
    for (const char* text : {"\xD8\x9C", "\xE2\x80\x8E", "\xE2\x80\x8F", "\xE2\x80\xAA",
                             "\xE2\x80\xAE", "\xE2\x81\xA6", "\xE2\x81\xA9"}) {
        BOOST_TEST(isInvisible(text));
        BOOST_TEST(isPrintable(text));  // a name may have it
    }
    // Their neighbours, and a letter that is read from right to left.
    for (const char* text :
         {"\xE2\x80\x90", "\xE2\x80\xA9", "\xE2\x80\xAF", "\xE2\x81\xAA", "\xD7\x90"}) {
        BOOST_TEST(!isInvisible(text));
        BOOST_TEST(inPrintable(text) == text);
    }
}

BOOST_AUTO_TEST_CASE(a_character_has_a_number) {
    BOOST_TEST((codeOf("a") == U'a' && codeOf("\xC3\xA4") == 0xe4U));
    BOOST_TEST((codeOf("\xE2\x82\xAC!") == 0x20acU && codeOf("\xF0\x9F\x99\x82") == 0x1f642U));
}
