// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "support/faults.hpp"
#include "support/forking.hpp"
#include "support/manual_wheel.hpp"

#include <jtimer/netty/hashed_wheel_timer.hpp>

#include <boost/test/unit_test.hpp>

#include <chrono>
#include <functional>
#include <memory>
#include <utility>

namespace {

struct Room {
    static constexpr test::Traits traits{false, true, false, false, true};

    test::Reports reports;
    std::unique_ptr<jtimer::netty::HashedWheelTimer> timer;
    test::Handle last;

    explicit Room(std::shared_ptr<jtimer::Clock> clock) {
        auto options = test::wheelOn(std::move(clock));
        options.uncaughtExceptionHandler = reports.handler();
        timer = std::make_unique<jtimer::netty::HashedWheelTimer>(options);
        timer->start();
    }
    void after(std::chrono::nanoseconds delay, std::function<void()> task) {
        last = timer->newTimeout(std::move(task), delay);
    }
    void longest(std::function<void()> task) {
        after(std::chrono::nanoseconds::max(), std::move(task));
    }
    void addAndCancel() const {
        timer->newTimeout([] {}, std::chrono::hours(1))->cancel();
    }
    void cancelInChild() { last->cancel(); }
    bool isOver() const {
        try {
            timer->start();
            return false;
        } catch (const jtimer::IllegalStateException&) {
            return true;
        }
    }
    void destroy() {
        timer.reset();
        last.reset();
    }
};

}  // namespace

FAULT_CASES(Room)
FORKING_CASES(Room)
