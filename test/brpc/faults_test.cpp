// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "support/faults.hpp"
#include "support/forking.hpp"
#include "support/test.hpp"

#include <jtimer/brpc/timer_thread.hpp>
#include <jtimer/detail/saturating.hpp>

#include <system_error>

namespace {

struct Fixture {
    static constexpr test::Traits traits{false, true, false, false, true};

    test::Reports reports;
    std::unique_ptr<jtimer::brpc::TimerThread> timer =
        std::make_unique<jtimer::brpc::TimerThread>();
    jtimer::brpc::TaskId last = 0;

    explicit Fixture(std::shared_ptr<jtimer::Clock> clock) {
        jtimer::brpc::TimerThreadOptions options;
        options.clock = std::move(clock);
        options.uncaughtExceptionHandler = reports.handler();
        const int error = timer->start(options);
        if (error != 0) throw std::system_error(error, std::generic_category());
    }
    void after(std::chrono::nanoseconds delay, std::function<void()> task) {
        const auto due = jtimer::detail::saturatingAdd(timer->clock()->nanos(), delay.count());
        last = timer->schedule(std::move(task), jtimer::detail::toDate<jtimer::Date>(due));
    }
    void longest(std::function<void()> task) {
        last = timer->schedule(std::move(task), jtimer::Date::max());
    }
    void addAndCancel() const {
        timer->unschedule(timer->schedule([] {}, timer->clock()->now() + std::chrono::hours(1)));
    }
    void cancelInChild() const { timer->unschedule(last); }
    bool isOver() const {
        const auto id = timer->schedule([] {}, jtimer::Date::max());
        timer->unschedule(id);
        return id == jtimer::brpc::kInvalidTaskId;
    }
    void destroy() { timer.reset(); }
};

}  // namespace

FAULT_CASES(Fixture)
FORKING_CASES(Fixture)
