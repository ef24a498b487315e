// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "support/gate.hpp"
#include "support/manual_timer.hpp"
#include "support/thread_state.hpp"

#include <boost/test/unit_test.hpp>
#include <boost/thread/thread.hpp>

#include <atomic>
#include <optional>
#include <vector>

using jtimer::Timer;
using jtimer::TimerTask;
using test::at;
using test::Gate;
using test::makeTask;
using TaskPointer = std::shared_ptr<TimerTask>;
using TimerPointer = std::unique_ptr<Timer>;

namespace {

/// Destroys a timer on a thread of its own. When it is constructed, ~Timer has begun, and every
/// task that was due has run.
class Closing {
  public:
    Closing(TimerPointer timer, const std::shared_ptr<jtimer::ManualClock>& clock) {
        timer->schedule([this, &timer = *timer] { waitUntilBegun(timer); }, 0);
        thread_ = boost::thread([this, timer = std::move(timer)]() mutable {
            timer.reset();
            threadEndedFirst_ = threadEnded_.load();
        });
        begun_.wait();
        clock->waitUntilIdle();
    }

    /// Waits until ~Timer returns. \returns whether the timer's thread had ended by then
    bool join() {
        thread_.join();
        return threadEndedFirst_;
    }

  private:
    void waitUntilBegun(Timer& timer) {
        test::atThreadEnd([this] { threadEnded_ = true; });
        test::awaitClosed(timer);
        begun_.open();
    }

