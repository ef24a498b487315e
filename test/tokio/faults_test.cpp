// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "support/faults.hpp"
#include "support/forking.hpp"
#include "support/test.hpp"

#include <jtimer/tokio.hpp>

#include <list>

namespace {

struct Fixture {
    static constexpr test::Traits traits{false, true, false, false, false};

    test::Reports reports;
    std::unique_ptr<jtimer::tokio::TimeDriver> driver;
    std::list<jtimer::tokio::Sleep> sleeps;

    explicit Fixture(std::shared_ptr<jtimer::Clock> clock) {
        jtimer::tokio::TimeDriverOptions options;
        options.clock = std::move(clock);
        options.uncaughtExceptionHandler = reports.handler();
        driver = std::make_unique<jtimer::tokio::TimeDriver>(options);
    }
    /// A shutdown calls the waker too, but not the task.
    void after(std::chrono::nanoseconds delay, std::function<void()> task) {
        sleeps.push_back(driver->sleep(delay));
        const jtimer::tokio::Sleep& sleep = sleeps.back();
        sleeps.back().poll([&sleep, task = std::move(task)] {
            if (sleep.isElapsed()) task();
        });
    }
    void longest(std::function<void()> task) {
        after(std::chrono::nanoseconds::max(), std::move(task));
    }
    void addAndCancel() const {
        driver->sleep(std::chrono::hours(1)).poll([] {});
    }
    void cancelInChild() { sleeps.pop_back(); }
    bool isOver() const { return driver->isShutdown(); }
    void destroy() { driver.reset(); }
};

}  // namespace

FAULT_CASES(Fixture)
FORKING_CASES(Fixture)

namespace {

/// A polled driver with a sleep whose waker forks, and one after it.
struct Polled {
    std::shared_ptr<jtimer::ManualClock> clock = std::make_shared<jtimer::ManualClock>();
    test::ForksOnce forks;
    test::SharedCount after;
    std::unique_ptr<jtimer::tokio::TimeDriver> driver;

    Polled() {
        jtimer::tokio::TimeDriverOptions options;
        options.clock = clock;
        options.polled = true;
        driver = std::make_unique<jtimer::tokio::TimeDriver>(options);
    }
};

}  // namespace

BOOST_AUTO_TEST_CASE(fault_a_waker_of_a_polled_driver_forks) {
    Polled polled;
    auto first = polled.driver->sleep(1);
    auto second = polled.driver->sleep(2);
    bool isChild = false;
    first.poll([&] { isChild = polled.forks(); });
    second.poll([&] { polled.after.up(); });
    polled.clock->advance(5);
    const std::size_t fired = polled.driver->turn();
    if (isChild) _exit(static_cast<int>(fired));  // the turn has ended after the first waker
    BOOST_TEST(fired == 2U);
    BOOST_TEST(polled.forks.childsExitCode() == 1);
    BOOST_TEST(polled.after.get() == 1);
}

BOOST_AUTO_TEST_CASE(fault_a_waker_that_a_shutdown_calls_forks) {
    for (const bool inDestructor : {false, true}) {
        Polled polled;
        bool isChild = false;
        auto first = polled.driver->sleep(1);
        auto second = polled.driver->sleep(2);
        // In either order, the first one to be called forks.
        const auto waker = [&] {
            polled.after.up();
            isChild = isChild || polled.forks();
        };
        first.poll(waker);
        second.poll(waker);
        if (inDestructor) {
            polled.driver.reset();
        } else {
            polled.driver->shutdown();
        }
        if (isChild) _exit(7);
        BOOST_TEST(polled.forks.childsExitCode() == 7);
        BOOST_TEST(polled.after.get() == 2);
    }
}
