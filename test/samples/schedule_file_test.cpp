// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "run_schedule/schedule_file.hpp"

#include "run_schedule/player.hpp"
#include "support/manual_timer.hpp"

#include <boost/test/unit_test.hpp>

#include <cstdlib>
#include <ctime>
#include <sstream>
#include <string>
#include <vector>

using std::chrono::milliseconds;
using Kind = Entry::Kind;

namespace {

/// Local time is that of `zone` while it lives.
class TimeZone {
  public:
    explicit TimeZone(const char* zone) {
        if (const char* before = std::getenv("TZ")) before_ = before;
        set(zone);
    }
    TimeZone(const TimeZone&) = delete;
    TimeZone& operator=(const TimeZone&) = delete;
    ~TimeZone() { set(before_.empty() ? nullptr : before_.c_str()); }

  private:
    static void set(const char* zone) {
        zone == nullptr ? unsetenv("TZ") : setenv("TZ", zone, 1);
        tzset();
    }

    std::string before_;
};

/// As a rule of POSIX, which needs no database of time zones: Berlin's.
constexpr const char* kBerlin = "CET-1CEST,M3.5.0,M10.5.0/3";

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

/// Milliseconds since 1970.
std::int64_t millisOf(const std::string& localTime) {
    return parseLocalTime(localTime).time_since_epoch() / milliseconds(1);
}

std::string notADuration(const std::string& text) {
    return '"' + text +
           "\" is not a duration: expected a whole number and its unit, such as 500ms, 10s, 5m, 2h "
           "or 1d";
}

std::string notALocalTime(const std::string& text) {
    return '"' + text +
           "\" is not a local time: expected YYYY-MM-DDTHH:MM:SS or YYYY-MM-DDTHH:MM:SS.mmm, such "
           "as "
           "2030-01-01T08:00:00";
}

}  // namespace

BOOST_AUTO_TEST_CASE(each_kind_of_line_says_when_a_name_and_a_command) {
    const TimeZone utc("UTC0");
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
    BOOST_TEST(parseOne("after 1s #name #command").name == "#name");
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
                                    "at noon d true\n");
    const std::vector<std::string> expected{
        "f:1: \"evry\" is not a way to say when: expected after, at, every or rate",
        "f:3: \"c\" has no command: expected one after the name", "f:4: " + notALocalTime("noon")};
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
               "nothing follows \"at\": expected a local time, such as 2030-01-01T08:00:00");
    BOOST_TEST(errorOf("every 1s ") ==
               "the line has no name: expected a name and a command after the time");
    BOOST_TEST(errorOf("every 1s after 2s") ==
               "the line has no name: expected a name and a command after the time");
    BOOST_TEST(errorOf("after 1s hello ") ==
               "\"hello\" has no command: expected one after the name");
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
        BOOST_TEST(errorOf("after " + text + " a true") == error);
        BOOST_TEST(errorOf("every " + text + " a true") == error);
        BOOST_TEST(errorOf("rate 1s after " + text + " a true") == error);
    }
}

BOOST_AUTO_TEST_CASE(a_local_time_that_has_another_shape_is_quoted_with_the_right_one) {
    for (const std::string text :
         {"noon", "2030-01-01", "08:00:00", "2030-1-1T08:00:00", "2030-01-01T08:00",
          "2030-01-01t08:00:00", "2030/01/01T08:00:00", "2030-01-01T08:00:00Z",
          "2030-01-01T08:00:00.", "2030-01-01T08:00:00.5", "2030-01-01T08:00:00.5000",
          "2030-01-01T08:00:00,500", "+030-01-01T08:00:00", "12030-01-01T08:00:00"}) {
        BOOST_TEST(errorOf("at " + text + " a true") == notALocalTime(text));
    }
    BOOST_TEST(errorOf("at 2030-01-01 08:00:00 a true") == notALocalTime("2030-01-01"));
}

