// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "run_schedule/schedule_file.hpp"

#include "support/cron_cases.hpp"
#include "support/time_zone.hpp"

#include <jtimer/zone.hpp>

#include <boost/test/unit_test.hpp>

#include <chrono>
#include <sstream>
#include <string>
#include <vector>

using std::chrono::milliseconds;
using Kind = Entry::Kind;

namespace {

Schedule parse(const std::string& text) {
    std::istringstream file(text);
    return parseSchedule(file, "f");
}

Entry parseOne(const std::string& line) {
    const Schedule schedule = parse(line);
    BOOST_TEST(schedule.errors == std::vector<std::string>(), boost::test_tools::per_element());
    BOOST_REQUIRE(schedule.entries.size() == 1U);
    return schedule.entries.front();
}

/// The one error of a file of one line, without the `f:1: `.
std::string errorOf(const std::string& line) {
    const Schedule schedule = parse(line);
    BOOST_TEST(schedule.entries.empty());
    if (schedule.errors.size() != 1 || schedule.errors[0].rfind("f:1: ", 0) != 0) {
        return std::to_string(schedule.errors.size()) + " errors";
    }
    return schedule.errors[0].substr(5);
}

std::string notADuration(const std::string& text) {
    return '"' + text +
           "\" is not a duration: expected a whole number and its unit, such as 500ms, 10s, 5m, 2h "
           "or 1d";
}

}  // namespace

BOOST_AUTO_TEST_CASE(each_kind_of_line_says_when_a_name_and_a_command) {
    const test::TimeZone utc("UTC0");
    const Entry after = parseOne("after 500ms hello echo hello");
    BOOST_CHECK(after.kind == Kind::After);
    BOOST_CHECK(after.after == milliseconds(500));
    BOOST_CHECK(after.period == milliseconds(0));
    BOOST_TEST(after.name == "hello");
    BOOST_TEST(after.command == "echo hello");
    BOOST_TEST(!after.repeats());

    const Entry at = parseOne("at 2030-01-01T08:00:00 report ./report.sh");
    BOOST_CHECK(at.kind == Kind::At);
    BOOST_CHECK(at.at == jtimer::Date(milliseconds(1'893'484'800'000)));
    BOOST_TEST(at.name == "report");
    BOOST_CHECK(parseOne("at 2030-01-01T08:00:00+01:00 report x").at ==
                at.at - std::chrono::hours(1));
    BOOST_TEST(!at.repeats());

    const Entry every = parseOne("every 1s heartbeat date +%s");
    BOOST_CHECK(every.kind == Kind::Every);
    BOOST_CHECK(every.after == milliseconds(0));
    BOOST_CHECK(every.period == milliseconds(1000));
    BOOST_TEST(every.command == "date +%s");
    BOOST_TEST(every.repeats());

    const Entry rate = parseOne("rate 250ms sample cat /proc/loadavg");
    BOOST_CHECK(rate.kind == Kind::Rate);
    BOOST_CHECK(rate.period == milliseconds(250));
    BOOST_TEST(rate.repeats());
}

