// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "support/faults.hpp"
#include "support/forking.hpp"
#include "support/test.hpp"
#include "support/thread_state.hpp"

#include <jtimer/timer.hpp>

namespace {

struct Fixture {
    static constexpr test::Traits traits{true, true, true, true, true};

    test::Reports reports;
    std::unique_ptr<jtimer::Timer> timer;
    std::shared_ptr<jtimer::TimerTask> last;

    explicit Fixture(std::shared_ptr<jtimer::Clock> clock) {
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

FAULT_CASES(Fixture)
FORKING_CASES(Fixture)

#if defined(CHILDREN_MAY_END_THEIR_THREAD)
namespace {

/// Runs two tasks, of which the first throws if `throws`, on a timer with these options.
void playForking(jtimer::TimerOptions options, test::ForksOnce& forks, bool throws) {
    const auto clock = std::make_shared<jtimer::ManualClock>(test::kStart);
    options.clock = clock;
    options.daemon = true;
    options.onException = jtimer::OnException::ContinueTask;
    test::SharedCount ran;
    jtimer::Timer timer(options);
    timer.schedule(
        [=] {
            clock->advance(2);
            if (throws) throw 1;
        },
        1);
    timer.schedule([&] { ran.up(); }, 20);
    clock->advance(100);
    BOOST_TEST(forks.childsExitCode() == 0);
    BOOST_TEST(ran.get() == 1);
}

}  // namespace

BOOST_AUTO_TEST_CASE(fault_on_slow_task_forks) {
    test::ForksOnce forks;
    jtimer::TimerOptions options;
    options.slowTaskThreshold = 1;
    options.onSlowTask = [&](const jtimer::TimerTask&, std::chrono::nanoseconds) { forks(); };
    playForking(options, forks, false);
}

BOOST_AUTO_TEST_CASE(fault_the_handler_of_task_exceptions_forks) {
    test::ForksOnce forks;
    jtimer::TimerOptions options;
    options.taskExceptionHandler = [&](const jtimer::TaskException&) { forks(); };
    playForking(options, forks, true);
}

/// A task that was cancelled at the head of the queue is destroyed on the timer's thread.
BOOST_AUTO_TEST_CASE(fault_the_destructor_of_a_cancelled_task_forks) {
    const auto clock = std::make_shared<jtimer::ManualClock>(test::kStart);
    test::ForksOnce forks;
    test::SharedCount ran;
    jtimer::Timer timer("t", true, clock);
    std::shared_ptr<void> captured(nullptr, [&](void*) { forks(); });
    timer.schedule([captured = std::move(captured)] {}, 1)->cancel();
    timer.schedule([&] { ran.up(); }, 20);
    clock->advance(100);
    BOOST_TEST(forks.childsExitCode() == 0);
    BOOST_TEST(ran.get() == 1);
}
#endif