BOOST_AUTO_TEST_CASE(an_impossible_date_is_refused_with_the_range_of_the_field) {
    const TimeZone utc("UTC0");
    const auto check = [](const std::string& text, const std::string& what) {
        BOOST_TEST(errorOf("at " + text + " a true") ==
                   '"' + text + "\" has an impossible " + what);
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
}

BOOST_AUTO_TEST_CASE(a_local_time_is_read_to_the_millisecond) {
    const TimeZone utc("UTC0");
    BOOST_TEST(millisOf("1971-01-01T00:00:00") == 31'536'000'000);
    BOOST_TEST(millisOf("2000-02-29T23:59:59.999") == 951'868'799'999);
    BOOST_TEST(millisOf("2030-01-01T08:00:00.050") == 1'893'484'800'050);
    BOOST_TEST(millisOf("2030-01-01T08:00:00.000") == 1'893'484'800'000);
    BOOST_TEST(millisOf("2199-12-31T23:59:59") == 7'258'118'399'000);
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
        BOOST_TEST(
            errorOf("at " + text + " a true") ==
            '"' + text +
                "\" is skipped by the clocks here: expected a local time that exists, earlier "
                "or later that day");
    }
}

BOOST_AUTO_TEST_CASE(of_a_local_time_that_the_clocks_show_twice_the_first_is_meant) {
    const TimeZone berlin(kBerlin);
    const std::int64_t fold =
        1'919'293'200'000;         // 2030-10-27T01:00:00Z: 03:00 summer becomes 02:00
    for (int i = 0; i < 2; ++i) {  // mktime's own choice depends on its last answer
        millisOf(i == 0 ? "2030-07-01T00:00:00" : "2030-12-01T00:00:00");
        BOOST_TEST(millisOf("2030-10-27T02:00:00") == fold - 3'600'000);
        BOOST_TEST(millisOf("2030-10-27T02:59:59") == fold - 1'000);
        BOOST_TEST(millisOf("2030-10-27T03:00:00") == fold + 3'600'000);
    }
}

BOOST_AUTO_TEST_CASE(a_zero_byte_is_refused_since_the_shell_would_not_see_what_follows) {
    const std::string error = "the line holds a zero byte: expected text";
    BOOST_TEST(errorOf(std::string("after 1s a echo \0 x", 19)) == error);
}

// --- what becomes of a schedule -----------------------------------------------------------------

namespace {

/// Plays a schedule on a manual clock; `log` says what ran when, in milliseconds from the start.
struct ManualPlayer {
    std::shared_ptr<jtimer::ManualClock> clock =
        std::make_shared<jtimer::ManualClock>(test::kStart);
    test::Log log{clock};
    std::string failing;                   // the name of the task that fails
    std::function<void()> during = [] {};  // each run
    Player player;

    explicit ManualPlayer(const std::string& text)
        : player(parse(text).entries, clock, [this](const Entry& entry) {
              log.write(entry.name);
              during();
              return entry.name != failing;
          }) {}

    /// The table as text: name, runs, failures, median and worst lateness in microseconds.
    std::string table() {
        std::ostringstream text;
        for (const auto& [name, statistics] : player.rows()) {
            text << name << ' ' << statistics.runs() << ' ' << statistics.failures();
            if (statistics.runs() > 0) {
                text << ' ' << statistics.medianLateness().count() << ' '
                     << statistics.worstLateness().count();
            }
            text << '\n';
        }
        return text.str();
    }
};

}  // namespace

BOOST_AUTO_TEST_CASE(j90_j92_ties_run_in_the_jdks_order_and_nothing_before_all_is_scheduled) {
    ManualPlayer once("after 0s a x\nafter 0s b x\nafter 0s c x\nafter 0s d x");
    once.player.start();
    once.clock->waitUntilIdle();
    BOOST_TEST(once.log.take() == "a@0 d@0 c@0 b@0");

    ManualPlayer past("after 0s now x\nat 2000-01-01T00:00:00 past x");
    past.player.start();
    past.clock->waitUntilIdle();
    BOOST_TEST(past.log.take() == "past@0 now@0");

    ManualPlayer repeating("rate 1s 1 x\nevery 1s 2 x\nrate 1s 3 x\nevery 1s 4 x\n");
    repeating.player.start();
    repeating.clock->advance(1000);
    BOOST_TEST(repeating.log.take() == "1@0 2@0 4@0 3@0 3@1000 2@1000 1@1000 4@1000");
}

BOOST_AUTO_TEST_CASE(j83_a_late_rate_is_late_against_its_grid_even_when_it_catches_up) {
    ManualPlayer p("rate 100ms after 10ms r x");
    p.during = [&p, run = 0]() mutable {
        if (++run == 2) p.clock->advance(250);
    };
    p.player.start();
    p.clock->advanceTo(test::at(360));
    BOOST_TEST(p.log.take() == "r@10 r@110 r@360 r@360");
    p.player.finish();
    BOOST_TEST(p.table() == "r 4 0 25000 150000\n");  // 0, 0, 50 and 150 ms
}

BOOST_AUTO_TEST_CASE(j84_a_late_every_is_late_once_for_its_next_run_is_planned_from_its_start) {
    ManualPlayer p("every 100ms after 10ms e x");
    p.during = [&p, run = 0]() mutable {
        if (++run == 2) p.clock->advance(250);
    };
    p.player.start();
    p.clock->advanceTo(test::at(660));
    BOOST_TEST(p.log.take() == "e@10 e@110 e@360 e@460 e@560 e@660");
    p.player.finish();
    BOOST_TEST(p.table() == "e 6 0 0 150000\n");
}

BOOST_AUTO_TEST_CASE(a_task_that_another_one_keeps_waiting_is_late_by_that) {
    ManualPlayer p("after 10ms slow x\nafter 15ms next x\nafter 1h never x");
    p.during = [&p, run = 0]() mutable {
        if (++run == 1) p.clock->advance(std::chrono::microseconds(7125));
    };
    p.player.start();
    p.clock->advance(1000);
    p.player.finish();
    BOOST_TEST(p.table() == "slow 1 0 0 0\nnext 1 0 2125 2125\nnever 0 0\n");
}

BOOST_AUTO_TEST_CASE(failures_are_counted_and_stop_nothing) {
    ManualPlayer p("rate 1s bad x\nrate 1s good x");
    p.failing = "bad";
    p.player.start();
    p.clock->advance(4000);
    p.player.finish();
    BOOST_TEST(p.table() == "bad 5 5 0 0\ngood 5 0 0 0\n");
}

BOOST_AUTO_TEST_CASE(the_end_is_told_once_after_the_last_run_unless_something_repeats) {
    const auto endsOf = [](const std::string& text) {
        ManualPlayer p(text);
        p.player.start([&p] { p.log.write("end"); });
        p.clock->advance(5000);
        return p.log.take();
    };
    BOOST_TEST(endsOf("") == "end@0");
    BOOST_TEST(endsOf("after 2s a x") == "a@2000 end@2000");
    BOOST_TEST(endsOf("after 2s a x\nafter 1s b x\n") == "b@1000 a@2000 end@2000");
    BOOST_TEST(endsOf("after 2s a x\nafter 1h b x\n") == "a@2000");
    BOOST_TEST(endsOf("after 2s a x\nevery 1h b x\n") == "b@0 a@2000");
}

BOOST_AUTO_TEST_CASE(a_cancelled_schedule_completes_the_run_and_begins_no_other) {
    ManualPlayer p("rate 1s a x\nafter 1s b x");
    std::string running;
    p.during = [&] {
        running += p.player.running()->name;
        p.player.cancel();
    };
    p.player.start();
    p.clock->advance(5000);
    BOOST_TEST(p.log.take() == "a@0");
    BOOST_TEST(running == "a");
    BOOST_TEST(p.player.running() == nullptr);
    p.player.finish();
    BOOST_TEST(p.table() == "a 1 0 0 0\nb 0 0\n");
}

BOOST_AUTO_TEST_CASE(the_median_is_the_middle_value_or_the_mean_of_the_middle_two) {
    using std::chrono::microseconds;
    Statistics statistics;
    std::vector<std::int64_t> medians;
    for (const int lateness : {5, 1, 9, 9, 9, 1, 1, 2}) {
        statistics.add(microseconds(lateness), false);
        medians.push_back(statistics.medianLateness().count());
    }
    BOOST_TEST(medians == std::vector<std::int64_t>({5, 3, 5, 7, 9, 7, 5, 3}),
               boost::test_tools::per_element());
    BOOST_TEST(statistics.worstLateness().count() == 9);
}