BOOST_AUTO_TEST_CASE(a_repetition_may_begin_after_a_duration) {
    const Entry every = parseOne("every 2s after 10s late echo ten seconds in");
    BOOST_CHECK(every.period == milliseconds(2000));
    BOOST_CHECK(every.after == milliseconds(10'000));
    BOOST_TEST(every.name == "late");
    BOOST_TEST(every.command == "echo ten seconds in");
    const Entry rate = parseOne("rate 2s after 0s late echo after 3s");
    BOOST_CHECK(rate.after == milliseconds(0));
    BOOST_TEST(rate.name == "late");
    BOOST_TEST(rate.command == "echo after 3s");
}

BOOST_AUTO_TEST_CASE(the_command_is_kept_to_the_letter) {
    BOOST_TEST(parseOne("every 1s h date  +%s   # fixed delay ").command ==
               "date  +%s   # fixed delay ");
    BOOST_TEST(parseOne("every 1s h echo 'a#b' \"$#\"\t;").command == "echo 'a#b' \"$#\"\t;");
    BOOST_TEST(parseOne(" \tafter\t1s \t h \t echo\t x").command == "echo\t x");
    BOOST_TEST(parseOne("after 1s #name : #command").name == "#name");
    BOOST_TEST(parseOne("after 1s h echo \xC3\xA4").command == "echo \xC3\xA4");
    BOOST_TEST(parseOne("after 1s h echo x\r\n").command == "echo x");
    BOOST_TEST(parseOne("after 1s h echo x\r\r\n").command == "echo x\r");
}

BOOST_AUTO_TEST_CASE(comments_and_empty_lines_mean_nothing_but_count_as_lines) {
    const Schedule schedule = parse("# when name command\n"
                                    "\n"
                                    " \t \n"
                                    "\t # evry 1s a b\n"
                                    "#\r\n"
                                    "\r\n"
                                    "after 1s a true\n"
                                    "bad\n"
                                    "after 1s b true");
    BOOST_TEST(schedule.entries.size() == 2U);
    BOOST_TEST(schedule.entries.back().name == "b");
    BOOST_REQUIRE(schedule.errors.size() == 1U);
    BOOST_TEST(schedule.errors[0].rfind("f:8: ", 0) == 0U);
    BOOST_TEST(parse("").entries.size() + parse("").errors.size() == 0U);
}

BOOST_AUTO_TEST_CASE(every_bad_line_is_reported_and_none_hides_another) {
    const Schedule schedule = parse("evry 1s a true\n"
                                    "after 1s b true\n"
                                    "after 1s c\n"
                                    "at noon d true\n"
                                    "after 36501d e true\n");
    const std::vector<std::string> expected{
        "f:1: \"evry\" is not a kind of schedule: expected after, at, every, rate, daily or cron",
        "f:3: \"c\" has no command: expected one after the name",
        "f:4: \"noon\" is not a time: expected YYYY-MM-DDTHH:MM:SS[.mmm][Z|+HH:MM|-HH:MM], such as "
        "2030-01-01T08:00:00",
        "f:5: \"36501d\" is too long: expected at most 36500d"};
    BOOST_TEST(schedule.errors == expected, boost::test_tools::per_element());
    BOOST_TEST(schedule.entries.size() == 1U);
}

BOOST_AUTO_TEST_CASE(a_line_that_ends_too_early_is_told_what_is_missing) {
    const std::string duration = "expected a duration, such as 500ms, 10s, 5m, 2h or 1d";
    BOOST_TEST(errorOf("after") == "nothing follows \"after\": " + duration);
    BOOST_TEST(errorOf("every ") == "nothing follows \"every\": " + duration);
    BOOST_TEST(errorOf("rate\t") == "nothing follows \"rate\": " + duration);
    BOOST_TEST(errorOf("every 1s after") == "nothing follows \"after\": " + duration);
    BOOST_TEST(errorOf("at") ==
               "nothing follows \"at\": expected a time, such as 2030-01-01T08:00:00 or 08:00");
    BOOST_TEST(errorOf("every 1s ") ==
               "the line has no name: expected a name and a command after the time");
    BOOST_TEST(errorOf("every 1s after 2s") ==
               "the line has no name: expected a name and a command after the time");
    BOOST_TEST(errorOf("after 1s hello ") ==
               "\"hello\" has no command: expected one after the name");
}

BOOST_AUTO_TEST_CASE(a_second_schedule_is_not_taken_for_a_name) {
    const auto error = [](const std::string& name) {
        return '"' + name +
               "\" cannot be a name: expected a word other than after, at, every, rate, daily and "
               "cron";
    };
    BOOST_TEST(errorOf("after 1s after 2s a echo") == error("after"));
    BOOST_TEST(errorOf("every 1s after 2s after 3s a echo") == error("after"));
    BOOST_TEST(errorOf("every 1s every 2s a echo") == error("every"));
    BOOST_TEST(errorOf("after 1s rate 2s a echo") == error("rate"));
    BOOST_TEST(errorOf("at 2030-01-01T08:00:00Z at 2030-01-01T08:00:00Z a echo") == error("at"));
    BOOST_TEST(errorOf("after 1s at") == error("at"));
    BOOST_TEST(parseOne("after 1s After x").name == "After");
    BOOST_TEST(parseOne("after 1s a after 2s").command == "after 2s");
}

BOOST_AUTO_TEST_CASE(a_name_is_printable_and_a_command_may_hold_any_bytes) {
    const auto error = [](const std::string& name) {
        return '"' + name + "\" cannot be a name: expected UTF-8 without control characters";
    };
    BOOST_TEST(errorOf("after 1s caf\xE9 echo") == error("caf\\xe9"));
    BOOST_TEST(errorOf("after 1s \x1b[31mred echo") == error("\\x1b[31mred"));
    BOOST_TEST(parseOne("after 1s caf\xC3\xA9 echo \xE9\x1b").command == "echo \xE9\x1b");
}

BOOST_AUTO_TEST_CASE(a_command_that_is_only_a_comment_is_refused) {
    const std::string error =
        "\"a\" has only a comment as its command: expected a command after the name";
    BOOST_TEST(errorOf("after 1s a #") == error);
    BOOST_TEST(errorOf("after 1s a  # echo x\r") == error);
    BOOST_TEST(parseOne("after 1s a : # nothing").command == ": # nothing");
}

BOOST_AUTO_TEST_CASE(a_byte_order_mark_begins_a_file_and_nothing_else) {
    const std::string mark = "\xEF\xBB\xBF";
    BOOST_TEST(parseOne(mark + "after 1s a true").name == "a");
    BOOST_TEST(parseOne(mark + "# comment\nafter 1s a true").name == "a");
    BOOST_TEST(parse(mark).errors.empty());
    BOOST_TEST(
        parse(mark + "bad 1s a true").errors[0] ==
        "f:1: \"bad\" is not a kind of schedule: expected after, at, every, rate, daily or cron");
    BOOST_TEST(
        errorOf(mark + mark + "after 1s a true") ==
        '"' + mark +
            "after\" is not a kind of schedule: expected after, at, every, rate, daily or cron");
    BOOST_TEST(parse("\n" + mark + "after 1s a true").errors.size() == 1U);
}

BOOST_AUTO_TEST_CASE(what_is_no_schedule_is_not_read_to_its_end) {
    std::string line = "after 1s a ";
    line.resize(1 << 20, 'x');
    BOOST_TEST(parseOne(line).command.size() == (1U << 20) - 11);
    std::istringstream endless(line + "x\nafter 1s a true\n");
    const Schedule schedule = parseSchedule(endless, "f");
    BOOST_TEST(schedule.errors ==
                   std::vector<std::string>{"f:1: the line is too long: expected at most 1 MiB"},
               boost::test_tools::per_element());
    BOOST_TEST(endless.tellg() == (1 << 20) + 1);

    std::string text;
    for (int i = 0; i < 150; ++i) text += "bad\n";
    const std::vector<std::string> errors = parse(text).errors;
    BOOST_REQUIRE(errors.size() == 101U);
    BOOST_TEST(errors[99].rfind("f:100: ", 0) == 0U);
    BOOST_TEST(errors[100] == "f: too many errors: the rest is not read");
}

BOOST_AUTO_TEST_CASE(what_stands_where_a_duration_should_is_quoted) {
    for (const std::string text : {"10", "ms", "10x", "10S", "1.5s", "-1s", "+1s", "1s2", "1s,",
                                   "0x1s", "99999999999999999999x", "10 s"}) {
        const std::string word = text.substr(0, text.find(' '));
        BOOST_TEST(errorOf("after " + text + " a true") == notADuration(word));
        BOOST_TEST(errorOf("every " + text + " a true") == notADuration(word));
        BOOST_TEST(errorOf("rate 1s after " + text + " a true") == notADuration(word));
    }
    BOOST_TEST(errorOf("every 1s after echo a true") == notADuration("echo"));
}

BOOST_AUTO_TEST_CASE(a_period_of_nothing_is_refused_and_a_delay_of_nothing_is_not) {
    for (const std::string zero : {"0ms", "0d", "000s"}) {
        const std::string error = '"' + zero + "\" is not a period: expected at least 1ms";
        BOOST_TEST(errorOf("every " + zero + " a true") == error);
        BOOST_TEST(errorOf("rate " + zero + " after 1s a true") == error);
        BOOST_CHECK(parseOne("after " + zero + " a true").after == milliseconds(0));
    }
}

BOOST_AUTO_TEST_CASE(a_zero_byte_is_refused_since_the_shell_would_not_see_what_follows) {
    const std::string error = "the line holds a zero byte: expected text";
    BOOST_TEST(errorOf(std::string("after 1s a echo \0 x", 19)) == error);
}

// Times of the calendar, and options.

BOOST_AUTO_TEST_CASE(times_of_the_calendar_are_in_the_zone_that_follows_or_local) {
    const test::TimeZone berlin(test::kBerlin);
    const jtimer::Date start(milliseconds(1'893'456'000'000));  // 2030-01-01T00:00:00Z
    const auto firstOf = [&](const Entry& entry) {
        BOOST_REQUIRE(entry.calendar.has_value());
        return (entry.calendar->next(start) - start) / std::chrono::minutes(1);
    };
    const Entry cron = parseOne("cron \"*/5 8-18 * * mon-fri\" UTC report ./report.sh --all");
    BOOST_CHECK(cron.kind == Kind::Cron);
    BOOST_TEST(cron.repeats());
    BOOST_TEST(cron.name == "report");
    BOOST_TEST(cron.command == "./report.sh --all");
    BOOST_TEST(firstOf(cron) == 8 * 60);
    BOOST_TEST(firstOf(parseOne("cron \"0 8 * * *\" report x")) == 7 * 60);
    BOOST_TEST(firstOf(parseOne("cron \" 0\t8 * * * \"\treport x")) == 7 * 60);

    const Entry daily = parseOne("daily 08:05 report x");
    BOOST_CHECK(daily.kind == Kind::Cron);
    BOOST_TEST(firstOf(daily) == 7 * 60 + 5);
    BOOST_TEST(firstOf(parseOne("daily 08:05 UTC report x")) == 8 * 60 + 5);

    const Entry at = parseOne("at 00:30 report x");
    BOOST_CHECK(at.kind == Kind::At);
    BOOST_TEST(!at.repeats());
    BOOST_TEST(firstOf(at) == 23 * 60 + 30);  // tomorrow's
    BOOST_TEST(firstOf(parseOne("at 00:30 UTC report x")) == 30);
    BOOST_TEST(parseOne("daily 08:05 Utc x").name == "Utc");
}

BOOST_AUTO_TEST_CASE(a_zone_is_never_a_name_wherever_it_stands) {
    const std::string error =
        " is a time zone: expected a name; zones follow HH:MM or a cron expression, and a date has "
        "an offset such as +01:00";
    BOOST_TEST(errorOf("at 2030-01-01T08:00:00 UTC a x") == "\"UTC\"" + error);
    BOOST_TEST(errorOf("daily 08:00 retry=3/10s UTC a x") == "\"UTC\"" + error);
    BOOST_TEST(errorOf("every 1m UTC x") == "\"UTC\"" + error);
    BOOST_TEST(parseOne("every 1m a/b x").name == "a/b");
    if (!jtimer::Zone::isKnown("CET") || !jtimer::Zone::isKnown("Europe/Berlin"))
        return;  // no package tzdata
    BOOST_TEST(parseOne("daily 08:00 CET a x").name == "a");
    BOOST_TEST(errorOf("at 2030-01-01T08:00:00 Europe/Berlin a x") == "\"Europe/Berlin\"" + error);
}

BOOST_AUTO_TEST_CASE(a59_a_cron_line_is_due_as_the_file_of_cases_says) {
    for (const test::CronCase& each : test::cronCases()) {
        const Entry entry = parseOne("cron \"" + each.expression + "\" " + each.zone + " a x");
        BOOST_TEST_CONTEXT(each.line)
        BOOST_TEST(test::inUtc(entry.firstDate(each.after)) == test::inUtc(each.due));
    }
}

BOOST_AUTO_TEST_CASE(what_is_wrong_with_a_time_of_the_calendar_is_told) {
    const std::string expected = R"(: expected one such as cron "*/5 8-18 * * mon-fri")";
    for (const std::string line :
         {"cron", "cron */5 * * * * a x", "cron \"* * * * * a x", "cron \"* * * * *\"a x"}) {
        BOOST_TEST(errorOf(line) == "no expression in quotes follows \"cron\"" + expected);
    }
    BOOST_TEST(errorOf("cron \"* * * *\" a x") ==
               "Cron expression \"* * * *\" has 4 fields: expected 5: minute, hour, day of month, "
               "month, day of week");
    BOOST_TEST(errorOf("daily") == "nothing follows \"daily\": expected a time, such as 08:00");
    BOOST_TEST(errorOf("daily 8:00 a x") ==
               "\"8:00\" is not a time of day: expected HH:MM, such as 08:00");
    BOOST_TEST(errorOf("at 8:00 a x") ==
               "\"8:00\" is not a time of day: expected HH:MM, such as 08:00");
    BOOST_TEST(errorOf("daily 24:00 a x") == "\"24:00\" has an impossible hour: expected 00 to 23");
    BOOST_TEST(errorOf("at 08:00:30 a x") ==
               "\"08:00:30\" is not a time of day: expected HH:MM, such as 08:00");
    BOOST_TEST(errorOf("at 08:60 a x") == "\"08:60\" has an impossible minute: expected 00 to 59");
    for (const std::string when : {"daily 08:00", "at 08:00", "cron \"* * * * *\""}) {
        const std::string error = errorOf(when + " Europe/Berln a x");
        BOOST_TEST(
            error.rfind("\"Europe/Berln\" is not a time zone here: expected a name in ", 0) == 0U);
    }
}

BOOST_AUTO_TEST_CASE(options_stand_between_the_time_and_the_name) {
    const Entry plain = parseOne("every 1s a x");
    BOOST_CHECK(plain.overlap == Overlap::Wait);
    BOOST_TEST(plain.retry.times == 0);
    const Entry entry =
        parseOne("cron \"* * * * *\" UTC  retry=3/10s  overlap=kill a x=y overlap=z");
    BOOST_CHECK(entry.overlap == Overlap::Kill);
    BOOST_TEST(entry.retry.times == 3);
    BOOST_CHECK(entry.retry.delay == milliseconds(10'000));
    BOOST_TEST(entry.name == "a");
    BOOST_TEST(entry.command == "x=y overlap=z");
    BOOST_CHECK(parseOne("every 1s overlap=skip a x").overlap == Overlap::Skip);
    BOOST_CHECK(parseOne("every 1s overlap=wait a x").overlap == Overlap::Wait);
    BOOST_CHECK(parseOne("every 1s retry=1000 a x").retry.delay == milliseconds(1000));
}

BOOST_AUTO_TEST_CASE(an_option_after_each_kind_of_time_is_one) {
    for (const std::string when :
         {"after 1s", "every 1s", "every 1s after 2s", "rate 1s", "rate 1s after 2s", "at 08:00",
          "at 08:00 UTC", "at 2030-01-01T08:00:00Z", "daily 08:00", "daily 08:00 UTC",
          "cron \"* * * * *\"", "cron \"* * * * *\" UTC"}) {
        const Entry entry = parseOne(when + " retry=3/10s overlap=skip a x");
        BOOST_TEST(entry.name == "a");
        BOOST_TEST(entry.retry.times == 3);
        BOOST_CHECK(entry.overlap == Overlap::Skip);
        BOOST_TEST(parseOne(when + " overlap=skip retry=3/10s a x").name == "a");
    }
}

BOOST_AUTO_TEST_CASE(an_option_elsewhere_is_told_where_it_stands) {
    BOOST_TEST(errorOf("overlap=skip every 1s a x") ==
               "\"overlap=skip\" begins the line: expected options after the time");
    BOOST_TEST(errorOf("every 1s a retry=3 x") ==
               "\"retry=3\" follows the name: expected options before it");
    BOOST_TEST(parseOne("every 1s a env retry=3 x").command == "env retry=3 x");
}

BOOST_AUTO_TEST_CASE(an_option_that_is_wrong_is_told_what_it_may_be) {
    BOOST_TEST(errorOf("every 1s overlp=skip a x") ==
               "\"overlp=skip\" is not an option: expected overlap=wait|skip|kill, "
               "retry=TIMES[/DURATION], timeout=DURATION, jitter=DURATION, start-within=DURATION, "
               "cwd=DIR, "
               "user=NAME, or a name without =");
    BOOST_TEST(errorOf("every 1s overlap=drop a x") ==
               "\"drop\" is not a rule for runs that overlap: expected wait, skip or kill");
    for (const std::string times : {"0", "1001", "-1", "x", "", "1x"}) {
        BOOST_TEST(errorOf("every 1s retry=" + times + " a x") ==
                   '"' + times +
                       "\" is not a number of retries: expected 1 to 1000, as in retry=3 or "
                       "retry=3/10s");
    }
    BOOST_TEST(errorOf("every 1s retry=3/ten a x") == notADuration("ten"));
    BOOST_TEST(errorOf("every 1s retry=3/ a x") == notADuration(""));
    BOOST_TEST(errorOf("every 1s retry=3 retry=4 a x") == "\"retry\" occurs twice: expected one");
    BOOST_TEST(errorOf("every 1s overlap=wait overlap=wait a x") ==
               "\"overlap\" occurs twice: expected one");
}

BOOST_AUTO_TEST_CASE(each_name_occurs_once) {
    const Schedule schedule = parse("every 1s a x\n\nevery 2s b x\nevery 3s a y\nat x a\n");
    BOOST_TEST(schedule.entries.size() == 2U);
    BOOST_REQUIRE(schedule.errors.size() == 2U);
    BOOST_TEST(schedule.errors[0] == "f:4: line 1 has the name \"a\" too: expected another one");
}

BOOST_AUTO_TEST_CASE(a_line_of_a_crontab_is_told_what_to_write) {
    const std::string crontab = "this is a line of a crontab: expected ";
    BOOST_TEST(errorOf("*/5 8-18 * * mon-fri  root  run-parts /x") ==
               crontab + "cron \"*/5 8-18 * * mon-fri\" NAME COMMAND, or --crontab");
    BOOST_TEST(errorOf("@daily x") == crontab + "daily 00:00 NAME COMMAND, or --crontab");
    BOOST_TEST(errorOf("@weekly x") == crontab + "cron \"0 0 * * 0\" NAME COMMAND, or --crontab");
    BOOST_TEST(errorOf("@reboot x") == crontab + "after 0s NAME COMMAND, or --crontab");
    BOOST_TEST(errorOf("1 2 3 4").rfind("\"1\" is not a kind of schedule", 0) == 0U);
    BOOST_TEST(errorOf("60 2 3 4 5 x").rfind("\"60\" is not a kind of schedule", 0) == 0U);
}
