// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "run_schedule/jitter.hpp"
#include "run_schedule/options.hpp"
#include "run_schedule/player.hpp"
#include "support/manual_timer.hpp"
#include "support/time_zone.hpp"
#include "text/host_name.hpp"
#include "text/time_text.hpp"
#include "tools/entries.hpp"

#include <boost/test/unit_test.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>

using namespace std::chrono_literals;
using test::entriesOf;

namespace {

/// A wall clock that is right until the test sets it.
class SetClock final : public jtimer::WallClock {
  public:
    explicit SetClock(std::shared_ptr<const jtimer::Clock> right) : right_(std::move(right)) {}

    std::chrono::nanoseconds ahead{0};
    std::function<void()> whenRead = [] {};

    std::int64_t nanos() const override {
        whenRead();
        return right_->nanos() + ahead.count();
    }

  private:
    const std::shared_ptr<const jtimer::Clock> right_;
};

/// Plays a schedule on a manual clock; `log` says what ran when, in milliseconds from the start.
struct ManualPlayer {
    enum class Wall { IsTheTimers, CanBeSet };

    std::shared_ptr<jtimer::ManualClock> clock =
        std::make_shared<jtimer::ManualClock>(test::kStart);
    std::shared_ptr<SetClock> wall = std::make_shared<SetClock>(clock);
    test::Log log{clock};
    std::string failing;                   // the name of the task that fails
    std::function<void()> during = [] {};  // each run
    std::string notices;
    std::uint64_t localTime = 0;  // how often it has changed
    Ledger ledger;
    Player player;

    explicit ManualPlayer(std::string text, Wall which = Wall::IsTheTimers, bool catchUp = true)
        : player(clocks(which), ledger, actions(), {1, catchUp, 5s}), text_(std::move(text)) {}

    void start(std::function<void()> whenAllHaveRun = [] {}) {
        player.start(entriesOf(text_), std::move(whenAllHaveRun));
    }

    Player::Actions actions() {
        Player::Actions actions;
        actions.launch = [this](const Job& job, const Player::Done& done) {
            log.write(job.entry->name);
            during();
            done(job.entry->name != failing);
        };
        actions.notify = [this](Level, const std::string& text) { notices += text; };
        return actions;
    }

    Clocks clocks(Wall which) const {
        if (which == Wall::CanBeSet) return {clock, wall, [this] { return localTime; }};
        return {clock, clock, [this] { return localTime; }};
    }

    /// The table as text: name, runs, failures, median and greatest lateness in microseconds.
    std::string table() {
        std::ostringstream text;
        for (const Record& record : ledger.records()) {
            const jtimer::LatenessHistogram& lateness = record.lateness;
            text << record.name << ' ' << lateness.count() << ' ' << record.failures;
            if (lateness.count() > 0) {
                text << ' ' << lateness.percentile(50) / 1us << ' ' << lateness.max() / 1us;
            }
            text << '\n';
        }
        return text.str();
    }

  private:
    const std::string text_;
};

using Wall = ManualPlayer::Wall;

}  // namespace

BOOST_AUTO_TEST_CASE(j90_j92_ties_run_in_the_jdks_order_and_nothing_before_all_is_scheduled) {
    ManualPlayer once("after 0s a x\nafter 0s b x\nafter 0s c x\nafter 0s d x");
    once.start();
    once.clock->waitUntilIdle();
    BOOST_TEST(once.log.take() == "a@0 d@0 c@0 b@0");

    ManualPlayer past("after 0s now x\nat 2000-01-01T00:00:00 past x");
    past.start();
    past.clock->waitUntilIdle();
    BOOST_TEST(past.log.take() == "past@0 now@0");

    ManualPlayer repeating("rate 1s 1 x\nevery 1s 2 x\nrate 1s 3 x\nevery 1s 4 x\n");
    repeating.start();
    repeating.clock->advance(1000);
    BOOST_TEST(repeating.log.take() == "1@0 2@0 4@0 3@0 3@1000 2@1000 1@1000 4@1000");
}

BOOST_AUTO_TEST_CASE(j83_a_late_rate_is_late_against_its_grid_even_when_it_catches_up) {
    ManualPlayer p("rate 100ms after 10ms r x");
    p.during = [&p, run = 0]() mutable {
        if (++run == 2) p.clock->advance(250);
    };
    p.start();
    p.clock->advanceTo(test::at(360));
    BOOST_TEST(p.log.take() == "r@10 r@110 r@360 r@360");
    p.player.finish();
    BOOST_TEST(p.table() == "r 4 0 1 150000\n");  // 0, 0, 50 and 150 ms
}

