// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "support/abilities.hpp"
#include "support/gate.hpp"
#include "support/manual_timer.hpp"
#include "support/posix_thread.hpp"
#include "support/test.hpp"
#include "support/thread_state.hpp"

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

struct Fixture : test::LoggedClock {
    TimerPointer make(bool isDaemon) {
        return std::make_unique<Timer>(test::onClock(clock, isDaemon));
    }
    std::int64_t now() const { return clock->nanos() / 1'000'000 - test::kStartMillis; }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(destructor, Fixture)

BOOST_AUTO_TEST_CASE(j134_the_destructor_of_an_idle_timer_ends_its_thread_and_returns) {
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

BOOST_AUTO_TEST_CASE(
    j135_the_destructor_returns_when_the_pending_one_shots_have_run_at_their_times) {
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
        BOOST_TEST(closing.join());
        BOOST_TEST(now() == start + 30);
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

BOOST_AUTO_TEST_CASE(j137_a_cancelled_task_behind_a_live_one_is_not_waited_for) {
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

// The JDK's thread lingers until the task's time. Nobody waits for it there; here somebody does.
BOOST_AUTO_TEST_CASE(j138_when_the_last_live_task_is_cancelled_the_destructor_returns_at_once) {
    auto timer = make(false);
    const auto first = timer->schedule(log.entry("first"), 1500);
    const auto hourly = timer->schedule(log.entry("hourly"), 3'600'000, 3'600'000);
    timer->schedule(log.entry("dead"), 2000)->cancel();
    Closing closing(std::move(timer), clock);
    BOOST_TEST(first->cancel());
    clock->waitUntilIdle();
    BOOST_TEST(first.use_count() == 1);  // left the queue: the thread waits for the next one
    BOOST_TEST(hourly->cancel());
    BOOST_TEST(closing.join());
    BOOST_TEST(now() == 0);
    BOOST_TEST(log.take() == "");
}

BOOST_AUTO_TEST_CASE(j138_a_task_cancelled_while_the_thread_is_about_to_wait_is_not_waited_for) {
    for (int round = 0; round < 300; ++round) {
        Timer* const timer = new Timer(test::onClock(clock, false));
        const auto task = timer->schedule([] {}, 3'600'000);
        boost::thread destroying([timer] { delete timer; });
        BOOST_TEST(task->cancel());
        destroying.join();
    }
    BOOST_TEST(now() == 0);
}

BOOST_AUTO_TEST_CASE(c2_a_one_shot_that_schedules_itself_again_is_refused_and_no_other_is_lost) {
    std::vector<std::string> reported;
    jtimer::TimerOptions options = test::onClock(clock, false);
    options.uncaughtExceptionHandler = [&](const std::string& name, const std::exception_ptr& e) {
        try {
            std::rethrow_exception(e);
        } catch (const jtimer::IllegalStateException& refused) {
            reported.push_back(name + ": " + refused.what());
        }
    };
    auto timer = std::make_unique<Timer>(options);
    std::function<void()> again = [&, &self = *timer] {
        log.write("again");
        self.schedule(again, 10);
    };
    timer->schedule(again, 10);
    const auto repeating = timer->schedule(log.entry("repeating"), 15, 10);
    timer->schedule(log.entry("last"), 30);
    Closing closing(std::move(timer), clock);
    clock->advance(30);
    BOOST_TEST(log.take() == "again@10 repeating@15 repeating@25 last@30");
    repeating->cancel();
    BOOST_TEST(closing.join());
    BOOST_TEST(reported == std::vector<std::string>{"test: Timer already cancelled."},
               boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(c2_with_cancel_task_a_repeating_task_that_lets_the_refusal_out_is_cancelled) {
    jtimer::TimerOptions options = test::silentOnDeath(clock, false);
    options.onException = jtimer::OnException::CancelTask;
    auto timer = std::make_unique<Timer>(options);
    timer->schedule(
        [&, &self = *timer] {
            log.write("again");
            self.schedule([] {}, 10);
        },
        10, 10);
    Closing closing(std::move(timer), clock);
    clock->advance(30);
    BOOST_TEST(closing.join());
    BOOST_TEST(log.take() == "again@10");
}

BOOST_AUTO_TEST_CASE(c2_the_refusal_of_another_timer_ends_this_one_as_any_exception_does) {
    auto closed = make(false);
    closed->cancel();
    auto timer = std::make_unique<Timer>(test::silentOnDeath(clock, false));
    timer->schedule([&] { closed->schedule([] {}, 0); }, 10);
    timer->schedule(log.entry("pending"), 20);
    Closing closing(std::move(timer), clock);
    clock->advance(10);
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

BOOST_AUTO_TEST_CASE(
    c2_the_destructor_of_a_timer_cancelled_outside_or_inside_a_task_returns_at_once) {
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

BOOST_AUTO_TEST_CASE(c2_the_destructor_of_a_cancelled_timer_still_waits_for_its_running_task) {
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
        auto timer = std::make_unique<Timer>(test::silentOnDeath(clock, isDaemon));
        timer->schedule(log.entry("a"), 10);
        timer->scheduleAtFixedRate([] { throw std::runtime_error("c2"); }, 0, 10);
        clock->waitUntilIdle();
        timer.reset();
    }
    BOOST_TEST(now() == 0);
    BOOST_TEST(log.take() == "");
}

BOOST_AUTO_TEST_CASE(c2_an_exception_while_the_destructor_waits_ends_the_wait) {
    auto timer = std::make_unique<Timer>(test::silentOnDeath(clock, false));
    timer->schedule(log.entry("a"), 10, 10);
    timer->schedule([] { throw std::runtime_error("c2"); }, 25);
    Closing closing(std::move(timer), clock);
    clock->advance(100);
    BOOST_TEST(closing.join());
    BOOST_TEST(log.take() == "a@10 a@20");
}

BOOST_AUTO_TEST_CASE(c2_the_destructor_waits_on_a_thread_that_has_been_interrupted) {
    test::needInterruption();
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

BOOST_AUTO_TEST_CASE(c2_the_destructor_waits_on_a_thread_that_is_cancelled_during_the_wait) {
    test::needCancellation();
    auto timer = make(false);
    Gate closed, released;
    bool ran = false;
    timer->schedule(
        [&, &self = *timer] {
            test::awaitClosed(self);
            closed.open();
            released.wait();
            ran = true;
        },
        0);
    test::PosixThread destroying([&] { timer.reset(); });
    closed.wait();
    destroying.cancel();
    released.open();
    BOOST_TEST(destroying.join());
    BOOST_TEST(ran);
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

BOOST_AUTO_TEST_SUITE_END()
