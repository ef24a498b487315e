// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "support/counter.hpp"
#include "support/gate.hpp"
#include "support/race.hpp"
#include "support/system_threads.hpp"
#include "support/test.hpp"
#include "tokio/threaded_driver.hpp"

using namespace std::chrono_literals;
using jtimer::IllegalStateException;
using jtimer::tokio::Sleep;
using jtimer::tokio::TimeDriver;
using test::awaitSize;
using test::Background;
using test::ThreadedDriver;
// Drivers with a thread of their own.

BOOST_FIXTURE_TEST_SUITE(tokio_threads, ThreadedDriver)

BOOST_AUTO_TEST_CASE(t22_an_idle_driver_waits_without_a_limit) {
    BOOST_TEST(!clock->advanceToNext());
    {
        Sleep sleep = threaded->sleep(10);
        sleep.poll();
        clock->waitUntilIdle();
    }
    BOOST_TEST(clock->advanceToNext());  // what was promised, for nothing
    BOOST_TEST(now() == 10);
    BOOST_TEST(!clock->advanceToNext());
    Sleep never = threaded->sleep(std::chrono::hours::max());
    never.poll();
    BOOST_TEST(clock->advanceToNext());  // the end of the top level's slot
    BOOST_TEST(!never.isElapsed());
}

BOOST_AUTO_TEST_CASE(t23_what_never_comes_hides_nothing_from_a_threaded_driver) {
    Sleep never = threaded->sleep(std::chrono::hours::max());
    never.poll();
    constexpr std::int64_t days = std::int64_t{20} * 86'400'000;
    Sleep far = threaded->sleep(days);
    far.poll(waker("far"));
    advanceTo(days);
    BOOST_TEST(take() == "far@" + std::to_string(days));
}