BOOST_AUTO_TEST_CASE(j84_a_late_every_is_late_once_for_its_next_run_is_planned_from_its_start) {
    ManualPlayer p("every 100ms after 10ms e x");
    p.during = [&p, run = 0]() mutable {
        if (++run == 2) p.clock->advance(250);
    };
    p.start();
    p.clock->advanceTo(test::at(660));
    BOOST_TEST(p.log.take() == "e@10 e@110 e@360 e@460 e@560 e@660");
    p.player.finish();
    BOOST_TEST(p.table() == "e 6 0 1 150000\n");
}

BOOST_AUTO_TEST_CASE(setting_the_wall_clock_neither_stops_nor_repeats_what_has_a_duration) {
    ManualPlayer p("every 1s e x\nrate 1s r x\nafter 5s once x", Wall::CanBeSet);
    p.start();
    p.clock->advance(2500);
    p.log.take();
    p.wall->ahead = -1h;
    p.clock->advance(2000);
    BOOST_TEST(p.log.take() == "r@3000 e@3000 e@4000 r@4000");
    p.wall->ahead = 24h;
    p.clock->advance(2000);
    BOOST_TEST(p.log.take() == "r@5000 e@5000 once@5000 e@6000 r@6000");
    p.player.finish();
    BOOST_TEST(p.table() == "e 7 0 0 0\nr 7 0 0 0\nonce 1 0 0 0\n");
}

BOOST_AUTO_TEST_CASE(what_runs_at_a_time_follows_the_wall_clock_wherever_it_is_set) {
    const std::string text = "at 2001-09-09T01:46:50Z ten x";  // ten seconds from the start
    const auto runs = [&](std::chrono::nanoseconds set) {
        ManualPlayer p(text, Wall::CanBeSet);
        p.start();
        p.clock->advance(4500);
        p.wall->ahead = set;
        p.clock->advance(2h);
        p.player.finish();
        return p.log.take() + ", " + p.table();
    };
    BOOST_TEST(runs(0s) == "ten@10000, ten 1 0 0 0\n");
    BOOST_TEST(runs(-1h) == "ten@3610000, ten 1 0 0 0\n");
    BOOST_TEST(runs(-1ms) == "ten@10001, ten 1 0 0 0\n");
    BOOST_TEST(runs(3s) == "ten@7000, ten 1 0 0 0\n");
    // At the next look at the clock, which is then late by the rest.
    BOOST_TEST(runs(1h) == "ten@5000, ten 1 0 3595000000 3595000000\n");
}

