// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "support/test.hpp"
#include "tokio/threaded_driver.hpp"

#include <jtimer/tokio.hpp>

using jtimer::tokio::Completion;
using jtimer::tokio::DelayQueue;
using jtimer::tokio::Interval;
using jtimer::tokio::Notified;
using jtimer::tokio::Notify;
using jtimer::tokio::Sleep;
using jtimer::tokio::timeout;
using jtimer::tokio::TimeoutState;
using jtimer::tokio::Waker;

// A registration: the waker that a poll has left in an operation, at most one.

namespace {

/// Wakers that own something, so that one sees whether they have been freed.
struct Registrations : test::ThreadedDriver {
    std::shared_ptr<int> owned = std::make_shared<int>();

    Waker owning(const std::string& name) {
        return [this, name, kept = owned] { note(name); };
    }
    bool isFreed() const { return owned.use_count() == 1; }

    /// Leaves a waker in the operation and withdraws it.
    template <class Operation>
    void checkDropped(Operation& operation) {
        BOOST_TEST(!operation(owning("stale")));
        BOOST_TEST(!isFreed());
        operation.dropWaker();
        BOOST_TEST(isFreed());
        operation.dropWaker();  // nothing is left
        driver.check();
    }
};

/// An operation of a user's, never ready.
struct Never {
    std::shared_ptr<Waker> left = std::make_shared<Waker>();
    int* drops = nullptr;

