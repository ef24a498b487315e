// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "support/counter.hpp"
#include "support/test.hpp"
#include "tokio/driver_fixture.hpp"

using namespace std::chrono_literals;
using jtimer::IllegalStateException;
using jtimer::tokio::Sleep;
using jtimer::tokio::TimeDriver;
using jtimer::tokio::Waker;

// What a waker owns may use the driver from its destructor, whatever the driver is doing.

namespace {

/// A waker that does nothing, and calls `function` when it is destroyed.
Waker whenDestroyed(std::function<void()> function) {
    struct Owned {
        std::function<void()> call;
        explicit Owned(std::function<void()> called) : call(std::move(called)) {}
        Owned(const Owned&) = delete;
        Owned& operator=(const Owned&) = delete;
        ~Owned() { call(); }
    };
    return [owned = std::make_shared<Owned>(std::move(function))] {};
}

struct Destructors : test::PolledDriver {
    /// What a driver that has been shut down still answers.
    void useAfterShutdown() {
        CHECK_THROWS(driver.sleep(1), IllegalStateException, test::kShutDown);
        driver.check();
        driver.shutdown();
        note("size " + std::to_string(driver.size()));
    }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(tokio_destructors, Destructors)

BOOST_AUTO_TEST_CASE(t27_in_a_shutdown_destructors_use_the_driver) {
    Sleep first = driver.sleep(10);
    first.poll(whenDestroyed([&] { useAfterShutdown(); }));
    driver.shutdown();
    BOOST_TEST(take() == "size 0");
    BOOST_TEST(driver.size() == 0U);
}

BOOST_AUTO_TEST_CASE(t27_in_a_shutdown_destructors_destroy_sleeps_whose_wakers_are_not_called) {
    std::optional<Sleep> sleeps[2] = {driver.sleep(10), driver.sleep(10)};
    for (std::size_t i = 0; i < 2; ++i) {
        sleeps[i]->poll([this, owned = whenDestroyed([&sleeps, i] { sleeps[1 - i].reset(); })] {
            note("woken");
        });
    }
    driver.shutdown();
    BOOST_TEST(take() == "woken");
    BOOST_TEST(driver.size() == 0U);
}

BOOST_AUTO_TEST_CASE(t28_in_a_shutdown_destructors_destroy_the_driver) {
    Sleep first = driver.sleep(10), second = driver.sleep(20);
    const auto destroy = [this] {
        owned.reset();
        note("destroyed");
    };
    first.poll(whenDestroyed(destroy));
    second.poll(waker("second"));
    driver.shutdown();
    const std::string noted = take();
    BOOST_TEST((noted == "destroyed second@0" || noted == "second@0 destroyed"));
    CHECK_THROWS(first.poll(), IllegalStateException, test::kShutDown);
}

BOOST_AUTO_TEST_CASE(t28_the_last_sleep_of_a_driver_is_destroyed_by_a_waker_that_it_owns) {
    auto sleep = std::make_shared<Sleep>(driver.sleep(10));
    Sleep* const raw = sleep.get();
    raw->poll([sleep = std::move(sleep)] {});
    owned.reset();  // calls the waker, destroys it and with it the last reference to the driver
    BOOST_TEST(clock.use_count() == 1);
}

BOOST_AUTO_TEST_CASE(t24_in_a_turn_destructors_use_the_driver) {
    Sleep first = driver.sleep(10), later = driver.sleep(0);
    first.poll(whenDestroyed([&] {
        CHECK_THROWS(driver.turn(), IllegalStateException,
                     "TimeDriver.turn() cannot be called from a waker.");
        driver.check();
        later = driver.sleepUntil(at(20));
        later.poll(waker("later"));
    }));
    BOOST_TEST(turnAt(10) == 1U);
    BOOST_TEST(turnAt(20) == 1U);
    BOOST_TEST(take() == "later@20");
}

BOOST_AUTO_TEST_CASE(t28_on_the_thread_of_a_driver_destructors_destroy_it) {
    auto with = options();
    with.polled = false;
    std::optional<TimeDriver> threaded(std::in_place, std::move(with));
    test::Counter destroyed;
    Sleep first = threaded->sleep(10), second = threaded->sleep(20);
    first.poll(whenDestroyed([&] {
        threaded.reset();
        destroyed.up();
    }));
    second.poll(waker("second"));
    clock->advanceTo(at(10));
    BOOST_TEST(destroyed.reaches(1));
    BOOST_TEST(take() == "second@10");
}

BOOST_AUTO_TEST_SUITE_END()
