// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "support/gate.hpp"
#include "support/manual_timer.hpp"
#include "support/test.hpp"
#include "support/thread_state.hpp"
#include "support/throws.hpp"

using jtimer::IllegalStateException;
using jtimer::Timer;
using jtimer::TimerTask;
using test::at;
using test::Gate;
using test::makeTask;
using TaskPointer = std::shared_ptr<TimerTask>;

namespace {

struct Fixture : test::ManualTimer {
    test::Log log{clock};
};

void checkRefusesAll(Timer& timer) {
    for (const jtimer::When& when : {jtimer::When(0), jtimer::When(10), jtimer::When(at(0))}) {
        CHECK_THROWS(timer.schedule([] {}, when), IllegalStateException,
                     "Timer already cancelled.");
        CHECK_THROWS(timer.schedule([] {}, when, 10), IllegalStateException,
                     "Timer already cancelled.");
        CHECK_THROWS(timer.scheduleAtFixedRate([] {}, when, 10), IllegalStateException,
                     "Timer already cancelled.");
    }
}

}  // namespace

BOOST_FIXTURE_TEST_SUITE(timer_cancel, Fixture)

BOOST_AUTO_TEST_CASE(j52_cancel_leaves_the_states_of_the_discarded_tasks_as_they_were) {
    const auto scheduled = timer.schedule(log.entry("a"), 10);
    const auto repeating = timer.scheduleAtFixedRate(log.entry("b"), 0, 10);
    const auto cancelled = timer.schedule(log.entry("c"), 10);
    const auto executed = timer.schedule(log.entry("d"), 0);
    clock->waitUntilIdle();
    BOOST_TEST(cancelled->cancel());
    timer.cancel();
    BOOST_TEST(scheduled->scheduledExecutionTime() == test::kStartMillis + 10);
    BOOST_TEST(repeating->scheduledExecutionTime() == test::kStartMillis);
    BOOST_TEST(scheduled->cancel());
    BOOST_TEST(repeating->cancel());
    BOOST_TEST(!cancelled->cancel());
    BOOST_TEST(!executed->cancel());
}

BOOST_AUTO_TEST_CASE(j53_no_discarded_task_ever_runs) {
    for (int i = 1; i <= 100; ++i) {
        timer.schedule(log.entry("once"), i);
        timer.schedule(log.entry("delay"), i, i);
        timer.scheduleAtFixedRate(log.entry("rate"), at(i), i);
    }
    clock->waitUntilIdle();
    timer.cancel();
    clock->advance(1000);
    BOOST_TEST(log.take() == "");
    BOOST_TEST(timer.purge() == 0);
}

BOOST_AUTO_TEST_CASE(j54_cancel_can_be_repeated) {
    const auto ended = test::threadEnd(timer);
    const auto pending = timer.schedule(log.entry("a"), 10);
    timer.cancel();
    timer.cancel();
    ended->wait();
    timer.cancel();
    BOOST_TEST(pending->cancel());
    clock->advance(100);
    BOOST_TEST(log.take() == "");
}

BOOST_AUTO_TEST_CASE(j54_cancel_after_the_death_of_the_thread_does_nothing) {
    jtimer::TimerOptions options = test::onClock(clock);
    int handled = 0;
    options.uncaughtExceptionHandler = [&](const std::string&, const std::exception_ptr&) {
        ++handled;
    };
    Timer dying(options);
    dying.schedule([] { throw std::runtime_error("j54"); }, 10);
    clock->advance(10);
    dying.cancel();
    dying.cancel();
    BOOST_TEST(handled == 1);
    BOOST_TEST(dying.purge() == 0);
    checkRefusesAll(dying);
}

BOOST_AUTO_TEST_CASE(
    j55_cancel_returns_while_a_task_runs_which_ends_normally_and_then_the_thread_ends) {
    const auto ended = test::threadEnd(timer);
    Gate entered;
    Gate released;
    timer.schedule(
        [&] {
            entered.open();
            released.wait();
            log.write("completed");
        },
        0);
    timer.schedule(log.entry("next"), 0);
    entered.wait();
    timer.cancel();  // would wait for ever for the task
    BOOST_TEST(log.take() == "");
    released.open();
    ended->wait();
    BOOST_TEST(log.take() == "completed@0");
}

BOOST_AUTO_TEST_CASE(j56_cancel_ends_a_thread_that_waits) {
    const auto ended = test::threadEnd(timer);
    clock->waitUntilIdle();
    timer.cancel();
    ended->wait();

    Timer pending(test::onClock(clock));
    const auto pendingEnded = test::threadEnd(pending);
    pending.schedule(log.entry("a"), 10);
    clock->waitUntilIdle();
    pending.cancel();
    pendingEnded->wait();
    BOOST_TEST(!clock->advanceToNext());
}

