// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
//
// A program of its own, for it replaces operator new.
//
// TimerTask::setPeriod on a manual clock. Each case is played for tasks that keep their period
// themselves and for tasks that have a link.
#include "support/clocks.hpp"
#include "support/failing_new.hpp"
#include "support/manual_timer.hpp"
#include "support/throws.hpp"

#include <boost/test/unit_test.hpp>
#include <boost/thread/thread.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <ratio>
#include <string>

using jtimer::IllegalArgumentException;
using jtimer::IllegalStateException;
using jtimer::MissedRuns;
using jtimer::Timer;
using jtimer::TimerOptions;
using jtimer::TimerTask;
using test::at;
using namespace std::chrono_literals;

namespace {

constexpr const char* kNoPeriod = "Non-positive period.";
constexpr const char* kNoRepeat = "The task does not repeat.";

constexpr std::int64_t kYear = 365 * 86'400'000LL;

struct Kind {
    const char* name;
    bool removeOnCancel;
    bool reports;  ///< a taskExceptionHandler
};

/// The first keeps its period in itself, the others in a link.
constexpr Kind kKinds[] = {
    {"plain", false, false}, {"removed on cancel", true, false}, {"reported", false, true}};

/// A timer on a clock of its own, and the runs of its task.
struct Played : test::LoggedClock {
    explicit Played(const Kind& kind) : timer(optionsFor(kind)) {}

    TimerOptions optionsFor(const Kind& kind) const {
        TimerOptions options = test::onClock(clock);
        options.removeOnCancel = kind.removeOnCancel;
        if (kind.reports) options.taskExceptionHandler = [](const jtimer::TaskException&) {};
        return options;
    }
    /// What the task does in each of its runs, by number from 1.
    std::shared_ptr<TimerTask> make(std::function<void(TimerTask& self, int run)> inRun = {}) {
        return jtimer::makeTask([this, inRun = std::move(inRun), n = 0](TimerTask& self) mutable {
            log.write("run");
            ++n;
            if (inRun) inRun(self, n);
        });
    }
    std::shared_ptr<TimerTask> repeat(bool fixedRate, std::int64_t first, std::int64_t period,
                                      std::function<void(TimerTask& self, int run)> inRun = {}) {
        return fixedRate ? timer.scheduleAtFixedRate(make(std::move(inRun)), first, period)
                         : timer.schedule(make(std::move(inRun)), first, period);
    }
    std::string runsUntil(std::int64_t time) {
        clock->advanceTo(at(time));
        return log.take();
    }

    Timer timer;
};

/// Plays a case for each kind of task, at a fixed rate and with a fixed delay.
void forEachTask(const std::function<void(Played& played, bool fixedRate)>& play) {
    for (const Kind& kind : kKinds) {
        for (const bool fixedRate : {true, false}) {
            BOOST_TEST_CONTEXT(kind.name << (fixedRate ? ", fixed rate" : ", fixed delay")) {
                Played played(kind);
                play(played, fixedRate);
            }
        }
    }
}

std::string missed(const TimerTask& task) { return std::to_string(task.missedRuns()); }

}  // namespace

BOOST_AUTO_TEST_SUITE(set_period)

