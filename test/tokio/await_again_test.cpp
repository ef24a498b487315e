// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
//
// A program of its own, for its coroutines are C++20.
#include "support/test.hpp"
#include "tokio/threaded_driver.hpp"

#include <jtimer/tokio.hpp>

#if defined(__cpp_impl_coroutine)

#include "support/counter.hpp"
#include "tokio/held.hpp"

#include <atomic>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

using namespace std::chrono_literals;
using jtimer::tokio::Completion;
using jtimer::tokio::DelayQueue;
using jtimer::tokio::DriverShutdown;
using jtimer::tokio::Elapsed;
using jtimer::tokio::Interval;
using jtimer::tokio::Notified;
using jtimer::tokio::Notify;
using jtimer::tokio::Sleep;
using jtimer::tokio::Task;
using jtimer::tokio::TimeDriver;
using jtimer::tokio::timeout;
using jtimer::tokio::Timeout;
using jtimer::tokio::until;
using jtimer::tokio::Waker;
using test::Held;

// co_await of a Timeout, of a DelayQueue and with until(), and Task.

namespace {

/// An operation whose polls a test decides. Keeps the wakers.
struct Scripted {
    struct State {
        std::function<std::optional<int>(const Waker&)> poll;
        std::vector<Waker> wakers;
        int polls = 0;
        int drops = 0;
    };
    std::shared_ptr<State> state = std::make_shared<State>();

    std::optional<int> operator()(const Waker& waker) const {
        ++state->polls;
        state->wakers.push_back(waker);
        return state->poll ? state->poll(waker) : std::nullopt;
    }
    void dropWaker() const { ++state->drops; }
};

struct Awaits : test::ThreadedDriver {
    void noteAt(const std::string& text) { note(text + '@' + std::to_string(now())); }