BOOST_AUTO_TEST_CASE(j57_cancel_in_a_task_makes_that_run_the_last_though_others_are_due) {
    const auto ended = test::threadEnd(timer);
    timer.schedule(log.entry("earlier"), 5);
    timer.schedule(
        [&] {
            timer.cancel();
            log.write("completed");
        },
        10);
    timer.schedule(log.entry("same time"), 10);
    timer.scheduleAtFixedRate(log.entry("late"), 11, 1);
    clock->advance(5);
    clock->advance(1000);
    ended->wait();
    BOOST_TEST(log.take() == "earlier@5 completed@10");
}

BOOST_AUTO_TEST_CASE(j57_a_repeating_task_that_cancels_its_timer_in_its_fifth_run_has_five) {
    int runs = 0;
    timer.scheduleAtFixedRate(
        [&] {
            if (++runs == 5) timer.cancel();
        },
        at(-1000), 10);
    clock->advance(1000);
    BOOST_TEST(runs == 5);
}

BOOST_AUTO_TEST_CASE(j58_after_cancel_in_a_task_schedule_is_refused_and_the_task_can_be_cancelled) {
    std::string refusal;
    std::vector<bool> answers;
    TaskPointer task;
    task = makeTask([&] {
        timer.cancel();
        try {
            timer.schedule([] {}, 0);
        } catch (const IllegalStateException& e) {
            refusal = e.what();
        }
        answers = {task->cancel(), task->cancel()};
    });
    timer.schedule(task, 10, 10);
    clock->advance(100);
    BOOST_TEST(refusal == "Timer already cancelled.");
    BOOST_TEST(answers == std::vector<bool>({true, false}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(j60_after_cancel_every_overload_is_refused) {
    timer.cancel();
    checkRefusesAll(timer);
    clock->waitUntilIdle();
    checkRefusesAll(timer);
}

BOOST_AUTO_TEST_CASE(j61_a_task_of_one_timer_can_cancel_another) {
    Timer other(test::onClock(clock));
    const auto ended = test::threadEnd(other);
    other.scheduleAtFixedRate(log.entry("other"), 10, 10);
    timer.schedule([&] { other.cancel(); }, 25);
    clock->advance(24);
    BOOST_TEST(log.take() == "other@10 other@20");
    clock->advance(100);
    ended->wait();
    BOOST_TEST(log.take() == "");
    checkRefusesAll(other);
    timer.schedule(log.entry("still here"), 1);
    clock->advance(1);
    BOOST_TEST(log.take() == "still here@125");
}

BOOST_AUTO_TEST_CASE(j63_a_timer_that_is_always_late_can_be_cancelled) {
    const auto ended = test::threadEnd(timer);
    Gate third;
    std::atomic<int> runs{0};
    timer.scheduleAtFixedRate(
        [&] {
            clock->advance(25);  // slower than its period, so it is due again at once
            if (++runs == 3) third.open();
        },
        10, 10);
    boost::thread cancelling([&] {
        third.wait();
        timer.cancel();
    });
    clock->advance(10);
    cancelling.join();
    ended->wait();
    BOOST_TEST(runs >= 3);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_CASE(
    j59_at_most_one_task_begins_after_an_outside_cancel_and_none_after_the_threads_end) {
    for (int round = 0; round < 300; ++round) {
        std::atomic<bool> cancelled{false};
        std::atomic<int> late{0};
        std::atomic<int> runs{0};
        std::optional<Timer> timer(std::in_place, "j59");
        const auto task = [&] {
            if (cancelled) ++late;
            ++runs;
        };
        for (int i = 0; i < 10; ++i) timer->scheduleAtFixedRate(task, jtimer::Date{}, 1);
        while (runs < round % 8) boost::this_thread::yield();
        timer->cancel();
        cancelled = true;
        timer.reset();
        const int runsAtTheEnd = runs;
        BOOST_TEST(late <= 1);
        boost::this_thread::yield();
        BOOST_TEST(runs == runsAtTheEnd);
    }
}

BOOST_AUTO_TEST_CASE(j62_schedule_racing_cancel_succeeds_or_is_refused_and_the_thread_always_ends) {
    int accepted = 0;
    for (int round = 0; round < 200; ++round) {
        std::atomic<int> runs{0};
        std::atomic<int> taken{0};
        std::atomic<bool> otherError{false};
        {
            Timer timer("j62");  // not a daemon: its destructor waits for what is not discarded
            const auto schedule = [&] {
                try {
                    for (;;) {
                        timer.schedule([&runs] { ++runs; }, 0);
                        ++taken;
                        timer.schedule([&runs] { runs = 1'000'000; }, 3'600'000);
                    }
                } catch (const IllegalStateException& e) {
                    otherError = otherError || e.what() != std::string("Timer already cancelled.");
                }
            };
            boost::thread first(schedule);
            boost::thread second(schedule);
            while (taken < round % 16) boost::this_thread::yield();
            timer.cancel();
            first.join();
            second.join();
        }
        BOOST_TEST(runs <= taken);
        BOOST_TEST(!otherError);
        accepted += taken;
    }
    BOOST_TEST(accepted >= 1440);  // what the rounds have waited for
}
