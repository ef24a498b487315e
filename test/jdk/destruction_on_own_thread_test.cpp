// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "support/gate.hpp"
#include "support/manual_timer.hpp"
#include "support/test.hpp"
#include "support/thread_state.hpp"

using jtimer::Timer;
using jtimer::TimerTask;
using test::Gate;
using TimerPointer = std::unique_ptr<Timer>;

// Timers that are destroyed on their own thread: by a task, a handler, or the destructor of either.

namespace {

struct Fixture : test::LoggedClock {
    TimerPointer make(bool isDaemon) {
        return std::make_unique<Timer>(test::onClock(clock, isDaemon));
    }
    /// A task of its own destroys `timer`, while another is due.
    void destroyItselfAt10(TimerPointer& timer) {
        timer->schedule(
            [this, &timer] {
                timer.reset();
                log.write("destroyed");
            },
            10);
        timer->schedule(log.entry("due"), 10);
    }
    std::int64_t now() const { return clock->nanos() / 1'000'000 - test::kStartMillis; }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(destruction_on_own_thread, Fixture)

BOOST_AUTO_TEST_CASE(
    j138_destroyed_on_its_own_thread_a_timer_ends_when_its_last_live_task_is_cancelled) {
    auto timer = make(false);
    const auto ended = test::threadEnd(*timer);
    destroyItselfAt10(timer);
    const auto hourly = timer->schedule(log.entry("hourly"), 3'600'000, 3'600'000);
    clock->advance(10);
    BOOST_TEST(hourly->cancel());
    ended->wait();
    BOOST_TEST(log.take() == "destroyed@10 due@10");
    BOOST_TEST(now() == 10);
}

BOOST_AUTO_TEST_CASE(c2_the_last_owner_can_be_a_thread_local_object_of_the_timers_own_thread) {
    struct Watched final : jtimer::WallClock {
        explicit Watched(Gate& gate) : destroyed(gate) {}
        ~Watched() override { destroyed.open(); }
        Gate& destroyed;
    };
    for (const bool isDaemon : {false, true}) {
        Gate destroyed;
        auto timer =
            std::make_shared<Timer>(test::onClock(std::make_shared<Watched>(destroyed), isDaemon));
        const std::weak_ptr<Timer> watched = timer;
        Gate running, go;
        timer->schedule(
            [&, timer]() mutable {
                test::atThreadEnd([timer = std::move(timer)] {});
                running.open();
                go.wait();
            },
            0);
        running.wait();
        timer->cancel();
        timer.reset();
        go.open();
        destroyed.wait();  // the clock is the last thing that the thread lets go of
        BOOST_TEST(watched.expired());
    }
}

BOOST_AUTO_TEST_CASE(c2_a_thread_local_object_of_the_thread_can_ask_a_task_for_its_missed_runs) {
    auto timer = make(true);
    std::shared_ptr<TimerTask> task;
    std::uint64_t missed = 1;
    Gate ended;
    task = timer->schedule(
        [&] {
            test::atThreadEnd([&] {
                missed = task->missedRuns();
                ended.open();
            });
            timer.reset();
        },
        10);
    clock->advance(10);
    ended.wait();
    BOOST_TEST(missed == 0U);
}

BOOST_AUTO_TEST_CASE(c2_destroyed_on_its_own_thread_a_daemon_ends_after_that_run) {
    auto timer = make(true);
    const auto ended = test::threadEnd(*timer);
    destroyItselfAt10(timer);
    const auto pending = timer->schedule(log.entry("pending"), 20, 10);
    clock->advance(100);
    ended->wait();
    BOOST_TEST(log.take() == "destroyed@10");
    BOOST_TEST(pending.use_count() == 1);
}

BOOST_AUTO_TEST_CASE(
    c2_on_its_own_thread_a_timer_that_is_no_daemon_runs_on_until_its_queue_is_empty) {
    auto timer = make(false);
    const auto ended = test::threadEnd(*timer);
    destroyItselfAt10(timer);
    const auto repeating = timer->schedule(log.entry("repeating"), 20, 10);
    timer->schedule(log.entry("last"), 45);
    clock->advance(35);
    BOOST_TEST(log.take() == "destroyed@10 due@10 repeating@20 repeating@30");
    BOOST_TEST(repeating->cancel());
    clock->advance(100);
    ended->wait();
    BOOST_TEST(log.take() == "last@45");
    BOOST_TEST(!clock->advanceToNext());
}

BOOST_AUTO_TEST_CASE(c2_destroyed_on_its_own_thread_an_idle_cancelled_or_throwing_timer_ends) {
    for (const bool isDaemon : {false, true}) {
        for (const char* const how : {"idle", "cancelled", "throws"}) {
            auto timer = std::make_unique<Timer>(test::silentOnDeath(clock, isDaemon));
            const auto ended = test::threadEnd(*timer);
            timer->schedule(
                [&] {
                    if (how == std::string("cancelled")) timer->cancel();
                    timer.reset();
                    log.write(how);
                    if (how == std::string("throws")) throw std::runtime_error(how);
                },
                10);
            clock->advance(10);
            ended->wait();
            BOOST_TEST(log.take() == how + ('@' + std::to_string(now())));
        }
    }
}

BOOST_AUTO_TEST_CASE(c2_the_handler_of_the_exception_that_ended_a_timer_can_destroy_it) {
    for (const bool isDaemon : {false, true}) {
        TimerPointer timer;
        jtimer::TimerOptions options = test::onClock(clock, isDaemon);
        options.uncaughtExceptionHandler = [&](const std::string& name, const std::exception_ptr&) {
            timer.reset();
            log.write(name);  // the name outlives the Timer
        };
        timer = std::make_unique<Timer>(options);
        const auto ended = test::threadEnd(*timer);
        timer->schedule([] { throw std::runtime_error("c2"); }, 10);
        clock->advance(10);
        ended->wait();
        BOOST_TEST(!timer);
        BOOST_TEST(log.take() == "test@" + std::to_string(now()));
    }
}

BOOST_AUTO_TEST_CASE(j139_a_queued_task_that_owns_its_timer_keeps_it_alive_until_it_has_run) {
    for (const bool isDaemon : {false, true}) {
        const std::int64_t start = now();
        std::shared_ptr<Timer> timer = make(isDaemon);
        const auto ended = test::threadEnd(*timer);
        const std::weak_ptr<Timer> watched = timer;
        timer->schedule([this, timer] { log.write("owner"); }, 60'000);
        timer.reset();
        clock->advance(59'999);
        BOOST_TEST(!watched.expired());
        clock->advance(1);
        ended->wait();
        BOOST_TEST(watched.expired());
        BOOST_TEST(log.take() == "owner@" + std::to_string(start + 60'000));
    }
}

BOOST_AUTO_TEST_CASE(c2_the_last_owner_can_be_a_task_dropped_as_a_cancelled_head) {
    std::shared_ptr<Timer> timer = make(false);
    const auto ended = test::threadEnd(*timer);
    const std::weak_ptr<Timer> watched = timer;
    const std::weak_ptr<TimerTask> owner = timer->schedule([timer] {}, 10);
    timer->schedule(log.entry("pending"), 20);
    clock->waitUntilIdle();
    owner.lock()->cancel();
    timer.reset();
    clock->advance(10);
    BOOST_TEST(watched.expired());
    clock->advance(10);
    ended->wait();
    BOOST_TEST(log.take() == "pending@20");
}

BOOST_AUTO_TEST_CASE(c2_the_last_owner_can_be_a_task_that_cancel_or_purge_destroys) {
    for (const bool purges : {false, true}) {
        std::shared_ptr<Timer> timer = make(false);
        const std::weak_ptr<Timer> watched = timer;
        Timer& alive = *timer;
        const std::weak_ptr<TimerTask> owner = timer->schedule([timer] {}, 10);
        clock->waitUntilIdle();
        timer.reset();
        if (purges) {
            owner.lock()->cancel();
            BOOST_TEST(alive.purge() == 1);
        } else {
            alive.cancel();
        }
        BOOST_TEST(watched.expired());
        BOOST_TEST(owner.expired());
    }
}

BOOST_AUTO_TEST_SUITE_END()
