// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "support/counter.hpp"
#include "support/gate.hpp"
#include "support/manual_timer.hpp"
#include "support/test.hpp"
#include "support/thread_state.hpp"

#include <mutex>

using jtimer::Timer;
using test::Gate;

namespace {

struct Fixture : test::LoggedClock {
    std::unique_ptr<Timer> make(bool isDaemon) {
        return std::make_unique<Timer>(test::onClock(clock, isDaemon));
    }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(detach, Fixture)

// In Java: synchronized (lock) { timer.cancel(); timer = null; }
BOOST_AUTO_TEST_CASE(a_timer_can_be_dropped_under_the_lock_that_its_running_task_waits_for) {
    struct Shared {  // with the task, which nobody waits for
        std::mutex mutex;
        Gate running;
        test::Counter completed;
    };
    for (const bool isDaemon : {false, true}) {
        const auto shared = std::make_shared<Shared>();
        auto timer = make(isDaemon);
        const auto ended = test::threadEnd(*timer);
        {
            const std::lock_guard<std::mutex> lock(shared->mutex);
            timer->schedule(
                [shared] {
                    shared->running.open();
                    const std::lock_guard<std::mutex> inTask(shared->mutex);
                    shared->completed.up();
                },
                0);
            shared->running.wait();
            timer->cancel();
            timer->detach();
            timer = nullptr;  // without detach() it would wait for ever here
            BOOST_TEST(shared->completed.get() == 0);
        }
        BOOST_TEST(shared->completed.reaches(1));
        ended->wait();
    }
}

BOOST_AUTO_TEST_CASE(what_is_outstanding_still_runs_and_then_the_thread_ends_by_itself) {
    auto timer = make(false);
    const auto ended = test::threadEnd(*timer);
    timer->schedule(log.entry("a"), 10);
    const auto repeating = timer->schedule(log.entry("b"), 20, 10);
    timer->detach();
    timer.reset();
    clock->advance(40);
    BOOST_TEST(log.take() == "a@10 b@20 b@30 b@40");
    BOOST_TEST(repeating->cancel());
    ended->wait();
    BOOST_TEST((clock->now() == test::at(40)));
}

BOOST_AUTO_TEST_CASE(a_daemon_discards_what_is_queued_and_its_thread_ends) {
    auto timer = make(true);
    const auto ended = test::threadEnd(*timer);
    const auto task = timer->schedule(log.entry("a"), 10);
    timer->detach();
    timer.reset();
    ended->wait();
    clock->advance(40);
    BOOST_TEST(log.take() == "");
    BOOST_TEST(task.use_count() == 1);
}

BOOST_AUTO_TEST_CASE(until_it_is_destroyed_a_detached_timer_works_as_before) {
    auto timer = make(false);
    timer->detach();
    timer->detach();
    timer->schedule(log.entry("a"), 10);
    clock->advance(10);
    BOOST_TEST(log.take() == "a@10");
    timer->cancel();
    BOOST_TEST(test::isClosed(*timer));
}

BOOST_AUTO_TEST_CASE(a_task_may_detach_and_destroy_its_own_timer) {
    auto timer = make(false);
    const auto ended = test::threadEnd(*timer);
    timer->schedule(
        [&] {
            timer->detach();
            timer.reset();
        },
        0);
    ended->wait();
}

BOOST_AUTO_TEST_CASE(a_timer_whose_thread_has_ended_can_be_detached) {
    for (int round = 0; round < 200; ++round) {
        auto timer = make(false);
        timer->detach();
        timer->cancel();
        if (round % 2 == 0) boost::this_thread::yield();
        timer.reset();
    }
    BOOST_TEST(!clock->advanceToNext());
}

BOOST_AUTO_TEST_SUITE_END()
