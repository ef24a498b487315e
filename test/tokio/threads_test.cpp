// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "support/counter.hpp"
#include "support/gate.hpp"
#include "support/race.hpp"
#include "support/system_threads.hpp"
#include "tokio/driver_fixture.hpp"

#include <jtimer/clock.hpp>
#include <jtimer/tokio/await.hpp>

#include <boost/test/unit_test.hpp>
#include <boost/thread/thread.hpp>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

using namespace std::chrono_literals;
using jtimer::IllegalStateException;
using jtimer::tokio::Interval;
using jtimer::tokio::Sleep;
using jtimer::tokio::TimeDriver;

// Drivers with a thread of their own, and threads that block.

namespace {

/// A driver with a thread on a manual clock, beside the polled one.
struct ThreadedDriver : test::PolledDriver {
    std::optional<TimeDriver> threaded{std::in_place, threadedOptions()};

    jtimer::tokio::TimeDriverOptions threadedOptions() {
        auto with = options();
        with.polled = false;
        with.name = "wheel-of-a-long-name";
        return with;
    }
    void advanceTo(std::int64_t millis) { clock->advanceTo(at(millis)); }

    /// Those of the polled one, on a clock of its own.
    jtimer::tokio::TimeDriverOptions optionsOn(std::shared_ptr<jtimer::Clock> other) {
        auto with = options();
        with.clock = std::move(other);
        return with;
    }
};

/// Stands still. Once, while a thread reads it, something happens.
class HookedClock final : public jtimer::WallClock {
  public:
    std::int64_t nanos() const override {
        if (const auto called = std::exchange(hook, nullptr)) called();
        return std::chrono::nanoseconds(test::PolledDriver::kOrigin.time_since_epoch()).count();
    }

    mutable std::function<void()> hook;
};

/// Calls `function` on another thread, which is joined at the end.
class Background {
  public:
    explicit Background(std::function<void()> function) : thread_(std::move(function)) {}
    ~Background() { join(); }
    void join() {
        if (thread_.joinable()) thread_.join();
    }

  private:
    boost::thread thread_;
};

/// Waits until `sleep` is registered, as the last thing that a thread does before it blocks.
void awaitSize(const TimeDriver& driver, std::size_t size) {
    while (driver.size() != size) boost::this_thread::yield();
}

}  // namespace

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
        jtimer::tokio::detail::stopPolling(sleep);
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
