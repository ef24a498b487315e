// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "support/child_process.hpp"
#include "support/counter.hpp"
#include "support/forked_child.hpp"
#include "support/hanging_clock.hpp"
#include "support/system_threads.hpp"
#include "support/throws.hpp"

#include <jtimer/tokio/await.hpp>
#include <jtimer/tokio/time_driver.hpp>

#include <boost/test/unit_test.hpp>
#include <boost/thread/thread.hpp>

#include <atomic>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <pthread.h>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>

using namespace std::chrono_literals;
using jtimer::IllegalStateException;
using jtimer::tokio::Sleep;
using jtimer::tokio::TimeDriver;
using jtimer::tokio::TimeDriverOptions;

// What happens to a threaded driver when the process or its thread has a bad day.

namespace {

/// Works until it is told to throw, on the thread that has made it, or on all others.
class BrokenClock final : public jtimer::WallClock {
  public:
    std::atomic<bool> isBrokenHere{false}, isBrokenElsewhere{false};

    std::int64_t nanos() const override {
        const bool isHere = boost::this_thread::get_id() == here_;
        if (isHere ? isBrokenHere : isBrokenElsewhere)
            throw std::runtime_error("the clock is broken");
        return jtimer::WallClock::nanos();
    }

  private:
    const boost::thread::id here_ = boost::this_thread::get_id();
};

}  // namespace

CHILD_PROCESS(forks_beside_a_driver) {
    const auto clock = std::make_shared<test::HangingClock>();
    TimeDriverOptions options;
    options.clock = clock;
    std::optional<TimeDriver> driver(std::in_place, std::move(options));
    std::optional<Sleep> sleep(driver->sleep(1h)), another(driver->sleep(2h));
    sleep->poll([] {});
    another->poll([] {});
    // The driver's thread hangs after this, with the monitor held.
    Sleep now = driver->sleep(1ms);
    while (now.poll([&] { clock->armed = true; })) now = driver->sleep(1ms);
    clock->hangs.wait();
    const int exitCode = test::inForkedChild([&] {
        sleep.reset();
        jtimer::tokio::detail::stopPolling(*another);
        driver.reset();
        another.reset();
        return 7;
    });
    clock->release();
    test::print(exitCode == 7 && driver->size() == 2 ? "destroyed\n" : "hung\n");
}

BOOST_AUTO_TEST_SUITE(tokio_process)

BOOST_AUTO_TEST_CASE(t28_a_driver_whose_thread_cannot_be_started_is_not_made) {
    const test::NoMoreThreads none;
    CHECK_THROWS(
        TimeDriver(), std::system_error,
        "cannot start the thread of timer \"TimeDriver\": Resource temporarily unavailable");
    TimeDriverOptions options;
    options.polled = true;
    TimeDriver polled(std::move(options));
    BOOST_TEST(polled.turn() == 0U);
}

BOOST_AUTO_TEST_CASE(t28_a_forked_child_can_destroy_what_it_inherits) {
    const auto child = test::runChild("forks_beside_a_driver");
    BOOST_TEST(child.out == "destroyed\n");
    BOOST_TEST(child.exitCode == 0);
}

BOOST_AUTO_TEST_CASE(t27_a_clock_that_throws_shuts_the_driver_down_and_is_reported) {
    const auto clock = std::make_shared<BrokenClock>();
    test::Counter reported;
    std::string text;
    TimeDriverOptions options;
    options.name = "broken";
    options.clock = clock;
    options.uncaughtExceptionHandler = [&](const std::string& name, const std::exception_ptr& e) {
        try {
            std::rethrow_exception(e);
        } catch (const std::exception& thrown) {
            text = name + ": " + thrown.what();
        }
        reported.up();
    };
    TimeDriver driver(std::move(options));
    clock->isBrokenHere = true;
    CHECK_THROWS(driver.sleep(1), std::runtime_error, "the clock is broken");
    BOOST_TEST(!driver.isShutdown());
    clock->isBrokenHere = false;
    Sleep sleep = driver.sleep(1h);
    clock->isBrokenElsewhere = true;
    sleep.poll();  // wakes the thread, which looks at the clock
    BOOST_TEST(reported.reaches(1));
    BOOST_TEST(text == "broken: the clock is broken");
    BOOST_TEST(driver.isShutdown());
    BOOST_TEST(driver.size() == 0U);
}

BOOST_AUTO_TEST_CASE(t27_pthread_exit_in_a_waker_shuts_the_driver_down) {
    TimeDriver driver;
    test::Counter released;
    Sleep first = driver.sleep(1h), second = driver.sleep(1h);
    second.poll([&] { released.up(); });
    first.poll([] { pthread_exit(nullptr); });
    first.resetAfter(200ms);  // fires on the thread of the driver, not on this one
    BOOST_TEST(released.reaches(1));
    BOOST_TEST(first.isElapsed());
    BOOST_TEST(driver.isShutdown());
    CHECK_THROWS(second.poll(), IllegalStateException, "TimeDriver has been shut down.");
}

BOOST_AUTO_TEST_SUITE_END()
