// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
//
// A program of its own, for its coroutines are C++20.
#include "support/test.hpp"
#include "tokio/driver_fixture.hpp"

#include <jtimer/tokio.hpp>

#if defined(__cpp_impl_coroutine)

#include "tokio/held.hpp"

#include <functional>
#include <string>
#include <utility>
#include <variant>

using jtimer::tokio::Completion;
using jtimer::tokio::DelayQueue;
using jtimer::tokio::Interval;
using jtimer::tokio::select;
using jtimer::tokio::Sleep;
using jtimer::tokio::timeout;
using jtimer::tokio::until;
using test::Held;

// co_await of a Selection.

namespace {

struct AwaitsSelections : test::PolledDriver {
    void noteAt(const std::string& text) { note(text + '@' + std::to_string(now())); }

    /// Awaits, and notes which operation was chosen.
    template <class Operation>
    Held awaitUntil(Operation operation) {
        try {
            const auto chosen = co_await until(driver, std::move(operation));
            noteAt(std::to_string(chosen.index()));
        } catch (const std::exception& e) {
            noteAt(e.what());
        }
    }
    template <class Timeout>
    Held await(Timeout& limited) {
        try {
            const auto chosen = co_await limited;
            noteAt(std::to_string(chosen.index()));
        } catch (const std::exception& e) {
            noteAt(e.what());
        }
    }
    template <class Object>
    Held awaitOver(Object& object) {
        co_await object;
        noteAt("over");
    }

    Completion<int> answer;
};

constexpr const char* kRefusedQueue = "Another coroutine is waiting for this DelayQueue.@0";

}  // namespace

BOOST_FIXTURE_TEST_SUITE(tokio_await_select, AwaitsSelections)

BOOST_AUTO_TEST_CASE(a19_a_coroutine_waits_for_the_first_of_several) {
    const Held answered = awaitUntil(select(driver.sleep(20), answer));
    const Held late = awaitUntil(select(driver.sleep(10), Completion<int>()));
    turnAt(5);
    answer.set(1);
    BOOST_TEST(take() == "");
    turnAt(5);
    BOOST_TEST(take() == "1@5");
    turnAt(10);
    driver.turn();
    BOOST_TEST(take() == "0@10");
    BOOST_TEST(driver.size() == 0U);
}

BOOST_AUTO_TEST_CASE(a19_a_coroutine_waits_for_a_selection_with_a_time_out) {
    auto limited = timeout(driver, 10, select(driver.sleep(20), answer));
    const Held late = await(limited);
    turnAt(10);
    driver.turn();
    BOOST_TEST(take() == "deadline has elapsed@10");
}

BOOST_AUTO_TEST_CASE(a27_a_second_coroutine_on_an_object_in_a_selection_is_refused) {
    Sleep sleep = driver.sleep(10);
    Interval interval = driver.intervalAt(at(10), 10);
    DelayQueue<int> queue(driver);
    queue.insert(1, 10);
    const Held first = awaitUntil(select(std::ref(sleep), std::ref(queue), std::ref(interval)));
    { const Held second = awaitUntil(select(answer, std::ref(queue))); }
    BOOST_TEST(take() == kRefusedQueue);
    auto selection = select(answer, select(std::ref(queue), answer));
    { const Held second = awaitUntil(std::ref(selection)); }
    BOOST_TEST(take() == kRefusedQueue);
    { const Held second = awaitUntil(select(answer, std::ref(interval))); }
    BOOST_TEST(take() == "Another coroutine is waiting for this Interval.@0");
    turnAt(10);
    driver.turn();
    BOOST_TEST(take() == "0@10");
    const Held third = awaitOver(queue);
    BOOST_TEST(take() == "over@10");
}

BOOST_AUTO_TEST_CASE(a27_one_that_was_refused_leaves_no_waker_in_the_other_objects) {
    Sleep taken = driver.sleep(10);
    Sleep other = driver.sleep(10);
    const Held first = awaitOver(taken);
    { const Held second = awaitUntil(select(std::ref(other), std::ref(taken))); }
    BOOST_TEST(take() == "Another coroutine is waiting for this Sleep.@0");
    const Held third = awaitOver(other);
    turnAt(10);
    BOOST_TEST(take() == "over@10 over@10");
}

BOOST_AUTO_TEST_CASE(a28_a_coroutine_that_is_destroyed_withdraws_the_wakers_of_a_selection) {
    Sleep sleep = driver.sleep(10);
    { const Held first = awaitUntil(select(std::ref(sleep), answer, driver.sleep(10))); }
    BOOST_TEST(driver.size() == 0U);
    const Held second = awaitOver(sleep);
    turnAt(10);
    BOOST_TEST(take() == "over@10");
}

BOOST_AUTO_TEST_SUITE_END()

#endif
