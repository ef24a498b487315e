// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "support/faults.hpp"
#include "support/forking.hpp"
#include "support/thread_state.hpp"

#include <jtimer/timer.hpp>

#include <boost/test/unit_test.hpp>

#include <chrono>
#include <functional>
#include <memory>
#include <utility>

namespace {

struct Room {
    static constexpr test::Traits traits{true, true, true, true, true};

    test::Reports reports;
    std::unique_ptr<jtimer::Timer> timer;
    std::shared_ptr<jtimer::TimerTask> last;

    explicit Room(std::shared_ptr<jtimer::Clock> clock) {
        jtimer::TimerOptions options = test::onClock(std::move(clock));
        options.uncaughtExceptionHandler = reports.handler();
        timer = std::make_unique<jtimer::Timer>(options);
    }
    void after(std::chrono::nanoseconds delay, std::function<void()> task) {
        last = timer->schedule(std::move(task), delay);
    }
    void longest(std::function<void()> task) {
        last = timer->scheduleAtFixedRate(std::move(task), 0, std::chrono::nanoseconds::max());
    }
    void addAndCancel() const {
        timer->schedule([] {}, std::chrono::hours(1))->cancel();
    }
    void cancelInChild() { last->cancel(); }
    bool isOver() const { return test::isClosed(*timer); }
    void destroy() {
        timer.reset();
        last.reset();
    }
};

}  // namespace

FAULT_CASES(Room)
FORKING_CASES(Room)
