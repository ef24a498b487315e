// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.

// When cron tasks are due, in time zones of the server, on a clock that the test moves.

#include "cluster/cron_dues.hpp"

#include "cluster/schema.hpp"
#include "cluster/store.hpp"
#include "support/cron_cases.hpp"

#include <jtimer/cluster/schedule.hpp>

#include <boost/test/unit_test.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace {

using namespace jtimer::cluster;
using namespace jtimer::cluster::detail;
using jtimer::MissedRuns;

struct Fixture : test::Schema {
    Fixture() : store(options) { node = store.registerNode({"one", 1'000'000'000}).node; }

    /// Moves the clock to a time in UTC; also back, as no user can.
    void moveTo(const std::string& time) {
        ask("update @.clock set shift = '" + time + "+00'::timestamptz - statement_timestamp()");
    }

    void schedule(const std::string& expression, const std::string& zone,
                  MissedRuns missedRuns = MissedRuns::Once) {
        store.schedule(
            {{"n", "i", Schedule::cron(expression, zone, missedRuns), {}, IfExists::Replace}});
    }

    /// In UTC.
    std::string due() { return ask("select due at time zone 'UTC' from @.task"); }

    /// Runs the task at its due, and ends it at a time, or at once.
    void run(const std::string& endsAt = {}) {
        moveTo(due());
        const std::vector<ClaimedTask> tasks = store.claim(node, {"n"}, 1).tasks;
        BOOST_REQUIRE(tasks.size() == 1U);
        if (!endsAt.empty()) moveTo(endsAt);
        End end;
        end.task = std::make_shared<const ClaimedTask>(tasks[0]);
        write(end);
    }

    void write(const End& end) {
        std::vector<End> ends{end};
        BOOST_TEST((store.writeEnds(ends)[0] == EndStatus::Written));
    }

    std::string missed() { return ask("select missed_runs from @.task"); }

    Store store;
    NodeNumber node;
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(cron_dues, Fixture)

BOOST_AUTO_TEST_CASE(k29_a_local_time_is_due_at_its_instant) {
    moveTo("2026-01-10 12:34:56");
    schedule("0 2 * * *", "UTC");
    BOOST_TEST(due() == "2026-01-11 02:00:00");
    schedule("0 2 * * *", "Europe/Berlin");
    BOOST_TEST(due() == "2026-01-11 01:00:00");
    schedule("*/15 * * * *", "Asia/Kathmandu");  // 5:45 ahead
    BOOST_TEST(due() == "2026-01-10 12:45:00");
    schedule("0 0 29 2 *", "UTC");
    BOOST_TEST(due() == "2028-02-29 00:00:00");
    moveTo("2026-07-10 12:00:00");
    schedule("0 2 * * *", "Europe/Berlin");
    BOOST_TEST(due() == "2026-07-11 00:00:00");
}

BOOST_AUTO_TEST_CASE(k29_a_due_is_later_than_now_and_than_the_last_due) {
    moveTo("2026-01-10 11:59:30");
    schedule("0 12 * * *", "UTC");
    BOOST_TEST(due() == "2026-01-10 12:00:00");
    moveTo("2026-01-10 12:00:00");
    schedule("0 12 * * *", "UTC");
    BOOST_TEST(due() == "2026-01-11 12:00:00");
    run();
    BOOST_TEST(due() == "2026-01-12 12:00:00");
}

BOOST_AUTO_TEST_CASE(k29_a_local_time_that_is_skipped_runs_that_much_later) {
    moveTo("2026-03-28 12:00:00");  // summer time begins at 01:00 UTC on the 29th
    schedule("30 2 * * *", "Europe/Berlin");
    BOOST_TEST(due() == "2026-03-29 01:30:00");  // 03:30 there
    run();
    BOOST_TEST(due() == "2026-03-30 00:30:00");
    run();
    BOOST_TEST(due() == "2026-03-31 00:30:00");
}

BOOST_AUTO_TEST_CASE(k29_no_instant_is_due_twice_where_local_times_meet) {
    moveTo("2026-03-29 00:10:00");
    schedule("*/30 * * * *", "Europe/Berlin");
    std::string dues;
    for (int i = 0; i < 6; ++i) {
        dues += due().substr(11, 5) + ' ';
        run();
    }
    BOOST_TEST(dues == "00:30 01:00 01:30 02:00 02:30 03:00 ");
}

BOOST_AUTO_TEST_CASE(k29_what_keeps_its_interval_is_due_at_each_instant_whose_local_time_matches) {
    const auto dues = [&](const std::string& expression, const std::string& after, int count) {
        moveTo(after);
        schedule(expression, "Europe/Berlin");
        std::string text;
        for (int i = 0; i < count; ++i) {
            text += (i == 0 ? "" : " ") + due().substr(8, 8);
            run();
        }
        return text;
    };
    BOOST_TEST(dues("*/30 2 * * *", "2026-10-24 23:30:00", 5) ==
               "25 00:00 25 00:30 25 01:00 25 01:30 26 01:00");
    BOOST_TEST(dues("0 * * * *", "2026-10-24 23:30:00", 3) == "25 00:00 25 01:00 25 02:00");
    BOOST_TEST(dues("*/30 2 * * *", "2026-03-28 01:10:00", 2) == "28 01:30 30 00:00");
    BOOST_TEST(dues("*/30 2 29 3 *", "2026-03-01 00:00:00", 1) == "29 00:00");  // next year
    BOOST_TEST(due().substr(0, 4) == "2027");
}

BOOST_AUTO_TEST_CASE(a59_a_cron_task_is_due_as_the_file_of_cases_says) {
    for (const test::CronCase& each : test::cronCases()) {
        const auto text = [](jtimer::Date date) {
            const std::string utc = test::inUtc(date);  // 2026-01-01T08:00:00Z
            return utc.substr(0, 10) + ' ' + utc.substr(11, 8);
        };
        moveTo(text(each.after));
        schedule(each.expression, each.zone);
        BOOST_TEST_CONTEXT(each.line) BOOST_TEST(due() == text(each.due));
    }
}

BOOST_AUTO_TEST_CASE(k29_a_local_time_that_occurs_twice_runs_once_the_second_time) {
    moveTo("2026-10-24 12:00:00");  // summer time ends at 01:00 UTC on the 25th
    schedule("30 2 * * *", "Europe/Berlin");
    BOOST_TEST(due() == "2026-10-25 01:30:00");
    run();
    BOOST_TEST(due() == "2026-10-26 01:30:00");
    moveTo("2026-10-25 00:30:30");  // 02:30:30 for the first time
    schedule("30 2 * * *", "Europe/Berlin");
    BOOST_TEST(due() == "2026-10-25 01:30:00");
}

BOOST_AUTO_TEST_CASE(k29_a_day_that_a_zone_skips_runs_a_day_later) {
    moveTo("2011-12-29 12:00:00");  // Samoa had no 30th of December
    schedule("0 12 30 * *", "Pacific/Apia");
    BOOST_TEST(due() == "2011-12-30 22:00:00");  // 12:00 on the 31st
    run();
    BOOST_TEST(due() == "2012-01-29 22:00:00");
}

BOOST_AUTO_TEST_CASE(k26_missed_runs_of_cron_tasks_are_repeated_skipped_or_merged) {
    const auto nextAfterTwoHours = [&](MissedRuns missedRuns) {
        moveTo("2026-01-10 11:55:00");
        schedule("*/10 * * * *", "Europe/Berlin", missedRuns);
        run("2026-01-10 14:05:00");
        return due().substr(11, 5) + ' ' + missed();
    };
    BOOST_TEST(nextAfterTwoHours(MissedRuns::Burst) == "12:10 0");
    BOOST_TEST(nextAfterTwoHours(MissedRuns::Skip) == "14:10 12");
    BOOST_TEST(nextAfterTwoHours(MissedRuns::Once) == "14:00 11");
}

BOOST_AUTO_TEST_CASE(k26_missed_runs_are_counted_across_the_end_of_summer_time) {
    const auto next = [&](MissedRuns missedRuns, const std::string& endsAt) {
        moveTo("2026-10-24 22:40:00");
        schedule("0 * * * *", "Europe/Berlin", missedRuns);
        run(endsAt);
        return due().substr(11, 5) + ' ' + missed();
    };
    // Local hours 1, 2, 2, 3, 4 are 23:00, 00:00, 01:00, 02:00, 03:00 UTC.
    BOOST_TEST(next(MissedRuns::Skip, "2026-10-25 02:30:00") == "03:00 3");
    BOOST_TEST(next(MissedRuns::Once, "2026-10-25 02:30:00") == "02:00 2");
    BOOST_TEST(next(MissedRuns::Once, "2026-10-25 00:30:00") == "00:00 0");
}

BOOST_AUTO_TEST_CASE(k26_what_was_missed_before_the_day_of_a_shift_counts_too) {
    const auto next = [&](MissedRuns missedRuns, const std::string& endsAt) {
        moveTo("2026-03-01 12:00:00");
        schedule("0 12 * * mon", "Europe/Berlin", missedRuns);
        run(endsAt);
        return due().substr(5, 11) + ' ' + missed();
    };
    // Mondays at 11:00 UTC; summer time begins on Sunday the 29th of March.
    for (const std::string endsAt : {"2026-03-27 11:00:00", "2026-03-29 11:00:00"}) {
        BOOST_TEST(next(MissedRuns::Burst, endsAt) == "03-09 11:00 0");
        BOOST_TEST(next(MissedRuns::Skip, endsAt) == "03-30 10:00 3");
        BOOST_TEST(next(MissedRuns::Once, endsAt) == "03-23 11:00 2");
    }
    BOOST_TEST(next(MissedRuns::Once, "2026-03-30 11:00:00") == "03-30 10:00 3");
}

BOOST_AUTO_TEST_CASE(k26_missed_runs_that_were_due_at_one_instant_count_once) {
    moveTo("2026-03-28 12:00:00");
    schedule("30 2,3 * * *", "Europe/Berlin", MissedRuns::Skip);
    BOOST_TEST(due() == "2026-03-29 01:30:00");
    run();
    // Local time skips the hour from 2 to 3: both are due at 01:30 in UTC.
    BOOST_TEST(due() == "2026-03-30 00:30:00");
    moveTo("2026-03-28 00:00:00");
    schedule("30 2,3 * * *", "Europe/Berlin", MissedRuns::Skip);
    BOOST_TEST(due() == "2026-03-28 01:30:00");
    run("2026-03-29 12:00:00");
    BOOST_TEST(due() == "2026-03-30 00:30:00");
    BOOST_TEST(missed() == "2");
}

BOOST_AUTO_TEST_CASE(k29_a_run_that_is_repeated_or_put_off_does_not_end_its_period) {
    moveTo("2026-01-10 11:55:00");
    schedule("0 * * * *", "Europe/Berlin");
    moveTo(due());
    End end;
    end.task = std::make_shared<const ClaimedTask>(store.claim(node, {"n"}, 1).tasks.at(0));
    end.kind = End::Kind::Retry;
    end.error = "broken";
    write(end);
    BOOST_TEST(due() == "2026-01-10 12:00:00");
    end.task = std::make_shared<const ClaimedTask>(store.claim(node, {"n"}, 1).tasks.at(0));
    BOOST_TEST(end.task->attempt == 2);
    end.kind = End::Kind::Success;
    end.again = jtimer::When(90'000);
    end.error.clear();
    write(end);
    BOOST_TEST(ask("select due between @.now() + interval '80 s' and @.now() + interval '90 s'"
                   " from @.task") == "t");
}

BOOST_AUTO_TEST_CASE(k29_what_is_due_after_all_dates_is_due_at_the_last_one) {
    Recurrence minutely;
    minutely.kind = Kind::Cron;
    minutely.expression = "* * * * *";
    minutely.zone = "UTC";
    Session session(options, options.conninfo);
    session.connect();
    BOOST_TEST(nextCronDue(session, minutely, kLastMicros).due == kLastMicros);
}

BOOST_AUTO_TEST_CASE(k26_years_of_missed_minutes_take_no_time) {
    moveTo("2026-01-01 00:00:30");
    schedule("* * * * *", "America/New_York");
    run("2028-01-01 00:00:30");
    BOOST_TEST(due() == "2028-01-01 00:00:00");
    // Two years have 1,051,200 minutes. Long before now local times are counted, whose hours in
    // two springs and two autumns make up for each other.
    BOOST_TEST(std::stoll(missed()) <= 1'051'200 - 1);
    BOOST_TEST(std::stoll(missed()) >= 1'051'200 - 240);
}

BOOST_AUTO_TEST_CASE(a_cron_task_whose_zone_the_server_has_forgotten_dies) {
    schedule("* * * * *", "Europe/Berlin");
    ask("update @.task set due = @.now(), wake = @.now(), zone = 'Gone/Away'");
    const auto task = std::make_shared<const ClaimedTask>(store.claim(node, {"n"}, 1).tasks.at(0));
    End end;
    end.task = task;
    write(end);
    const auto found = store.find("n", "i");
    BOOST_TEST((found->state == State::Dead));
    BOOST_TEST(found->lastError.find("Gone/Away") != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()
