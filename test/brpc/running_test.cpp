// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "brpc/manual_thread.hpp"
#include "support/abilities.hpp"
#include "support/child_process.hpp"
#include "support/counter.hpp"
#include "support/gate.hpp"
#include "support/system_threads.hpp"
#include "support/test.hpp"

#include <cerrno>
#include <pthread.h>

using jtimer::Date;
using jtimer::brpc::kInvalidTaskId;
using jtimer::brpc::TaskId;
using jtimer::brpc::TimerThread;
using jtimer::brpc::TimerThreadOptions;
using test::at;
using test::doNothing;
using test::ManualThread;

namespace {

/// Keeps what the handler is told.
struct Told {
    std::vector<std::string> names;
    std::vector<std::string> messages;

    TimerThreadOptions options() {
        TimerThreadOptions options;
        options.name = "b45";
        options.uncaughtExceptionHandler = [this](const std::string& name,
                                                  const std::exception_ptr& exception) {
            names.push_back(name);
            try {
                std::rethrow_exception(exception);
            } catch (const std::exception& e) {
                messages.emplace_back(e.what());
            }
        };
        return options;
    }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(running, ManualThread)

BOOST_AUTO_TEST_CASE(b42_tasks_run_in_order_of_time_each_at_its_time) {
    for (const int millis : {50, 20, 40, 10, 30}) {
        timer.schedule(log.entry(std::to_string(millis)), at(millis));
    }
    clock->advance(100);
    BOOST_TEST(log.take() == "10@10 20@20 30@30 40@40 50@50");
}

BOOST_AUTO_TEST_CASE(b42_the_clock_is_read_anew_for_each_task) {
    timer.schedule(
        [this] {
            log.write("slow");
            clock->advance(15);
        },
        at(10));
    timer.schedule(log.entry("late"), at(20));
    timer.schedule(log.entry("in time"), at(30));
    clock->advance(100);
    BOOST_TEST(log.take() == "slow@10 late@25 in time@30");
}

BOOST_AUTO_TEST_CASE(b43_one_task_at_a_time_runs_on_the_thread_and_what_is_due_waits) {
    boost::thread::id first;
    boost::thread::id second;
    timer.schedule(
        [&] {
            first = boost::this_thread::get_id();
            clock->advance(100);
            log.write("first ends");
        },
        at(10));
    timer.schedule(
        [&] {
            second = boost::this_thread::get_id();
            log.write("second");
        },
        at(20));
    clock->advance(200);
    BOOST_TEST(log.take() == "first ends@110 second@110");
    BOOST_TEST(first == second);
    BOOST_TEST(first != boost::this_thread::get_id());
}

BOOST_AUTO_TEST_CASE(b43_a_task_may_call_everything) {
    const TaskId other = timer.schedule(doNothing, nullptr, far());
    timer.schedule(
        [&] {
            BOOST_TEST(timer.start() == 0);
            BOOST_TEST(timer.unschedule(other) == 0);
            BOOST_TEST(timer.stats().triggered == 1U);
            timer.schedule(log.entry("next"), at(20));
        },
        at(10));
    clock->advance(20);
    BOOST_TEST(log.take() == "next@20");
}

BOOST_AUTO_TEST_CASE(b44_what_a_task_schedules_earlier_than_the_heaps_top_runs_next) {
    timer.schedule(
        [this] {
            clock->advance(100);
            timer.schedule(log.entry("earlier"), at(15));
            timer.schedule(log.entry("earliest"), Date{});
        },
        at(10));
    timer.schedule(log.entry("top"), at(20));
    clock->advance(200);
    BOOST_TEST(log.take() == "earliest@110 earlier@110 top@110");
}

BOOST_AUTO_TEST_CASE(b44_at_an_equal_time_the_heaps_top_runs_first) {
    timer.schedule(
        [this] {
            clock->advance(100);
            timer.schedule(log.entry("scheduled inside"), at(20));
        },
        at(10));
    timer.schedule(log.entry("top"), at(20));
    clock->advance(200);
    BOOST_TEST(log.take() == "top@110 scheduled inside@110");
}

BOOST_AUTO_TEST_CASE(b44_what_another_thread_schedules_during_a_run_runs_in_order) {
    timer.schedule(
        [this] {
            clock->advance(100);
            for (const int millis : {17, 15, 16}) {
                boost::thread([this, millis] {
                    timer.schedule(log.entry(std::to_string(millis)), at(millis));
                }).join();
            }
        },
        at(10));
    timer.schedule(log.entry("20"), at(20));
    clock->advance(200);
    BOOST_TEST(log.take() == "15@110 16@110 17@110 20@110");
}

BOOST_AUTO_TEST_CASE(b46_the_callable_is_destroyed_on_the_thread_before_the_task_counts_as_run) {
    TaskId id = kInvalidTaskId;
    int answer = 0;
    std::string thread;
    auto last = std::shared_ptr<void>(nullptr, [&](void*) {
        answer = timer.unschedule(id);
        thread = test::currentThreadName();
    });
    id = timer.schedule([owned = std::move(last)] {}, at(10));
    clock->advance(10);
    BOOST_TEST(answer == 1);
    BOOST_TEST(thread == "test");
    BOOST_TEST(timer.unschedule(id) == -1);
    BOOST_TEST(timer.stats().slots == 0U);
}

BOOST_AUTO_TEST_CASE(b46_a_slot_is_used_again_after_the_run) {
    for (int i = 0; i < 10'000; ++i) {
        const TaskId id = timer.schedule(doNothing, nullptr, Date{});
        BOOST_REQUIRE_LT(id & 0xFFFFFFFF, 256U);
        clock->waitUntilIdle();
    }
    BOOST_TEST(timer.stats().triggered == 10'000U);
}

BOOST_AUTO_TEST_CASE(runs_that_schedule_the_next_for_a_time_in_the_past_let_no_later_task_run) {
    int left = 100;
    bool otherHasRun = false;
    std::function<void()> again = [&] {
        if (!otherHasRun && --left > 0) timer.schedule([&] { again(); }, at(-1000));
    };
    timer.schedule(
        [&] {
            timer.schedule([&] { otherHasRun = true; }, at(0));
            timer.schedule([&] { again(); }, at(-1000));
        },
        at(0));
    clock->waitUntilIdle();
    BOOST_TEST(left == 0);
    BOOST_TEST(otherHasRun);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_CASE(b45_d12_an_exception_goes_to_the_handler_and_the_timer_goes_on) {
    Told told;
    ManualThread thread(told.options());
    TimerThread& timer = thread.timer;
    timer.schedule([] { throw std::runtime_error("the first"); }, at(10));
    timer.schedule(thread.log.entry("second"), at(20));
    timer.schedule([](void*) { throw std::logic_error("the third"); }, nullptr, at(30));
    thread.clock->advance(40);
    BOOST_TEST(thread.log.take() == "second@20");
    BOOST_TEST(told.names == (std::vector<std::string>{"b45", "b45"}),
               boost::test_tools::per_element());
    BOOST_TEST(told.messages == (std::vector<std::string>{"the first", "the third"}),
               boost::test_tools::per_element());
    BOOST_TEST(timer.stats().triggered == 3U);
    BOOST_TEST(timer.stats().slots == 0U);
}

BOOST_AUTO_TEST_CASE(b45_while_the_handler_runs_the_task_is_running_and_then_it_has_run) {
    TimerThread* timer = nullptr;
    TaskId id = kInvalidTaskId;
    int inside = 0;
    TimerThreadOptions options;
    options.uncaughtExceptionHandler = [&](const std::string&, const std::exception_ptr&) {
        inside = timer->unschedule(id);
        throw std::runtime_error("ignored");
    };
    ManualThread thread(options);
    timer = &thread.timer;
    id = timer->schedule([] { throw 42; }, at(10));
    timer->schedule(thread.log.entry("next"), at(20));
    thread.clock->advance(20);
    BOOST_TEST(inside == 1);
    BOOST_TEST(timer->unschedule(id) == -1);
    BOOST_TEST(thread.log.take() == "next@20");
}

CHILD_PROCESS(throws_in_a_task) {
    ManualThread thread;
    thread.timer.schedule([] { throw std::runtime_error("the disk is full"); }, at(10));
    thread.timer.schedule([] { test::print("goes on\n"); }, at(20));
    thread.clock->advance(20);
}

BOOST_AUTO_TEST_CASE(b45_by_default_an_exception_is_printed) {
    const auto child = test::runChild("throws_in_a_task");
    BOOST_TEST(child.err == "Exception in thread \"test\" std::runtime_error: the disk is full\n");
    BOOST_TEST(child.out == "goes on\n");
    BOOST_TEST(child.exitCode == 0);
}

BOOST_AUTO_TEST_CASE(c8_after_pthread_exit_in_a_task_the_timer_is_over) {
    test::needThreadExit();
    ManualThread thread;
    TimerThread& timer = thread.timer;
    const TaskId other = timer.schedule(doNothing, nullptr, at(20));
    const auto owned = std::make_shared<int>(0);
    const TaskId id = timer.schedule([owned] { pthread_exit(nullptr); }, at(10));
    thread.clock->advance(10);
    timer.stopAndJoin();
    BOOST_TEST(timer.unschedule(id) == -1);
    BOOST_TEST(owned.use_count() == 1);
    BOOST_TEST(timer.schedule(doNothing, nullptr, at(30)) == kInvalidTaskId);
    BOOST_TEST(timer.start() == ECANCELED);
    BOOST_TEST(timer.unschedule(other) == 0);
}

BOOST_AUTO_TEST_CASE(after_an_exception_of_the_user_s_clock_the_timer_is_over) {
    struct BrokenClock : jtimer::WallClock {
        std::atomic<bool> broken{false};
        std::int64_t nanos() const override {
            if (broken) throw std::runtime_error("the clock is broken");
            return 0;
        }
    };
    Told told;
    const auto clock = std::make_shared<BrokenClock>();
    TimerThreadOptions options = told.options();
    options.clock = clock;
    TimerThread timer;
    BOOST_TEST(timer.start(options) == 0);
    clock->broken = true;
    const TaskId id = timer.schedule(doNothing, nullptr, Date(std::chrono::hours(1)));
    while (timer.schedule(doNothing, nullptr, Date::max()) != kInvalidTaskId)
        boost::this_thread::yield();
    BOOST_TEST(timer.start() == ECANCELED);
    timer.stopAndJoin();
    BOOST_TEST(told.messages == (std::vector<std::string>{"the clock is broken"}),
               boost::test_tools::per_element());
    BOOST_TEST(timer.unschedule(id) == 0);
}
