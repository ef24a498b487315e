// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "support/counter.hpp"
#include "support/test.hpp"
#include "tokio/threaded_driver.hpp"

#include <jtimer/tokio.hpp>

using namespace std::chrono_literals;
using jtimer::tokio::Completion;
using jtimer::tokio::DelayQueue;
using jtimer::tokio::DriverShutdown;
using jtimer::tokio::Interval;
using jtimer::tokio::Notified;
using jtimer::tokio::Notify;
using jtimer::tokio::Sleep;
using jtimer::tokio::TimeDriver;

// A shutdown beside wakers that another thread calls: they still run one at a time.

namespace {

struct Shutdown : test::ThreadedDriver {
    int inWakers = 0;  ///< not atomic: ThreadSanitizer sees two wakers at a time
    std::atomic<int> inside{0};
    std::atomic<bool> overlap{false};
    std::vector<std::string> calls;

    /// A waker that sees whether another one runs beside it.
    std::function<void()> alone(const std::string& name, std::function<void()> f = {}) {
        return [this, name, f = std::move(f)] {
            if (inside++ != 0) overlap = true;
            ++inWakers;
            calls.push_back(name);
            if (f) f();
            for (int i = 0; i < 100; ++i) boost::this_thread::yield();
            --inWakers;
            --inside;
        };
    }
    /// Waits until a shutdown has begun, and gives it time to do something wrong.
    static void awaitShutdown(const TimeDriver& driver) {
        while (!driver.isShutdown()) boost::this_thread::yield();
        for (int i = 0; i < 1000; ++i) boost::this_thread::yield();
    }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(tokio_shutdown, Shutdown)

BOOST_AUTO_TEST_CASE(a13_a_shutdown_waits_for_the_waker_on_the_drivers_thread) {
    test::Counter begun;
    Sleep first = threaded->sleep(10), second = threaded->sleep(20);
    first.poll(alone("first", [&] {
        begun.up();
        awaitShutdown(*threaded);
        if (calls.size() != 1) overlap = true;
    }));
    second.poll(alone("second"));
    test::Background moves([&] { advanceTo(10); });
    BOOST_TEST(begun.reaches(1));
    threaded->shutdown();
    BOOST_TEST(!overlap);
    BOOST_TEST(calls == (std::vector<std::string>{"first", "second"}),
               boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a13_a_destructor_waits_for_the_waker_on_the_drivers_thread) {
    test::Counter begun;
    std::atomic<bool> ended{false};
    Sleep first = threaded->sleep(10), second = threaded->sleep(20);
    TimeDriver& own = *threaded;
    first.poll(alone("first", [&] {
        begun.up();
        awaitShutdown(own);
        if (ended) overlap = true;
    }));
    second.poll(alone("second"));
    test::Background moves([&] { advanceTo(10); });
    BOOST_TEST(begun.reaches(1));
    threaded.reset();
    ended = true;
    BOOST_TEST(!overlap);
    BOOST_TEST(calls.size() == 2U);
}

BOOST_AUTO_TEST_CASE(a13_a_shutdown_waits_for_the_waker_in_a_turn_of_a_polled_driver) {
    test::Counter begun;
    Sleep first = driver.sleep(10), second = driver.sleep(20);
    first.poll(alone("first", [&] {
        begun.up();
        awaitShutdown(driver);
    }));
    second.poll(alone("second"));
    std::size_t fired = 0;
    test::Background turns([&] { fired = driver.turn(at(30)); });
    BOOST_TEST(begun.reaches(1));
    driver.shutdown();
    turns.join();
    BOOST_TEST(fired == 1U);
    BOOST_TEST(!overlap);
    BOOST_TEST(calls.size() == 2U);
}

BOOST_AUTO_TEST_CASE(a13_two_shutdowns_call_one_waker_at_a_time) {
    test::Counter begun;
    std::atomic<bool> returnedEarly{false};
    std::vector<Sleep> sleeps;
    for (int i = 0; i < 20; ++i) {
        sleeps.push_back(driver.sleep(10));
        sleeps.back().poll(alone("w", [&] { begun.up(); }));
    }
    {
        std::vector<std::unique_ptr<test::Background>> threads;
        for (int i = 0; i < 3; ++i)
            threads.push_back(std::make_unique<test::Background>([&] {
                driver.shutdown();
                if (begun.get() != 20) returnedEarly = true;
            }));
    }
    BOOST_TEST(!returnedEarly);
    BOOST_TEST(!overlap);
    BOOST_TEST(calls.size() == 20U);
}

BOOST_AUTO_TEST_CASE(a13_inside_the_waker_a_shutdown_does_not_wait_and_another_thread_does) {
    test::Counter begun;
    Sleep first = threaded->sleep(10), second = threaded->sleep(20);
    first.poll([&] {
        note("first");
        begun.up();
        awaitShutdown(*threaded);
        threaded->shutdown();  // calls the second inside the first
        note("end");
    });
    second.poll([&] { note("second"); });
    test::Background moves([&] { advanceTo(10); });
    BOOST_TEST(begun.reaches(1));
    threaded->shutdown();
    BOOST_TEST(take() == "first second end");
}

BOOST_AUTO_TEST_CASE(a13_a_waker_of_a_shutdown_may_destroy_the_driver_whose_thread_has_failed) {
    // The driver's thread ends by an exception of its clock, while the wakers are being called.
    struct Failing final : jtimer::WallClock {
        std::atomic<bool> fails{false};
        std::int64_t nanos() const override {
            if (fails) throw std::runtime_error("no time");
            return jtimer::WallClock::nanos();
        }
    };
    const auto failing = std::make_shared<Failing>();
    auto with = optionsOn(failing);
    with.polled = false;
    threaded.emplace(std::move(with));
    Sleep sleep = threaded->sleep(1h), soon = threaded->sleep(1);
    bool destroyed = false;
    sleep.poll([&] {
        failing->fails = true;
        threaded.reset();
        destroyed = true;
    });
    threaded->shutdown();
    BOOST_TEST(destroyed);
}

BOOST_AUTO_TEST_CASE(a14_what_a_shutdown_refuses_throws_DriverShutdown_and_a_mistake_does_not) {
    Sleep near = driver.sleep(10), inTurn = driver.sleep(10);
    Interval interval = driver.interval(10);
    DelayQueue<int> queue(driver);
    Notified notified = Notify(driver).notified();
    auto limited = timeout(driver, 10, Completion<int>());
    inTurn.poll([&] {
        try {
            near.wait();
        } catch (const DriverShutdown&) {
            note("wrong");
        } catch (const jtimer::IllegalStateException&) {
            note("a mistake");
        }
    });
    inTurn.resetAfter(0);
    driver.turn();
    BOOST_TEST(take() == "a mistake");
    queue.insert(1, 10);
    driver.shutdown();
    CHECK_THROWS(near.poll(), DriverShutdown, test::kShutDown);
    CHECK_THROWS(near.wait(), DriverShutdown, test::kShutDown);
    CHECK_THROWS(near.reset(at(1)), DriverShutdown, test::kShutDown);
    CHECK_THROWS(interval.pollTick(), DriverShutdown, test::kShutDown);
    CHECK_THROWS(interval.tick(), DriverShutdown, test::kShutDown);
    CHECK_THROWS(queue.pollExpired(), DriverShutdown, test::kShutDown);
    CHECK_THROWS(queue.next(), DriverShutdown, test::kShutDown);
    CHECK_THROWS(notified.poll(), DriverShutdown, test::kShutDown);
    CHECK_THROWS(notified.wait(), DriverShutdown, test::kShutDown);
    CHECK_THROWS(limited.poll(), DriverShutdown, test::kShutDown);
    CHECK_THROWS(limited.get(), DriverShutdown, test::kShutDown);
    CHECK_THROWS(driver.sleep(1), DriverShutdown, test::kShutDown);
    CHECK_THROWS(driver.sleepUntil(at(1)), DriverShutdown, test::kShutDown);
    CHECK_THROWS(driver.interval(1), DriverShutdown, test::kShutDown);
    CHECK_THROWS(driver.intervalAt(at(1), 1), DriverShutdown, test::kShutDown);
}

BOOST_AUTO_TEST_CASE(t29_turn_returns_0_while_another_thread_shuts_down) {
    test::Counter begun, over;
    Sleep sleep = driver.sleep(10);
    sleep.poll([&] {
        begun.up();
        BOOST_TEST(over.reaches(1));
    });
    test::Background ends([&] { driver.shutdown(); });
    BOOST_TEST(begun.reaches(1));
    BOOST_TEST(driver.turn(at(10)) == 0U);
    over.up();
}

BOOST_AUTO_TEST_SUITE_END()
