// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "support/test.hpp"
#include "tokio/driver_fixture.hpp"

#include <jtimer/tokio/timeout.hpp>

using jtimer::IllegalArgumentException;
using jtimer::IllegalStateException;
using jtimer::tokio::Completion;
using jtimer::tokio::Elapsed;
using jtimer::tokio::Sleep;
using jtimer::tokio::timeout;
using jtimer::tokio::Timeout;
using jtimer::tokio::timeoutAt;
using jtimer::tokio::TimeoutState;
using jtimer::tokio::Waker;

namespace {

constexpr const char* kElapsed = "deadline has elapsed";
constexpr auto kNever = [](const Waker&) { return false; };

/// An operation that counts its polls, and is ready when `ready` says so.
struct Counted {
    std::shared_ptr<int> polls = std::make_shared<int>(0);
    std::shared_ptr<bool> ready = std::make_shared<bool>(false);

    std::optional<int> operator()(const Waker&) const {
        ++*polls;
        if (!*ready) return std::nullopt;
        return 42;
    }
};

std::optional<int> answer(const Waker&) { return 42; }

}  // namespace

BOOST_FIXTURE_TEST_SUITE(tokio_timeout, test::PolledDriver)

BOOST_AUTO_TEST_CASE(t38_a_value_wins_even_long_past_the_deadline) {
    const Counted operation;
    auto late = timeout(driver, 10, operation);
    BOOST_TEST((late.poll() == TimeoutState::Pending));
    *operation.ready = true;
    turnAt(5000);
    BOOST_TEST((late.poll() == TimeoutState::Ready));
    BOOST_TEST(late.take() == 42);

    const Counted second;
    *second.ready = true;
    auto past = timeoutAt(driver, at(3), second);
    BOOST_TEST((past.poll() == TimeoutState::Ready));
    BOOST_TEST(past.take() == 42);
}

BOOST_AUTO_TEST_CASE(t38_without_a_value_the_deadline_decides) {
    const Counted operation;
    auto timed = timeout(driver, 10, operation);
    BOOST_TEST((timed.poll() == TimeoutState::Pending));
    turnAt(10);
    BOOST_TEST((timed.poll() == TimeoutState::Elapsed));
    BOOST_TEST(*operation.polls == 2);
    CHECK_THROWS(timed.take(), Elapsed, kElapsed);
    CHECK_THROWS(timed.take(), std::runtime_error, kElapsed);
    CHECK_THROWS(timed.get(), Elapsed, kElapsed);
}

BOOST_AUTO_TEST_CASE(an_operation_may_be_a_function_and_return_something_const_or_a_reference) {
    BOOST_TEST(timeout(driver, 10, answer).get() == 42);
    std::optional<int> kept = 42;
    const auto byReference = [&kept](const Waker&) -> std::optional<int>& { return kept; };
    BOOST_TEST(timeout(driver, 10, byReference).get() == 42);
    BOOST_TEST(kept.value() == 42);
    const auto constant = [](const Waker&) -> const std::optional<int> { return 42; };
    BOOST_TEST(timeout(driver, 10, constant).get() == 42);
}

BOOST_AUTO_TEST_CASE(t39_a_deadline_now_is_elapsed_at_the_first_poll) {
    auto now = timeout(driver, 0, kNever);
    BOOST_TEST((now.poll(waker("never")) == TimeoutState::Elapsed));
    auto past = timeoutAt(driver, at(-5), kNever);
    BOOST_TEST((past.poll() == TimeoutState::Elapsed));
    BOOST_TEST(take() == "");
}

BOOST_AUTO_TEST_CASE(t39_a_deadline_in_300_ms_wakes_at_300) {
    auto timed = timeout(driver, 300, kNever);
    BOOST_TEST((timed.poll(waker("woken")) == TimeoutState::Pending));
    turnAt(299);
    BOOST_TEST(take() == "");
    turnAt(300);
    BOOST_TEST(take() == "woken@300");
    BOOST_TEST((timed.poll() == TimeoutState::Elapsed));
}

BOOST_AUTO_TEST_CASE(t40_after_the_end_neither_is_polled_and_the_deadline_is_deregistered) {
    const Counted operation;
    const auto held = std::make_shared<int>();
    auto ready = timeout(driver, 10, operation);
    ready.poll([held, this] { note("stale"); });
    BOOST_TEST(driver.size() == 1U);
    *operation.ready = true;
    ready.poll();
    BOOST_TEST(driver.size() == 0U);
    BOOST_TEST(held.use_count() == 1);
    turnAt(10);
    BOOST_TEST((ready.poll() == TimeoutState::Ready));
    BOOST_TEST(*operation.polls == 2);

    const Counted other;
    auto elapsed = timeout(driver, 10, other);
    elapsed.poll();
    turnAt(20);
    elapsed.poll();
    *other.ready = true;
    BOOST_TEST((elapsed.poll() == TimeoutState::Elapsed));
    BOOST_TEST(*other.polls == 2);
    BOOST_TEST(take() == "");
}

