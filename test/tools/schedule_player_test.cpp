// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "run_schedule/player.hpp"
#include "support/manual_timer.hpp"

#include <boost/test/unit_test.hpp>

#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

using namespace std::chrono_literals;

namespace {

std::vector<Entry> entriesOf(const std::string& schedule) {
    std::istringstream file(schedule);
    Schedule parsed = parseSchedule(file, "f");
    BOOST_REQUIRE(parsed.errors.empty());
    return parsed.entries;
}

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
    Player player;

    explicit ManualPlayer(const std::string& text, Wall which = Wall::IsTheTimers)
        : player(entriesOf(text), clocks(which), [this](const Entry& entry) {
              log.write(entry.name);
              during();
              return entry.name != failing;
          }) {}

    Clocks clocks(Wall which) const {
        if (which == Wall::CanBeSet) return {clock, wall};
        return {clock, clock};
    }

    /// The table as text: name, runs, failures, median and greatest lateness in microseconds.
    std::string table() {
        std::ostringstream text;
        for (const auto& [name, statistics] : player.rows()) {
            const auto& [lateness, failures] = statistics;
            text << name << ' ' << lateness.count() << ' ' << failures;
            if (lateness.count() > 0) {
                text << ' ' << lateness.percentile(50) / 1us << ' ' << lateness.max() / 1us;
            }
            text << '\n';
        }
        return text.str();
    }
};

using Wall = ManualPlayer::Wall;

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
    BOOST_TEST(p.table() == "r 4 0 1 150000\n");  // 0, 0, 50 and 150 ms
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
    BOOST_TEST(p.table() == "e 6 0 1 150000\n");
}

BOOST_AUTO_TEST_CASE(setting_the_wall_clock_neither_stops_nor_repeats_what_has_a_duration) {
    ManualPlayer p("every 1s e x\nrate 1s r x\nafter 5s once x", Wall::CanBeSet);
    p.player.start();
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
        p.player.start();
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
    p.player.start([&p] { p.log.write("end"); });
    p.clock->advance(12'000);
    p.wall->ahead = -10s;
    p.clock->advance(60'000);
    BOOST_TEST(p.log.take() == "ten@10000 twenty@30000 end@30000");
}

BOOST_AUTO_TEST_CASE(what_is_overdue_by_the_wall_clock_runs_in_the_order_of_its_times) {
    ManualPlayer p("at 2001-09-09T01:46:48Z c x\nat 2001-09-09T01:46:46Z a x\n"
                   "after 5001ms once x\nat 2001-09-09T01:46:47Z b x\nat 2001-09-09T01:47:00Z d x",
                   Wall::CanBeSet);
    p.player.start();
    p.clock->advance(4500);
    p.wall->ahead = 10s;
    p.clock->advance(60'000);
    BOOST_TEST(p.log.take() == "a@5000 b@5000 c@5000 once@5001 d@10000");
}

BOOST_AUTO_TEST_CASE(a_schedule_that_is_cancelled_while_it_is_being_read_in_ends_quietly) {
    ManualPlayer p("at 2001-09-09T01:46:50Z a x\nat 2001-09-09T01:46:50Z b x", Wall::CanBeSet);
    p.wall->whenRead = [&p] { p.player.cancel(); };
    p.player.start();
    p.clock->advance(60'000);
    p.player.finish();
    BOOST_TEST(p.table() == "a 0 0\nb 0 0\n");
}

BOOST_AUTO_TEST_CASE(a_task_that_is_held_up_by_another_is_late_by_that_time) {
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

BOOST_AUTO_TEST_CASE(an_exception_out_of_the_action_ends_the_schedule_and_is_not_lost) {
    ManualPlayer p("rate 1s a x\nrate 1s b x");
    p.during = [run = 0]() mutable {
        if (++run == 3) throw std::runtime_error("no more memory");
    };
    p.player.start([&p] { p.log.write("end"); });
    p.clock->advance(5000);
    BOOST_TEST(p.log.take() == "a@0 b@0 b@1000 end@1000");
    BOOST_CHECK_EXCEPTION(p.player.finish(), std::runtime_error, [](const std::runtime_error& e) {
        return e.what() == std::string("no more memory");
    });
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

BOOST_AUTO_TEST_CASE(the_stats_are_those_of_the_timer_and_count_the_start) {
    ManualPlayer p("rate 1s a x\nafter 10s b x");
    p.player.start();
    p.clock->advance(2500);
    p.player.finish();
    const jtimer::TimerStats& stats = p.player.stats();
    BOOST_TEST(stats.executed == 4U);
    BOOST_TEST(stats.scheduled == 3U);
    BOOST_TEST(stats.discarded == 2U);
    BOOST_TEST(stats.pending == 0U);
}
