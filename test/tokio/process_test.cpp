// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "support/abilities.hpp"
#include "support/child_process.hpp"
#include "support/clocks.hpp"
#include "support/counter.hpp"
#include "support/forked_child.hpp"
#include "support/signalled_program.hpp"
#include "support/system_threads.hpp"
#include "support/test.hpp"
#include "support/throws.hpp"

#include <jtimer/tokio/block_on.hpp>
#include <jtimer/tokio/delay_queue.hpp>
#include <jtimer/tokio/time_driver.hpp>
#include <jtimer/tokio/timeout.hpp>

#include <csignal>
#include <pthread.h>
#include <system_error>

using namespace std::chrono_literals;
using jtimer::IllegalStateException;
using jtimer::tokio::blockOn;
using jtimer::tokio::Completion;
using jtimer::tokio::DelayQueue;
using jtimer::tokio::Interval;
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

/// Whether the call is refused, in a forked child.
template <class Call>
bool isRefused(const Call& call) {
    try {
        call();
    } catch (const jtimer::tokio::DriverShutdown& e) {  // a14
        return e.what() == std::string("TimeDriver belongs to the parent process.");
    }
    return false;
}

}  // namespace

CHILD_PROCESS(forks_beside_a_driver) {
    const auto clock = std::make_shared<test::HangingClock>();
    TimeDriverOptions options;
    options.clock = clock;
    std::optional<TimeDriver> driver(std::in_place, std::move(options));
    std::optional<Sleep> sleep(driver->sleep(1h)), another(driver->sleep(2h));
    const auto captured = std::make_shared<int>();
    sleep->poll([] {});
    another->poll([captured] {});
    Sleep fresh = driver->sleep(1h);
    // The driver's thread hangs after this, with the monitor held.
    Sleep now = driver->sleep(1ms);
    while (now.poll([&] { clock->armed = true; })) now = driver->sleep(1ms);
    clock->hangs.wait();
    const int exitCode = test::inForkedChild([&] {
        clock->armed = false;
        if (!isRefused([&] { fresh.poll(); }) ||
            !isRefused([&] { fresh.reset(driver->start()); }) ||
            !isRefused([&] { sleep->wait(); }) || !isRefused([&] { driver->size(); }) ||
            !isRefused([&] { static_cast<void>(driver->nextWake()); }) ||
            !isRefused([&] { driver->shutdown(); }))
            return 1;
        sleep.reset();
        another->dropWaker();
        if (captured.use_count() != 2) return 2;  // it needs the lock, which is never released
        driver.reset();
        another.reset();
        return 7;
    });
    clock->release();
    test::print(exitCode == 7 && driver->size() == 2 ? "destroyed\n" : "hung\n");
}

CHILD_PROCESS(forks_beside_a_polled_driver) {
    TimeDriverOptions options;
    options.polled = true;
    std::optional<TimeDriver> driver(std::in_place, std::move(options));
    std::vector<Sleep> many;
    for (int i = 0; i < 1000; ++i) {
        many.push_back(driver->sleep(std::chrono::hours(i + 1)));
        many.back().poll();
    }
    // The lock is taken nearly all the time, and so in most of the children for ever.
    std::atomic<bool> isOver{false};
    boost::thread checking([&] {
        while (!isOver) driver->check();
    });
    int good = 0;
    for (int i = 0; i < 30 && good == i; ++i) {
        std::optional<Sleep> sleep(driver->sleep(1h)), another(driver->sleep(2h));
        std::optional<DelayQueue<int>> queue(std::in_place, *driver);
        auto limited = std::make_optional(timeout(*driver, 1h, Completion<int>()));
        queue->insert(1, 1h);
        static_cast<void>(queue->pollExpired([] {}));
        limited->poll([] {});
        sleep->poll([] {});
        another->poll([] {});
        const int exitCode = test::inForkedChild([&] {
            sleep.reset();
            another->dropWaker();
            queue->clear();
            queue.reset();
            driver.reset();
            another.reset();
            limited.reset();
            many.clear();
            return 7;
        });
        if (exitCode == 7) ++good;
    }
    isOver = true;
    checking.join();
    test::print(std::to_string(good) + ' ' + std::to_string(driver->size()) + '\n');
}

CHILD_PROCESS(waits_in_a_forked_child) {
    for (const bool polled : {false, true}) {
        TimeDriverOptions options;
        options.polled = polled;
        TimeDriver driver(std::move(options));
        Sleep sleep = driver.sleep(1ms);
        Interval interval = driver.intervalAt(driver.now() + 1h, 1h);
        DelayQueue<int> queue(driver);
        queue.insert(1, 1h);
        auto limited = timeout(driver, 1h, Completion<int>());
        if (polled) {
            sleep.resetAfter(1h);
        } else {
            sleep.wait();
        }
        Sleep another = driver.sleep(1h);
        const int exitCode = test::inForkedChild([&] {
            if (!polled) sleep.wait();  // it has fired before the fork
            return isRefused([&] { another.wait(); }) && isRefused([&] { interval.tick(); }) &&
                           isRefused([&] { queue.next(); }) && isRefused([&] { limited.get(); }) &&
                           isRefused([&] { blockOn(driver, Completion<int>()); })
                       ? 7
                       : 1;
        });
        test::print(exitCode == 7 ? "refused\n" : "waited\n");
    }
}

BOOST_AUTO_TEST_SUITE(tokio_process)

BOOST_AUTO_TEST_CASE(t28_a_driver_whose_thread_cannot_be_started_is_not_made) {
    test::needThreadLimit();
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
    test::needFork();
    const auto child = test::runChild("forks_beside_a_driver");
    BOOST_TEST(child.out == "destroyed\n");
    BOOST_TEST(child.exitCode == 0);
}

BOOST_AUTO_TEST_CASE(t28_a_forked_child_can_destroy_what_a_polled_driver_has_made) {
    test::needFork();
    const auto child = test::runChild("forks_beside_a_polled_driver");
    BOOST_TEST(child.out == "30 1000\n");
    BOOST_TEST(child.exitCode == 0);
}

BOOST_AUTO_TEST_CASE(t28_in_a_forked_child_nothing_waits_for_turns_that_never_come) {
    test::needFork();
    const auto child = test::runChild("waits_in_a_forked_child");
    BOOST_TEST(child.out == "refused\nrefused\n");
    BOOST_TEST(child.exitCode == 0);
}

BOOST_AUTO_TEST_CASE(t25_a_program_that_a_waker_starts_gets_the_usual_signals) {
    test::needSignals();
    TimeDriver driver;
    test::Counter started;
    int end = 0;
    Sleep sleep = driver.sleep(1h);
    sleep.poll([&] {
        end = test::endOfSignalledProgram();
        started.up();
    });
    sleep.resetAfter(50ms);  // fires on the thread of the driver, not on this one
    BOOST_TEST(started.reaches(1));
    BOOST_TEST(end == -SIGTERM);
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
    test::needThreadExit();
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