    bool operator()(const Waker& waker) const {
        *left = waker;
        return false;
    }
    void dropWaker() const {
        ++*drops;
        *left = {};
    }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(tokio_registration, Registrations)

BOOST_AUTO_TEST_CASE(a15_a_registration_ends_by_its_call_another_waker_or_the_end_of_the_object) {
    const Completion<int> shared;
    {
        const Completion<int> polled = shared;
        BOOST_TEST(!polled(owning("first")).has_value());
        BOOST_TEST(!polled(owning("second")).has_value());
        BOOST_TEST(owned.use_count() == 2);
    }
    BOOST_TEST(isFreed());
    shared.set(1);
    BOOST_TEST(take() == "");
    const Completion<int> called;
    called(owning("called"));
    called.set(1);
    BOOST_TEST(take() == "called");
    BOOST_TEST(isFreed());
    {
        Sleep sleep = driver.sleep(10);
        sleep(owning("stale"));
    }
    BOOST_TEST(isFreed());
    BOOST_TEST(turnAt(10) == 0U);
}

BOOST_AUTO_TEST_CASE(a15_a_waker_withdrawn_while_it_is_called_lives_until_its_end) {
    const Completion<int> completion;
    completion([this, kept = owned, completion] {
        completion.dropWaker();
        BOOST_TEST(!isFreed());
        note("called");
    });
    completion.set(1);
    BOOST_TEST(take() == "called");
    BOOST_TEST(isFreed());
}

BOOST_AUTO_TEST_CASE(a16_dropWaker_of_a_sleep_deregisters_and_the_next_poll_goes_on) {
    Sleep sleep = driver.sleep(10);
    checkDropped(sleep);
    BOOST_TEST(driver.size() == 0U);
    BOOST_TEST(turnAt(5) == 0U);
    BOOST_TEST(!sleep(waker("w")));
    BOOST_TEST(turnAt(10) == 1U);
    BOOST_TEST(take() == "w@10");
    sleep.dropWaker();
    BOOST_TEST(sleep.isElapsed());
}

BOOST_AUTO_TEST_CASE(a16_dropWaker_withdraws_a_waker_that_waits_for_its_turn) {
    Sleep sleep = driver.sleep(10);
    sleep(owning("stale"));
    sleep.resetAfter(0);
    sleep.dropWaker();
    BOOST_TEST(isFreed());
    BOOST_TEST(sleep.isElapsed());
    BOOST_TEST(next() == -1);
    BOOST_TEST(driver.turn() == 0U);
}

BOOST_AUTO_TEST_CASE(a16_dropWaker_of_a_sleep_leaves_a_thread_that_waits) {
    Sleep sleep = threaded->sleep(10);
    sleep(owning("stale"));
    bool over = false;
    test::Background waits([&] {
        sleep.wait();
        over = true;
    });
    while (!sleep.isElapsed()) {
        sleep.dropWaker();
        advanceTo(now() + 1);
    }
    waits.join();
    BOOST_TEST(over);
    BOOST_TEST(isFreed());
    BOOST_TEST(take() == "");
}

BOOST_AUTO_TEST_CASE(a16_dropWaker_of_an_interval_loses_no_tick) {
    Interval interval = driver.intervalAt(at(10), 10);
    checkDropped(interval);
    BOOST_TEST(driver.size() == 0U);
    clock->advanceTo(at(10));
    BOOST_TEST(millis(interval(Waker()).value()) == 10);
}

BOOST_AUTO_TEST_CASE(a16_dropWaker_of_a_queue_loses_no_entry) {
    DelayQueue<int> queue(driver);
    queue.dropWaker();  // has never had one
    checkDropped(queue);
    queue.insert(1, 10);
    checkDropped(queue);
    BOOST_TEST(driver.size() == 0U);
    queue.insert(2, 0);
    BOOST_TEST(driver.turn() == 0U);
    BOOST_TEST(queue(Waker())->value == 2);
    BOOST_TEST(!queue(waker("w")));
    BOOST_TEST(turnAt(10) == 1U);
    BOOST_TEST(take() == "w@10");
}

BOOST_AUTO_TEST_CASE(a16_dropWaker_of_a_notified_keeps_its_place) {
    const Notify notify(driver);
    Notified first = notify.notified(), second = notify.notified();
    checkDropped(first);
    second.poll();
    notify.notifyOne();
    BOOST_TEST(driver.turn() == 0U);
    BOOST_TEST(first.poll());
    BOOST_TEST(!second.poll());
}

BOOST_AUTO_TEST_CASE(a16_a_completion_drops_only_what_this_object_has_left) {
    const Completion<int> first;
    const Completion<int> second = first;
    checkDropped(first);
    first(owning("first"));
    second.dropWaker();
    { const Completion<int> third = first; }
    BOOST_TEST(!isFreed());
    second(owning("second"));  // replaces it
    first.dropWaker();
    BOOST_TEST(!isFreed());
    second.set(1);
    BOOST_TEST(take() == "second");
    BOOST_TEST(*first(Waker()) == 1);
}

BOOST_AUTO_TEST_CASE(a16_a_moved_completion_takes_its_registration_along) {
    Completion<int> first;
    const Completion<int> shared = first;
    first(owning("w"));
    Completion<int> second = std::move(first);
    first = shared;
    first.dropWaker();
    BOOST_TEST(!isFreed());
    second = shared;
    BOOST_TEST(isFreed());
    second(owning("again"));
    Completion<int>& self = second;
    second = self;
    BOOST_TEST(!isFreed());
    second = Completion<int>();
    BOOST_TEST(isFreed());
}

BOOST_AUTO_TEST_CASE(a17_a_timeout_that_elapses_withdraws_the_waker_of_its_operation) {
    int drops = 0;
    Never never;
    never.drops = &drops;
    auto limited = timeout(driver, 10, never);
    auto byReference = timeout(driver, 10, std::ref(never));
    auto notOver = timeout(driver, 20, never);
    BOOST_TEST((notOver.poll() == TimeoutState::Pending));
    BOOST_TEST((limited.poll(owning("w")) == TimeoutState::Pending));
    BOOST_TEST((byReference.poll() == TimeoutState::Pending));
    turnAt(10);
    BOOST_TEST(drops == 0);
    BOOST_TEST((limited.poll() == TimeoutState::Elapsed));
    BOOST_TEST(drops == 1);
    BOOST_TEST((byReference.poll() == TimeoutState::Elapsed));
    BOOST_TEST(drops == 2);
    BOOST_TEST((limited.poll() == TimeoutState::Elapsed));
    BOOST_TEST(drops == 2);
}

BOOST_AUTO_TEST_CASE(a18_after_a_time_out_the_answer_calls_no_waker_and_what_it_held_is_freed) {
    const Completion<int> answer;
    auto limited = timeout(driver, 10, answer);
    BOOST_TEST((limited.poll(owning("w")) == TimeoutState::Pending));
    turnAt(10);
    BOOST_TEST(take() == "w");
    BOOST_TEST(!isFreed());
    BOOST_TEST((limited.poll() == TimeoutState::Elapsed));
    BOOST_TEST(isFreed());
    answer.set(1);
    BOOST_TEST(take() == "");
}

BOOST_AUTO_TEST_CASE(a19_a_sleep_an_interval_and_a_queue_are_operations_of_a_timeout) {
    auto slept = timeout(driver, 20, driver.sleep(10));
    BOOST_TEST((slept.poll(waker("sleep")) == TimeoutState::Pending));
    Interval interval = driver.intervalAt(at(10), 10);
    auto ticked = timeout(driver, 20, std::ref(interval));
    BOOST_TEST((ticked.poll(waker("interval")) == TimeoutState::Pending));
    DelayQueue<std::string> queue(driver);
    queue.insert("a", 10);
    auto expired = timeout(driver, 20, std::ref(queue));
    BOOST_TEST((expired.poll(waker("queue")) == TimeoutState::Pending));
    turnAt(10);
    BOOST_TEST((slept.poll() == TimeoutState::Ready));
    slept.take();
    BOOST_TEST((ticked.poll() == TimeoutState::Ready));
    BOOST_TEST(millis(ticked.take()) == 10);
    BOOST_TEST((expired.poll() == TimeoutState::Ready));
    BOOST_TEST(expired.take().value == "a");
    auto late = timeout(driver, 5, std::ref(interval));
    BOOST_TEST((late.poll(owning("late")) == TimeoutState::Pending));
    turnAt(15);
    BOOST_TEST((late.poll() == TimeoutState::Elapsed));
    BOOST_TEST(isFreed());
    BOOST_TEST(driver.size() == 0U);
}

BOOST_AUTO_TEST_SUITE_END()
