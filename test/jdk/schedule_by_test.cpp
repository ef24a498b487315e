// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.

// Timer::scheduleBy on a manual clock.
#include "support/captured_cerr.hpp"
#include "support/dates.hpp"
#include "support/gate.hpp"
#include "support/manual_timer.hpp"
#include "support/test.hpp"
#include "support/throws.hpp"
#include "support/zone_folder.hpp"

#include <jtimer/cron.hpp>

#include <thread>

using jtimer::Cron;
using jtimer::Date;
using jtimer::MissedRuns;
using jtimer::OnException;
using jtimer::Rule;
using jtimer::Timer;
using jtimer::TimerTask;
using test::at;
using namespace std::chrono_literals;

namespace {

std::int64_t millisOf(Date date) { return (date - test::kStart) / 1ms; }

/// Each 100 ms from kStart on.
Date everyTenth(Date after) { return after + 100ms - (after - test::kStart) % 100ms; }

struct Fixture : test::ManualTimer {
    std::string log;

    void write(const std::string& text) { log += (log.empty() ? "" : " ") + text; }
    std::string take() { return std::exchange(log, {}); }

    /// A rule that writes what it is asked.
    Rule asked(Rule rule = everyTenth) {
        return [this, rule = std::move(rule)](Date after) {
            write('?' + std::to_string(millisOf(after)));
            return rule(after);
        };
    }

