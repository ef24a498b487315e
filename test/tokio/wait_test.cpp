// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "support/abilities.hpp"
#include "support/counter.hpp"
#include "support/gate.hpp"
#include "support/system_threads.hpp"
#include "support/test.hpp"
#include "tokio/threaded_driver.hpp"

#include <jtimer/clock.hpp>

using namespace std::chrono_literals;
using jtimer::tokio::Interval;
using jtimer::tokio::Sleep;
using jtimer::tokio::TimeDriver;
using test::awaitSize;
using test::Background;
using test::ThreadedDriver;
// Threads that block.

namespace {

/// Stands still. Once, while a thread reads it, something happens.
class HookedClock final : public jtimer::WallClock {
  public:
    std::int64_t nanos() const override {
        if (const auto called = std::exchange(hook, nullptr)) called();
        return std::chrono::nanoseconds(test::PolledDriver::kOrigin.time_since_epoch()).count();
    }

    mutable std::function<void()> hook;
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(tokio_wait, ThreadedDriver)

BOOST_AUTO_TEST_CASE(t57_a_thread_in_wait_takes_no_part_in_the_clock) {
    Sleep sleep = threaded->sleep(10);
    test::Counter woken;
    const Background waiting([&] {
        sleep.wait();
        woken.up();
    });
    awaitSize(*threaded, 1);
    advanceTo(9);
    BOOST_TEST(woken.get() == 0);
    advanceTo(10);
    BOOST_TEST(sleep.isElapsed());
    BOOST_TEST(woken.reaches(1));
}

BOOST_AUTO_TEST_CASE(t34_any_number_of_threads_wait_beside_the_waker) {
    Sleep sleep = threaded->sleep(10);
    sleep.poll(waker("waker"));
    test::Counter begun, woken;
    boost::thread_group threads;
    for (int i = 0; i < 5; ++i) {
        threads.create_thread([&] {
            begun.up();
            sleep.wait();
            woken.up();
        });
    }
    BOOST_TEST(begun.reaches(5));
    advanceTo(10);
    threads.join_all();
    BOOST_TEST(woken.get() == 5);
    BOOST_TEST(take() == "waker@10");
}

BOOST_AUTO_TEST_CASE(t34_a_sleep_that_fires_ends_the_waits_for_it_and_no_others) {
    test::needInterruption();
    Sleep sleeps[] = {threaded->sleep(10), threaded->sleep(20), threaded->sleep(30)};
    test::Counter woken[3];
    boost::thread_group threads;
    boost::thread* interrupted = nullptr;
    for (int i = 0; i < 4; ++i) {
        for (std::size_t which = 0; which < 3; ++which) {
            interrupted = threads.create_thread([&, which] {
                sleeps[which].wait();
                woken[which].up();
            });
        }
    }
    awaitSize(*threaded, 3);
    advanceTo(20);
    BOOST_TEST(woken[0].reaches(4));
    BOOST_TEST(woken[1].reaches(4));
    BOOST_TEST(woken[2].get() == 0);
    interrupted->interrupt();
    interrupted->join();
    advanceTo(30);
    threads.join_all();
    BOOST_TEST(woken[2].get() == 3);
}

BOOST_AUTO_TEST_CASE(t34_a_wait_follows_resets_both_ways) {
    Sleep later = threaded->sleep(10), sooner = threaded->sleep(5000);
    std::atomic<std::int64_t> laterAt{0}, soonerAt{0};
    Background first([&] {
        later.wait();
        laterAt = now();
    });
    Background second([&] {
        sooner.wait();
        soonerAt = now();
    });
    awaitSize(*threaded, 2);
    later.reset(at(50));
    sooner.reset(at(20));
    advanceTo(20);
    second.join();
    BOOST_TEST(soonerAt == 20);
    BOOST_TEST(!later.isElapsed());
    advanceTo(50);
    first.join();
    BOOST_TEST(laterAt == 50);
}

BOOST_AUTO_TEST_CASE(t34_a_wait_is_for_the_deadline_at_the_time_when_it_registers) {
    const auto hooked = std::make_shared<HookedClock>();
    TimeDriver on(optionsOn(hooked));
    Sleep sleep = on.sleepUntil(at(10));
    test::Gate moved;
    // What another thread may do after wait() has begun and before it registers the Sleep: reset
    // it, and destroy a coroutine that waits for it.
    hooked->hook = [&] {
        sleep.reset(at(50));
        sleep.dropWaker();
        moved.open();
    };
    Background waiting([&] { sleep.wait(); });
    moved.wait();
    awaitSize(on, 1);
    BOOST_TEST((on.nextWake() == at(50)));
    on.turn(at(50));
    waiting.join();
}

BOOST_AUTO_TEST_CASE(t18_a_reset_for_which_the_clock_throws_changes_nothing) {
    const auto hooked = std::make_shared<HookedClock>();
    TimeDriver on(optionsOn(hooked));
    Sleep sleep = on.sleepUntil(at(10));
    for (const bool isRegistered : {false, true}) {
        if (isRegistered) sleep.poll();
        hooked->hook = [] { throw std::runtime_error("no time"); };
        CHECK_THROWS(sleep.reset(at(5)), std::runtime_error, "no time");
        BOOST_TEST((sleep.deadline() == at(10)));
        BOOST_TEST(on.size() == (isRegistered ? 1U : 0U));
    }
    BOOST_TEST((on.nextWake() == at(10)));
}

BOOST_AUTO_TEST_CASE(t34_a_reset_that_fires_ends_a_wait) {
    Sleep sleep = threaded->sleep(5000);
    Background waiting([&] { sleep.wait(); });
    awaitSize(*threaded, 1);
    sleep.reset(at(0));
    waiting.join();
    BOOST_TEST(sleep.isElapsed());
}

BOOST_AUTO_TEST_CASE(t34_with_a_polled_driver_another_thread_turns) {
    Sleep sleep = driver.sleep(10);
    Background waiting([&] { sleep.wait(); });
    awaitSize(driver, 1);
    turnAt(10);
    waiting.join();
    BOOST_TEST(unparked == 1);
    sleep.wait();  // has fired
}

BOOST_AUTO_TEST_CASE(t34_an_interrupted_wait_leaves_nothing_behind) {
    test::needInterruption();
    Sleep sleep = threaded->sleep(10);
    boost::thread waiting([&] { sleep.wait(); });
    awaitSize(*threaded, 1);
    waiting.interrupt();
    waiting.join();
    sleep.poll(waker("a"));
    advanceTo(10);
    BOOST_TEST(take() == "a@10");
}

BOOST_AUTO_TEST_CASE(t34_an_interval_ticks_in_a_loop_that_blocks) {
    Interval interval = threaded->intervalAt(at(10), 10);
    std::string ticks;
    test::Counter ticked;
    Background loop([&] {
        for (int i = 0; i < 3; ++i) {
            ticks += std::to_string(millis(interval.tick())) + ' ';
            ticked.up();
        }
    });
    for (int i = 1; i <= 3; ++i) {
        awaitSize(*threaded, 1);
        advanceTo(10 * i);
        BOOST_TEST(ticked.reaches(i));
    }
    loop.join();
    BOOST_TEST(ticks == "10 20 30 ");
}

BOOST_AUTO_TEST_SUITE_END()