BOOST_AUTO_TEST_CASE(what_has_run_at_its_time_does_not_run_again_when_that_comes_back) {
    ManualPlayer p("at 2001-09-09T01:46:50Z ten x\nat 2001-09-09T01:47:00Z twenty x",
                   Wall::CanBeSet);
    p.start([&p] { p.log.write("end"); });
    p.clock->advance(12'000);
    p.wall->ahead = -10s;
    p.clock->advance(60'000);
    BOOST_TEST(p.log.take() == "ten@10000 twenty@30000 end@30000");
}

BOOST_AUTO_TEST_CASE(what_is_overdue_by_the_wall_clock_runs_in_the_order_of_its_times) {
    ManualPlayer p("at 2001-09-09T01:46:48Z c x\nat 2001-09-09T01:46:46Z a x\n"
                   "after 5001ms once x\nat 2001-09-09T01:46:47Z b x\nat 2001-09-09T01:47:00Z d x",
                   Wall::CanBeSet);
    p.start();
    p.clock->advance(4500);
    p.wall->ahead = 10s;
    p.clock->advance(60'000);
    BOOST_TEST(p.log.take() == "a@5000 b@5000 c@5000 once@5001 d@10000");
}

BOOST_AUTO_TEST_CASE(a_schedule_that_is_cancelled_while_it_is_being_read_in_ends_quietly) {
    ManualPlayer p("at 2001-09-09T01:46:50Z a x\nat 2001-09-09T01:46:50Z b x", Wall::CanBeSet);
    p.wall->whenRead = [&p] { p.player.cancel(); };
    p.start();
    p.clock->advance(60'000);
    p.player.finish();
    BOOST_TEST(p.table() == "a 0 0\nb 0 0\n");
}

BOOST_AUTO_TEST_CASE(a_task_that_is_held_up_by_another_is_late_by_that_time) {
    ManualPlayer p("after 10ms slow x\nafter 15ms next x\nafter 1h never x");
    p.during = [&p, run = 0]() mutable {
        if (++run == 1) p.clock->advance(std::chrono::microseconds(7125));
    };
    p.start();
    p.clock->advance(1000);
    p.player.finish();
    BOOST_TEST(p.table() == "slow 1 0 0 0\nnext 1 0 2125 2125\nnever 0 0\n");
}

BOOST_AUTO_TEST_CASE(failures_are_counted_and_stop_nothing) {
    ManualPlayer p("rate 1s bad x\nrate 1s good x");
    p.failing = "bad";
    p.start();
    p.clock->advance(4000);
    p.player.finish();
    BOOST_TEST(p.table() == "bad 5 5 0 0\ngood 5 0 0 0\n");
}

BOOST_AUTO_TEST_CASE(the_end_is_told_once_after_the_last_run_unless_something_repeats) {
    const auto endsOf = [](const std::string& text) {
        ManualPlayer p(text);
        p.start([&p] { p.log.write("end"); });
        p.clock->advance(5000);
        return p.log.take();
    };
    BOOST_TEST(endsOf("") == "end@0");
    BOOST_TEST(endsOf("after 2s a x") == "a@2000 end@2000");
    BOOST_TEST(endsOf("after 2s a x\nafter 1s b x\n") == "b@1000 a@2000 end@2000");
    BOOST_TEST(endsOf("after 2s a x\nafter 1h b x\n") == "a@2000");
    BOOST_TEST(endsOf("after 2s a x\nevery 1h b x\n") == "b@0 a@2000");
}

BOOST_AUTO_TEST_CASE(an_exception_out_of_the_action_ends_the_schedule_and_is_not_lost) {
    ManualPlayer p("rate 1s a x\nrate 1s b x");
    p.during = [run = 0]() mutable {
        if (++run == 3) throw std::runtime_error("no more memory");
    };
    p.start([&p] { p.log.write("end"); });
    p.clock->advance(5000);
    BOOST_TEST(p.log.take() == "a@0 b@0 b@1000 end@1000");
    BOOST_CHECK_EXCEPTION(p.player.finish(), std::runtime_error, [](const std::runtime_error& e) {
        return e.what() == std::string("no more memory");
    });
}

BOOST_AUTO_TEST_CASE(a_cancelled_schedule_completes_the_run_and_begins_no_other) {
    ManualPlayer p("rate 1s a x\nafter 1s b x");
    p.during = [&] { p.player.cancel(); };
    p.start();
    p.clock->advance(5000);
    BOOST_TEST(p.log.take() == "a@0");
    p.player.finish();
    BOOST_TEST(p.table() == "a 1 0 0 0\nb 0 0\n");
}

BOOST_AUTO_TEST_CASE(what_follows_the_calendar_runs_at_each_time_that_matches) {
    // The start is 01:46:40 UTC on a Sunday.
    ManualPlayer p("cron \"*/5 2 * * *\" UTC c x\ndaily 01:50 UTC d x\nat 01:47 UTC once x");
    p.start();
    p.clock->advance(20min);
    BOOST_TEST(p.log.take() == "once@20000 d@200000 c@800000 c@1100000");
    p.clock->advance(24h);
    const std::string day = p.log.take();
    BOOST_TEST(day.find("d@86600000") != day.npos);
    BOOST_TEST(day.find("once") == day.npos);
    p.player.finish();
    BOOST_TEST(p.table() == "c 14 0 0 0\nd 2 0 0 0\nonce 1 0 0 0\n");
}

BOOST_AUTO_TEST_CASE(times_of_the_calendar_that_were_missed_are_made_up_for_by_one_run) {
    ManualPlayer p("cron \"*/5 * * * *\" UTC c x", Wall::CanBeSet);
    p.start();
    p.clock->advance(1500);
    p.wall->ahead = 1h;
    p.clock->advance(10min);
    // 01:50:00 is 198.5 s after the clock was set, and is noticed half a second later.
    BOOST_TEST(p.log.take() == "c@2000 c@200000 c@500000");
    p.player.finish();
    BOOST_TEST(p.table() == "c 3 0 1 3402000000\n");
}

BOOST_AUTO_TEST_CASE(r41_a_fixed_time_does_not_come_twice_unless_the_clock_was_far_off) {
    const auto runs = [](std::chrono::nanoseconds set) {
        ManualPlayer p("cron \"0-59/5 0-23 * * *\" UTC c x\nat 01:51 UTC once x", Wall::CanBeSet);
        p.start();
        p.clock->advance(250'000);
        p.wall->ahead = set;  // at 01:50:50, and 01:51 is still to come
        p.clock->advance(500'000);
        p.wall->ahead = 0s;
        p.clock->advance(70'000);
        return p.log.take();
    };
    BOOST_TEST(runs(0s) == "c@200000 once@260000 c@500000 c@800000");
    BOOST_TEST(runs(-10s) == "c@200000 once@270000 c@510000 c@800000");
    BOOST_TEST(runs(-59s) == "c@200000 once@319000 c@559000 c@800000");
    BOOST_TEST(runs(-10min) == "c@200000 once@751000 c@751000 c@800000");
    BOOST_TEST(runs(-3h) == "c@200000 once@751000 c@751000 c@800000");
    // 22:51 of the day before, or 22:50:49.999.
    BOOST_TEST(runs(-3h - 1ms) == "c@200000 c@500001 c@750001 once@750001 c@800000");
}

BOOST_AUTO_TEST_CASE(r41_two_steps_back_are_as_far_as_both) {
    ManualPlayer p("daily 02:00 UTC d x", Wall::CanBeSet);
    p.start();
    p.clock->advance(15min);  // 02:01:40
    BOOST_TEST(p.log.take() == "d@800000");
    p.wall->ahead = -2h;  // 00:01:40
    p.clock->advance(10min);
    p.wall->ahead = -4h;  // 22:11:40
    p.clock->advance(4h);
    BOOST_TEST(p.log.take() == "d@15200000");  // 02:00

    // Two days apart, they are none of each other.
    p.wall->ahead = -4h;
    p.clock->advance(49h);
    p.log.take();
    p.wall->ahead = -6h;
    p.clock->advance(3h);
    BOOST_TEST(p.log.take() == "");
}

BOOST_AUTO_TEST_CASE(r41_a_wildcard_goes_on_after_the_clock_was_set_back_by_a_minute) {
    const auto runs = [](std::chrono::nanoseconds set) {
        ManualPlayer p("cron \"*/5 * * * *\" UTC c x", Wall::CanBeSet);
        p.start();
        p.clock->advance(210'000);
        p.wall->ahead = set;  // at 01:50:10
        p.clock->advance(400'000);
        return p.log.take();
    };
    BOOST_TEST(runs(0s) == "c@200000 c@500000");
    BOOST_TEST(runs(-1s) == "c@200000 c@501000");
    BOOST_TEST(runs(-60s + jtimer::Date::duration(1)) == "c@200000 c@559999");
    BOOST_TEST(runs(-60s) == "c@200000 c@260000 c@560000");
    BOOST_TEST(runs(-10min) == "c@200000 c@500000");
    BOOST_TEST(runs(-2h) == "c@200000 c@500000");
    BOOST_TEST(runs(-24h) == "c@200000 c@500000");
}

BOOST_AUTO_TEST_CASE(r41_what_was_missed_runs_once_however_far_the_clock_is_set_forward) {
    for (const std::chrono::nanoseconds set :
         {std::chrono::nanoseconds(59min), std::chrono::nanoseconds(std::chrono::hours(9999))}) {
        ManualPlayer p("cron \"*/20 * * * *\" UTC wild x\ncron \"50 0-23 * * *\" UTC fixed x",
                       Wall::CanBeSet);
        p.start();
        p.clock->advance(1500);
        p.wall->ahead = set;
        p.clock->advance(5000);
        BOOST_TEST(p.log.take() == "fixed@2000 wild@2000");
    }
}

BOOST_AUTO_TEST_CASE(r42_times_without_a_zone_follow_a_new_local_time_and_others_do_not) {
    const test::TimeZone utc("UTC0");
    ManualPlayer p("daily 02:00 local x\ndaily 02:00 UTC utc x\nat 02:01 once x\nat 01:47 ran x\n"
                   "cron \"*/30 3 * * *\" wild x",
                   Wall::CanBeSet);
    p.start();
    p.clock->advance(5min);  // 01:51:40
    BOOST_TEST(p.log.take() == "ran@20000");
    {
        const test::TimeZone other("XXX-1");  // 02:51:40: nothing runs for that
        ++p.localTime;
        p.clock->advance(25min);  // to 03:16:40 there
        BOOST_TEST(p.log.take() == "utc@800000 wild@800000");
    }
    ++p.localTime;
    p.clock->advance(15h);  // 17:16:40 again
    BOOST_TEST(p.log.take() == "wild@4400000 wild@6200000");
    p.clock->advance(9h);
    BOOST_TEST(p.log.take() == "local@87200000 utc@87200000 once@87260000");
}

BOOST_AUTO_TEST_CASE(r42_a_reload_reads_the_zones_of_unchanged_lines_again) {
    const test::TimeZone utc("UTC0");
    const std::string text = "daily 02:00 local x\nat 02:30 once x\nat 01:47 ran x\n";
    ManualPlayer p(text, Wall::CanBeSet);
    std::string changes;
    const auto reload = [&] {
        p.player.replace(entriesOf(text), [&](const SchedulePlayer::Changes& each) {
            changes = std::to_string(each.added) + ' ' + std::to_string(each.changed) + ' ' +
                      std::to_string(each.removed);
        });
        p.clock->advance(1);
    };
    p.start([&p] { p.log.write("end"); });
    p.clock->advance(5min);
    BOOST_TEST(p.log.take() == "ran@20000");
    const test::TimeZone other("XXX-0:40");  // 02:31:40
    reload();
    BOOST_TEST(changes == "0 0 0");
    p.clock->advance(1h);
    BOOST_TEST(p.log.take() == "");
    p.clock->advance(23h);
    BOOST_TEST(p.log.take() == "local@84800000 once@86600000");
}

BOOST_AUTO_TEST_CASE(a_time_that_is_past_at_the_start_is_told_and_does_not_run) {
    ManualPlayer p("at 2001-09-09T01:46:39Z past x\nat 2001-09-09T01:46:40Z now x\nafter 1s a x",
                   Wall::IsTheTimers, false);
    p.start([&p] { p.log.write("end"); });
    p.clock->advance(60'000);
    BOOST_TEST(p.log.take() == "now@0 a@1000 end@1000");
    BOOST_TEST(p.notices == "the time of past is past: " + formatDate(test::kStart - 1s) +
                                "; --catch-up runs it");

    ManualPlayer only("at 2001-09-09T01:46:39Z past x", Wall::IsTheTimers, false);
    only.start([&only] { only.log.write("end"); });
    only.clock->waitUntilIdle();
    BOOST_TEST(only.log.take() == "end@0");
}

BOOST_AUTO_TEST_CASE(r50_two_graces_end_before_docker_stop_kills_after_ten_seconds) {
    BOOST_TEST((Options().grace == 4s));
    BOOST_TEST((Player::Options().grace == 4s));
}

BOOST_AUTO_TEST_CASE(r18_jitter_moves_the_times_of_a_line_by_a_constant_of_host_and_name) {
    BOOST_CHECK(jitterOf("web1", "backup", 10min) == 460'526ms);
    BOOST_CHECK(jitterOf("web2", "backup", 10min) != 460'526ms);
    BOOST_CHECK(jitterOf("web1", "backup", 0min) == 0ms);

    // The start is 01:46:40 UTC.
    const auto shiftOf = [](const char* name) {
        return std::chrono::milliseconds(jitterOf(hostName(), name, 100s)).count();
    };
    const auto at = [](std::int64_t millis) { return '@' + std::to_string(millis); };
    const auto runsOf = [](const std::string& line) {
        ManualPlayer p(line);
        p.start();
        p.clock->advance(500s);
        return p.log.take();
    };
    const std::int64_t shift = shiftOf("a");
    BOOST_TEST(runsOf("after 1s jitter=100s a x") == "a" + at(1000 + shift));
    BOOST_TEST(runsOf("rate 300s jitter=100s a x") == "a" + at(shift) + " a" + at(300'000 + shift));
    BOOST_TEST(runsOf("at 01:50 UTC jitter=100s a x") == "a" + at(200'000 + shift));
    BOOST_TEST(runsOf("cron \"50,53 * * * *\" UTC jitter=100s a x") ==
               "a" + at(200'000 + shift) + " a" + at(380'000 + shift));
}

BOOST_AUTO_TEST_CASE(r19_after_a_suspend_the_last_time_that_is_not_too_late_runs) {
    const auto runs = [](const std::string& option) {
        ManualPlayer p("cron \"*/5 * * * *\" UTC " + option + "c x", Wall::CanBeSet);
        p.start();
        p.clock->advance(1500);
        p.wall->ahead = 1h + 200s;  // 02:50:01
        p.clock->advance(1000);
        p.player.finish();
        return p.log.take() + ' ' + std::to_string(p.ledger.records()[0].skipped);
    };
    BOOST_TEST(runs("") == "c@2000 0");
    BOOST_TEST(runs("start-within=2m ") == "c@2000 0");
    BOOST_TEST(runs("start-within=1s ") == " 1");
}
