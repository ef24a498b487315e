// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
//
// A program of its own, for its coroutines are C++20.
#include "support/test.hpp"
#include "tokio/driver_fixture.hpp"

#include <jtimer/tokio/await.hpp>
#include <jtimer/tokio/notify.hpp>

#if defined(__cpp_impl_coroutine)

#include "support/counter.hpp"
#include "tokio/held.hpp"

#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

using jtimer::tokio::Interval;
using jtimer::tokio::Sleep;
using jtimer::tokio::TimeDriver;
using Task = test::Held;

namespace {

/// Does something between the call of the waker and what the coroutine goes on with, as another
/// thread may.
template <class Awaiter>
struct Overtaken {
    Awaiter awaiter;
    std::function<void()> overtake;

    bool await_ready() const { return awaiter.await_ready(); }
    bool await_suspend(std::coroutine_handle<> coroutine) {
        return awaiter.await_suspend(coroutine);
    }
    auto await_resume() {
        overtake();
        return awaiter.await_resume();
    }
};
template <class Awaiter, class Overtake>
Overtaken(Awaiter, Overtake) -> Overtaken<Awaiter>;

struct Coroutines : test::PolledDriver {
    Task sleepTwice() {
        co_await driver.sleep(10);
        note("first@" + std::to_string(now()));
        Sleep second = driver.sleep(20);
        co_await second;
        co_await second;  // has fired: goes on at once
        note("second@" + std::to_string(now()));
    }
    Task sleepFor(std::int64_t millis) {
        try {
            co_await driver.sleep(millis);
            note("woken@" + std::to_string(now()));
        } catch (const jtimer::IllegalStateException& e) {
            note(e.what());
        }
    }
    Task sleepIn(Sleep& sleep) {
        co_await sleep;
        note("woken@" + std::to_string(now()));
    }
    Task waitFor(const jtimer::tokio::Notify& notify, std::string name) {
        try {
            co_await notify.notified();
            note(name + '@' + std::to_string(now()));
        } catch (const jtimer::IllegalStateException& e) {
            note(e.what());
        }
    }
    Task waitIn(jtimer::tokio::Notified& notified, std::string name) {
        co_await notified;
        note(name + '@' + std::to_string(now()));
    }
    Task tick(Interval& interval, int ticks) {
        for (int i = 0; i < ticks; ++i)
            note(std::to_string(millis(co_await interval)) + '@' + std::to_string(now()));
    }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(tokio_await, Coroutines)

BOOST_AUTO_TEST_CASE(t60_a_coroutine_goes_on_inside_the_waker) {
    const Task task = sleepTwice();
    BOOST_TEST(turnAt(9) == 0U);
    BOOST_TEST(turnAt(10) == 1U);
    BOOST_TEST(take() == "first@10");
    BOOST_TEST(turnAt(30) == 1U);
    BOOST_TEST(take() == "second@30");
    BOOST_TEST(task.isDone());
}

BOOST_AUTO_TEST_CASE(t60_a_sleep_that_is_due_does_not_suspend) {
    const Task task = sleepFor(0);
    BOOST_TEST(task.isDone());
    BOOST_TEST(take() == "woken@0");
}

BOOST_AUTO_TEST_CASE(t60_an_interval_gives_the_scheduled_time) {
    Interval interval = driver.interval(10);
    const Task task = tick(interval, 3);
    turnAt(10);
    turnAt(23);
    BOOST_TEST(take() == "0@0 10@10 20@23");
    BOOST_TEST(task.isDone());
}

BOOST_AUTO_TEST_CASE(t60_a_reset_moves_what_a_coroutine_waits_for) {
    Sleep sleep = driver.sleep(10);
    const Task task = sleepIn(sleep);
    sleep.reset(at(50));
    turnAt(49);
    BOOST_TEST(take() == "");
    turnAt(50);
    BOOST_TEST(take() == "woken@50");
}

BOOST_AUTO_TEST_CASE(t60_a_reset_that_overtakes_a_fired_sleep_does_not_hold_the_coroutine) {
    Sleep sleep = driver.sleep(10);
    const Task task = [](Coroutines& self, Sleep& waitsFor) -> Task {
        co_await Overtaken{jtimer::tokio::operator co_await(waitsFor),
                           [&] { waitsFor.reset(at(50)); }};
        self.note("woken@" + std::to_string(self.now()));
    }(*this, sleep);
    turnAt(10);
    BOOST_TEST(take() == "woken@10");
    BOOST_TEST(!sleep.isElapsed());
}

BOOST_AUTO_TEST_CASE(t60_a_reset_that_overtakes_the_tick_of_an_interval_is_an_exception) {
    Interval interval = driver.intervalAt(at(10), 10);
    const Task task = [](Coroutines& self, Interval& waitsFor) -> Task {
        try {
            co_await Overtaken{jtimer::tokio::operator co_await(waitsFor),
                               [&] { waitsFor.resetAfter(40); }};
        } catch (const jtimer::IllegalStateException& e) {
            self.note(e.what());
        }
        self.note(std::to_string(millis(co_await waitsFor)));
    }(*this, interval);
    turnAt(10);
    BOOST_TEST(take() == "The Interval was reset after it had fired.");
    turnAt(49);
    BOOST_TEST(take() == "");
    turnAt(50);
    BOOST_TEST(take() == "50");
    BOOST_TEST(task.isDone());
}

BOOST_AUTO_TEST_CASE(t60_destroying_the_coroutine_deregisters) {
    Sleep sleep = driver.sleep(10);
    Interval interval = driver.intervalAt(at(10), 10);
    {
        const Task first = sleepFor(10), second = sleepIn(sleep), third = tick(interval, 1);
        BOOST_TEST(driver.size() == 3U);
    }
    BOOST_TEST(driver.size() == 0U);
    driver.check();
    BOOST_TEST(turnAt(10) == 0U);
    BOOST_TEST(take() == "");
    BOOST_TEST(sleep.poll());
    BOOST_TEST(millis(interval.pollTick().value()) == 10);
}

BOOST_AUTO_TEST_CASE(t60_one_coroutine_may_destroy_another_in_the_same_turn) {
    std::vector<Task> tasks;
    for (int i = 0; i < 2; ++i) {
        tasks.push_back([](Coroutines& self, std::vector<Task>& all, int other) -> Task {
            co_await self.driver.sleep(10);
            self.note("woken");
            const Task destroyed = std::move(all[static_cast<std::size_t>(other)]);
        }(*this, tasks, 1 - i));
    }
    BOOST_TEST(turnAt(10) == 1U);
    BOOST_TEST(take() == "woken");
}

BOOST_AUTO_TEST_CASE(t60_t65_a_coroutine_waits_for_a_notification_and_goes_on_in_a_turn) {
    const jtimer::tokio::Notify notify(driver);
    jtimer::tokio::Notified own = notify.notified();
    const Task first = waitFor(notify, "first"), second = waitIn(own, "second");
    notify.notifyOne();
    BOOST_TEST(take() == "");
    driver.turn();
    BOOST_TEST(take() == "first@0");
    notify.notifyWaiters();
    driver.turn();
    BOOST_TEST(take() == "second@0");
    BOOST_TEST((first.isDone() && second.isDone()));
    notify.notifyOne();
    const Task third = waitFor(notify, "third");  // takes the permit
    BOOST_TEST(take() == "third@0");
}

BOOST_AUTO_TEST_CASE(t60_t64_destroying_a_coroutine_leaves_the_queue_or_the_waker) {
    const jtimer::tokio::Notify notify(driver);
    jtimer::tokio::Notified own = notify.notified();
    {
        const Task first = waitFor(notify, "first"), second = waitIn(own, "second");
        notify.notifyOne();  // chooses the first, which is destroyed before the turn
    }
    driver.check();
    BOOST_TEST(driver.turn() == 0U);
    BOOST_TEST(take() == "");
    BOOST_TEST(own.poll());  // it has kept its place
}

BOOST_AUTO_TEST_CASE(t60_t67_a_shutdown_ends_a_wait_for_a_notification_with_an_exception) {
    const jtimer::tokio::Notify notify(driver);
    const Task task = waitFor(notify, "woken");
    driver.shutdown();
    BOOST_TEST(take() == test::kShutDown);
    BOOST_TEST(task.isDone());
    const Task late = waitFor(notify, "woken");
    BOOST_TEST(take() == test::kShutDown);
}

BOOST_AUTO_TEST_CASE(t60_a_shutdown_resumes_with_an_exception) {
    const Task task = sleepFor(10);
    driver.shutdown();
    BOOST_TEST(take() == test::kShutDown);
    BOOST_TEST(task.isDone());
}

BOOST_AUTO_TEST_CASE(t60_on_a_threaded_driver_coroutines_run_on_its_thread_to_their_ends) {
    constexpr int count = 200;
    test::Counter done;
    std::vector<Task> tasks;
    std::optional<TimeDriver> threaded(std::in_place);
    for (int i = 0; i < count; ++i) {
        tasks.push_back([](TimeDriver& on, test::Counter& ended, int millis) -> Task {
            co_await on.sleep(millis);
            co_await on.sleep(std::chrono::microseconds(1));
            ended.up();
        }(*threaded, done, i % 7));
    }
    BOOST_TEST(done.reaches(count));
    threaded.reset();  // joins: then the last one is at its end
    for (const Task& task : tasks) BOOST_TEST(task.isDone());
}

BOOST_AUTO_TEST_SUITE_END()

#else

BOOST_AUTO_TEST_CASE(without_coroutines_the_header_is_empty) {
    BOOST_TEST_MESSAGE("this compiler has no coroutines: await.hpp is not tested");
}

#endif
