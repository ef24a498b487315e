// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "support/counter.hpp"
#include "support/gate.hpp"
#include "support/manual_timer.hpp"
#include "support/race.hpp"
#include "support/test.hpp"
#include "support/thread_state.hpp"
#include "support/throws.hpp"

using jtimer::IllegalStateException;
using jtimer::Timer;
using jtimer::TimerTask;
using test::at;
using test::Gate;
using Tasks = std::vector<std::shared_ptr<TimerTask>>;

namespace {

struct Fixture : test::ManualTimer {
    test::Log log{clock};

    std::shared_ptr<TimerTask> named(const std::string& name) {
        auto task = jtimer::makeTask(log.entry(name));
        task->setName(name);
        return task;
    }
    static std::string names(const Tasks& tasks) {
        std::string names;
        for (const auto& task : tasks) names += task->name();
        return names;
    }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(shutdown, Fixture)

BOOST_AUTO_TEST_CASE(shutdown_now_returns_the_queued_tasks_in_the_order_of_their_runs) {
    timer.schedule(named("d"), 40);
    timer.schedule(named("a"), 10);
    timer.scheduleAtFixedRate(named("c"), 30, 10);
    const auto cancelled = timer.schedule(named("x"), 35);
    timer.schedule(named("b"), 20, 10);
    timer.schedule(named("e"), 50, std::chrono::hours(24 * 365 * 100));
    cancelled->cancel();
    const Tasks tasks = timer.shutdownNow();
    BOOST_TEST(names(tasks) == "abcde");
    for (const auto& task : tasks) {
        BOOST_TEST(task->isCancelled());
        BOOST_TEST(!task->cancel());
        BOOST_TEST(task.use_count() == 1);
    }
    BOOST_TEST(cancelled.use_count() == 1);
    CHECK_THROWS(timer.schedule([] {}, 0), IllegalStateException, "Timer already cancelled.");
    clock->advance(1000);
    BOOST_TEST(log.take() == "");
    BOOST_TEST(timer.shutdownNow().empty());
}

BOOST_AUTO_TEST_CASE(shutdown_now_returns_tasks_of_equal_times_in_the_order_of_their_runs) {
    std::string order;
    for (Timer* each : {&timer, std::make_unique<Timer>(test::onClock(clock)).release()}) {
        for (const char* name : {"a", "b", "c", "d", "e", "f", "g"}) {
            each->schedule(named(name), at(100));
        }
        if (each == &timer) {
            order = names(timer.shutdownNow());
        } else {
            clock->advance(100);
            delete each;
        }
    }
    std::string ran;
    for (const char c : log.take()) {
        if (c >= 'a' && c <= 'g') ran += c;
    }
    BOOST_TEST(order == ran);
    BOOST_TEST(order == "agfedcb");
}

BOOST_AUTO_TEST_CASE(a_running_repeating_task_is_returned_and_a_running_one_shot_is_not) {
    for (const bool repeats : {true, false}) {
        Gate running, released;
        Timer busy(test::onClock(clock));
        const auto task = jtimer::makeTask([&] { running.open(), released.wait(); });
        repeats ? busy.schedule(task, 0, 10) : busy.schedule(task, 0);
        running.wait();
        const Tasks tasks = busy.shutdownNow();
        BOOST_TEST(tasks.size() == (repeats ? 1U : 0U));
        BOOST_TEST(task->isCancelled() == repeats);
        released.open();
    }
}

BOOST_AUTO_TEST_CASE(a_task_may_shut_its_own_timer_down) {
    std::size_t count = 0;
    timer.schedule([] {}, 20);
    timer.schedule([&] { count = timer.shutdownNow().size(); }, 10);
    clock->advance(100);
    BOOST_TEST(count == 1U);
}

BOOST_AUTO_TEST_CASE(await_termination_tells_whether_the_thread_is_done) {
    Gate running, released;
    timer.schedule([&] { running.open(), released.wait(); }, 0);
    running.wait();
    BOOST_TEST(!timer.awaitTermination(0));
    BOOST_TEST(!timer.awaitTermination(-5));
    timer.cancel();
    BOOST_TEST(!timer.awaitTermination(std::chrono::microseconds(1)));
    released.open();
    BOOST_TEST(timer.awaitTermination(std::chrono::hours(1)));
    BOOST_TEST(timer.awaitTermination(0));
    BOOST_TEST(timer.awaitTermination(std::chrono::hours(24 * 365 * 1000)));
    BOOST_TEST(timer.awaitTermination(std::numeric_limits<std::int64_t>::max()));
}

BOOST_AUTO_TEST_CASE(await_termination_returns_when_an_exception_has_been_reported) {
    std::atomic<bool> reported{false};
    auto options = test::onClock(clock);
    options.uncaughtExceptionHandler = [&](const std::string&, const std::exception_ptr&) {
        boost::this_thread::yield();
        reported = true;
    };
    Timer dying(options);
    dying.schedule([] { throw 1; }, 0);
    BOOST_TEST(dying.awaitTermination(std::chrono::hours(1)));
    BOOST_TEST(reported);
}

BOOST_AUTO_TEST_CASE(a_task_cannot_wait_for_the_end_of_its_own_timer) {
    std::string refused;
    timer.schedule(
        [&] {
            try {
                static_cast<void>(timer.awaitTermination(1000));
            } catch (const IllegalStateException& e) {
                refused = e.what();
            }
        },
        0);
    clock->waitUntilIdle();
    BOOST_TEST(refused == "A timer's thread cannot wait for its own end.");
}

// Each task that was accepted runs, is returned, or was cancelled; none disappears.
BOOST_AUTO_TEST_CASE(shutdown_now_loses_no_task_that_is_scheduled_or_cancelled_meanwhile) {
    constexpr int rounds = 300, perThread = 20;
    int wrong = 0;
    for (int round = 0; round < rounds; ++round) {
        Timer racing("racing", true);
        racing.schedule([] {}, 3'600'000);
        std::atomic<int> accepted{1}, ran{0}, cancelled{0};
        std::size_t returned = 0;
        const auto producer = [&](int) {
            for (int i = 0; i < perThread; ++i) {
                try {
                    const auto task = racing.schedule([&] { ++ran; }, i % 3 == 0 ? 0 : 3'600'000);
                    ++accepted;
                    if (i % 4 == 0) cancelled += task->cancel();
                } catch (const IllegalStateException&) {
                }
            }
        };
        const auto shutdown = [&](int) { returned = racing.shutdownNow().size(); };
        test::race(1, {producer, producer, shutdown});
        wrong += !racing.awaitTermination(std::chrono::hours(1));
        wrong += returned == 0 || accepted != ran + cancelled + static_cast<int>(returned);
    }
    BOOST_TEST(wrong == 0);
}

BOOST_AUTO_TEST_SUITE_END()
