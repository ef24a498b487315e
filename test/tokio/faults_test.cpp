// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "support/faults.hpp"

#include <jtimer/tokio.hpp>

#include <boost/test/unit_test.hpp>

#include <chrono>
#include <functional>
#include <list>
#include <memory>
#include <utility>

namespace {

struct Room {
    static constexpr test::Traits traits{false, true, false, false, false};

    test::Reports reports;
    std::unique_ptr<jtimer::tokio::TimeDriver> driver;
    std::list<jtimer::tokio::Sleep> sleeps;

    explicit Room(std::shared_ptr<jtimer::Clock> clock) {
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

FAULT_CASES(Room)
