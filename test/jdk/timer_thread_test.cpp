// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "support/gate.hpp"
#include "support/manual_timer.hpp"
#include "support/scripted_clock.hpp"
#include "support/test.hpp"

#if defined(__linux__)
#include <sys/prctl.h>
#endif

using namespace std::chrono_literals;
using jtimer::detail::kNever;
using jtimer::detail::Nanos;
using test::kStartMillis;

namespace {

struct ScriptedTimer {
    const std::shared_ptr<test::ScriptedClock> clock = std::make_shared<test::ScriptedClock>();
    jtimer::Timer timer{test::onClock(clock)};

    ~ScriptedTimer() { clock->holdNotified(false); }

    static Nanos at(std::int64_t millis) { return (kStartMillis + millis) * 1'000'000; }
    void setTime(std::int64_t millis) { clock->time = at(millis); }
};

void nothing() {}

}  // namespace

BOOST_FIXTURE_TEST_SUITE(timer_thread, ScriptedTimer)

BOOST_AUTO_TEST_CASE(j13_j14_an_idle_timer_waits_without_a_limit_and_reads_no_clock) {
    BOOST_TEST(clock->awaitWait(1) == kNever);
    BOOST_TEST(clock->readings == 0);
    BOOST_TEST(clock->notifications() == 0);
}

