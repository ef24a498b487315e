// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "support/faults.hpp"
#include "support/forking.hpp"
#include "support/manual_wheel.hpp"
#include "support/test.hpp"

#include <jtimer/netty/hashed_wheel_timer.hpp>

namespace {

struct Fixture {
    static constexpr test::Traits traits{false, true, false, false, true};

    test::Reports reports;
    std::unique_ptr<jtimer::netty::HashedWheelTimer> timer;
    test::Handle last;

    explicit Fixture(std::shared_ptr<jtimer::Clock> clock) {
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

FAULT_CASES(Fixture)
FORKING_CASES(Fixture)

#if defined(CHILDREN_MAY_END_THEIR_THREAD)
BOOST_AUTO_TEST_CASE(fault_cancelled_forks) {
    enum class How { Cancel, Stop, CancelAndStop, Destroy };
    for (const How how : {How::Cancel, How::Stop, How::CancelAndStop, How::Destroy}) {
        const auto clock = std::make_shared<jtimer::ManualClock>();
        test::ForksOnce forks;
        test::SharedCount cancelled, ran;
        auto timer = std::make_unique<jtimer::netty::HashedWheelTimer>(test::wheelOn(clock));
        const auto task = std::make_shared<test::WheelTask>([&](const test::Handle&) { ran.up(); },
                                                            [&](const test::Handle&) {
                                                                cancelled.up();
                                                                forks();
                                                            });
        const auto first = timer->newTimeout(task, 20);
        const auto second = timer->newTimeout(task, 20);
        const auto third = timer->newTimeout([&] { ran.up(); }, 200);
        if (how == How::Cancel || how == How::CancelAndStop) {
            first->cancel();
            second->cancel();
        }
        if (how == How::Cancel) {
            clock->advance(1000);
        } else if (how == How::Destroy) {
            timer.reset();
        } else {
            timer->stop();
        }
        BOOST_TEST(forks.childsExitCode() == 0);
        timer.reset();
        BOOST_TEST(cancelled.get() == 2);
        BOOST_TEST(ran.get() == (how == How::Cancel ? 1 : 0));
    }
}

BOOST_AUTO_TEST_CASE(fault_an_executor_forks) {
    const auto clock = std::make_shared<jtimer::ManualClock>();
    test::ForksOnce forks;
    test::SharedCount ran;
    auto options = test::wheelOn(clock);
    options.taskExecutor = [&](const std::function<void()>& f) {
        if (!forks()) f();
    };
    jtimer::netty::HashedWheelTimer timer(options);
    timer.newTimeout([&] { ran.up(); }, 20);
    timer.newTimeout([&] { ran.up(); }, 200);
    clock->advance(1000);
    BOOST_TEST(forks.childsExitCode() == 0);
    BOOST_TEST(ran.get() == 2);
}
#endif
