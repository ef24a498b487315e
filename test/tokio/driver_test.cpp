// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "support/test.hpp"
#include "tokio/driver_fixture.hpp"

using namespace std::chrono_literals;
using jtimer::IllegalStateException;
using jtimer::tokio::Interval;
using jtimer::tokio::Sleep;
using jtimer::tokio::TimeDriver;

// The driver as an event loop sees it: turns, wake-ups, unparking, wakers, shutdown.

namespace {

constexpr const char* kInWaker = "TimeDriver.turn() cannot be called from a waker.";
constexpr const char* kBlocks = "Cannot wait inside a turn of the same TimeDriver.";

}  // namespace

BOOST_FIXTURE_TEST_SUITE(tokio_driver, test::PolledDriver)

BOOST_AUTO_TEST_CASE(t22_the_next_wake_is_the_next_expiration_or_nothing) {
    BOOST_TEST(next() == -1);
    Sleep far = driver.sleep(1000);
    far.poll();
    BOOST_TEST(next() == 960);
    {
        Sleep near = driver.sleep(7);
        near.poll();
        BOOST_TEST(next() == 7);
    }
    BOOST_TEST(next() == 960);
    turnAt(960);
    BOOST_TEST(next() == 1000);
    turnAt(1000);
    BOOST_TEST(next() == -1);
}

BOOST_AUTO_TEST_CASE(t24_a_turn_fires_what_is_due_and_deadlines_that_wakers_set_before_its_time) {
    Sleep second = driver.sleep(0);
    Sleep third = driver.sleep(0);
    Sleep first = driver.sleep(10);
    first.poll([&] {
        note("first");
        second = driver.sleepUntil(at(50));
        second.poll([&] {
            note("second");
            third = driver.sleepUntil(at(300));
            third.poll(waker("third"));
        });
    });
    BOOST_TEST(driver.turn(at(200)) == 2U);
    BOOST_TEST(take() == "first second");
    BOOST_TEST(next() == 256);
    BOOST_TEST(driver.turn(at(300)) == 1U);
}

BOOST_AUTO_TEST_CASE(t24_a_turn_in_the_future_makes_earlier_deadlines_due) {
    BOOST_TEST(driver.turn(at(100)) == 0U);
    Sleep sleep = driver.sleepUntil(at(100));  // the clock still shows 0
    BOOST_TEST(sleep.poll());
    Sleep later = driver.sleepUntil(at(101));
    BOOST_TEST(!later.poll());
}

BOOST_AUTO_TEST_CASE(t15_a_turn_in_the_past_counts_as_one_of_the_last_time) {
    Sleep sleep = driver.sleep(10);
    sleep.poll();
    driver.turn(at(9));
    BOOST_TEST(driver.turn(at(3)) == 0U);
    BOOST_TEST(driver.elapsed().count() == 9);
    BOOST_TEST(driver.turn(at(10)) == 1U);
}

BOOST_AUTO_TEST_CASE(t25_a_sleep_that_an_earlier_waker_destroyed_or_postponed_is_not_called) {
    std::optional<Sleep> sleeps[3];
    for (auto& sleep : sleeps) sleep = driver.sleep(10);
    int called = 0;
    for (std::size_t i = 0; i < 3; ++i) {
        sleeps[i]->poll([&, i] {
            ++called;
            sleeps[(i + 1) % 3].reset();
            sleeps[(i + 2) % 3]->reset(at(20));
        });
    }
    BOOST_TEST(turnAt(10) == 1U);
    BOOST_TEST(called == 1);
    BOOST_TEST(driver.size() == 1U);
    BOOST_TEST(next() == 20);
}

BOOST_AUTO_TEST_CASE(t25_d8_wakers_and_what_they_own_may_call_everything) {
    // The destructor of what a waker captured destroys and makes Sleeps: no lock is held.
    struct Busy {
        TimeDriver& driver;
        std::unique_ptr<Sleep> owned;
        ~Busy() {
            owned.reset();
            Sleep sleep = driver.sleep(1);
            sleep.poll();
            driver.check();
        }
    };
    const auto busy = [&] {
        auto own = std::make_unique<Sleep>(driver.sleep(1));
        own->poll([] {});
        return std::shared_ptr<Busy>(new Busy{driver, std::move(own)});
    };
    Sleep fired = driver.sleep(10), replaced = driver.sleep(10), dropped = driver.sleep(10);
    fired.poll([held = busy()] {});
    replaced.poll([held = busy()] {});
    replaced.poll([] {});
    dropped.poll([held = busy()] {});
    { const Sleep gone = std::move(dropped); }
    turnAt(10);
    Sleep refused = driver.sleep(0);
    BOOST_TEST(refused.poll([held = busy()] {}));
    driver.shutdown();
    BOOST_TEST(driver.size() == 0U);
}