    /// The runs in `span` ms of a task that is due each 100 ms and whose first run takes `first`
    /// ms, as begin/scheduledExecutionTime(missedRuns).
    std::string runs(bool byRule, MissedRuns missed, std::int64_t first, std::int64_t span) {
        const std::int64_t start = now();
        const auto run = [&, n = 0](TimerTask& self) mutable {
            write(std::to_string(now() - start) + '/' + std::to_string(scheduled(self) - start));
            if (self.missedRuns() != 0) log += '(' + std::to_string(self.missedRuns()) + ')';
            if (++n == 1) clock->advance(first);
        };
        const auto task = byRule ? timer.scheduleBy(run, everyTenth, missed)
                                 : timer.scheduleAtFixedRate(run, 100, 100, missed);
        clock->advanceTo(at(start + span));
        task->cancel();
        timer.purge();
        return take();
    }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(schedule_by, Fixture)

BOOST_AUTO_TEST_CASE(a50_a51_the_first_time_follows_now_and_each_other_the_one_that_was_due) {
    const auto task = timer.scheduleBy([this] { write("run@" + std::to_string(now())); }, asked());
    BOOST_TEST(take() == "?0 ?100");
    clock->advance(250);
    BOOST_TEST(take() == "run@100 ?200 run@200 ?300");
    task->cancel();
}

BOOST_AUTO_TEST_CASE(a51_the_first_two_calls_are_on_the_calling_thread_the_others_on_the_timers) {
    std::vector<std::thread::id> callers;
    std::thread::id runner;
    const auto task = timer.scheduleBy([&] { runner = std::this_thread::get_id(); },
                                       [&](Date after) {
                                           callers.push_back(std::this_thread::get_id());
                                           return everyTenth(after);
                                       });
    clock->advance(100);
    task->cancel();
    const auto self = std::this_thread::get_id();
    BOOST_CHECK((callers == std::vector<std::thread::id>{self, self, runner}));
}

BOOST_AUTO_TEST_CASE(a51_a_rule_may_call_its_timer) {
    int others = 0;
    const auto task = timer.scheduleBy([] {},
                                       [&](Date after) {
                                           timer.schedule([&others] { ++others; }, 0);
                                           timer.purge();
                                           static_cast<void>(timer.stats());
                                           return everyTenth(after);
                                       });
    clock->advance(100);
    BOOST_TEST(others == 3);
    task->cancel();
}

BOOST_AUTO_TEST_CASE(a51_an_empty_rule_is_refused_before_all_else) {
    CHECK_THROWS(timer.scheduleBy(nullptr, Rule()), jtimer::NullPointerException,
                 "rule cannot be null");
    CHECK_THROWS(timer.scheduleBy(nullptr, everyTenth), jtimer::NullPointerException,
                 "task cannot be null");
    timer.cancel();
    CHECK_THROWS(timer.scheduleBy(nullptr, Rule()), jtimer::NullPointerException,
                 "rule cannot be null");
    CHECK_THROWS(timer.scheduleBy(nullptr, everyTenth), jtimer::IllegalStateException,
                 "Timer already cancelled.");
}

BOOST_AUTO_TEST_CASE(a51_a52_what_a_rule_throws_leaves_the_call_with_nothing_changed) {
    const auto task = test::makeTask();
    BOOST_CHECK_THROW(timer.scheduleBy(task, [](Date) -> Date { throw 1; }), int);
    const auto second = [](Date after) -> Date {
        return after == at(0) ? at(1) : throw std::runtime_error("second");
    };
    CHECK_THROWS(timer.scheduleBy(task, second), std::runtime_error, "second");
    for (const auto back : {Date::duration(0), Date::duration(1)}) {
        CHECK_THROWS(timer.scheduleBy(task, [back](Date after) { return after - back; }),
                     jtimer::IllegalStateException, "A rule must give a later time.");
    }
    BOOST_TEST(timer.stats().pending == 0U);
    timer.schedule(task, 1);
}

BOOST_AUTO_TEST_CASE(a51_a52_on_the_timers_thread_it_counts_as_thrown_by_the_task) {
    for (const OnException onException :
         {OnException::StopTimer, OnException::CancelTask, OnException::ContinueTask}) {
        jtimer::TimerOptions options = test::onClock(clock);
        options.onException = onException;
        options.uncaughtExceptionHandler = [this](const std::string&,
                                                  const std::exception_ptr& thrown) {
            try {
                std::rethrow_exception(thrown);
            } catch (const jtimer::IllegalStateException& e) {
                write(e.what());
            }
        };
        Timer own(options);
        const std::int64_t start = now();
        const auto task = own.scheduleBy(
            [this, start] { write(std::to_string(now() - start)); },
            [start](Date after) { return millisOf(after) - start < 200 ? after + 100ms : after; });
        clock->advance(1000);
        const std::string planned = onException == OnException::ContinueTask ? " 200" : "";
        BOOST_TEST(take() == "100 A rule must give a later time." + planned);
        BOOST_TEST(task->isCancelled() == (onException == OnException::CancelTask));
        BOOST_TEST(own.stats().failed == 1U);
        task->cancel();
    }
}

BOOST_AUTO_TEST_CASE(a51_a_rule_is_asked_again_after_a_run_that_has_thrown) {
    jtimer::TimerOptions options = test::silentOnDeath(clock, true);
    options.onException = OnException::ContinueTask;
    Timer own(options);
    const auto task = own.scheduleBy(
        [this] {
            write(std::to_string(now()));
            throw 1;
        },
        everyTenth);
    clock->advance(350);
    BOOST_TEST(take() == "100 200 300");
    task->cancel();
}

BOOST_AUTO_TEST_CASE(a52_after_the_end_of_time_there_is_no_run_and_the_task_stays_scheduled) {
    const auto task = timer.scheduleBy(
        [this] { write(std::to_string(now())); },
        asked([](Date after) { return after < at(200) ? everyTenth(after) : Date::max(); }));
    clock->advance(24h);
    BOOST_TEST(take() == "?0 ?100 100 ?200 200");
    BOOST_TEST(task->isScheduled());
    BOOST_TEST(timer.stats().pending == 1U);
    BOOST_TEST(task->cancel());
    const auto never = timer.scheduleBy([] {}, [](Date) { return Date::max(); });
    BOOST_TEST(never->isScheduled());
    BOOST_TEST(!clock->advanceToNext());
}

BOOST_AUTO_TEST_CASE(a53_missed_times_are_merged_by_default) {
    clock->advance(50);
    const auto task = timer.scheduleBy(
        [this, n = 0](TimerTask& self) mutable {
            write(std::to_string(now()) + '/' + std::to_string(scheduled(self)) + '(' +
                  std::to_string(self.missedRuns()) + ')');
            if (++n == 1) clock->advance(350);
        },
        asked());
    BOOST_TEST(scheduled(*task) == 100);  // before the first run, the first
    clock->advanceTo(at(500));
    BOOST_TEST(take() == "?50 ?100 100/100(0) ?200 ?300 ?400 450/400(2) ?500 500/500(0) ?600");
    BOOST_TEST(timer.stats().missed == 2U);
    task->cancel();
}

BOOST_AUTO_TEST_CASE(a53_a54_what_is_missed_is_repeated_skipped_or_merged_as_at_a_fixed_rate) {
    for (const MissedRuns missed : {MissedRuns::Burst, MissedRuns::Skip, MissedRuns::Once}) {
        for (const int first : {0, 50, 100, 150, 199, 200, 250, 300, 350, 1000, 1020}) {
            const std::string byRule = runs(true, missed, first, 1500);
            clock->advanceTo(everyTenth(clock->now()));
            const std::string atRate = runs(false, missed, first, 1500);
            clock->advanceTo(everyTenth(clock->now()));
            BOOST_TEST(byRule == atRate, first << ": " << byRule << " and " << atRate);
        }
    }
    BOOST_TEST(runs(true, MissedRuns::Burst, 350, 600) ==
               "100/100 450/200 450/300 450/400 500/500 600/600");
    clock->advanceTo(everyTenth(clock->now()));
    BOOST_TEST(runs(true, MissedRuns::Skip, 350, 600) == "100/100 500/500(3) 600/600");
    clock->advanceTo(everyTenth(clock->now()));
    BOOST_TEST(runs(true, MissedRuns::Once, 350, 600) == "100/100 450/400(2) 500/500 600/600");
}

BOOST_AUTO_TEST_CASE(a54_cancel_in_a_run_and_in_the_rule_makes_that_the_last) {
    timer.scheduleBy(
        [this](TimerTask& self) {
            write("run");
            BOOST_TEST(self.cancel());
        },
        asked());
    clock->advance(1000);
    BOOST_TEST(take() == "?0 ?100 run");

    std::shared_ptr<TimerTask> task;
    task = timer.scheduleBy([this] { write("run"); },
                            [&](Date after) {
                                if (task != nullptr) task->cancelAndWait();
                                return everyTenth(after);
                            });
    clock->advance(1000);
    BOOST_TEST(take() == "run");
    BOOST_TEST(timer.purge() + static_cast<int>(timer.stats().cancelled) >= 2);
}

BOOST_AUTO_TEST_CASE(a54_with_remove_on_cancel_the_rule_is_destroyed_by_the_cancel) {
    jtimer::TimerOptions options = test::onClock(clock);
    options.removeOnCancel = true;
    Timer own(options);
    const auto alive = std::make_shared<int>();
    const auto task = own.scheduleBy([alive] {}, [alive](Date after) { return everyTenth(after); });
    clock->advance(200);
    BOOST_TEST(alive.use_count() == 3);
    BOOST_TEST(task->cancel());
    BOOST_TEST(alive.use_count() == 1);
    BOOST_TEST(own.stats().pending == 0U);
}

BOOST_AUTO_TEST_CASE(a54_a_cancel_and_wait_waits_for_the_rule) {
    test::Gate asking, answer;
    std::atomic<bool> answered{false};
    std::atomic<int> calls{0};
    const auto task = timer.scheduleBy([] {},
                                       [&](Date after) {
                                           if (++calls == 3) {
                                               asking.open();
                                               answer.wait();
                                               answered = true;
                                           }
                                           return everyTenth(after);
                                       });
    std::thread mover([&] { clock->advance(100); });
    asking.wait();
    std::thread opener([&] { answer.open(); });
    BOOST_TEST(task->cancelAndWait());
    BOOST_TEST(answered);
    opener.join();
    mover.join();
}

BOOST_AUTO_TEST_CASE(a54_shutdown_now_max_pending_and_ties_are_those_of_a_repeating_task) {
    jtimer::TimerOptions options = test::onClock(clock);
    options.maxPending = 1;
    options.ties = jtimer::Ties::Fifo;
    Timer own(options);
    const auto task = own.scheduleBy([] {}, everyTenth);
    BOOST_CHECK_THROW(own.scheduleBy([] {}, everyTenth), jtimer::RejectedExecutionException);
    clock->advance(300);
    BOOST_TEST(own.stats().executed == 3U);
    BOOST_TEST((own.shutdownNow() == std::vector<std::shared_ptr<TimerTask>>{task}));
    BOOST_TEST(task->isCancelled());
}

BOOST_AUTO_TEST_CASE(a_rule_and_its_task_are_destroyed_with_the_timer) {
    const auto alive = std::make_shared<int>();
    {
        Timer own(test::onClock(clock));
        own.scheduleBy([alive] {}, [alive](Date after) { return everyTenth(after); });
        clock->advance(100);
    }
    BOOST_TEST(alive.use_count() == 1);
}

BOOST_AUTO_TEST_CASE(a_slow_run_by_a_rule_is_timed_and_the_rule_is_not) {
    jtimer::TimerOptions options = test::onClock(clock);
    options.slowTaskThreshold = 25;
    Timer own(options);
    const test::CapturedCerr cerr;
    const auto task = own.scheduleBy([this] { clock->advance(20); },
                                     [this](Date after) {
                                         if (after > at(100)) clock->advance(30);
                                         return everyTenth(after);
                                     });
    clock->advance(100);
    BOOST_TEST(cerr.text() == "");
    clock->advance(60);
    task->cancel();
    const auto slow = own.scheduleBy([this] { clock->advance(40); }, everyTenth);
    clock->advance(100);
    BOOST_TEST(cerr.text() == "Timer \"test\": an unnamed task took 40.000 ms.\n");
    slow->cancel();
}

BOOST_AUTO_TEST_CASE(a46_a50_a_year_of_a_daily_job_and_of_an_hourly_one) {
    clock->advanceTo(test::utc("2023-12-31T23:00:00Z"));  // 2024 begins in Berlin
    std::vector<Date> daily, hourly;
    const auto append = [](std::vector<Date>& dates) {
        return [&dates](TimerTask& self) {
            dates.emplace_back(std::chrono::milliseconds(self.scheduledExecutionTime()));
        };
    };
    const auto day = timer.scheduleBy(append(daily), Cron("30 2 * * *", test::berlin()));
    const auto hour = timer.scheduleBy(append(hourly), Cron("0 * * * *", test::berlin()));
    clock->advanceTo(test::utc("2024-12-31T23:00:00Z"));
    day->cancel();
    hour->cancel();
    BOOST_TEST(timer.stats().missed == 0U);

    BOOST_REQUIRE(daily.size() == 366U);
    const Date spring = test::utc("2024-03-31T01:30:00Z");  // 02:30 does not exist
    const Date summer = test::utc("2024-04-01T00:30:00Z");
    const Date autumn = test::utc("2024-10-27T01:30:00Z");  // the second 02:30
    for (std::size_t i = 0; i < daily.size(); ++i) {
        const Date winter = test::utc("2024-01-01T01:30:00Z") + i * 24h;
        const bool isSummer = winter >= summer && winter < autumn;
        BOOST_REQUIRE(test::inUtc(daily[i]) == test::inUtc(isSummer ? winter - 1h : winter));
    }
    BOOST_TEST(test::inUtc(daily[90]) == test::inUtc(spring));
    BOOST_REQUIRE(hourly.size() == 8784U);
    for (std::size_t i = 0; i < hourly.size(); ++i) {
        BOOST_REQUIRE(hourly[i] == test::utc("2024-01-01T00:00:00Z") + i * 1h);
    }
}

BOOST_AUTO_TEST_SUITE_END()
