// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "text/time_text.hpp"

#include "support/dates.hpp"
#include "support/time_zone.hpp"

#include <boost/test/unit_test.hpp>

#include <cstdint>
#include <random>
#include <string>

using std::chrono::milliseconds;
using test::kBerlin;
using test::TimeZone;

namespace {

/// Milliseconds since 1970.
std::int64_t millisOf(const std::string& text) {
    return parseDate(text).time_since_epoch() / milliseconds(1);
}

jtimer::Date dateOf(std::int64_t millis) { return jtimer::Date(milliseconds(millis)); }

template <class Parse>
std::string errorOf(Parse parse, const std::string& text) {
    try {
        parse(text);
    } catch (const std::invalid_argument& e) {
        return e.what();
    }
    return "no error";
}

std::string notATime(const std::string& text) {
    return '"' + text +
           "\" is not a time: expected YYYY-MM-DDTHH:MM:SS[.mmm][Z|+HH:MM|-HH:MM], such as "
           "2030-01-01T08:00:00";
}

}  // namespace

BOOST_AUTO_TEST_CASE(durations_have_five_units_and_end_at_a_hundred_years) {
    BOOST_CHECK(parseDuration("1ms") == milliseconds(1));
    BOOST_CHECK(parseDuration("2s") == milliseconds(2'000));
    BOOST_CHECK(parseDuration("3m") == milliseconds(180'000));
    BOOST_CHECK(parseDuration("4h") == milliseconds(14'400'000));
    BOOST_CHECK(parseDuration("5d") == milliseconds(432'000'000));
    BOOST_CHECK(parseDuration("007s") == milliseconds(7'000));
    BOOST_CHECK_THROW(parseDuration(""), std::invalid_argument);

    const milliseconds longest(36'500LL * 86'400'000);
    BOOST_CHECK(parseDuration("36500d") == longest);
    BOOST_CHECK(parseDuration("876000h") == longest);
    BOOST_CHECK(parseDuration("3153600000000ms") == longest);
    for (const std::string text :
         {"36501d", "876001h", "52560001m", "3153600001s", "3153600000001ms",
          "9223372036854775807ms", "9223372036854775807d", "9223372036854775808ms",
          "99999999999999999999999d"}) {
        const std::string error = '"' + text + "\" is too long: expected at most 36500d";
        BOOST_TEST(errorOf(parseDuration, text) == error);
    }
}

BOOST_AUTO_TEST_CASE(a_time_that_has_another_shape_is_quoted_with_the_right_one) {
    for (const std::string text : {"",
                                   "noon",
                                   "2030-01-01",
                                   "08:00:00",
                                   "2030-1-1T08:00:00",
                                   "2030-01-01T08:00",
                                   "2030-01-01t08:00:00",
                                   "2030/01/01T08:00:00",
                                   "2030-01-01T08:00:00z",
                                   "2030-01-01T08:00:00.",
                                   "2030-01-01T08:00:00.5",
                                   "2030-01-01T08:00:00.5000",
                                   "2030-01-01T08:00:00,500",
                                   "+030-01-01T08:00:00",
                                   "12030-01-01T08:00:00",
                                   "2030-01-01T08:00:00ZZ",
                                   "2030-01-01T08:00:00Z+01:00",
                                   "2030-01-01T08:00:00+",
                                   "2030-01-01T08:00:00+1:00",
                                   "2030-01-01T08:00:00+0100",
                                   "2030-01-01T08:00:00+01",
                                   "2030-01-01T08:00:00 +01:00",
                                   "2030-01-01T08:00:00+01:00:00",
                                   "2030-01-01T08:00:00+01:00Z",
                                   "2030-01-01T08:00:00+-1:00",
                                   "2030-01-01T08:00:00Z.500"}) {
        BOOST_TEST(errorOf(parseDate, text) == notATime(text));
    }
}

BOOST_AUTO_TEST_CASE(an_impossible_date_is_refused_with_the_range_of_the_field) {
    const TimeZone utc("UTC0");
    const auto check = [](const std::string& text, const std::string& what) {
        BOOST_TEST(errorOf(parseDate, text) == '"' + text + "\" has an impossible " + what);
    };
    check("1970-12-31T23:59:59", "year: expected 1971 to 2199");
    check("2200-01-01T00:00:00", "year: expected 1971 to 2199");
    check("2030-00-01T00:00:00", "month: expected 01 to 12");
    check("2030-13-01T00:00:00", "month: expected 01 to 12");
    check("2030-01-00T00:00:00", "day: expected 01 to 31");
    check("2030-02-31T00:00:00", "day: expected 01 to 28");
    check("2030-02-29T00:00:00", "day: expected 01 to 28");
    check("2028-02-30T00:00:00", "day: expected 01 to 29");
    check("2100-02-29T00:00:00", "day: expected 01 to 28");
    check("2030-04-31T00:00:00", "day: expected 01 to 30");
    check("2030-06-31T00:00:00", "day: expected 01 to 30");
    check("2030-09-31T00:00:00", "day: expected 01 to 30");
    check("2030-11-31T00:00:00", "day: expected 01 to 30");
    check("2030-12-32T00:00:00", "day: expected 01 to 31");
    check("2030-01-01T24:00:00", "hour: expected 00 to 23");
    check("2030-01-01T00:60:00", "minute: expected 00 to 59");
    check("2030-01-01T00:00:60", "second: expected 00 to 59");
    check("2030-01-01T00:00:00+24:00", "UTC offset: expected at most 23:59");
    check("2030-01-01T00:00:00-00:60", "UTC offset: expected at most 23:59");
    check("2030-02-31T00:00:00Z", "day: expected 01 to 28");
}

BOOST_AUTO_TEST_CASE(a_local_time_is_read_to_the_millisecond) {
    const TimeZone utc("UTC0");
    BOOST_TEST(millisOf("1971-01-01T00:00:00") == 31'536'000'000);
    BOOST_TEST(millisOf("2000-02-29T23:59:59.999") == 951'868'799'999);
    BOOST_TEST(millisOf("2030-01-01T08:00:00.050") == 1'893'484'800'050);
    BOOST_TEST(millisOf("2030-01-01T08:00:00.000") == 1'893'484'800'000);
    BOOST_TEST(millisOf("2199-12-31T23:59:59Z") == 7'258'118'399'000);
}

BOOST_AUTO_TEST_CASE(a_local_time_means_that_of_the_time_zone_in_winter_and_in_summer) {
    const TimeZone berlin(kBerlin);
    BOOST_TEST(millisOf("2030-01-01T08:00:00") == 1'893'484'800'000 - 3'600'000);
    BOOST_TEST(millisOf("2030-07-01T08:00:00") == 1'909'123'200'000 - 7'200'000);
}

BOOST_AUTO_TEST_CASE(a_local_time_that_the_clocks_skip_is_refused) {
    const TimeZone berlin(kBerlin);
    const std::int64_t gap = 1'901'149'200'000;  // 2030-03-31T01:00:00Z
    BOOST_TEST(millisOf("2030-03-31T01:59:59.999") == gap - 1);
    BOOST_TEST(millisOf("2030-03-31T03:00:00") == gap);
    for (const std::string text :
         {"2030-03-31T02:00:00", "2030-03-31T02:30:00.500", "2030-03-31T02:59:59"}) {
        BOOST_TEST(errorOf(parseDate, text) ==
                   '"' + text +
                       "\" is skipped by the clocks here: expected a local time that exists, or a "
                       "UTC offset");
    }
    BOOST_TEST(millisOf("2030-03-31T02:30:00+01:00") == gap + 1'800'000);
}

BOOST_AUTO_TEST_CASE(r38_of_a_local_time_that_the_clocks_show_twice_the_second_is_meant) {
    const TimeZone berlin(kBerlin);
    const std::int64_t fold = 1'919'293'200'000;  // 2030-10-27T01:00:00Z: 03:00 becomes 02:00
    BOOST_TEST(millisOf("2030-10-27T01:59:59") == fold - 3'601'000);
    BOOST_TEST(millisOf("2030-10-27T02:00:00") == fold);
    BOOST_TEST(millisOf("2030-10-27T02:59:59") == fold + 3'599'000);
    BOOST_TEST(millisOf("2030-10-27T03:00:00") == fold + 3'600'000);
    BOOST_TEST(millisOf("2030-10-27T02:59:59+02:00") == fold - 1'000);
    BOOST_TEST(millisOf("2030-10-27T02:00:00+01:00") == fold);

    // Ireland's rule says it the other way round: winter time is the exception.
    const TimeZone dublin("IST-1GMT0,M10.5.0,M3.5.0/1");
    BOOST_TEST(millisOf("2030-10-27T01:30:00") == fold + 1'800'000);
    BOOST_TEST(millisOf("2030-10-27T02:00:00") == fold + 3'600'000);
}

BOOST_AUTO_TEST_CASE(a_utc_offset_says_what_local_time_cannot) {
    const TimeZone berlin(kBerlin);
    BOOST_TEST(millisOf("2030-01-01T08:00:00Z") == 1'893'484'800'000);
    BOOST_TEST(millisOf("2030-01-01T08:00:00.250Z") == 1'893'484'800'250);
    BOOST_TEST(millisOf("2030-01-01T08:00:00+00:00") == 1'893'484'800'000);
    BOOST_TEST(millisOf("2030-01-01T08:00:00-00:00") == 1'893'484'800'000);
    BOOST_TEST(millisOf("2030-01-01T13:30:00.007+05:30") == 1'893'484'800'007);
    BOOST_TEST(millisOf("2029-12-31T20:15:00-11:45") == 1'893'484'800'000);
}

BOOST_AUTO_TEST_CASE(a_date_is_written_as_local_time_with_its_utc_offset) {
    {
        const TimeZone utc("UTC0");
        BOOST_TEST(formatDate(dateOf(0)) == "1970-01-01T00:00:00.000+00:00");
        BOOST_TEST(formatDate(dateOf(-1)) == "1969-12-31T23:59:59.999+00:00");
        BOOST_TEST(formatDate(dateOf(951'868'799'999)) == "2000-02-29T23:59:59.999+00:00");
        BOOST_TEST(formatDate(dateOf(7'258'118'399'000)) == "2199-12-31T23:59:59.000+00:00");
        BOOST_TEST(formatDate(jtimer::Date::max()) == (test::kDatesHaveNanos
                                                           ? "2262-04-11T23:47:16.854+00:00"
                                                           : "294247-01-10T04:00:54.775+00:00"));
        BOOST_TEST(formatDate(jtimer::Date::min()) == (test::kDatesHaveNanos
                                                           ? "1677-09-21T00:12:43.145+00:00"
                                                           : "-290308-12-21T19:59:05.224+00:00"));
        // Rounded down, so that no line is dated before the clock showed that.
        BOOST_TEST(formatDate(dateOf(7) + std::chrono::microseconds(999)) ==
                   "1970-01-01T00:00:00.007+00:00");
        BOOST_TEST(formatDate(dateOf(0) - std::chrono::microseconds(1)) ==
                   "1969-12-31T23:59:59.999+00:00");
    }
    {
        const TimeZone berlin(kBerlin);
        BOOST_TEST(formatDate(dateOf(1'893'484'800'250)) == "2030-01-01T09:00:00.250+01:00");
        BOOST_TEST(formatDate(dateOf(1'909'123'200'000)) == "2030-07-01T10:00:00.000+02:00");
        // The same local time twice, told apart.
        const std::int64_t fold = 1'919'293'200'000;
        BOOST_TEST(formatDate(dateOf(fold - 1'800'000)) == "2030-10-27T02:30:00.000+02:00");
        BOOST_TEST(formatDate(dateOf(fold + 1'800'000)) == "2030-10-27T02:30:00.000+01:00");
    }
    const TimeZone marquesas("XXX9:30");
    BOOST_TEST(formatDate(dateOf(1'893'484'800'000)) == "2029-12-31T22:30:00.000-09:30");
    const TimeZone monrovia("XXX0:44:30");
    BOOST_TEST(formatDate(dateOf(1'893'484'800'000)) == "2030-01-01T07:16:00.000-00:44");
}

BOOST_AUTO_TEST_CASE(what_is_written_is_read_as_the_same_date) {
    std::mt19937_64 random(1);
    std::uniform_int_distribution<std::int64_t> millis(31'622'400'000, 7'258'000'000'000);
    for (const char* zone : {"UTC0", kBerlin, "XXX9:30", "XXX-14", "XXX12", "XXX0:44:30"}) {
        const TimeZone here(zone);
        for (int i = 0; i < 1000; ++i) {
            const jtimer::Date date = dateOf(millis(random));
            BOOST_TEST(millisOf(formatDate(date)) == date.time_since_epoch() / milliseconds(1));
        }
    }
}

BOOST_AUTO_TEST_CASE(a_span_is_told_in_two_units) {
    using std::chrono::milliseconds;
    const std::vector<std::pair<std::int64_t, std::string>> expected{
        {0, "0ms"},           {999, "999ms"},         {1000, "1.0s"},
        {59'999, "59.9s"},    {60'000, "1m00s"},      {3'599'999, "59m59s"},
        {3'720'000, "1h02m"}, {86'399'999, "23h59m"}, {86'400'000, "1d00h"},
        {97'200'000, "1d03h"}};
    for (const auto& [millis, text] : expected) BOOST_TEST(inWords(milliseconds(millis)) == text);
}

BOOST_AUTO_TEST_CASE(microseconds_are_written_in_utc) {
    BOOST_TEST(inUtcMicros(jtimer::Date()) == "1970-01-01T00:00:00.000000Z");
    BOOST_TEST(inUtcMicros(jtimer::Date(std::chrono::microseconds(1'893'456'000'250'001))) ==
               "2030-01-01T00:00:00.250001Z");
    BOOST_TEST(inUtcMicros(jtimer::Date(std::chrono::microseconds(-1))) ==
               "1969-12-31T23:59:59.999999Z");
}