    /// Awaits, and notes what comes of it.
    template <class Awaited>
    Held await(Awaited& awaited) {
        try {
            co_await awaited;
            noteAt("over");
        } catch (const std::exception& e) {
            noteAt(e.what());
        }
    }
    template <class Operation>
    Held awaitUntil(Operation operation) {
        try {
            if constexpr (std::is_void_v<jtimer::tokio::detail::ValueOf<Operation>>) {
                co_await until(driver, std::move(operation));
                noteAt("over");
            } else {
                noteAt(std::to_string(co_await until(driver, std::move(operation))));
            }
        } catch (const std::exception& e) {
            noteAt(e.what());
        }
    }
    Held receive(Completion<int> answer, int millis) {
        try {
            noteAt(std::to_string(co_await timeout(driver, millis, std::move(answer))));
        } catch (const std::exception& e) {
            noteAt(e.what());
        }
    }
    Held drain(DelayQueue<int>& queue) {
        try {
            while (auto expired = co_await queue) noteAt(std::to_string(expired->value));
            noteAt("empty");
        } catch (const std::exception& e) {
            noteAt(e.what());
        }
    }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(tokio_await_again, Awaits)

BOOST_AUTO_TEST_CASE(a23_a_coroutine_continues_in_a_turn_and_never_inside_set) {
    std::mutex mutex;
    const Completion<int> answer;
    const Held task = [](Awaits& self, std::mutex& held, Completion<int> waitsFor) -> Held {
        const int value = co_await until(self.driver, waitsFor);
        const std::lock_guard<std::mutex> lock(held);
        self.noteAt(std::to_string(value));
    }(*this, mutex, answer);
    BOOST_TEST(driver.size() == 0U);
    {
        const std::lock_guard<std::mutex> lock(mutex);
        answer.set(5);
    }
    BOOST_TEST(take() == "");
    BOOST_TEST(next() == 0);
    BOOST_TEST(driver.turn() == 1U);
    BOOST_TEST(take() == "5@0");
    BOOST_TEST(task.isDone());
}

BOOST_AUTO_TEST_CASE(a23_waitUntilIdle_waits_for_the_turn_that_resumes) {
    const Completion<int> answer;
    int got = 0;
    [](TimeDriver& on, Completion<int> waitsFor, int& result) -> Task {
        result = co_await until(on, waitsFor);
    }(*threaded, answer, got);
    answer.set(5);
    clock->waitUntilIdle();
    BOOST_TEST(got == 5);
}

BOOST_AUTO_TEST_CASE(a23_what_is_ready_at_once_does_not_suspend) {
    const Completion<int> answer;
    answer.set(1);
    const Held first = receive(answer, 10);
    DelayQueue<int> queue(driver);
    queue.insert(2, 0);
    const Held second = drain(queue);
    const Held third = awaitUntil([](const Waker&) { return true; });
    BOOST_TEST(take() == "1@0 2@0 empty@0 over@0");
    BOOST_TEST(driver.size() == 0U);
}

BOOST_AUTO_TEST_CASE(a23_a_timeout_gives_the_value_or_throws_elapsed_in_the_turn_after) {
    const Completion<int> late, early;
    const Held first = receive(late, 10), second = receive(early, 10);
    early.set(1);
    BOOST_TEST(turnAt(5) == 1U);
    BOOST_TEST(take() == "1@5");
    BOOST_TEST(turnAt(10) == 1U);  // marks
    BOOST_TEST(take() == "");
    BOOST_TEST(next() == 10);
    BOOST_TEST(turnAt(10) == 1U);
    BOOST_TEST(take() == "deadline has elapsed@10");
    BOOST_TEST(driver.size() == 0U);
}

BOOST_AUTO_TEST_CASE(a23_a_timeout_that_is_over_is_taken_again_and_again_as_by_take) {
    auto limited = timeout(driver, 0, Scripted());
    const Held first = await(limited), second = await(limited);
    BOOST_TEST(take() == "deadline has elapsed@0 deadline has elapsed@0");
    auto ready = timeout(driver, 0, [](const Waker&) { return true; });
    const Held third = await(ready), fourth = await(ready);
    BOOST_TEST(take() == "over@0 The value has already been taken.@0");
}

BOOST_AUTO_TEST_CASE(a23_a_queue_gives_its_entries_and_nothing_when_it_becomes_empty) {
    DelayQueue<int> queue(driver);
    queue.insert(1, 10);
    queue.insert(2, 20);
    const auto last = queue.insert(3, 30);
    const Held task = drain(queue);
    for (const int millis : {10, 20}) {
        turnAt(millis);
        turnAt(millis);
    }
    BOOST_TEST(take() == "1@10 2@20");
    queue.remove(last);
    driver.turn();
    driver.turn();
    BOOST_TEST(take() == "empty@20");
    BOOST_TEST(task.isDone());
}

BOOST_AUTO_TEST_CASE(a24_a_waker_that_comes_late_twice_or_after_the_frame_does_nothing) {
    const Scripted operation;
    std::vector<Waker>& wakers = operation.state->wakers;
    {
        const Held task = awaitUntil(operation);
        operation.state->poll = [](const Waker&) { return std::optional(7); };
        wakers[0]();
        wakers[0]();
        std::thread([&] { wakers[0](); }).join();
        BOOST_TEST(driver.size() == 1U);
        BOOST_TEST(driver.turn() == 1U);
        BOOST_TEST(take() == "7@0");
        for (const Waker& waker : wakers) waker();
        BOOST_TEST(driver.turn() == 0U);
        BOOST_TEST(take() == "");
    }
    for (const Waker& waker : wakers) waker();
    BOOST_TEST(driver.turn() == 0U);
    BOOST_TEST(operation.state->polls == 2);
    owned.reset();
    for (const Waker& waker : wakers) waker();
}

BOOST_AUTO_TEST_CASE(a24_an_answer_after_the_time_out_resumes_nothing) {  // stale_waker
    const Completion<int> answer;
    int ended = 0;
    [](TimeDriver& on, Completion<int> request, int& ends) -> Task {
        try {
            co_await timeout(on, 1ms, request);
        } catch (const Elapsed&) {
        }
        ++ends;
    }(driver, answer, ended);
    turnAt(1000);
    driver.turn();
    BOOST_TEST(ended == 1);
    answer.set(1);
    BOOST_TEST(driver.turn() == 0U);
    BOOST_TEST(ended == 1);
}

BOOST_AUTO_TEST_CASE(a24_an_answer_that_races_with_the_time_out_resumes_once) {  // double_resume
    TimeDriver real;
    std::atomic<int> ended{0};
    for (int n = 0; n < 300; ++n) {
        const Completion<int> answer;
        [](TimeDriver& on, Completion<int> request, std::atomic<int>& ends) -> Task {
            try {
                co_await timeout(on, 1ms, request);
            } catch (const Elapsed&) {
            }
            ++ends;
        }(real, answer, ended);
        std::this_thread::sleep_for(std::chrono::microseconds(800 + n % 40 * 10));
        answer.set(1);
        while (ended < n + 1) std::this_thread::yield();
    }
    real.shutdown();
    BOOST_TEST(ended == 300);
}

BOOST_AUTO_TEST_CASE(a25_what_becomes_ready_during_the_first_poll_is_polled_again_at_once) {
    const Scripted operation;
    operation.state->poll = [&](const Waker& waker) -> std::optional<int> {
        if (operation.state->polls == 2) return 7;
        waker();
        return std::nullopt;
    };
    const Held task = awaitUntil(operation);
    BOOST_TEST(take() == "7@0");
    BOOST_TEST(driver.turn() == 0U);
}

BOOST_AUTO_TEST_CASE(a25_a9_an_operation_that_always_wakes_itself_is_polled_once_a_turn) {
    const Scripted operation;
    operation.state->poll = [&](const Waker& waker) -> std::optional<int> {
        waker();
        if (operation.state->polls == 5) return 7;
        return std::nullopt;
    };
    const Held task = awaitUntil(operation);
    BOOST_TEST(operation.state->polls == 2);
    for (int polls = 3; polls != 6; ++polls) {
        BOOST_TEST(driver.turn() == 1U);
        BOOST_TEST(operation.state->polls == polls);
    }
    BOOST_TEST(take() == "7@0");
    BOOST_TEST(driver.turn() == 0U);
}

BOOST_AUTO_TEST_CASE(a26_what_a_poll_throws_the_co_await_throws_and_not_the_handler) {
    for (const bool inTurn : {false, true}) {
        const Scripted operation;
        const auto fails = [](const Waker&) -> std::optional<int> {
            throw std::runtime_error("oops");
        };
        if (!inTurn) operation.state->poll = fails;
        const Held task = awaitUntil(operation);
        if (inTurn) {
            operation.state->poll = fails;
            operation.state->wakers[0]();
            driver.turn();
        }
        BOOST_TEST(take() == "oops@0");
        BOOST_TEST(task.isDone());
        BOOST_TEST(driver.stats().failed == 0U);
    }
}

BOOST_AUTO_TEST_CASE(a26_at_a_shutdown_it_is_polled_once_more) {
    const Scripted ready, pending;
    const Held first = awaitUntil(ready), second = awaitUntil(pending);
    const Held third = receive(Completion<int>(), 10);
    DelayQueue<int> queue(driver);
    queue.insert(1, 10);
    const Held fourth = drain(queue);
    ready.state->poll = [](const Waker&) { return std::optional(7); };
    driver.shutdown();
    BOOST_TEST(ready.state->polls == 2);
    BOOST_TEST(pending.state->polls == 2);
    BOOST_TEST((first.isDone() && second.isDone() && third.isDone() && fourth.isDone()));
    const std::string all = take();
    BOOST_TEST(all.find("7@0") != std::string::npos);
    BOOST_TEST(all.size() == 3 + 3 * (std::string(test::kShutDown).size() + 3));
    const Held late = awaitUntil(Scripted());
    BOOST_TEST(take() == std::string(test::kShutDown) + "@0");
}

BOOST_AUTO_TEST_CASE(a27_a_second_coroutine_on_the_same_object_is_refused_and_the_first_waits_on) {
    const auto refused = [](const std::string& what) {
        return "Another coroutine is waiting for this " + what + ".@" + "0";
    };
    const Notify notify(driver);
    Sleep sleep = driver.sleep(10);
    Interval interval = driver.intervalAt(at(10), 10);
    Notified notified = notify.notified();
    auto limited = timeout(driver, 10, [](const Waker&) { return false; });
    DelayQueue<int> queue(driver);
    queue.insert(1, 10);
    const Held first[] = {await(sleep), await(interval), await(notified), await(limited),
                          await(queue)};
    BOOST_TEST(take() == "");
    { const Held second = await(sleep); }
    BOOST_TEST(take() == refused("Sleep"));
    { const Held second = await(interval); }
    BOOST_TEST(take() == refused("Interval"));
    { const Held second = await(notified); }
    BOOST_TEST(take() == refused("Notified"));
    { const Held second = await(limited); }
    BOOST_TEST(take() == refused("Timeout"));
    { const Held second = await(queue); }
    BOOST_TEST(take() == refused("DelayQueue"));
    auto ofQueue = timeout(driver, 10, std::ref(queue));
    { const Held second = await(ofQueue); }
    BOOST_TEST(take() == refused("DelayQueue"));
    { const Held second = awaitUntil(std::ref(sleep)); }
    BOOST_TEST(take() == refused("Sleep"));
    { const Held second = awaitUntil(std::ref(notified)); }
    BOOST_TEST(take() == refused("Notified"));
    notify.notifyOne();
    turnAt(10);
    driver.turn();
    for (const Held& task : first) BOOST_TEST(task.isDone());
}

BOOST_AUTO_TEST_CASE(a27_a_sleep_that_fires_early_still_belongs_to_the_first_coroutine) {
    Sleep sleep = driver.sleep(10);
    const Held first = await(sleep);
    sleep.resetAfter(0);
    { const Held second = await(sleep); }
    BOOST_TEST(take() == "Another coroutine is waiting for this Sleep.@0");
    driver.turn();
    BOOST_TEST(take() == "over@0");
    const Held third = await(sleep);
    BOOST_TEST(take() == "over@0");
}

BOOST_AUTO_TEST_CASE(a27_an_object_can_be_awaited_again_when_its_coroutine_is_gone) {
    Sleep sleep = driver.sleep(10);
    auto limited = timeout(driver, 10, Scripted());
    DelayQueue<int> queue(driver);
    queue.insert(1, 10);
    { const Held first = await(sleep), second = await(limited), third = await(queue); }
    const Held first = await(sleep), second = await(limited), third = await(queue);
    BOOST_TEST(take() == "");
    turnAt(10);
    driver.turn();
    BOOST_TEST((first.isDone() && second.isDone() && third.isDone()));
}

BOOST_AUTO_TEST_CASE(a28_destroying_a_waiting_coroutine_withdraws_its_wakers) {
    const Completion<int> answer;
    const Scripted operation;
    auto limited = timeout(driver, 10, operation);
    DelayQueue<int> queue(driver);
    queue.insert(1, 10);
    {
        const Held first = receive(answer, 10), second = await(limited), third = drain(queue);
        const Held fourth = awaitUntil(operation);
        BOOST_TEST(driver.size() == 3U);
        operation.state->wakers[0]();  // the mark is withdrawn too
        BOOST_TEST(driver.size() == 4U);
    }
    BOOST_TEST(driver.size() == 0U);
    BOOST_TEST(operation.state->drops == 2);
    driver.check();
    answer.set(1);
    BOOST_TEST(turnAt(10) == 0U);
    BOOST_TEST(take() == "");
    BOOST_TEST(queue.pollExpired().has_value());
}

BOOST_AUTO_TEST_CASE(
    a29_a_task_that_sleeps_when_the_driver_ends_is_silent) {  // shutdown_terminates
    static_assert(std::is_empty_v<Task>);
    std::string ends;
    const auto sleeps = [](TimeDriver& on, std::string& noted) -> Task {
        struct AtEnd {
            std::string& to;
            ~AtEnd() { to += "freed "; }
        } const atEnd{noted};
        co_await on.sleep(1h);
        noted += "woken ";
    };
    std::string reported;
    jtimer::setDefaultUncaughtExceptionHandler(
        [&](const std::string& name, const std::exception_ptr& exception) {
            try {
                std::rethrow_exception(exception);
            } catch (const std::exception& e) {
                reported += name + ':' + e.what();
            }
        });
    sleeps(driver, ends);
    sleeps(*threaded, ends);
    owned.reset();
    threaded.reset();
    BOOST_TEST(ends == "freed freed ");
    BOOST_TEST(reported == "");
    BOOST_TEST(take() == "");
    [](int) -> Task {
        throw std::runtime_error("oops");
        co_return;
    }(0);
    jtimer::setDefaultUncaughtExceptionHandler({});
    BOOST_TEST(reported == "tokio::Task:oops");
}

/// Each co_await of these is ready, so the coroutine never waits by itself.
BOOST_AUTO_TEST_CASE(a9_a_coroutine_that_finds_all_ready_leaves_the_rest_to_the_next_turn) {
    int rounds = 0;
    bool goesOn = true;
    auto loop = [&](Sleep& sleep) -> Task {
        while (goesOn && rounds < 100'000) {
            co_await sleep;
            ++rounds;
            sleep.resetAfter(0);
        }
    };
    auto notified = [&](const Notify& notify) -> Task {
        while (goesOn && rounds < 100'000) {
            co_await notify.notified();
            ++rounds;
            notify.notifyOne();
        }
    };
    const Notify notify(driver);
    Sleep sleep = driver.sleep(1);
    Sleep other = driver.sleep(2);
    bool otherFired = false;
    other.poll([&] { otherFired = true; });
    loop(sleep);
    clock->advance(1);
    driver.turn();
    BOOST_TEST(rounds == 128);
    BOOST_TEST((driver.nextWake() == clock->now()));
    clock->advance(1);
    driver.turn();
    BOOST_TEST(otherFired);
    goesOn = false;
    driver.turn();

    goesOn = true;
    rounds = 0;
    notified(notify);
    notify.notifyOne();
    driver.turn();
    BOOST_TEST(rounds == 128);
    driver.turn();
    BOOST_TEST(rounds == 256);
    goesOn = false;
    driver.turn();
}

/// In the same way, what a turn polls again.
BOOST_AUTO_TEST_CASE(
    a9_a_coroutine_that_polls_only_what_is_ready_leaves_the_rest_to_the_next_turn) {
    int rounds = 0;
    bool goesOn = true;
    const auto ready = [](const Waker&) { return std::optional<int>(1); };
    auto beginsInATurn = [&](int kind) -> Task {
        DelayQueue<int> queue(driver);
        co_await driver.sleep(1);
        while (goesOn && rounds < 100'000) {
            if (kind == 0) {
                queue.insert(rounds, 0);
                BOOST_TEST((co_await queue)->value == rounds);
            } else if (kind == 1) {
                BOOST_TEST(co_await timeout(driver, 5, ready) == 1);
            } else {
                BOOST_TEST(co_await until(driver, ready) == 1);
            }
            ++rounds;
        }
    };
    for (int kind = 0; kind < 3; ++kind) {
        BOOST_TEST_CONTEXT("kind " << kind) {
            rounds = 0;
            goesOn = true;
            beginsInATurn(kind);
            Sleep other = driver.sleep(2);
            bool otherFired = false;
            other.poll([&] { otherFired = true; });
            clock->advance(1);
            driver.turn();
            BOOST_TEST(rounds == 127);
            BOOST_TEST((driver.nextWake() == clock->now()));
            driver.turn();
            BOOST_TEST(rounds == 127 + 128);
            clock->advance(1);
            driver.turn();
            BOOST_TEST(otherFired);
            goesOn = false;
            driver.turn();
            BOOST_TEST(driver.turn() == 0U);
        }
    }
}

BOOST_AUTO_TEST_SUITE_END()

#else

BOOST_AUTO_TEST_CASE(without_coroutines_the_header_is_empty_here_too) {
    BOOST_TEST_MESSAGE("this compiler has no coroutines: await.hpp is not tested");
}

#endif
