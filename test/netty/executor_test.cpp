// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "support/child_process.hpp"
#include "support/manual_wheel.hpp"
#include "support/test.hpp"

using namespace std::chrono_literals;
using jtimer::netty::HashedWheelTimer;
using jtimer::netty::HashedWheelTimerOptions;
using test::Handle;

namespace {

std::string what(const std::exception_ptr& exception) {
    try {
        std::rethrow_exception(exception);
    } catch (const std::exception& e) {
        return e.what();
    } catch (...) {
        return "something else";
    }
}

/// A timer with an executor that queues, and a handler that logs.
struct Fixture : test::LoggedClock {
    std::vector<std::function<void()>> queue;

    HashedWheelTimerOptions handled() {
        auto options = test::wheelOn(clock);
        options.uncaughtExceptionHandler = [this](const std::string& name,
                                                  const std::exception_ptr& exception) {
            log.write(name + ": " + what(exception));
        };
        return options;
    }
    HashedWheelTimerOptions queuing() {
        auto options = handled();
        options.taskExecutor = [this](std::function<void()> run) {
            queue.push_back(std::move(run));
        };
        return options;
    }
    void runQueue() {
        for (const auto& run : std::exchange(queue, {})) run();
    }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(executor, Fixture)

BOOST_AUTO_TEST_CASE(n51_each_due_run_is_handed_over_in_order_on_the_worker) {
    boost::thread::id worker;
    auto options = test::wheelOn(clock);
    options.taskExecutor = [&](std::function<void()> run) {
        worker = boost::this_thread::get_id();
        queue.push_back(std::move(run));
    };
    HashedWheelTimer timer(options);
    timer.newTimeout(log.entry("b"), 150);
    const Handle a = timer.newTimeout(log.entry("a"), 0);
    timer.newTimeout(log.entry("c"), 110);
    clock->advance(100);
    BOOST_TEST(queue.size() == 1U);
    BOOST_TEST(a->isExpired());
    clock->advance(100);
    BOOST_TEST(queue.size() == 3U);
    BOOST_TEST((worker != boost::thread::id()));
    BOOST_TEST((worker != boost::this_thread::get_id()));
    BOOST_TEST(log.take() == "");
    runQueue();
    BOOST_TEST(log.take() == "a@200 b@200 c@200");
}

BOOST_AUTO_TEST_CASE(n51_no_lock_is_held_during_the_hand_over) {
    HashedWheelTimer* self = nullptr;
    auto options = test::wheelOn(clock);
    options.taskExecutor = [&](const std::function<void()>& run) {
        boost::thread([&] { self->newTimeout(log.entry("b"), 0); }).join();
        run();
    };
    HashedWheelTimer timer(options);
    self = &timer;
    timer.newTimeout(log.entry("a"), 0);
    clock->advance(100);
    BOOST_TEST(log.take() == "a@100");
    BOOST_TEST(timer.pendingTimeouts() == 1);
}

BOOST_AUTO_TEST_CASE(n51_the_timer_does_not_wait_for_what_it_has_handed_over) {
    {
        HashedWheelTimer timer(queuing());
        timer.newTimeout(log.entry("a"), 0);
        clock->advance(100);
        BOOST_TEST(timer.stop().empty());
    }
    clock->advance(100);
    runQueue();  // when the timer is gone
    BOOST_TEST(log.take() == "a@200");
}

BOOST_AUTO_TEST_CASE(n51_n53_what_a_late_run_throws_still_goes_to_the_handler) {
    {
        HashedWheelTimer timer(queuing());
        timer.newTimeout(
            [](const Handle& self) {
                BOOST_TEST(self->timer() == nullptr);
                throw std::runtime_error("late");
            },
            0);
        clock->advance(100);
    }
    runQueue();
    BOOST_TEST(log.take() == "test: late@100");
}

BOOST_AUTO_TEST_CASE(n51_a_function_that_is_never_called_is_no_run) {
    HashedWheelTimer timer(queuing());
    const Handle lost = timer.newTimeout(log.entry("a"), 0);
    clock->advance(100);
    queue.clear();
    BOOST_TEST(lost->isExpired());
    BOOST_TEST(timer.pendingTimeouts() == 0);
    BOOST_TEST(log.take() == "");
}

BOOST_AUTO_TEST_CASE(n52_if_the_executor_throws_the_handler_is_told_and_the_run_is_lost) {
    auto options = handled();
    int calls = 0;
    options.taskExecutor = [&](const std::function<void()>& run) {
        if (++calls == 1) throw std::runtime_error("full");
        run();
    };
    HashedWheelTimer timer(options);
    const Handle lost = timer.newTimeout(log.entry("lost"), 0);
    timer.newTimeout(log.entry("a"), 0);
    clock->advance(1000);
    BOOST_TEST(log.take() == "test: full@100 a@100");
    BOOST_TEST(lost->isExpired());
    BOOST_TEST(timer.pendingTimeouts() == 0);
    BOOST_TEST(timer.stop().empty());
}

BOOST_AUTO_TEST_CASE(n53_what_run_throws_goes_to_the_handler_and_the_tick_goes_on) {
    HashedWheelTimer timer(handled());
    timer.newTimeout([] { throw std::runtime_error("first"); }, 0);
    timer.newTimeout([] { throw 7; }, 0);
    timer.newTimeout(log.entry("a"), 0);
    timer.newTimeout(log.entry("b"), 100);
    clock->advance(1000);
    BOOST_TEST(log.take() == "test: first@100 test: something else@100 a@100 b@200");
}

BOOST_AUTO_TEST_CASE(n53_what_cancelled_throws_in_a_tick_and_in_stop_goes_to_the_handler) {
    HashedWheelTimer timer(handled());
    const auto given = std::make_shared<test::WheelTask>(
        [](const Handle&) {}, [](const Handle&) { throw std::runtime_error("cancelled"); });
    timer.newTimeout(given, 0)->cancel();
    timer.newTimeout(given, 0)->cancel();
    clock->advance(100);
    BOOST_TEST(log.take() == "test: cancelled@100 test: cancelled@100");
    timer.newTimeout(given, 1h);
    timer.newTimeout(given, 1h);
    BOOST_TEST(timer.stop().size() == 2U);
    BOOST_TEST(log.take() == "test: cancelled@100 test: cancelled@100");
}

BOOST_AUTO_TEST_CASE(n53_what_the_handler_throws_is_ignored) {
    auto options = test::wheelOn(clock);
    options.uncaughtExceptionHandler = [](const std::string&, const std::exception_ptr& e) {
        std::rethrow_exception(e);
    };
    HashedWheelTimer timer(options);
    timer.newTimeout([] { throw std::runtime_error("x"); }, 0);
    timer.newTimeout(log.entry("a"), 0);
    clock->advance(100);
    BOOST_TEST(log.take() == "a@100");
}

CHILD_PROCESS(throws_without_a_handler) {
    const auto clock = std::make_shared<jtimer::ManualClock>(test::kStart);
    HashedWheelTimerOptions options;
    options.clock = clock;
    HashedWheelTimer timer(options);
    timer.newTimeout([] { throw std::runtime_error("disk is full"); }, 0);
    timer.newTimeout([] { test::print("goes on\n"); }, 100);
    clock->advance(1000);
}

BOOST_AUTO_TEST_CASE(n53_by_default_an_exception_is_printed_as_by_a_Timer) {
    const auto child = test::runChild("throws_without_a_handler");
    BOOST_TEST(child.err ==
               "Exception in thread \"HashedWheel-0\" std::runtime_error: disk is full\n");
    BOOST_TEST(child.out == "goes on\n");
    BOOST_TEST(child.exitCode == 0);
}

BOOST_AUTO_TEST_SUITE_END()
