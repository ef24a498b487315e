// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "support/manual_timer.hpp"
#include "support/scripted_clock.hpp"
#include "support/test.hpp"
#include "support/throws.hpp"

using namespace std::chrono_literals;

namespace {

/// A timer that wakes up every 10 ms at the most. The clock starts at a multiple of that.
struct TolerantTimer {
    const std::shared_ptr<jtimer::ManualClock> clock =
        std::make_shared<jtimer::ManualClock>(test::kStart);
    std::string log;
    jtimer::Timer timer{options(clock)};

    static jtimer::TimerOptions options(std::shared_ptr<jtimer::Clock> clock) {
        jtimer::TimerOptions options = test::onClock(std::move(clock));
        options.tolerance = 10;
        return options;
    }

    auto task(const std::string& name) {
        return [this, name] {
            const auto now =
                std::chrono::duration_cast<std::chrono::milliseconds>(clock->now() - test::kStart);
            log += name + '@' + std::to_string(now.count()) + ' ';
        };
    }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(tolerance, TolerantTimer)

BOOST_AUTO_TEST_CASE(tasks_within_one_tolerance_run_together_at_its_end_in_their_order) {
    timer.schedule(task("c"), 9999us);
    timer.schedule(task("a"), 1);
    timer.schedule(task("b"), 5);
    timer.schedule(task("e"), 11);
    timer.schedule(task("d"), 10);  // a multiple: not late at all
    clock->advance(9);
    BOOST_TEST(log == "");
    clock->advance(100);
    BOOST_TEST(log == "a@10 b@10 c@10 d@10 e@20 ");
}

BOOST_AUTO_TEST_CASE(a_fixed_rate_keeps_its_count_and_its_times) {
    std::string times;
    std::shared_ptr<jtimer::TimerTask> rate;
    rate = timer.scheduleAtFixedRate(
        [&] {
            const auto time = rate->scheduledExecutionTime() - test::kStartMillis;
            times += std::to_string(time) + ' ';
        },
        4, 4);
    clock->advance(20);
    BOOST_TEST(times == "4 8 12 16 20 ");
    rate->cancel();
    clock->advance(100);
    rate.reset();
}

BOOST_AUTO_TEST_CASE(
    on_a_clock_before_1970_a_task_waits_for_a_multiple_and_what_is_never_due_stays_so) {
    const auto early = std::make_shared<jtimer::ManualClock>(jtimer::Date(-1s));
    jtimer::Timer old(options(early));
    int runs = 0;
    old.schedule([&] { ++runs; }, 1s);  // 1970: a multiple
    old.schedule([&] { ++runs; }, jtimer::Date::max());
    early->advance(999);
    BOOST_TEST(runs == 0);
    early->advance(1);
    BOOST_TEST(runs == 1);
    BOOST_TEST(!early->advanceToNext());
}

BOOST_AUTO_TEST_CASE(a_new_first_task_wakes_the_thread_only_for_an_earlier_wake_up) {
    const auto scripted = std::make_shared<test::ScriptedClock>();
    scripted->canBeSetForward = false;
    jtimer::Timer watched(options(scripted));
    scripted->awaitWait(1);
    watched.schedule([] {}, 38);
    BOOST_TEST(scripted->awaitWait(2) == (test::kStartMillis + 40) * 1'000'000);
    watched.schedule([] {}, 31);
    BOOST_TEST(scripted->notifications() == 1);
    watched.schedule([] {}, 30);
    BOOST_TEST(scripted->notifications() == 2);
    BOOST_TEST(scripted->awaitWait(3) == (test::kStartMillis + 30) * 1'000'000);
}

BOOST_AUTO_TEST_CASE(on_a_clock_that_can_be_set_every_new_first_task_wakes_the_thread) {
    const auto scripted = std::make_shared<test::ScriptedClock>();
    jtimer::TimerOptions tolerant = options(scripted);
    tolerant.tolerance = 1000;
    jtimer::Timer watched(tolerant);
    scripted->awaitWait(1);
    watched.schedule([] {}, 7500);
    BOOST_TEST(scripted->awaitWait(2) == (test::kStartMillis + 8000) * 1'000'000);
    // The wait that has begun goes on for 8 s from when it began, whatever the clock shows.
    scripted->time = (test::kStartMillis + 7100) * 1'000'000;
    watched.schedule([] {}, 0);
    BOOST_TEST(scripted->notifications() == 2);
    BOOST_TEST(scripted->awaitWait(3) == (test::kStartMillis + 8000) * 1'000'000);
}

BOOST_AUTO_TEST_CASE(a_fixed_delay_does_not_grow_by_the_tolerance) {
    jtimer::TimerOptions tolerant = options(clock);
    tolerant.tolerance = 600;
    jtimer::Timer watched(tolerant);
    std::string times;
    std::shared_ptr<jtimer::TimerTask> delay = test::makeTask([&] {
        task("d")();
        times += std::to_string(delay->scheduledExecutionTime() - test::kStartMillis) + ' ';
    });
    // kStart is no multiple of 600, but 400 more than one: the thread wakes up at 200, 800, 1400...
    watched.schedule(delay, 1000, 1000);
    clock->advance(4400);
    BOOST_TEST(log == "d@1400 d@2000 d@3200 d@4400 ");
    BOOST_TEST(times == "1000 2000 3000 4000 ");
    delay->cancel();
    watched.cancel();
    delay.reset();
}

BOOST_AUTO_TEST_CASE(a_fixed_delay_grows_by_what_the_thread_itself_is_late_by) {
    // As on a real clock, on which no thread wakes up at the very time: here another task comes
    // first at each wake-up, and takes 1 ms.
    jtimer::TimerOptions tolerant = options(clock);
    tolerant.tolerance = 600;
    jtimer::Timer watched(tolerant);
    std::string times;
    const auto other = watched.scheduleAtFixedRate([&] { clock->advance(1); }, 900, 600);
    const auto delay = watched.schedule(
        [&](jtimer::TimerTask& self) {
            task("d")();
            times += std::to_string(self.scheduledExecutionTime() - test::kStartMillis) + ' ';
        },
        1000, 600);
    clock->advance(2700);
    BOOST_TEST(log == "d@1401 d@2001 d@2601 ");
    BOOST_TEST(times == "1001 1602 2203 ");
    BOOST_TEST(delay->cancel());
    BOOST_TEST(other->cancel());
}

BOOST_AUTO_TEST_CASE(a_fixed_delay_counts_from_a_run_that_is_later_than_the_tolerance_makes_it) {
    std::shared_ptr<jtimer::TimerTask> delay;
    timer.schedule([this] { clock->advance(41); }, 1);  // at 10, until 51
    delay = timer.schedule(task("d"), 22, 20);
    clock->advanceTo(test::at(125));
    BOOST_TEST(log == "d@51 d@80 d@100 d@120 ");
    BOOST_TEST(delay->cancel());
}

BOOST_AUTO_TEST_CASE(a_fixed_delay_counts_no_wait_that_a_new_task_has_ended_before) {
    const auto delayed = timer.schedule(task("delayed"), 12, 100);
    clock->advance(10);
    timer.schedule([this] { clock->advance(8); }, 0);  // ends the wait until 20
    clock->waitUntilIdle();
    BOOST_TEST(log == "delayed@18 ");
    BOOST_TEST(delayed->scheduledExecutionTime() == test::kStartMillis + 18);
}

BOOST_AUTO_TEST_CASE(a_negative_tolerance_or_slack_is_refused_with_its_value) {
    jtimer::TimerOptions wrong = options(clock);
    wrong.tolerance = -1;
    CHECK_THROWS(jtimer::Timer{wrong}, jtimer::IllegalArgumentException,
                 "TimerOptions::tolerance is -1000000 ns, and must not be negative.");
    wrong.tolerance = 0;
    wrong.timerSlack = -1ns;
    CHECK_THROWS(jtimer::Timer{wrong}, jtimer::IllegalArgumentException,
                 "TimerOptions::timerSlack is -1 ns, and must not be negative.");
}

BOOST_AUTO_TEST_SUITE_END()
