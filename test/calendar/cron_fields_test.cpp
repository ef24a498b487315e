// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "calendar/cron_fields.hpp"

#include "calendar/civil_date.hpp"
#include "calendar/cron_model.hpp"
#include "support/choices.hpp"
#include "support/test.hpp"
#include "support/throws.hpp"

#include <jtimer/exceptions.hpp>

#include <cstdio>

using jtimer::IllegalArgumentException;
using jtimer::detail::CronFields;

namespace {

namespace calendar = jtimer::detail;

constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kMinutesPerDay = 1440;

/// Reads 2030-01-01 08:00.
std::int64_t minutesOf(const std::string& text) {
    int year = 0, month = 0, day = 0, hour = 0, minute = 0;
    BOOST_REQUIRE_EQUAL(
        std::sscanf(text.c_str(), "%d-%d-%d %d:%d", &year, &month, &day, &hour, &minute), 5);
    return calendar::dayNumber({year, month, day}) * kMinutesPerDay + hour * 60 + minute;
}

std::string textOf(std::int64_t minutes) {
    const std::int64_t day = calendar::floorDivide(minutes, kMinutesPerDay);
    const auto minute = static_cast<int>(minutes - day * kMinutesPerDay);
    const calendar::CivilDate date = calendar::civilDate(day);
    char text[64];
    std::snprintf(text, sizeof text, "%04d-%02d-%02d %02d:%02d", static_cast<int>(date.year),
                  date.month, date.day, minute / 60, minute % 60);
    return text;
}

/// The first times that match, after the given one.
std::vector<std::string> timesOf(const std::string& expression, const std::string& after,
                                 int count) {
    const CronFields cron(expression);
    std::vector<std::string> times;
    std::int64_t time = minutesOf(after);
    for (int i = 0; i < count; ++i) times.push_back(textOf(time = cron.next(time)));
    return times;
}

void checkTimes(const std::string& expression, const std::string& after,
                const std::vector<std::string>& expected) {
    const auto times = timesOf(expression, after, static_cast<int>(expected.size()));
    BOOST_CHECK_EQUAL_COLLECTIONS(times.begin(), times.end(), expected.begin(), expected.end());
}

void checkSame(const std::string& one, const std::string& other) {
    BOOST_TEST(timesOf(one, "2030-01-01 00:00", 50) == timesOf(other, "2030-01-01 00:00", 50));
}

void checkRefused(const std::string& expression, const std::string& why) {
    CHECK_THROWS(CronFields(expression), IllegalArgumentException,
                 "Cron expression \"" + expression + '"' + why);
}

}  // namespace

// The calendar.