BOOST_AUTO_TEST_CASE(
    a75_between_runs_the_next_run_comes_as_planned_and_the_others_by_the_new_period) {
    forEachTask([](Played& p, bool fixedRate) {
        const auto task = p.repeat(fixedRate, 0, 100);
        BOOST_TEST(p.runsUntil(150) == "run@0 run@100");
        task->setPeriod(30);
        BOOST_TEST(p.runsUntil(270) == "run@200 run@230 run@260");
        task->setPeriod(500);
        BOOST_TEST(p.runsUntil(1'300) == "run@290 run@790 run@1290");
    });
}

BOOST_AUTO_TEST_CASE(
    a75_inside_a_run_the_next_run_comes_as_planned_and_the_others_by_the_new_period) {
    forEachTask([](Played& p, bool fixedRate) {
        p.repeat(fixedRate, 0, 100, [](TimerTask& self, int run) {
            if (run == 2) self.setPeriod(250);
            if (run == 4) self.setPeriod(10);
        });
        BOOST_TEST(p.runsUntil(725) == "run@0 run@100 run@200 run@450 run@700 run@710 run@720");
    });
}

BOOST_AUTO_TEST_CASE(a75_before_the_first_run_that_comes_as_planned) {
    forEachTask([](Played& p, bool fixedRate) {
        const auto task = p.repeat(fixedRate, 50, 100);
        task->setPeriod(20ms);
        BOOST_TEST(p.runsUntil(100) == "run@50 run@70 run@90");
    });
}

BOOST_AUTO_TEST_CASE(
    a75_a_fixed_rate_counts_from_the_planned_time_and_a_fixed_delay_from_the_begin) {
    forEachTask([](Played& p, bool fixedRate) {
        p.repeat(fixedRate, 0, 100, [&p](TimerTask& self, int run) {
            if (run != 1) return;
            self.setPeriod(40);
            p.clock->advance(130);  // the second run is 30 late
        });
        BOOST_TEST(p.runsUntil(200) ==
                   (fixedRate ? "run@0 run@130 run@140 run@180" : "run@0 run@130 run@170"));
    });
}

BOOST_AUTO_TEST_CASE(a75_a_shorter_period_wakes_nobody_earlier_and_a_new_task_does) {
    forEachTask([](Played& p, bool fixedRate) {
        const auto task = p.repeat(fixedRate, 1'000, 1'000);
        task->setPeriod(1);
        BOOST_TEST(p.runsUntil(999) == "");
        task->cancel();
        p.repeat(fixedRate, 1, 500);
        BOOST_TEST(p.runsUntil(1'999) == "run@1000 run@1500");
    });
}

BOOST_AUTO_TEST_CASE(a75_a_period_may_have_any_length) {
    forEachTask([](Played& p, bool fixedRate) {
        const auto task = p.repeat(fixedRate, 0, 1);
        BOOST_TEST(p.runsUntil(0) == "run@0");
        task->setPeriod(kYear * 20);
        BOOST_TEST(p.runsUntil(10) == "run@1");
        task->setPeriod(kYear * 100);
        BOOST_TEST(p.runsUntil(kYear * 99) ==
                   "run@" + std::to_string(1 + kYear * 20));  // by the period of 20 years
        task->setPeriod(std::numeric_limits<std::int64_t>::max());
        BOOST_TEST(p.runsUntil(kYear * 120 + 1) == "run@" + std::to_string(1 + kYear * 120));
        BOOST_TEST(!p.clock->advanceToNext());
        task->cancel();

        int runs = 0;
        const auto tiny = p.timer.scheduleAtFixedRate([&runs] { ++runs; }, 1, 1);
        tiny->setPeriod(1ns);
        p.clock->advance(1ms + 10ns);
        BOOST_TEST(runs == 11);
        tiny->setPeriod(std::chrono::duration<int, std::pico>(1'500));  // rounded up
        p.clock->advance(21ns);  // the next run after 1 ns, the others after 2
        BOOST_TEST(runs == 22);
        tiny->cancel();
    });
}

BOOST_AUTO_TEST_CASE(a75_a_task_that_the_destructor_of_its_timer_waits_for_gets_its_new_period) {
    for (const bool fixedRate : {true, false}) {
        const auto clock = std::make_shared<jtimer::ManualClock>(test::kStart);
        test::Log log(clock);
        auto timer = std::make_unique<Timer>(test::onClock(clock, false));
        const auto task = fixedRate ? timer->scheduleAtFixedRate(log.entry("run"), 100, 100)
                                    : timer->schedule(log.entry("run"), 100, 100);
        task->setPeriod(50);
        boost::thread closing([&] { timer.reset(); });
        clock->advance(155);  // links the task, now or after its first run
        task->setPeriod(10);
        clock->advance(70);
        BOOST_TEST(log.take() == "run@100 run@150 run@200 run@210 run@220");
        BOOST_TEST(task->cancel());
        closing.join();
    }
}

BOOST_AUTO_TEST_CASE(a75_a_named_task_keeps_its_name) {
    forEachTask([](Played& p, bool fixedRate) {
        const auto task = p.make();
        task->setName("poll");
        if (fixedRate) {
            p.timer.scheduleAtFixedRate(task, 30, 100);
        } else {
            p.timer.schedule(task, 30, 100);
        }
        task->setPeriod(30);
        BOOST_TEST(task->name() == "poll");
        BOOST_TEST(p.runsUntil(90) == "run@30 run@60 run@90");
        BOOST_TEST(task->cancel());
        BOOST_TEST(task->name() == "poll");
    });
}

BOOST_AUTO_TEST_CASE(a76_a_fixed_delay_stays_one_and_a_fixed_rate_stays_one) {
    forEachTask([](Played& p, bool fixedRate) {
        p.repeat(fixedRate, 0, 100, [&p](TimerTask& self, int run) {
            self.setPeriod(50);
            if (run == 3) p.clock->advance(120);
        });
        BOOST_TEST(p.runsUntil(320) == (fixedRate ? "run@0 run@100 run@150 run@270 run@270 run@300"
                                                  : "run@0 run@100 run@150 run@270 run@320"));
    });
}

BOOST_AUTO_TEST_CASE(a76_scheduled_execution_time_does_not_move) {
    forEachTask([](Played& p, bool fixedRate) {
        const auto scheduled = [](const TimerTask& task) {
            return test::ManualTimer::scheduled(task);
        };
        const auto task = p.repeat(fixedRate, 50, 100, [&](TimerTask& self, int run) {
            if (run != 2) return;
            self.setPeriod(7);
            BOOST_TEST(scheduled(self) == 150);
        });
        BOOST_TEST(scheduled(*task) == -50);
        task->setPeriod(200);
        BOOST_TEST(scheduled(*task) == -50);
        task->setPeriod(100);
        BOOST_TEST(p.runsUntil(100) == "run@50");
        BOOST_TEST(scheduled(*task) == 50);
        task->setPeriod(1000);
        BOOST_TEST(scheduled(*task) == 50);
        task->setPeriod(100);
        BOOST_TEST(p.runsUntil(200) == "run@150");
        BOOST_TEST(scheduled(*task) == 150);
    });
}

BOOST_AUTO_TEST_CASE(a76_missed_runs_count_from_the_queued_time) {
    for (const Kind& kind : kKinds) {
        for (const MissedRuns how : {MissedRuns::Once, MissedRuns::Skip}) {
            Played p(kind);
            std::string runs;
            p.timer.scheduleAtFixedRate(
                [&, n = 0](TimerTask& self) mutable {
                    const std::int64_t now = p.clock->nanos() / 1'000'000 - test::kStartMillis;
                    runs += std::to_string(now) + '(' + missed(self) + ") ";
                    if (++n != 1) return;
                    self.setPeriod(20);
                    p.clock->advance(150);  // 100 is queued: of 100, 120 and 140, which are past
                },
                0, 100, how);
            p.clock->advanceTo(at(185));
            BOOST_TEST(runs == (how == MissedRuns::Once ? "0(0) 150(2) 160(0) 180(0) "
                                                        : "0(0) 160(3) 180(0) "));
        }
    }
}

BOOST_AUTO_TEST_CASE(a77_a_period_that_is_not_positive_is_refused_before_all_else) {
    Played p(kKinds[0]);
    const auto virgin = p.make();
    const auto once = p.timer.schedule([] {}, 1'000);
    const auto repeating = p.repeat(true, 0, 100);
    const auto cancelled = p.repeat(true, 300, 100);
    cancelled->cancel();
    for (const auto& task : {virgin, once, repeating, cancelled}) {
        for (const jtimer::TimeSpan period :
             {jtimer::TimeSpan(0), jtimer::TimeSpan(-1), jtimer::TimeSpan(-1ns),
              jtimer::TimeSpan(std::numeric_limits<std::int64_t>::min())}) {
            CHECK_THROWS(task->setPeriod(period), IllegalArgumentException, kNoPeriod);
        }
    }
    BOOST_TEST(p.runsUntil(250) == "run@0 run@100 run@200");
}

BOOST_AUTO_TEST_CASE(a77_what_does_not_repeat_is_refused) {
    for (const Kind& kind : kKinds) {
        BOOST_TEST_CONTEXT(kind.name) {
            Played p(kind);
            const auto task = p.make([](TimerTask& self, int) {
                CHECK_THROWS(self.setPeriod(1), IllegalStateException, kNoRepeat);
            });
            CHECK_THROWS(task->setPeriod(1), IllegalStateException, kNoRepeat);
            p.timer.schedule(task, 10);
            CHECK_THROWS(task->setPeriod(1), IllegalStateException, kNoRepeat);
            BOOST_TEST(p.runsUntil(100) == "run@10");
            CHECK_THROWS(task->setPeriod(1), IllegalStateException, kNoRepeat);

            const auto tenth = [](jtimer::Date after) { return after + 10ms; };
            const auto byRule = p.timer.scheduleBy(p.make(), tenth);
            CHECK_THROWS(byRule->setPeriod(1), IllegalStateException, kNoRepeat);
            BOOST_TEST(p.runsUntil(120) == "run@110 run@120");
            CHECK_THROWS(byRule->setPeriod(1), IllegalStateException, kNoRepeat);

            const auto discarded = p.timer.schedule([] {}, 10);
            p.timer.cancel();
            CHECK_THROWS(discarded->setPeriod(1), IllegalStateException, kNoRepeat);
        }
    }
}

BOOST_AUTO_TEST_CASE(a77_a_cancelled_or_discarded_task_is_left_alone) {
    forEachTask([](Played& p, bool fixedRate) {
        const auto inRun = p.repeat(fixedRate, 0, 10, [](TimerTask& self, int) {
            self.cancel();
            self.setPeriod(1);
        });
        BOOST_TEST(p.runsUntil(50) == "run@0");
        inRun->setPeriod(1);
        const auto virgin = p.make();
        virgin->cancel();
        virgin->setPeriod(1);
        CHECK_THROWS(p.timer.schedule(virgin, 1), IllegalStateException,
                     "Task already scheduled or cancelled");
        const auto once = p.timer.schedule([] {}, 10);
        once->cancel();
        once->setPeriod(1);
        const auto hasRun = p.timer.schedule([] {}, 0);
        p.clock->waitUntilIdle();
        BOOST_TEST(!hasRun->cancel());
        hasRun->setPeriod(1);
        const auto byRule =
            p.timer.scheduleBy([] {}, [](jtimer::Date after) { return after + 1s; });
        byRule->cancel();
        byRule->setPeriod(1);
        const auto repeating = p.repeat(fixedRate, 10, 10);
        repeating->cancel();
        repeating->setPeriod(1);
        BOOST_TEST(repeating->isCancelled());
        BOOST_TEST(!repeating->isScheduled());
        const auto discarded = p.repeat(fixedRate, 10, 10);
        p.timer.cancel();
        discarded->setPeriod(1);
        BOOST_TEST(p.runsUntil(200) == "");
        BOOST_TEST(discarded->isScheduled());
        BOOST_TEST(discarded->cancel());
        discarded->setPeriod(1);
    });
}

BOOST_AUTO_TEST_CASE(a78_any_thread_may_call_it_and_the_last_call_wins) {
    forEachTask([](Played& p, bool fixedRate) {
        const auto task = p.repeat(fixedRate, 10, 100);
        for (const int period : {500, 3, 70}) {
            boost::thread caller([&] { task->setPeriod(period); });
            caller.join();
        }
        p.timer.schedule([&] { task->setPeriod(60); }, 30);
        BOOST_TEST(p.runsUntil(200) == "run@10 run@80 run@140 run@200");
    });
}

BOOST_AUTO_TEST_CASE(a78_it_wakes_no_thread_and_allocates_nothing) {
    forEachTask([](Played& p, bool fixedRate) {
        const auto task = p.repeat(fixedRate, 100, 100);
        p.clock->waitUntilIdle();
        const auto wakeUps = p.timer.stats().wakeUps;
        {
            const test::AllocationsLeft none(0);
            task->setPeriod(50);
            task->setPeriod(kYear * 50);
            task->setPeriod(20);
        }
        p.clock->waitUntilIdle();
        BOOST_TEST(p.timer.stats().wakeUps == wakeUps);
        BOOST_TEST(p.runsUntil(125) == "run@100 run@120");
    });
}

BOOST_AUTO_TEST_CASE(a78_it_waits_for_no_lock_of_the_timer) {
    for (const Kind& kind : kKinds) {
        const auto clock = std::make_shared<test::HangingClock>();
        Played p(kind);
        TimerOptions options = p.optionsFor(kind);
        options.clock = clock;
        Timer timer(options);
        const auto task = timer.scheduleAtFixedRate([] {}, 3'600'000, 100);
        clock->armed = true;
        // It reads the clock with its monitor held, and hangs there.
        boost::thread caller([&] { static_cast<void>(timer.schedule([] {}, 3'600'000)); });
        clock->hangs.wait();
        task->setPeriod(50);
        clock->release();
        caller.join();
        BOOST_TEST(task->cancel());
    }
}

BOOST_AUTO_TEST_CASE(a79_a_task_has_not_grown) {
    BOOST_TEST(sizeof(TimerTask) ==
               sizeof(void*) + sizeof(std::shared_ptr<TimerTask>) + 2 * sizeof(std::int64_t));
}

BOOST_AUTO_TEST_CASE(a79_the_link_of_a_task_ends_with_the_task) {
    for (const Kind& kind : kKinds) {
        Played p(kind);
        const auto play = [&p] {
            const auto repeating = p.timer.schedule(test::makeTask(), 10, 10);
            const auto once = p.timer.schedule(test::makeTask(), 0);
            const auto cancelled = p.timer.schedule(test::makeTask(), 10, 10);
            const auto hasRun = p.timer.schedule(test::makeTask(), 0);
            p.clock->advance(10);
            cancelled->cancel();
            cancelled->setPeriod(1);
            hasRun->cancel();
            repeating->cancel();
            p.timer.purge();
            p.clock->waitUntilIdle();
        };
        play();  // after it, the queue has its array
        const long before = test::livingAllocations();
        play();
        BOOST_TEST(test::livingAllocations() == before);
    }
}

BOOST_AUTO_TEST_SUITE_END()
