// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "support/faults.hpp"
#include "support/forking.hpp"
#include "support/manual_timers.hpp"
#include "support/test.hpp"

#include <jtimer/go.hpp>

namespace {

struct Fixture {
    static constexpr test::Traits traits{false, false, false, false, true};

    test::Reports reports;
    std::unique_ptr<jtimer::go::Timers> timers;
    jtimer::go::Timer last;

    explicit Fixture(std::shared_ptr<jtimer::Clock> clock) {
        auto options = test::goOnClock(std::move(clock));
        options.uncaughtExceptionHandler = reports.handler();
        timers = std::make_unique<jtimer::go::Timers>(options);
    }
    void after(std::chrono::nanoseconds delay, std::function<void()> task) {
        last = timers->afterFunc(delay, std::move(task));
    }
    void longest(std::function<void()> task) {
        after(std::chrono::nanoseconds::max(), std::move(task));
    }
    void addAndCancel() const { timers->newTimer(std::chrono::hours(1)).stop(); }
    void cancelInChild() { last.stop(); }
    bool isOver() const {
        try {
            static_cast<void>(timers->newTimer(std::chrono::hours(1)));
            return false;
        } catch (const jtimer::IllegalStateException&) {
            return true;
        }
    }
    void destroy() {
        timers.reset();
        last = {};
    }
};

}  // namespace

FAULT_CASES(Fixture)
FORKING_CASES(Fixture)