BOOST_AUTO_TEST_CASE(j13_a_timer_waits_once_and_exactly_until_its_first_task_is_due) {
    clock->awaitWait(1);
    timer.schedule(nothing, 3'600'000);
    BOOST_TEST(clock->awaitWait(2) == at(3'600'000));
    timer.schedule(nothing, 1h - 250us);
    BOOST_TEST(clock->awaitWait(3) == at(3'600'000) - 250'000);
}

BOOST_AUTO_TEST_CASE(j146_a_new_task_wakes_the_thread_only_if_it_is_the_new_minimum) {
    clock->awaitWait(1);
    timer.schedule(nothing, 100);  // the first
    BOOST_TEST(clock->notifications() == 1);
    clock->awaitWait(2);

    timer.schedule(nothing, 100);  // the same time is no new minimum
    timer.schedule(nothing, 101);
    timer.schedule(nothing, 3'600'000);
    timer.schedule(nothing, 101, 1);
    BOOST_TEST(clock->notifications() == 1);

    timer.schedule(nothing, 99);  // an earlier one
    BOOST_TEST(clock->notifications() == 2);
    BOOST_TEST(clock->awaitWait(3) == at(99));
}

BOOST_AUTO_TEST_CASE(j146_of_many_new_minima_in_one_wait_only_the_first_wakes_the_thread) {
    clock->awaitWait(1);
    clock->holdNotified(true);
    for (int delay = 100; delay > 0; --delay) timer.schedule(nothing, delay);
    BOOST_TEST(clock->notifications() == 1);
    clock->endWait();
    BOOST_TEST(clock->awaitWait(2) == at(1));
}

BOOST_AUTO_TEST_CASE(
    j146_a_thread_that_runs_a_task_is_not_notified_and_finds_the_new_minimum_itself) {
    clock->awaitWait(1);
    test::Gate running, go;
    timer.schedule([&] { running.open(), go.wait(); }, 0);
    running.wait();
    BOOST_TEST(clock->notifications() == 1);
    timer.schedule(nothing, 20);
    timer.schedule(nothing, 10);
    go.open();
    BOOST_TEST(clock->awaitWait(2) == at(10));
    BOOST_TEST(clock->notifications() == 1);
}

BOOST_AUTO_TEST_CASE(j49_j66_cancelling_and_purging_wake_nobody) {
    clock->awaitWait(1);
    const auto task = timer.schedule(nothing, 10);
    clock->awaitWait(2);
    BOOST_TEST(task->cancel());
    BOOST_TEST(timer.purge() == 1);
    BOOST_TEST(timer.purge() == 0);
    BOOST_TEST(clock->notifications() == 1);
}

BOOST_AUTO_TEST_CASE(j138_a_task_cancelled_while_the_thread_waits_for_it_leaves_the_wait_as_it_is) {
    clock->awaitWait(1);
    const auto task = timer.schedule(nothing, 10);
    clock->awaitWait(2);
    task->cancel();
    clock->endWaitAt(at(10));
    BOOST_TEST(clock->awaitWait(3) == kNever);
    BOOST_TEST(timer.purge() == 0);  // the thread has dropped it
}

BOOST_AUTO_TEST_CASE(j56_cancelling_a_timer_wakes_its_thread_once_and_for_all) {
    clock->awaitWait(1);
    timer.cancel();
    BOOST_TEST(clock->notifications() == 1);
    timer.cancel();
    BOOST_TEST(clock->notifications() == 1);
}

BOOST_AUTO_TEST_CASE(j102_a_wait_that_ends_early_is_taken_up_again_and_nothing_fires_early) {
    clock->awaitWait(1);
    bool ran = false;
    timer.schedule([&] { ran = true; }, 10);
    for (std::size_t wait = 2; wait < 20; ++wait) {
        BOOST_TEST(clock->awaitWait(wait) == at(10));
        clock->time = at(10) - 1;  // a nanosecond too early
        clock->endWait();
    }
    BOOST_TEST(clock->awaitWait(20) == at(10));
    BOOST_TEST(!ran);
    clock->endWaitAt(at(10));
    BOOST_TEST(clock->awaitWait(21) == kNever);
    BOOST_TEST(ran);
}

BOOST_AUTO_TEST_CASE(
    j116_a_clock_that_was_set_back_during_a_wait_makes_the_thread_wait_for_the_rest) {
    clock->awaitWait(1);
    timer.schedule(nothing, 500);
    clock->awaitWait(2);
    clock->endWaitAt(at(-1500));
    BOOST_TEST(clock->awaitWait(3) == at(500));
}

BOOST_AUTO_TEST_CASE(j19_a_task_that_is_never_due_makes_the_thread_wait_without_a_limit) {
    clock->awaitWait(1);
    using Millis = std::chrono::milliseconds;
    timer.schedule(nothing,
                   std::chrono::time_point<std::chrono::system_clock, Millis>(Millis::max()));
    BOOST_TEST(clock->awaitWait(2) == kNever);
}

BOOST_AUTO_TEST_CASE(one_reading_of_the_clock_serves_each_look_at_the_queue) {
    clock->awaitWait(1);
    test::Gate running, go;
    timer.schedule([&] { running.open(), go.wait(); }, 0);  // read once here, once by the thread
    running.wait();
    BOOST_TEST(clock->readings == 2);
    timer.schedule(nothing, test::at(-1));  // a Date needs no reading
    BOOST_TEST(clock->readings == 2);
    go.open();
    clock->awaitWait(2);
    BOOST_TEST(clock->readings == 4);  // once for the second task, once for stats() at the end
}

BOOST_AUTO_TEST_CASE(each_decision_reads_the_clock_anew) {
    clock->awaitWait(1);
    test::Gate running, go;
    timer.schedule([&] { running.open(), go.wait(); }, test::at(0));
    running.wait();
    BOOST_TEST(clock->readings == 1);
    for (int i = 0; i < 100; ++i) timer.schedule(nothing, test::at(-i));
    go.open();
    clock->awaitWait(2);
    BOOST_TEST(clock->readings == 102);  // one of them for stats(), when all have run

    timer.schedule(nothing, test::at(-1), 10);
    clock->awaitWait(3);
    BOOST_TEST(clock->readings == 104);  // it is due, and counts from then; its next run is not
}

BOOST_AUTO_TEST_CASE(where_a_cheaper_reading_proves_that_a_task_is_due_the_clock_is_seldom_read) {
    clock->reached = at(-1);
    clock->awaitWait(1);
    test::Gate running, go;
    timer.schedule([&] { running.open(), go.wait(); }, test::at(0));
    running.wait();
    BOOST_TEST(clock->readings == 1);
    for (int i = 1; i <= 100; ++i) timer.schedule(nothing, test::at(-i));
    timer.scheduleAtFixedRate(nothing, test::at(-1), 1'000'000);
    timer.schedule(nothing, test::at(0));  // only an exact reading proves it due
    go.open();
    clock->awaitWait(2);
    // For the head of the wait, for the second task of this moment, and for stats() after 1, 2, 4,
    // 8, 16 and 32 runs.
    BOOST_TEST(clock->readings == 9);
    timer.schedule(nothing, test::at(-1), 10);  // a fixed delay counts from the present time
    BOOST_TEST(clock->awaitWait(3) == at(10));
    BOOST_TEST(clock->readings == 11);
}

BOOST_AUTO_TEST_CASE(j102_a_reading_from_before_the_clock_was_set_back_makes_no_task_due) {
    clock->reached = at(-1);
    clock->awaitWait(1);
    bool ran = false;
    timer.schedule(
        [&] {
            clock->time = clock->reached = at(0) - 1;
            timer.schedule([&] { ran = true; }, test::at(0));
        },
        test::at(0));
    BOOST_TEST(clock->awaitWait(2) == at(0));
    BOOST_TEST(!ran);
}

BOOST_AUTO_TEST_CASE(j102_a_task_scheduled_after_the_clock_was_set_back_is_not_early) {
    clock->awaitWait(1);
    bool ran = false;
    timer.schedule(
        [&] {
            setTime(-1000);
            timer.schedule([&] { ran = true; }, 500);  // half a second before the last reading
        },
        0);
    BOOST_TEST(clock->awaitWait(2) == at(-500));
    BOOST_TEST(!ran);
}

BOOST_AUTO_TEST_CASE(a_producer_of_ever_earlier_tasks_notifies_once_in_a_settling_time) {
    clock->settlingTime = 1'000'000;
    clock->awaitWait(1);
    timer.schedule(nothing, 1000);
    BOOST_TEST(clock->awaitWait(2) == at(1000));
    timer.schedule(nothing, 900);  // the thread was about to sleep: now it settles
    BOOST_TEST(clock->awaitWait(3) == at(1));
    BOOST_TEST(clock->notifications() == 2);
    timer.schedule(nothing, 800);
    timer.schedule(nothing, 700);
    timer.schedule(nothing, 1);
    BOOST_TEST(clock->notifications() == 2);
    timer.schedule(nothing, 999us);  // but this one cannot wait for that
    BOOST_TEST(clock->notifications() == 3);
    BOOST_TEST(clock->awaitWait(4) == at(0) + 999'000);
    clock->endWaitAt(at(0) + 999'000);
    BOOST_TEST(clock->awaitWait(5) == at(1));
    clock->endWaitAt(at(1));
    BOOST_TEST(clock->awaitWait(6) == at(700));  // no notification any more: a long wait again
    BOOST_TEST(clock->notifications() == 3);
}

BOOST_AUTO_TEST_CASE(a_single_notification_costs_no_wake_up_but_its_own) {
    clock->settlingTime = 1'000'000;
    clock->awaitWait(1);
    timer.schedule(nothing, 1000);
    BOOST_TEST(clock->awaitWait(2) == at(1000));
    setTime(1);  // a settling time later
    timer.schedule(nothing, 800);
    BOOST_TEST(clock->awaitWait(3) == at(801));
}

BOOST_AUTO_TEST_CASE(j117_after_a_purge_every_new_first_task_wakes_the_thread) {
    clock->awaitWait(1);
    const auto first = timer.schedule(nothing, 10);
    clock->awaitWait(2);
    first->cancel();
    timer.purge();
    setTime(1000);  // the wall clock is set forward: the wait lasts longer than it should
    timer.schedule(nothing, 0);
    BOOST_TEST(clock->notifications() == 2);
}

BOOST_AUTO_TEST_CASE(one_wake_up_serves_tasks_that_are_due_within_50_us_of_each_other) {
    clock->wakesLate = true;
    clock->awaitWait(1);
    timer.schedule(nothing, 40us);
    timer.schedule(nothing, 97us);
    timer.schedule(nothing, 99us);
    BOOST_TEST(clock->awaitWait(2) == at(0) + 40'000);
    clock->endWaitAt(at(0) + 40'000);
    BOOST_TEST(clock->awaitWait(3) == at(0) + 97'000 + 50'000);
    timer.schedule(nothing, 20us);
    BOOST_TEST(clock->awaitWait(4) == at(0) + 60'000);
}

BOOST_AUTO_TEST_CASE(an_explicit_tolerance_is_not_exceeded_to_share_a_wake_up) {
    const auto ownClock = std::make_shared<test::ScriptedClock>();
    ownClock->wakesLate = true;
    jtimer::TimerOptions options = test::onClock(ownClock);
    options.tolerance = 20us;
    jtimer::Timer tolerant(options);
    ownClock->awaitWait(1);
    tolerant.schedule(nothing, 20us);
    tolerant.schedule(nothing, 30us);
    tolerant.schedule(nothing, 40us);
    BOOST_TEST(ownClock->awaitWait(2) == at(0) + 20'000);
    ownClock->endWaitAt(at(0) + 20'000);
    BOOST_TEST(ownClock->awaitWait(3) == at(0) + 40'000);
}

#if defined(__linux__)
BOOST_AUTO_TEST_CASE(the_timer_slack_is_low_during_a_wait_and_usual_in_what_a_task_starts) {
    const int usual = prctl(PR_GET_TIMERSLACK, 0, 0, 0, 0);
    clock->awaitWait(1);
    BOOST_TEST(clock->timerSlack == usual);  // without a limit
    std::array<int, 3> inTask{};
    timer.schedule(
        [&] {
            inTask[0] = prctl(PR_GET_TIMERSLACK, 0, 0, 0, 0);
            boost::thread([&] { inTask[1] = prctl(PR_GET_TIMERSLACK, 0, 0, 0, 0); }).join();
        },
        10);
    clock->awaitWait(2);
    BOOST_TEST(clock->timerSlack == 1);
    clock->endWaitAt(at(10));
    clock->awaitWait(3);
    BOOST_TEST(clock->timerSlack == usual);
    timer.schedule([] {}, 99us);
    clock->awaitWait(4);
    BOOST_TEST(clock->timerSlack == usual);  // a short wait
    BOOST_TEST(inTask[0] == usual);
    BOOST_TEST(inTask[1] == usual);
}

BOOST_AUTO_TEST_CASE(a_slack_that_was_asked_for_holds_for_waits_of_any_length_and_for_no_task) {
    const int usual = prctl(PR_GET_TIMERSLACK, 0, 0, 0, 0);
    const auto ownClock = std::make_shared<test::ScriptedClock>();
    jtimer::TimerOptions options = test::onClock(ownClock);
    options.timerSlack = 2ms;
    jtimer::Timer slack(options);
    int inTask = 0;
    ownClock->awaitWait(1);
    slack.schedule([&] { inTask = prctl(PR_GET_TIMERSLACK, 0, 0, 0, 0); }, 99us);
    ownClock->awaitWait(2);
    BOOST_TEST(ownClock->timerSlack == 2'000'000);
    ownClock->time = at(1);
    ownClock->endWait();
    ownClock->awaitWait(3);
    BOOST_TEST(inTask == usual);
}
#endif

BOOST_AUTO_TEST_SUITE_END()