BOOST_AUTO_TEST_CASE(t41_what_the_operation_throws_passes_through) {
    bool broken = true;
    auto timed = timeout(driver, 10, [&](const Waker&) {
        if (broken) throw std::runtime_error("broken");
        return true;
    });
    CHECK_THROWS(timed.poll(), std::runtime_error, "broken");
    CHECK_THROWS(timed.get(), std::runtime_error, "broken");
    CHECK_THROWS(timed.take(), IllegalStateException, "The Timeout is still pending.");
    broken = false;
    BOOST_TEST((timed.poll() == TimeoutState::Ready));
    timed.take();
}

BOOST_AUTO_TEST_CASE(t41_the_longest_duration_never_elapses) {
    auto timed = timeout(driver, std::chrono::hours::max(), kNever);
    BOOST_TEST((timed.poll() == TimeoutState::Pending));
    driver.turn(jtimer::Date::max());
    BOOST_TEST((timed.poll() == TimeoutState::Pending));
}

BOOST_AUTO_TEST_CASE(t37_a_negative_duration_is_refused) {
    CHECK_THROWS(timeout(driver, -1, kNever), IllegalArgumentException, "Negative duration.");
}

BOOST_AUTO_TEST_CASE(t27_after_a_shutdown_a_pending_timeout_throws) {
    const Counted operation;
    auto pending = timeout(driver, 10, operation);
    auto ready = timeout(driver, 10, operation);
    pending.poll(waker("woken"));
    driver.shutdown();
    BOOST_TEST(take() == "woken@0");
    CHECK_THROWS(pending.poll(), IllegalStateException, test::kShutDown);
    CHECK_THROWS(pending.get(), IllegalStateException, test::kShutDown);
    CHECK_THROWS(timeout(driver, 10, operation), IllegalStateException, test::kShutDown);
    *operation.ready = true;
    BOOST_TEST(ready.get() == 42);
}

BOOST_AUTO_TEST_CASE(take_gives_the_value_once) {
    auto timed = timeout(driver, 10, [](const Waker&) {
        return std::optional<std::unique_ptr<int>>(std::make_unique<int>(7));
    });
    CHECK_THROWS(timed.take(), IllegalStateException, "The Timeout is still pending.");
    BOOST_TEST(*timed.get() == 7);
    CHECK_THROWS(timed.take(), IllegalStateException, "The value has already been taken.");
    static_assert(std::is_same_v<decltype(timed)::Value, std::unique_ptr<int>>);
    static_assert(!std::is_copy_constructible_v<decltype(timed)>);
}

BOOST_AUTO_TEST_CASE(an_operation_without_a_value_is_a_bool) {
    auto timed = timeout(driver, 10, [](const Waker&) { return true; });
    static_assert(std::is_void_v<decltype(timed)::Value>);
    timed.get();
    CHECK_THROWS(timed.take(), IllegalStateException, "The value has already been taken.");
}

BOOST_AUTO_TEST_CASE(the_operation_can_be_looked_at_and_taken_back) {
    auto timed = timeout(driver, 10, Completion<std::string>());
    Waker none;
    BOOST_TEST(timed.operation().set("done"));
    const Completion<std::string> inner = std::move(timed).intoInner();
    BOOST_TEST(inner(none).value() == "done");
}

BOOST_AUTO_TEST_CASE(a_completion_wakes_and_gives_its_value_once) {
    const Completion<std::unique_ptr<int>> completion;
    auto timed = timeout(driver, 10, completion);
    timed.poll(waker("first"));
    timed.poll(waker("second"));
    BOOST_TEST(completion.set(std::make_unique<int>(5)));
    BOOST_TEST(take() == "second@0");
    BOOST_TEST(!completion.set(std::make_unique<int>(6)));
    BOOST_TEST(*timed.get() == 5);
    BOOST_TEST(!completion({}).has_value());
}

BOOST_AUTO_TEST_CASE(t29_get_on_the_thread_that_turns_is_refused) {
    const Completion<int> completion;
    auto timed = timeout(driver, 50, completion);
    timed.poll(waker("polled"));
    Sleep sleep = driver.sleep(10);
    sleep.poll([&] {
        CHECK_THROWS(timed.get(), IllegalStateException,
                     "Cannot wait inside a turn of the same TimeDriver.");
        note("refused");
    });
    turnAt(10);
    BOOST_TEST(take() == "refused");
    completion.set(1);
    BOOST_TEST(take() == "polled@10");
    turnAt(50);
    BOOST_TEST(take() == "polled@50");
}

BOOST_AUTO_TEST_CASE(t34_get_blocks_for_the_value_or_the_deadline) {
    const Completion<int> completion;
    auto completed = timeout(driver, 10, completion);
    auto elapsed = timeout(driver, 20, kNever);
    boost::thread other([&] {
        while (driver.size() != 1) boost::this_thread::yield();
        completion.set(1);
        while (driver.size() != 1 || next() != 20) boost::this_thread::yield();
        turnAt(20);
    });
    BOOST_TEST(completed.get() == 1);
    CHECK_THROWS(elapsed.get(), Elapsed, kElapsed);
    other.join();
}

BOOST_AUTO_TEST_SUITE_END()