BOOST_AUTO_TEST_CASE(days_are_numbered_from_1970_in_both_directions) {
    std::int64_t number = calendar::dayNumber({1600, 1, 1});
    BOOST_TEST(number == -135'140);
    for (std::int64_t year = 1600; year < 2401; ++year) {
        const bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
        const int lengths[]{31, leap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
        for (int month = 1; month <= 12; ++month) {
            BOOST_REQUIRE(calendar::daysIn(year, month) == lengths[month - 1]);
            for (int day = 1; day <= lengths[month - 1]; ++day, ++number) {
                BOOST_REQUIRE(calendar::dayNumber({year, month, day}) == number);
                const calendar::CivilDate date = calendar::civilDate(number);
                BOOST_REQUIRE((date.year == year && date.month == month && date.day == day));
            }
        }
    }
    BOOST_TEST(calendar::dayNumber({1970, 1, 1}) == 0);
    BOOST_TEST(calendar::dayNumber({-1, 12, 31}) == calendar::dayNumber({0, 1, 1}) - 1);
    BOOST_TEST(calendar::civilDate(calendar::dayNumber({-4, 2, 29})).day == 29);
}

BOOST_AUTO_TEST_CASE(day_0_was_a_thursday) {
    BOOST_TEST(calendar::weekday(0) == 4);
    BOOST_TEST(calendar::weekday(2) == 6);
    BOOST_TEST(calendar::weekday(3) == 0);
    BOOST_TEST(calendar::weekday(-4) == 0);
    BOOST_TEST(calendar::weekday(-5) == 6);
}

// What matches.

BOOST_AUTO_TEST_CASE(the_next_time_is_later_than_the_given_one) {
    checkTimes("0 8 * * *", "2030-01-01 07:59", {"2030-01-01 08:00"});
    checkTimes("0 8 * * *", "2030-01-01 08:00", {"2030-01-02 08:00"});
    checkTimes("* * * * *", "2030-12-31 23:59", {"2031-01-01 00:00", "2031-01-01 00:01"});
    checkTimes("30 * * * *", "2030-01-01 23:30", {"2030-01-02 00:30"});
    checkTimes("10 5,9 * * *", "2030-01-01 05:11", {"2030-01-01 09:10", "2030-01-02 05:10"});
}

BOOST_AUTO_TEST_CASE(lists_ranges_and_steps_match_what_they_name) {
    checkTimes("5,1,3 0 * * *", "2030-01-01 00:00",
               {"2030-01-01 00:01", "2030-01-01 00:03", "2030-01-01 00:05", "2030-01-02 00:01"});
    checkTimes("58-59 23 * * *", "2030-01-01 00:00",
               {"2030-01-01 23:58", "2030-01-01 23:59", "2030-01-02 23:58"});
    checkTimes("*/25 8-18/5 * * *", "2030-01-01 08:01",
               {"2030-01-01 08:25", "2030-01-01 08:50", "2030-01-01 13:00", "2030-01-01 13:25",
                "2030-01-01 13:50", "2030-01-01 18:00"});
    checkTimes("0 0 1 */5 *", "2030-01-01 00:00",
               {"2030-06-01 00:00", "2030-11-01 00:00", "2031-01-01 00:00"});
    checkTimes("0 0 1,10-20/5,31 * *", "2030-04-01 00:00",
               {"2030-04-10 00:00", "2030-04-15 00:00", "2030-04-20 00:00", "2030-05-01 00:00"});
    checkSame("*/60 */24 * * *", "0 0 * * *");
    checkSame("5-5 007 * * *", "5 7 * * *");
    checkSame("\t 1  2\t3 4 5 ", "1 2 3 4 5");
}

BOOST_AUTO_TEST_CASE(office_hours_of_work_days) {
    // 2030-01-04 is a Friday.
    checkTimes("*/30 8-18 * * mon-fri", "2030-01-04 18:00",
               {"2030-01-04 18:30", "2030-01-07 08:00", "2030-01-07 08:30"});
}

BOOST_AUTO_TEST_CASE(names_of_months_and_days_have_three_letters_in_any_case) {
    checkSame("0 0 * jan,Mar-MAY,oct-Dec/2 *", "0 0 * 1,3-5,10-12/2 *");
    checkSame("0 0 * feb,jun,jul,aug,sep,nov,apr *", "0 0 * 2,6,7,8,9,11,4 *");
    checkSame("0 0 * * MON,tue,Wed", "0 0 * * 1,2,3");
    checkSame("0 0 * * thu-sat", "0 0 * * 4-6");
}

BOOST_AUTO_TEST_CASE(zero_and_seven_are_sunday) {
    checkTimes("0 0 * * 0", "2030-01-01 00:00", {"2030-01-06 00:00", "2030-01-13 00:00"});
    checkSame("0 0 * * 7", "0 0 * * 0");
    checkSame("0 0 * * sun", "0 0 * * 0");
    checkSame("0 0 * * 5-7", "0 0 * * 0,5,6");
    checkSame("0 0 * * 0-7", "0 0 * * *");
    checkSame("0 0 * * sat-sun", "0 0 * * 6,0");
    checkSame("0 0 * * sun-mon", "0 0 * * 0,1");
    checkSame("0 0 * * sun-sun", "0 0 * * 0");
}

BOOST_AUTO_TEST_CASE(of_two_restricted_day_fields_either_matches) {
    checkTimes("0 0 4,10 * mon", "2030-01-01 00:00",
               {"2030-01-04 00:00", "2030-01-07 00:00", "2030-01-10 00:00", "2030-01-14 00:00"});
    // Never the 30th, but each Monday.
    checkTimes("0 0 30 2 1", "2030-01-31 00:00", {"2030-02-04 00:00", "2030-02-11 00:00"});
    checkTimes("0 0 13 * 0-6", "2030-01-01 00:00", {"2030-01-02 00:00", "2030-01-03 00:00"});
}

BOOST_AUTO_TEST_CASE(with_a_day_field_that_begins_with_a_star_both_must_match) {
    checkTimes("0 0 */10 * mon", "2030-01-01 00:00", {"2030-01-21 00:00", "2030-02-11 00:00"});
    checkTimes("0 0 13 * */5", "2030-01-01 00:00", {"2030-01-13 00:00", "2030-09-13 00:00"});
    checkTimes("0 0 *,13 * fri", "2030-01-01 00:00", {"2030-01-04 00:00"});
}

BOOST_AUTO_TEST_CASE(a_day_that_not_each_month_or_year_has) {
    checkTimes("0 0 31 * *", "2030-01-31 00:00",
               {"2030-03-31 00:00", "2030-05-31 00:00", "2030-07-31 00:00", "2030-08-31 00:00"});
    checkTimes("59 23 29 2 *", "2028-02-29 23:59", {"2032-02-29 23:59"});
    checkTimes("59 23 29 2 *", "2096-02-29 23:59", {"2104-02-29 23:59"});
}

BOOST_AUTO_TEST_CASE(february_29_on_a_sunday_comes_within_forty_years) {
    checkTimes("0 0 29 2 */7", "2004-02-29 00:00", {"2032-02-29 00:00", "2060-02-29 00:00"});
    checkTimes("0 0 29 2 */7", "2088-02-29 00:00", {"2128-02-29 00:00"});  // 2100 has none
}

BOOST_AUTO_TEST_CASE(times_before_1970_and_at_the_ends_of_the_range_are_times) {
    checkTimes("0 12 29 2 *", "1899-01-01 00:00", {"1904-02-29 12:00"});
    checkTimes("59 23 * * *", "1969-12-31 23:58", {"1969-12-31 23:59", "1970-01-01 23:59"});
    const CronFields cron("* * * * *");
    const std::int64_t least = std::numeric_limits<std::int64_t>::min();
    BOOST_TEST(cron.next(least) == least + 1);
    BOOST_TEST(cron.next(kNever - 2) == kNever - 1);
    BOOST_TEST(cron.next(kNever - 1) == kNever);
    BOOST_TEST(cron.next(kNever) == kNever);
    BOOST_TEST(CronFields("0 0 29 2 *").next(kNever - 1000) == kNever);
    BOOST_TEST(CronFields("0 0 29 2 *").next(least) > least);
}

// Against a naive matcher.

BOOST_AUTO_TEST_CASE(k27_k30_random_expressions_match_as_if_each_minute_were_looked_at) {
    test::Choices choices(1);
    for (int round = 0; round < 300; ++round) {
        const test::CronModel model(choices);
        if (!model.isEverDue()) continue;
        BOOST_TEST_CONTEXT(model.text()) {
            model.compare(choices.below<std::int64_t>(120'000) - 40'000, 70);
        }
    }
}

// What is refused.

BOOST_AUTO_TEST_CASE(an_expression_has_five_fields) {
    const std::string expected = ": expected 5: minute, hour, day of month, month, day of week";
    checkRefused("", " has 0 fields" + expected);
    checkRefused("@daily", " has 1 field" + expected);
    checkRefused("* * * *", " has 4 fields" + expected);
    checkRefused("0 * * * * *", " has 6 fields" + expected);
}

BOOST_AUTO_TEST_CASE(a_value_outside_of_its_field_is_refused_with_what_is_expected) {
    checkRefused("60 * * * *", R"(: "60" is not a minute: expected 0 to 59)");
    checkRefused("* 24 * * *", R"(: "24" is not an hour: expected 0 to 23)");
    checkRefused("* * 0 * *", R"(: "0" is not a day of the month: expected 1 to 31)");
    checkRefused("* * 32 * *", R"(: "32" is not a day of the month: expected 1 to 31)");
    checkRefused("* * * 0 *", R"(: "0" is not a month: expected 1 to 12, or jan to dec)");
    checkRefused("* * * 13 *", R"(: "13" is not a month: expected 1 to 12, or jan to dec)");
    checkRefused("* * * * 8", R"(: "8" is not a day of the week: expected 0 to 7, or sun to sat)");
    checkRefused("1,2-77 * * * *", R"(: "77" is not a minute: expected 0 to 59)");
}

BOOST_AUTO_TEST_CASE(what_is_not_a_value_is_refused) {
    for (const std::string value : {"", "-", "-5", "+5", "5.", "0x5", "L", "?", "mon", "**", "*5",
                                    "99999999999999999999", "4294967301"}) {
        const std::string minute = value.substr(0, value.find('-'));
        checkRefused("1," + value + " * * * *",
                     ": \"" + minute + "\" is not a minute: expected 0 to 59");
    }
    const std::string ofMonth = "\" is not a day of the month: expected 1 to 31";
    for (const std::string value : {"L", "15W", "?"}) {
        checkRefused("0 0 " + value + " * *", ": \"" + value + ofMonth);
    }
    for (const std::string value : {"5L", "mon#2", "monday", "mo", "jan", ""}) {
        checkRefused("0 0 * * 1," + value,
                     ": \"" + value +
                         "\" is not a day of the week: expected 0 to 7, or sun to sat");
    }
    checkRefused("* 5- * * *", R"(: "" is not an hour: expected 0 to 23)");
    checkRefused("* 1-2-3 * * *", R"(: "2-3" is not an hour: expected 0 to 23)");
    checkRefused("* *-5 * * *", R"(: "*" is not an hour: expected 0 to 23)");
    checkRefused("* /5 * * *", R"(: "" is not an hour: expected 0 to 23)");
}

BOOST_AUTO_TEST_CASE(a_range_must_not_end_before_it_begins) {
    checkRefused("* 22-6 * * *", R"(: "22-6" ends before it begins: expected a lower value first)");
    checkRefused("* * * nov-feb *",
                 R"(: "nov-feb" ends before it begins: expected a lower value first)");
    checkRefused("* * * * fri-mon/2",
                 R"(: "fri-mon" ends before it begins: expected a lower value first)");
    checkRefused("* * * * 6-0", R"(: "6-0" ends before it begins: expected a lower value first)");
}

BOOST_AUTO_TEST_CASE(a_step_follows_a_star_or_a_range_and_is_no_longer_than_the_field) {
    checkRefused("5/15 * * * *", R"(: "5/15" has a step: expected one only after * or a range)");
    checkRefused("*/0 * * * *", R"(: "0" is not a step of "*/0": expected 1 to 60)");
    checkRefused("*/61 * * * *", R"(: "61" is not a step of "*/61": expected 1 to 60)");
    checkRefused("* */25 * * *", R"(: "25" is not a step of "*/25": expected 1 to 24)");
    checkRefused("* * 2-4/32 * *", R"(: "32" is not a step of "2-4/32": expected 1 to 31)");
    checkRefused("* * * */13 *", R"(: "13" is not a step of "*/13": expected 1 to 12)");
    checkRefused("* * * * */8", R"(: "8" is not a step of "*/8": expected 1 to 7)");
    checkRefused("*/ * * * *", R"(: "" is not a step of "*/": expected 1 to 60)");
    checkRefused("*/5/5 * * * *", R"(: "5/5" is not a step of "*/5/5": expected 1 to 60)");
}

BOOST_AUTO_TEST_CASE(an_expression_that_is_never_due_is_refused) {
    const std::string expected = " is never due: expected a day that one of its months has";
    checkRefused("0 0 30 2 *", expected);
    checkRefused("0 0 30,31 2 */2", expected);
    checkRefused("0 0 31 2,4,6,9,11 *", expected);
    CronFields("0 0 29 2 *");
    CronFields("0 0 30,31 2 1");
    CronFields("0 0 31 4,5 *");
}
