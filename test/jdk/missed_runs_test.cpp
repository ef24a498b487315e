// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "support/manual_timer.hpp"
#include "support/test.hpp"
#include "support/throws.hpp"

using jtimer::MissedRuns;
using jtimer::TimerTask;
using test::at;

namespace {

constexpr std::initializer_list<MissedRuns> kAll{MissedRuns::Burst, MissedRuns::Skip,
                                                 MissedRuns::Once};

struct Fixture : test::ManualTimer {
    std::string log;

    /// Runs every 100 ms from now on; the first run takes `first` ms.
    /// \returns the runs in the next `span` ms, as `begin` or `begin(missedRuns)`
    std::string runs(MissedRuns missed, std::int64_t first, std::int64_t span) {
        log.clear();
        const std::int64_t start = now();
        const auto task = timer.scheduleAtFixedRate(
            [&, n = 0](TimerTask& self) mutable {
                write(now() - start, self);
                if (++n == 1) clock->advance(first);
            },
            0, 100, missed);
        clock->advanceTo(at(start + span));  // the first run may have moved the time already
        task->cancel();
        timer.purge();
        return log;
    }
    void write(std::int64_t time, const TimerTask& self) {
        const std::uint64_t missed = self.missedRuns();
        log += (log.empty() ? "" : " ") + std::to_string(time);
        if (missed != 0) log += '(' + std::to_string(missed) + ')';
    }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(missed_runs, Fixture)

BOOST_AUTO_TEST_CASE(burst_makes_up_for_every_run_as_java_does) {
    BOOST_TEST(runs(MissedRuns::Burst, 250, 400) == "0 250 250 300 400");
    BOOST_TEST(runs(MissedRuns::Burst, 300, 400) == "0 300 300 300 400");
}

BOOST_AUTO_TEST_CASE(skip_drops_what_was_missed_and_stays_on_the_grid) {
    BOOST_TEST(runs(MissedRuns::Skip, 250, 400) == "0 300(2) 400");
    BOOST_TEST(runs(MissedRuns::Skip, 350, 500) == "0 400(3) 500");
    BOOST_TEST(runs(MissedRuns::Skip, 100'050, 100'200) == "0 100100(1000) 100200");
}

BOOST_AUTO_TEST_CASE(once_makes_up_for_what_was_missed_by_a_single_run_and_stays_on_the_grid) {
    BOOST_TEST(runs(MissedRuns::Once, 250, 400) == "0 250(1) 300 400");
    BOOST_TEST(runs(MissedRuns::Once, 350, 500) == "0 350(2) 400 500");
    BOOST_TEST(runs(MissedRuns::Once, 100'050, 100'200) == "0 100050(999) 100100 100200");
}

BOOST_AUTO_TEST_CASE(a_run_that_is_late_by_less_than_a_period_is_not_missed) {
    for (const MissedRuns missed : kAll) {
        BOOST_TEST(runs(missed, 0, 200) == "0 100 200");
        BOOST_TEST(runs(missed, 150, 300) == "0 150 200 300");
        BOOST_TEST(runs(missed, 199, 300) == "0 199 200 300");
    }
}

BOOST_AUTO_TEST_CASE(a_run_whose_time_is_the_present_is_not_missed) {
    BOOST_TEST(runs(MissedRuns::Skip, 200, 300) == "0 200(1) 300");
    BOOST_TEST(runs(MissedRuns::Once, 200, 300) == "0 200(1) 300");
    BOOST_TEST(runs(MissedRuns::Skip, 300, 400) == "0 300(2) 400");
    BOOST_TEST(runs(MissedRuns::Once, 300, 400) == "0 300(2) 400");
}

BOOST_AUTO_TEST_CASE(a_first_time_in_the_past_is_a_run_that_was_missed) {
    const auto from = [this](std::int64_t ago, MissedRuns missed) {
        log.clear();
        const std::int64_t start = now();
        const auto task =
            timer.scheduleAtFixedRate([&, start](TimerTask& self) { write(now() - start, self); },
                                      at(start - ago), 100, missed);
        clock->advanceTo(at(start + 250));
        task->cancel();
        return log;
    };
    BOOST_TEST(from(150, MissedRuns::Skip) == "50(2) 150 250");
    BOOST_TEST(from(150, MissedRuns::Once) == "0(1) 50 150 250");
    BOOST_TEST(from(50, MissedRuns::Skip) == "0 50 150 250");
    BOOST_TEST(from(50, MissedRuns::Once) == "0 50 150 250");
}

BOOST_AUTO_TEST_CASE(a_run_that_is_skipped_until_after_the_last_possible_time_never_comes) {
    constexpr std::chrono::hours year(24 * 365);
    clock->advanceTo(jtimer::Date() + 240 * year);
    timer.scheduleAtFixedRate([&](TimerTask& self) { write(now(), self); }, jtimer::Date(),
                              200 * year, MissedRuns::Skip);
    clock->waitUntilIdle();
    BOOST_TEST(timer.stats().missed == 2U);
    BOOST_TEST(!clock->advanceToNext());
    BOOST_TEST(log == "");
}

BOOST_AUTO_TEST_CASE(the_scheduled_execution_time_is_the_last_that_the_run_makes_up_for) {
    const auto times = [this](MissedRuns missed) {
        log.clear();
        const std::int64_t start = now();
        const auto task = timer.scheduleAtFixedRate(
            [&, n = 0](TimerTask& self) mutable {
                log += std::to_string(scheduled(self) - start) + ' ';
                if (++n == 1) clock->advance(250);
            },
            0, 100, missed);
        clock->advanceTo(at(start + 300));
        task->cancel();
        return log;
    };
    BOOST_TEST(times(MissedRuns::Skip) == "0 300 ");
    BOOST_TEST(times(MissedRuns::Once) == "0 200 300 ");
}

BOOST_AUTO_TEST_CASE(a_task_that_is_late_every_time_is_not_skipped_twice_in_a_row) {
    int runs = 0;
    const auto task = timer.scheduleAtFixedRate([&] { ++runs; }, 10, 10, MissedRuns::Skip);
    // Each cycle takes 95, all of it before the task gets its turn.
    timer.scheduleAtFixedRate([&] { clock->advance(95); }, 5, 100);
    clock->advance(1000);
    BOOST_TEST(runs >= 10);
    BOOST_TEST(task->cancel());
}

BOOST_AUTO_TEST_CASE(missed_runs_is_0_outside_of_the_run) {
    const TimerTask* other = nullptr;
    const auto task = timer.scheduleAtFixedRate(
        [&, n = 0](TimerTask& self) mutable {
            if (++n == 1) clock->advance(250);
            if (other != nullptr) log += std::to_string(other->missedRuns());
            log += std::to_string(self.missedRuns()) + ' ';
        },
        10, 100, MissedRuns::Once);
    const auto idle = timer.schedule([] {}, 10'000);
    other = idle.get();
    clock->advanceTo(at(260));
    BOOST_TEST(log == "00 01 ");
    BOOST_TEST(task->missedRuns() == 0U);
    task->run();
    BOOST_TEST(log == "00 01 00 ");
}

BOOST_AUTO_TEST_CASE(the_checks_and_cancellation_are_those_of_every_task) {
    for (const MissedRuns missed : kAll) {
        CHECK_THROWS(timer.scheduleAtFixedRate([] {}, -1, 1, missed),
                     jtimer::IllegalArgumentException, "Negative delay.");
        CHECK_THROWS(timer.scheduleAtFixedRate([] {}, 1, 0, missed),
                     jtimer::IllegalArgumentException, "Non-positive period.");
        CHECK_THROWS(timer.scheduleAtFixedRate(nullptr, 1, 1, missed), jtimer::NullPointerException,
                     "task cannot be null");
        const auto task = timer.scheduleAtFixedRate([] {}, 10, 10, missed);
        CHECK_THROWS(timer.schedule(task, 1), jtimer::IllegalStateException,
                     "Task already scheduled or cancelled");
        clock->waitUntilIdle();  // a new head that is cancelled before is dropped (J69)
        BOOST_TEST(task->cancel());
        BOOST_TEST(!task->cancel());
        BOOST_TEST(timer.purge() == 1);
    }
}

BOOST_AUTO_TEST_SUITE_END()