BOOST_AUTO_TEST_CASE(t22_a_threaded_driver_sleeps_until_the_starts_of_slots_and_no_other_time) {
    std::vector<Sleep> sleeps;
    for (const std::int64_t tick : {2, 10, 60, 234, 1000, 299'008}) {
        sleeps.push_back(threaded->sleep(tick));
        sleeps.back().poll(waker("s"));
    }
    std::string turns;
    while (clock->advanceToNext()) turns += std::to_string(now()) + ' ';
    BOOST_TEST(turns == "2 10 60 192 234 960 1000 262144 299008 ");
    BOOST_TEST(take() == "s@2 s@10 s@60 s@234 s@1000 s@299008");
}

BOOST_AUTO_TEST_CASE(t57_one_move_of_the_time_goes_through_every_deadline) {
    Sleep again = threaded->sleep(0);
    Sleep a = threaded->sleep(5), b = threaded->sleep(1500us), c = threaded->sleep(300);
    a.poll(waker("a"));
    b.poll([&] {
        note("b@" + std::to_string(now()));
        again = threaded->sleepUntil(at(7));
        again.poll(waker("again"));
    });
    c.poll(waker("c"));
    advanceTo(299);
    BOOST_TEST(take() == "b@2 a@5 again@7");
    advanceTo(1000);
    BOOST_TEST(take() == "c@300");
}

BOOST_AUTO_TEST_CASE(t27_shutdown_ends_waits_with_an_exception) {
    Sleep sleep = threaded->sleep(10);
    Background waiting([&] { CHECK_THROWS(sleep.wait(), IllegalStateException, test::kShutDown); });
    awaitSize(*threaded, 1);
    threaded->shutdown();
    waiting.join();
    BOOST_TEST(!sleep.isElapsed());
}

BOOST_AUTO_TEST_CASE(t27_shutdown_calls_the_wakers_on_its_own_thread) {
    Sleep sleep = threaded->sleep(10);
    boost::thread::id wokenOn;
    sleep.poll([&] { wokenOn = boost::this_thread::get_id(); });
    threaded->shutdown();
    BOOST_TEST((wokenOn == boost::this_thread::get_id()));
}

BOOST_AUTO_TEST_CASE(t27_shutdown_calls_the_wakers_when_the_drivers_thread_ends_meanwhile) {
    const auto withDriver = test::numberOfThreads();
    const auto here = boost::this_thread::get_id();
    int wokenHere = 0;
    const auto note = [&] {
        if (boost::this_thread::get_id() != here) return;
        while (test::numberOfThreads() == withDriver) boost::this_thread::yield();
        ++wokenHere;
    };
    Sleep first = threaded->sleep(10), second = threaded->sleep(20);
    first.poll(note);
    second.poll(note);
    threaded->shutdown();
    BOOST_TEST(wokenHere == 2);
}

BOOST_AUTO_TEST_CASE(t27_a_waker_shuts_its_threaded_driver_down) {
    Sleep first = threaded->sleep(10), second = threaded->sleep(20);
    first.poll([&] { threaded->shutdown(); });
    second.poll(waker("second"));
    advanceTo(10);
    BOOST_TEST(take() == "second@10");
    BOOST_TEST(threaded->isShutdown());
}

// Nothing else orders the two threads: ThreadSanitizer checks that nothing else needs to.
BOOST_AUTO_TEST_CASE(a_thread_that_sees_a_reset_sleep_elapsed_sees_what_was_written_before) {
    std::string written;
    Sleep sleep = driver.sleep(1h);
    sleep.poll([] {});
    boost::thread reader([&] {
        while (!sleep.isElapsed()) boost::this_thread::yield();
        BOOST_TEST(written == "before");
    });
    written = "before";
    sleep.reset(driver.start());
    reader.join();
}

BOOST_AUTO_TEST_CASE(a_sleep_that_was_waited_for_can_be_polled_and_given_up) {
    Sleep sleep = threaded->sleep(10);
    Background waiting([&] { sleep.wait(); });
    awaitSize(*threaded, 1);
    advanceTo(10);
    waiting.join();
    sleep.resetAfter(1h);
    sleep.poll([] {});
    BOOST_TEST(threaded->size() == 1U);
    sleep.dropWaker();
    BOOST_TEST(threaded->size() == 0U);
}

BOOST_AUTO_TEST_CASE(t28_the_destructor_joins) {
    const auto before = test::numberOfThreads();
    std::optional<TimeDriver> another(std::in_place, threadedOptions());
    BOOST_TEST(test::numberOfThreads() == before + 1);
    another.reset();
    BOOST_TEST(test::numberOfThreads() == before);
}

BOOST_AUTO_TEST_CASE(t28_a_waker_destroys_its_threaded_driver) {
    test::Counter destroyed;
    Sleep first = threaded->sleep(10), second = threaded->sleep(20);
    first.poll([&] {
        threaded.reset();
        destroyed.up();
    });
    second.poll(waker("second"));
    advanceTo(10);
    BOOST_TEST(destroyed.reaches(1));
    BOOST_TEST(take() == "second@10");
    BOOST_TEST(first.isElapsed());
}

BOOST_AUTO_TEST_CASE(t29_to_block_on_the_drivers_thread_is_refused) {
    Sleep other = threaded->sleep(50), sleep = threaded->sleep(10);
    sleep.poll([&] {
        CHECK_THROWS(other.wait(), IllegalStateException,
                     "Cannot wait inside a turn of the same TimeDriver.");
        note("refused");
    });
    advanceTo(10);
    BOOST_TEST(take() == "refused");
}

BOOST_AUTO_TEST_CASE(t29_two_turns_beside_each_other_are_refused) {
    test::Gate inWaker, go;
    Sleep sleep = driver.sleep(10);
    sleep.poll([&] {
        inWaker.open();
        go.wait();
    });
    clock->advance(10ms);
    Background turning([&] { driver.turn(); });
    inWaker.wait();
    CHECK_THROWS(driver.turn(), IllegalStateException, "TimeDriver.turn() is already running.");
    go.open();
    turning.join();
    BOOST_TEST(driver.turn() == 0U);
}

BOOST_AUTO_TEST_CASE(t25_the_wakers_of_a_threaded_driver_run_on_its_thread) {
    std::string name;
    Sleep sleep = threaded->sleep(10);
    sleep.poll([&] { name = test::currentThreadName(); });
    advanceTo(10);
    BOOST_TEST(name == "wheel-of-a-long");
}

BOOST_AUTO_TEST_CASE(t26_a_throwing_waker_does_not_end_the_thread) {
    Sleep first = threaded->sleep(10), second = threaded->sleep(20);
    first.poll([] { throw std::runtime_error("oops"); });
    second.poll(waker("second"));
    advanceTo(20);
    BOOST_TEST(take() == "wheel-of-a-long-name:oops second@20");
}

BOOST_AUTO_TEST_CASE(d7_registering_and_dropping_race_with_going_to_sleep_and_lose_nothing) {
    // Each round the driver's thread is about to sleep, for nothing or for the sleep that is
    // dropped.
    TimeDriver real;
    test::Counter fired;
    int left = 0;
    Sleep kept = real.sleep(0);
    test::race(300,
               {[&](int round) {
                    kept = real.sleep(std::chrono::microseconds(round % 50));
                    kept.wait();
                    fired.up();
                },
                [&](int round) {
                    Sleep dropped = real.sleep(std::chrono::microseconds(1000 + round % 50));
                    dropped.poll([] {});
                },
                [&](int) {
                    Sleep dropped = real.sleep(1h);
                    dropped.poll([] {});
                }},
               [&](int) { left += static_cast<int>(real.size()); });
    BOOST_TEST(fired.get() == 300);
    BOOST_TEST(left == 0);
    real.check();
}

BOOST_AUTO_TEST_CASE(t2_on_the_real_clock_no_sleep_is_early) {
    TimeDriver real;
    for (int i = 0; i < 5; ++i) {
        const auto before = std::chrono::steady_clock::now();
        Sleep sleep = real.sleep(2ms);
        sleep.wait();
        BOOST_TEST((std::chrono::steady_clock::now() - before >= 2ms));
    }
}

BOOST_AUTO_TEST_SUITE_END()