    Gate begun_;
    std::atomic<bool> threadEnded_{false};
    bool threadEndedFirst_ = false;
    boost::thread thread_;
};

struct Fixture {
    const std::shared_ptr<jtimer::ManualClock> clock =
        std::make_shared<jtimer::ManualClock>(test::kStart);
    test::Log log{clock};

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

jtimer::TimerOptions silentOnDeath(const std::shared_ptr<jtimer::Clock>& clock, bool isDaemon) {
    jtimer::TimerOptions options = test::onClock(clock, isDaemon);
    options.uncaughtExceptionHandler = [](const std::string&, const std::exception_ptr&) {};
    return options;
}

}  // namespace

BOOST_FIXTURE_TEST_SUITE(destructor, Fixture)

BOOST_AUTO_TEST_CASE(j134_an_idle_timer_ends_its_thread_and_returns) {
    for (const bool isDaemon : {false, true}) {
        auto timer = make(isDaemon);
        std::atomic<bool> ended{false};
        timer->schedule([&] { test::atThreadEnd([&] { ended = true; }); }, 0);
        clock->waitUntilIdle();
        timer.reset();
        BOOST_TEST(ended);
        make(isDaemon).reset();  // at once: before the thread has begun to wait
    }
}

BOOST_AUTO_TEST_CASE(j135_one_shots_that_are_pending_run_at_their_times_and_then_it_returns) {
    auto timer = make(false);
    for (int i = 10; i >= 1; --i) timer->schedule(log.entry(std::to_string(i)), i * 10);
    Closing closing(std::move(timer), clock);
    clock->advance(45);
    BOOST_TEST(log.take() == "1@10 2@20 3@30 4@40");
    clock->advance(1000);
    BOOST_TEST(closing.join());
    BOOST_TEST(log.take() == "5@50 6@60 7@70 8@80 9@90 10@100");
}

BOOST_AUTO_TEST_CASE(c2_a_daemon_discards_what_is_pending_and_returns_at_once) {
    auto timer = make(true);
    const auto once = timer->schedule(log.entry("once"), 10);
    const auto repeating = timer->schedule(log.entry("repeating"), 20, 10);
    clock->waitUntilIdle();
    timer.reset();
    BOOST_TEST(now() == 0);
    BOOST_TEST(once->cancel());  // discarded, not cancelled (J45)
    BOOST_TEST(repeating->cancel());
    BOOST_TEST(!clock->advanceToNext());
    BOOST_TEST(log.take() == "");
}

BOOST_AUTO_TEST_CASE(c2_a_running_task_is_waited_for_and_what_is_due_behind_it_runs_unless_daemon) {
    for (const bool isDaemon : {false, true}) {
        auto timer = make(isDaemon);
        Gate entered;
        timer->schedule(
            [&, &running = *timer] {
                entered.open();
                test::awaitClosed(running);
                log.write("running");
            },
            0);
        timer->schedule(log.entry("due"), at(0));
        entered.wait();
        timer.reset();
        BOOST_TEST(log.take() == (isDaemon ? "running@0" : "running@0 due@0"));
    }
}

BOOST_AUTO_TEST_CASE(j136_a_repeating_task_runs_on_until_it_is_cancelled_from_outside) {
    for (const bool fixedRate : {false, true}) {
        const std::int64_t start = now();
        auto timer = make(false);
        const auto task = fixedRate ? timer->scheduleAtFixedRate(log.entry("a"), 10, 10)
                                    : timer->schedule(log.entry("a"), 10, 10);
        Closing closing(std::move(timer), clock);
        clock->advance(30);
        BOOST_TEST(log.take() == "a@" + std::to_string(start + 10) + " a@" +
                                     std::to_string(start + 20) + " a@" +
                                     std::to_string(start + 30));
        BOOST_TEST(task->cancel());
        // The thread lingers until it looks at the head, which nobody wakes it for.
        BOOST_TEST(clock->advanceToNext());
        BOOST_TEST(now() == start + 40);
        BOOST_TEST(closing.join());
        BOOST_TEST(log.take() == "");
    }
}

BOOST_AUTO_TEST_CASE(j136_a_repeating_task_runs_on_until_it_cancels_itself) {
    auto timer = make(false);
    int runs = 0;
    TaskPointer task;
    task = makeTask([&] {
        if (++runs == 3) task->cancel();
    });
    timer->schedule(task, 10, 10);
    Closing closing(std::move(timer), clock);
    clock->advance(30);
    BOOST_TEST(closing.join());
    BOOST_TEST(runs == 3);
    BOOST_TEST(!clock->advanceToNext());
}

BOOST_AUTO_TEST_CASE(j137_a_task_that_is_cancelled_already_is_not_waited_for) {
    auto timer = make(false);
    const auto once = timer->schedule(log.entry("a"), 60'000);
    const auto repeating = timer->schedule(log.entry("b"), 60'000, 1);
    clock->waitUntilIdle();
    once->cancel();
    repeating->cancel();
    timer.reset();
    BOOST_TEST(now() == 0);
    BOOST_TEST(once.use_count() == 1);
}

BOOST_AUTO_TEST_CASE(j137_nor_if_it_lies_behind_one_that_is_alive) {
    auto timer = make(false);
    const auto cancelled = timer->schedule(log.entry("a"), 60'000);
    timer->schedule(log.entry("b"), 10);
    clock->waitUntilIdle();
    cancelled->cancel();
    Closing closing(std::move(timer), clock);
    clock->advance(10);
    BOOST_TEST(closing.join());
    BOOST_TEST(log.take() == "b@10");
}

BOOST_AUTO_TEST_CASE(
    j138_a_task_cancelled_after_the_destructor_has_begun_is_waited_for_and_does_not_run) {
    auto timer = make(false);
    const auto task = timer->schedule(log.entry("a"), 1500);
    Closing closing(std::move(timer), clock);
    BOOST_TEST(task->cancel());
    BOOST_TEST(clock->advanceToNext());
    BOOST_TEST(now() == 1500);
    BOOST_TEST(closing.join());
    BOOST_TEST(log.take() == "");
}

BOOST_AUTO_TEST_CASE(c2_while_the_destructor_waits_no_task_is_accepted_and_cancel_ends_it) {
    auto timer = make(false);
    std::vector<std::string> refusals;
    timer->schedule(
        [&, &closed = *timer] {
            try {
                closed.schedule([] {}, 0);
            } catch (const jtimer::IllegalStateException& e) {
                refusals.push_back(e.what());
            }
            if (refusals.size() == 2) closed.cancel();
        },
        10, 10);
    timer->schedule(log.entry("discarded"), 25);
    Closing closing(std::move(timer), clock);
    clock->advance(20);
    BOOST_TEST(closing.join());
    BOOST_TEST(refusals == std::vector<std::string>(2, "Timer already cancelled."),
               boost::test_tools::per_element());
    BOOST_TEST(log.take() == "");
}

BOOST_AUTO_TEST_CASE(c2_a_timer_that_was_cancelled_returns_at_once_also_if_in_a_task) {
    for (const bool isDaemon : {false, true}) {
        auto timer = make(isDaemon);
        timer->scheduleAtFixedRate(log.entry("a"), 10, 10);
        timer->cancel();
        timer.reset();

        timer = make(isDaemon);
        timer->schedule(log.entry("b"), 10);
        timer->schedule([&, &cancelled = *timer] { cancelled.cancel(); }, 0);
        clock->waitUntilIdle();
        timer.reset();
    }
    BOOST_TEST(now() == 0);
    BOOST_TEST(!clock->advanceToNext());
    BOOST_TEST(log.take() == "");
}

BOOST_AUTO_TEST_CASE(c2_a_timer_that_was_cancelled_still_waits_for_its_running_task) {
    for (const bool isDaemon : {false, true}) {
        auto timer = make(isDaemon);
        Gate entered;
        Gate released;
        timer->schedule(
            [&] {
                entered.open();
                released.wait();
                log.write("completed");
            },
            0);
        entered.wait();
        timer->cancel();
        boost::thread releasing([&] { released.open(); });
        timer.reset();
        BOOST_TEST(log.take() == "completed@" + std::to_string(now()));
        releasing.join();
    }
}

BOOST_AUTO_TEST_CASE(c2_a_timer_whose_thread_died_of_an_exception_returns_at_once) {
    for (const bool isDaemon : {false, true}) {
        auto timer = std::make_unique<Timer>(silentOnDeath(clock, isDaemon));
        timer->schedule(log.entry("a"), 10);
        timer->scheduleAtFixedRate([] { throw std::runtime_error("c2"); }, 0, 10);
        clock->waitUntilIdle();
        timer.reset();
    }
    BOOST_TEST(now() == 0);
    BOOST_TEST(log.take() == "");
}

BOOST_AUTO_TEST_CASE(c2_an_exception_while_the_destructor_waits_ends_the_wait) {
    auto timer = std::make_unique<Timer>(silentOnDeath(clock, false));
    timer->schedule(log.entry("a"), 10, 10);
    timer->schedule([] { throw std::runtime_error("c2"); }, 25);
    Closing closing(std::move(timer), clock);
    clock->advance(100);
    BOOST_TEST(closing.join());
    BOOST_TEST(log.take() == "a@10 a@20");
}

BOOST_AUTO_TEST_CASE(c2_the_destructor_waits_also_on_a_thread_that_has_been_interrupted) {
    auto timer = make(false);
    bool ran = false;
    timer->schedule([&, &closed = *timer] { test::awaitClosed(closed), ran = true; }, 0);
    bool ranBefore = false;
    boost::thread thread([&] {
        timer.reset();
        ranBefore = ran;
    });
    thread.interrupt();
    thread.join();
    BOOST_TEST(ranBefore);
}

BOOST_AUTO_TEST_CASE(c2_a_task_of_another_timer_can_destroy_a_timer) {
    auto victim = make(true);
    victim->scheduleAtFixedRate(log.entry("a"), 10, 10);
    auto other = make(true);
    other->schedule([&] { victim.reset(); }, 25);
    clock->advance(100);
    BOOST_TEST(!victim);
    BOOST_TEST(log.take() == "a@10 a@20");
}

BOOST_AUTO_TEST_CASE(c2_on_its_own_thread_a_daemon_ends_after_the_run_that_destroys_it) {
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

BOOST_AUTO_TEST_CASE(
    c2_on_its_own_thread_with_nothing_pending_cancelled_before_or_dying_of_an_exception) {
    for (const bool isDaemon : {false, true}) {
        for (const char* const how : {"idle", "cancelled", "throws"}) {
            auto timer = std::make_unique<Timer>(silentOnDeath(clock, isDaemon));
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
