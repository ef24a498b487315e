// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "support/test.hpp"
#include "support/throws.hpp"
#include "tokio/threaded_driver.hpp"

#include <jtimer/tokio.hpp>

#include <future>
#include <variant>

using jtimer::IllegalStateException;
using jtimer::tokio::blockOn;
using jtimer::tokio::Completion;
using jtimer::tokio::DelayQueue;
using jtimer::tokio::DriverShutdown;
using jtimer::tokio::Interval;
using jtimer::tokio::Notify;
using jtimer::tokio::select;
using jtimer::tokio::Sleep;
using jtimer::tokio::Waker;

// blockOn(): a thread waits for any operation.

namespace {

/// An operation that says, once it is polled with a waker, that the caller is about to block.
struct Announced {
    std::shared_ptr<std::promise<void>> blocks = std::make_shared<std::promise<void>>();
    bool isPolled = false;

    bool operator()(const Waker& waker) {
        if (waker && !std::exchange(isPolled, true)) blocks->set_value();
        return false;
    }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(tokio_block_on, test::ThreadedDriver)

BOOST_AUTO_TEST_CASE(a19_blockOn_waits_for_each_kind_of_operation) {
    DelayQueue<std::string> queue(*threaded);
    queue.insert("a", 30);
    Interval interval = threaded->intervalAt(at(20), 10);
    const Notify notify(*threaded);
    test::Background other([&] {
        for (const int time : {10, 20, 30}) {
            test::awaitSize(*threaded, 1);
            advanceTo(time);
        }
    });
    blockOn(*threaded, threaded->sleep(10));
    BOOST_TEST(millis(blockOn(*threaded, std::ref(interval))) == 20);
    BOOST_TEST(blockOn(*threaded, std::ref(queue)).value == "a");
    BOOST_TEST(now() == 30);
    notify.notifyOne();
    blockOn(*threaded, notify.notified());
    other.join();
    BOOST_TEST(threaded->size() == 0U);
    const auto next = blockOn(*threaded, select(std::ref(interval), threaded->sleep(50)));
    BOOST_TEST(millis(std::get<0>(next)) == 30);
}

BOOST_AUTO_TEST_CASE(a21_blockOn_blocks_until_another_thread_makes_it_ready) {
    const Completion<std::string> answer;
    const Announced announced;
    test::Background other([&] {
        announced.blocks->get_future().wait();
        answer.set("hello");
    });
    const auto value = blockOn(driver, select(announced, answer));
    BOOST_TEST(std::get<1>(value) == "hello");
    BOOST_TEST(driver.size() == 0U);
    BOOST_TEST(driver.stats().cancelled == 0U);  // nothing was registered for the wait
}

BOOST_AUTO_TEST_CASE(a21_what_the_operation_throws_passes_through) {
    const auto fails = [](const Waker& waker) -> bool {
        if (waker) throw std::runtime_error("broken");
        return false;
    };
    CHECK_THROWS(blockOn(driver, fails), std::runtime_error, "broken");
}

BOOST_AUTO_TEST_CASE(a21_a_shutdown_ends_the_wait_for_what_knows_no_driver) {
    const Completion<int> answer;
    const Announced announced;
    test::Background other([&] {
        announced.blocks->get_future().wait();
        driver.shutdown();
    });
    CHECK_THROWS(blockOn(driver, announced), DriverShutdown, test::kShutDown);
    CHECK_THROWS(blockOn(driver, answer), DriverShutdown, test::kShutDown);
    answer.set(1);
    BOOST_TEST(blockOn(driver, answer) == 1);
}

BOOST_AUTO_TEST_CASE(a21_blockOn_on_the_thread_that_turns_is_refused_unless_it_is_ready) {
    Completion<int> answer;
    answer(waker("kept"));
    Sleep sleep = driver.sleep(10);
    sleep.poll([&] {
        CHECK_THROWS(blockOn(driver, std::ref(answer)), IllegalStateException,
                     "Cannot wait inside a turn of the same TimeDriver.");
        note("refused");
        answer.set(1);
        BOOST_TEST(blockOn(driver, answer) == 1);
    });
    turnAt(10);
    BOOST_TEST(take() == "refused kept@10");
}

BOOST_AUTO_TEST_SUITE_END()
