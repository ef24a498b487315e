// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "support/counter.hpp"
#include "support/test.hpp"
#include "tokio/threaded_driver.hpp"

#include <jtimer/timer.hpp>
#include <jtimer/tokio/delay_queue.hpp>
#include <jtimer/tokio/notify.hpp>

using namespace std::chrono_literals;
using jtimer::tokio::DelayQueue;
using jtimer::tokio::Interval;
using jtimer::tokio::Notified;
using jtimer::tokio::Notify;
using jtimer::tokio::Sleep;
using jtimer::tokio::TimeDriver;

// Every turn ends: what wakers make due at once is left to the next one.

namespace {

struct Turns : test::ThreadedDriver {
    /// What the waker of `sleep` does: it makes the Sleep due again, and leaves itself there.
    std::function<void()> renewing(Sleep& sleep, int& calls) {
        return [this, &sleep, &calls] {
            ++calls;
            sleep.poll(renewing(sleep, calls));
            sleep.resetAfter(0);
            sleep.reset(at(60'000));
            sleep.poll(renewing(sleep, calls));
            sleep.resetAfter(0);
        };
    }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(tokio_turns, Turns)

BOOST_AUTO_TEST_CASE(a9_a_turn_ends_even_if_a_waker_makes_its_own_sleep_due_again) {
    Sleep sleep = driver.sleep(10);
    int calls = 0;
    sleep.poll(renewing(sleep, calls));
    BOOST_TEST(turnAt(10) == 1U);
    BOOST_TEST(calls == 1);
    for (int i = 2; i != 10; ++i) {
        BOOST_TEST(next() == 10);
        BOOST_TEST(driver.size() == 1U);
        BOOST_TEST(turnAt(10) == 1U);
        BOOST_TEST(calls == i);
    }
}

BOOST_AUTO_TEST_CASE(a9_the_next_wake_is_now_when_a_waker_waits_for_its_turn) {
    clock->advance(7ms + 300us);  // no turn since the start
    Sleep sleep = driver.sleep(10);
    sleep.poll(waker("w"));
    sleep.resetAfter(0);
    BOOST_TEST((driver.nextWake() == clock->now()));
    driver.turn();
    BOOST_TEST(take() == "w@7");
}

BOOST_AUTO_TEST_CASE(a9_other_deadlines_fire_while_a_waker_makes_more_due_in_each_turn) {
    Sleep busy = driver.sleep(1), other = driver.sleep(5);
    int calls = 0;
    busy.poll(renewing(busy, calls));
    other.poll(waker("other"));
    BOOST_TEST(turnAt(1) == 1U);
    BOOST_TEST(turnAt(4) == 1U);
    BOOST_TEST(turnAt(5) == 2U);
    BOOST_TEST(take() == "other@5");
    BOOST_TEST(calls == 3);
}

BOOST_AUTO_TEST_CASE(a9_an_entry_that_a_waker_inserts_due_is_polled_in_the_next_turn) {
    DelayQueue<int> queue(driver);
    const std::function<void()> serve = [&] {
        std::string values;
        while (auto job = queue.pollExpired(serve)) values += std::to_string(job->value);
        note(values + ';');
        queue.insert(1, 0);
    };
    static_cast<void>(queue.pollExpired(serve));
    queue.insert(0, 5);
    BOOST_TEST(turnAt(5) == 1U);
    BOOST_TEST(take() == "0;");
    BOOST_TEST(turnAt(5) == 1U);
    BOOST_TEST(turnAt(5) == 1U);
    BOOST_TEST(take() == "1; 1;");
    BOOST_TEST(next() == 5);
}

BOOST_AUTO_TEST_CASE(a9_a_queue_that_a_waker_empties_is_polled_in_the_next_turn) {
    DelayQueue<int> queue(driver);
    const std::function<void()> serve = [&] {
        note(std::to_string(queue.len()));
        queue.clear();
        queue.insert(1, 100);
        static_cast<void>(queue.pollExpired(serve));
        queue.clear();
    };
    static_cast<void>(queue.pollExpired(serve));
    queue.insert(0, 0);
    BOOST_TEST(turnAt(0) == 1U);
    BOOST_TEST(turnAt(0) == 1U);
    BOOST_TEST(take() == "1 0");
    BOOST_TEST(driver.size() == 1U);
}

BOOST_AUTO_TEST_CASE(a9_what_a_waker_notifies_is_called_in_the_next_turn) {
    const Notify notify(driver);
    std::optional<Notified> notified(notify.notified());
    int calls = 0;
    const std::function<void()> again = [&] {
        ++calls;
        BOOST_TEST(notified->poll());
        notified.emplace(notify.notified());
        notified->poll(again);
        notify.notifyOne();
    };
    notified->poll(again);
    notify.notifyWaiters();
    for (int i = 1; i != 5; ++i) {
        BOOST_TEST(driver.turn() == 1U);
        BOOST_TEST(calls == i);
        BOOST_TEST(next() == 0);
    }
}

BOOST_AUTO_TEST_CASE(a9_an_interval_that_a_waker_resets_ticks_in_the_next_turn) {
    Interval interval = driver.intervalAt(at(10), 10);
    const std::function<void()> tick = [&] {
        note(std::to_string(millis(interval.pollTick().value())));
        static_cast<void>(interval.pollTick(tick));
        interval.resetImmediately();
    };
    static_cast<void>(interval.pollTick(tick));
    BOOST_TEST(turnAt(10) == 1U);
    BOOST_TEST(take() == "10");
    BOOST_TEST(turnAt(10) == 1U);
    BOOST_TEST(take() == "10");
}

BOOST_AUTO_TEST_CASE(a9_what_a_waker_makes_due_runs_before_the_deadlines_of_the_next_turn) {
    Sleep first = driver.sleep(10), second = driver.sleep(20), third = driver.sleep(11);
    second.poll(waker("second"));
    third.poll(waker("third"));
    first.poll([&] {
        note("first");
        second.reset(at(3));
    });
    BOOST_TEST(turnAt(10) == 1U);
    BOOST_TEST(second.isElapsed());
    BOOST_TEST(turnAt(12) == 2U);
    BOOST_TEST(take() == "first second@12 third@12");
}

BOOST_AUTO_TEST_CASE(a9_a_deadline_between_the_wheels_tick_and_the_turns_time_fires_in_the_turn) {
    Sleep first = driver.sleep(10), second = driver.sleep(0);
    first.poll([&] {
        note(std::to_string(driver.elapsed().count()));
        second = driver.sleepUntil(at(50));
        second.poll([&] { note(std::to_string(driver.elapsed().count())); });
    });
    BOOST_TEST(driver.turn(at(50)) == 2U);
    BOOST_TEST(take() == "10 50");
}

BOOST_AUTO_TEST_CASE(a9_a_turn_ahead_of_the_clock_ends_too) {
    Sleep sleep = driver.sleep(10);
    int calls = 0;
    const std::function<void()> again = [&] {
        if (++calls == 100) return;
        sleep.resetAfter(1);  // by the clock, which stands still
        if (sleep.poll(again)) note("due");
    };
    sleep.poll(again);
    BOOST_TEST(driver.turn(at(1'000'000)) == 1U);
    BOOST_TEST(calls == 1);
    BOOST_TEST(take() == "due");
}

BOOST_AUTO_TEST_CASE(a9_a_waker_of_this_turn_may_still_be_withdrawn_or_moved_by_an_earlier_one) {
    std::optional<Sleep> sleeps[2];
    for (auto& sleep : sleeps) sleep = driver.sleep(100);
    int calls = 0;
    for (std::size_t i = 0; i < 2; ++i) {
        sleeps[i]->poll([&, i] {
            ++calls;
            sleeps[1 - i].reset();
        });
        sleeps[i]->resetAfter(0);
    }
    BOOST_TEST(driver.turn() == 1U);
    BOOST_TEST(calls == 1);
    BOOST_TEST(next() == -1);
}

BOOST_AUTO_TEST_CASE(a9_a_shutdown_calls_what_waits_for_the_next_turn) {
    Sleep first = driver.sleep(10), second = driver.sleep(20);
    second.poll(waker("second"));
    first.poll([&] { second.resetAfter(0); });
    turnAt(10);
    BOOST_TEST(take() == "");
    driver.shutdown();
    BOOST_TEST(take() == "second@10");
}

BOOST_AUTO_TEST_CASE(a10_ten_thousand_self_renewing_wakers_do_not_hold_up_a_sleep) {
    jtimer::tokio::TimeDriverOptions with;
    with.uncaughtExceptionHandler = [](const std::string&, const std::exception_ptr&) {};
    TimeDriver real(std::move(with));  // the shutdown at the end meets wakers
    test::Counter over;
    std::atomic<bool> ends{false};
    std::vector<Sleep> sleeps;
    for (int i = 0; i < 10'000; ++i) sleeps.push_back(real.sleep(1h));
    std::function<void(Sleep&)> arm = [&](Sleep& sleep) {
        sleep.poll([&] {
            if (ends) return;
            arm(sleep);
            sleep.resetAfter(1h);
            arm(sleep);
            sleep.resetAfter(0);
        });
    };
    for (Sleep& sleep : sleeps) {
        arm(sleep);
        sleep.resetAfter(0);
    }
    // Each is due while the 10,000 are: the driver fires it, and this thread gets the lock for it.
    for (int i = 0; i < 10; ++i) {
        Sleep sleep = real.sleep(5ms);
        sleep.poll([&] { over.up(); });
        BOOST_TEST(over.reaches(i + 1));
    }
    ends = true;
    real.shutdown();
}

BOOST_AUTO_TEST_CASE(a12_advance_goes_on_while_a_waker_makes_more_due_at_the_time_reached) {
    Sleep sleep = threaded->sleep(10), other = threaded->sleep(10), later = threaded->sleep(11);
    int calls = 0;
    const std::function<void()> again = [&] {
        note("w@" + std::to_string(now()));
        if (++calls == 5) return;
        sleep.resetAfter(1);
        sleep.poll(again);
        sleep.resetAfter(0);
    };
    sleep.poll(again);
    other.poll(waker("other"));
    later.poll(waker("later"));
    advanceTo(10);
    BOOST_TEST(calls == 5);
    BOOST_TEST(now() == 10);
    BOOST_TEST(log.find("other@10") != std::string::npos);
    BOOST_TEST(log.find("later") == std::string::npos);
    take();
    advanceTo(11);
    BOOST_TEST(take() == "later@11");
}

BOOST_AUTO_TEST_CASE(a12_what_else_is_due_runs_while_a_waker_keeps_the_clock_at_a_time) {
    jtimer::TimerOptions with;
    with.clock = clock;
    with.daemon = true;
    jtimer::Timer timer(std::move(with));
    std::atomic<bool> ran{false};
    timer.schedule([&] { ran = true; }, 10);
    Sleep sleep = threaded->sleep(10), other = threaded->sleep(20);
    std::function<void()> again = [&] {
        if (ran && other.isElapsed()) return;
        if (ran) other.resetAfter(0);
        sleep.resetAfter(1);
        sleep.poll(again);
        sleep.resetAfter(0);
    };
    sleep.poll(again);
    advanceTo(10);
    BOOST_TEST(ran);
    BOOST_TEST(other.isElapsed());
    BOOST_TEST(now() == 10);
}

BOOST_AUTO_TEST_SUITE_END()