BOOST_AUTO_TEST_CASE(t26_what_a_waker_throws_goes_to_the_handler_and_the_turn_goes_on) {
    Sleep first = driver.sleep(10), second = driver.sleep(11);
    first.poll([] { throw std::runtime_error("oops"); });
    second.poll(waker("second"));
    BOOST_TEST(turnAt(20) == 2U);
    BOOST_TEST(take() == "test:oops second@20");
    first.reset(at(100));
    first.poll([] { throw std::runtime_error("again"); });
    first.reset(at(0));
    BOOST_TEST(first.isElapsed());
    BOOST_TEST(driver.turn() == 1U);
    BOOST_TEST(take() == "test:again");
}

BOOST_AUTO_TEST_CASE(t26_what_unpark_throws_goes_to_the_handler) {
    auto with = options();
    with.unpark = [] { throw std::runtime_error("stuck"); };
    owned.emplace(std::move(with));
    Sleep sleep = owned->sleep(10);
    BOOST_TEST(!sleep.poll());
    BOOST_TEST(take() == "test:stuck");
}

BOOST_AUTO_TEST_CASE(t27_shutdown_fires_everything_registered_and_refuses_the_rest) {
    Sleep elapsed = driver.sleep(5), near = driver.sleep(10), far = driver.sleep(100'000'000);
    Sleep fresh = driver.sleep(7);
    Interval interval = driver.interval(10);
    for (Sleep* sleep : {&elapsed, &near, &far}) sleep->poll([this] { note("woken"); });
    turnAt(5);
    take();
    driver.shutdown();
    driver.shutdown();
    BOOST_TEST(take() == "woken woken");
    BOOST_TEST(driver.isShutdown());
    BOOST_TEST(driver.size() == 0U);
    BOOST_TEST(next() == -1);
    BOOST_TEST(driver.turn() == 0U);
    BOOST_TEST(driver.turn(at(1'000'000'000)) == 0U);

    BOOST_TEST(elapsed.poll());
    BOOST_TEST(elapsed.isElapsed());
    elapsed.wait();
    for (Sleep* sleep : {&near, &far, &fresh}) {
        BOOST_TEST(!sleep->isElapsed());
        CHECK_THROWS(sleep->poll(), IllegalStateException, test::kShutDown);
        CHECK_THROWS(sleep->wait(), IllegalStateException, test::kShutDown);
        CHECK_THROWS(sleep->reset(at(9)), IllegalStateException, test::kShutDown);
        CHECK_THROWS(sleep->resetAfter(9), IllegalStateException, test::kShutDown);
    }
    BOOST_TEST((near.deadline() == at(10)));
    CHECK_THROWS(elapsed.reset(at(9)), IllegalStateException, test::kShutDown);
    BOOST_TEST(elapsed.isElapsed());
    CHECK_THROWS(driver.sleep(1), IllegalStateException, test::kShutDown);
    CHECK_THROWS(driver.sleepUntil(at(1)), IllegalStateException, test::kShutDown);
    CHECK_THROWS(driver.interval(1), IllegalStateException, test::kShutDown);
    CHECK_THROWS(driver.intervalAt(at(1), 1), IllegalStateException, test::kShutDown);
    CHECK_THROWS(interval.tick(), IllegalStateException, test::kShutDown);
    CHECK_THROWS(interval.pollTick(), IllegalStateException, test::kShutDown);
    CHECK_THROWS(interval.reset(), IllegalStateException, test::kShutDown);
}

BOOST_AUTO_TEST_CASE(t27_d2_the_cost_of_a_shutdown_is_that_of_its_entries) {
    Sleep longest = driver.sleep(std::chrono::hours::max());
    longest.poll(waker("longest"));
    driver.shutdown();
    BOOST_TEST(take() == "longest@0");
}

BOOST_AUTO_TEST_CASE(t27_a_waker_may_shut_down_its_driver_in_a_turn) {
    Sleep first = driver.sleep(10), second = driver.sleep(11), third = driver.sleep(11);
    first.poll([&] {
        driver.shutdown();
        note("done");
    });
    for (Sleep* sleep : {&second, &third})
        sleep->poll([&] {
            driver.shutdown();
            note("released");
        });
    BOOST_TEST(turnAt(20) == 1U);
    BOOST_TEST(take() == "released released done");
    BOOST_TEST(first.isElapsed());
    BOOST_TEST(!second.isElapsed());
}

BOOST_AUTO_TEST_CASE(t28_handles_outlive_the_driver) {
    Sleep elapsed = driver.sleep(0), pending = driver.sleep(10);
    Interval interval = driver.interval(5);
    elapsed.poll();
    pending.poll(waker("pending"));
    owned.reset();
    BOOST_TEST(take() == "pending@0");
    BOOST_TEST(elapsed.poll());
    CHECK_THROWS(pending.poll(), IllegalStateException, test::kShutDown);
    CHECK_THROWS(interval.pollTick(), IllegalStateException, test::kShutDown);
}

BOOST_AUTO_TEST_CASE(t28_a_waker_may_destroy_its_polled_driver) {
    Sleep first = driver.sleep(10), second = driver.sleep(20);
    first.poll([&] { owned.reset(); });
    second.poll(waker("second"));
    clock->advance(10ms);
    BOOST_TEST(driver.turn() == 1U);
    BOOST_TEST(take() == "second@10");
}

BOOST_AUTO_TEST_CASE(t29_turn_and_wait_are_refused_in_a_waker) {
    Sleep other = driver.sleep(50);
    Sleep due = driver.sleep(10);
    Interval interval = driver.intervalAt(at(70), 10);
    Sleep sleep = driver.sleep(10);
    sleep.poll([&] {
        CHECK_THROWS(driver.turn(), IllegalStateException, kInWaker);
        CHECK_THROWS(other.wait(), IllegalStateException, kBlocks);
        CHECK_THROWS(interval.tick(), IllegalStateException, kBlocks);
        due.wait();  // due, so nothing to wait for
        note("refused");
    });
    turnAt(10);
    BOOST_TEST(take() == "refused");
    BOOST_TEST(driver.size() == 0U);
    other.poll([&] { CHECK_THROWS(driver.turn(), IllegalStateException, kInWaker); });
    other.reset(at(0));
    BOOST_TEST(other.isElapsed());
}

BOOST_AUTO_TEST_CASE(t29_the_waker_of_one_driver_may_turn_another) {
    TimeDriver second(options());
    Sleep there = second.sleep(10);
    there.poll(waker("there"));
    Sleep here = driver.sleep(10);
    here.poll([&] { BOOST_TEST(second.turn() == 1U); });
    BOOST_TEST(turnAt(10) == 1U);
    BOOST_TEST(take() == "there@10");
}

BOOST_AUTO_TEST_CASE(t29_a_driver_with_a_thread_is_not_turned_by_hand) {
    auto with = options();
    with.polled = false;
    TimeDriver threaded(std::move(with));
    CHECK_THROWS(threaded.turn(), IllegalStateException,
                 "TimeDriver.turn() cannot be called on a driver with a thread.");
    CHECK_THROWS(threaded.turn(at(5)), IllegalStateException,
                 "TimeDriver.turn() cannot be called on a driver with a thread.");
}

BOOST_AUTO_TEST_CASE(name_size_and_time_are_as_documented) {
    BOOST_TEST(driver.name() == "test");
    BOOST_TEST(driver.clock() == clock);
    BOOST_TEST((dynamic_cast<jtimer::SteadyClock*>(TimeDriver().clock().get()) != nullptr));
    BOOST_TEST((driver.now() == kOrigin));
    clock->advance(3ms);
    BOOST_TEST((driver.now() == at(3)));
    BOOST_TEST(TimeDriver().name() == "TimeDriver");
    jtimer::tokio::TimeDriverOptions unnamed;
    unnamed.name = "";
    BOOST_TEST(TimeDriver(unnamed).name() == "TimeDriver");
}

BOOST_AUTO_TEST_SUITE_END()
