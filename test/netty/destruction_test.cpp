// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "support/abilities.hpp"
#include "support/child_process.hpp"
#include "support/forked_child.hpp"
#include "support/gate.hpp"
#include "support/manual_wheel.hpp"
#include "support/test.hpp"

#include <cstdlib>
#include <pthread.h>

using namespace std::chrono_literals;
using jtimer::netty::HashedWheelTimer;
using jtimer::netty::TimerTask;
using test::Handle;

namespace {

/// Calls a function when it is destroyed.
struct Guard {
    explicit Guard(std::function<void()> function) : atEnd(std::move(function)) {}
    Guard(const Guard&) = delete;
    Guard& operator=(const Guard&) = delete;
    ~Guard() { atEnd(); }
    std::function<void()> atEnd;
};

struct Fixture : test::LoggedClock {
    std::shared_ptr<HashedWheelTimer> owned =
        std::make_shared<HashedWheelTimer>(test::wheelOn(clock));

    std::shared_ptr<test::WheelTask> task(const std::string& name) {
        return std::make_shared<test::WheelTask>(
            [this, name](const Handle&) { log.write(name); },
            [this, name](const Handle&) { log.write('-' + name); });
    }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(destruction, Fixture)

// Who refers to whom.

BOOST_AUTO_TEST_CASE(n55_the_timer_refers_to_a_timeout_until_its_run_has_returned) {
    std::weak_ptr<TimerTask> weakTask;
    bool inside = false;
    const auto guard = std::make_shared<int>();
    std::weak_ptr<jtimer::netty::Timeout> weak =
        owned->newTimeout([&, guard] { inside = !weak.expired(); }, 0);
    weakTask = weak.lock()->task();
    BOOST_TEST(guard.use_count() == 2);
    clock->advance(100);
    BOOST_TEST(inside);
    BOOST_TEST(weak.expired());
    BOOST_TEST(weakTask.expired());
    BOOST_TEST(guard.use_count() == 1);
}

BOOST_AUTO_TEST_CASE(n55_the_timer_refers_to_a_timeout_until_its_cancelled_call_has_returned) {
    std::weak_ptr<jtimer::netty::Timeout> weak;
    std::weak_ptr<TimerTask> weakTask;
    {
        const Handle timeout = owned->newTimeout(task("a"), 1h);
        weak = timeout;
        weakTask = timeout->task();
        timeout->cancel();
    }
    BOOST_TEST(!weak.expired());
    clock->advance(100);
    BOOST_TEST(log.take() == "-a@100");
    BOOST_TEST(weak.expired());
    BOOST_TEST(weakTask.expired());
}

BOOST_AUTO_TEST_CASE(n55_a_timeout_lives_until_the_result_of_stop_is_dropped) {
    std::weak_ptr<jtimer::netty::Timeout> weak = owned->newTimeout(task("a"), 1h);
    {
        const auto result = owned->stop();
        BOOST_TEST(result.size() == 1U);
        BOOST_TEST(weak.use_count() == 1);
    }
    BOOST_TEST(weak.expired());
}

BOOST_AUTO_TEST_CASE(n55_a_timeout_lives_until_the_function_given_to_an_executor_is_destroyed) {
    std::vector<std::function<void()>> queue;
    auto options = test::wheelOn(clock);
    options.taskExecutor = [&](std::function<void()> run) { queue.push_back(std::move(run)); };
    HashedWheelTimer timer(options);
    std::weak_ptr<jtimer::netty::Timeout> weak = timer.newTimeout(task("a"), 0);
    clock->advance(100);
    queue.front()();
    BOOST_TEST(!weak.expired());
    queue.clear();
    BOOST_TEST(weak.expired());
}

BOOST_AUTO_TEST_CASE(n55_a_timeout_refers_to_its_task) {
    std::weak_ptr<TimerTask> weakTask;
    Handle timeout = owned->newTimeout(task("a"), 0);
    weakTask = timeout->task();
    clock->advance(100);
    owned.reset();
    BOOST_TEST(!weakTask.expired());
    timeout.reset();
    BOOST_TEST(weakTask.expired());
}

BOOST_AUTO_TEST_CASE(n55_the_task_of_a_callable_keeps_its_timeout) {
    const auto guard = std::make_shared<int>();
    Handle timeout = owned->newTimeout([guard] {}, 0);
    const std::weak_ptr<jtimer::netty::Timeout> weak = timeout;
    std::shared_ptr<TimerTask> kept = timeout->task();
    timeout.reset();
    clock->advance(100);
    owned.reset();
    BOOST_TEST(guard.use_count() == 2);
    BOOST_TEST(weak.lock()->isExpired());
    BOOST_TEST(weak.lock()->timer() == nullptr);
    BOOST_TEST((weak.lock()->task() == kept));
    kept.reset();
    BOOST_TEST(weak.expired());
    BOOST_TEST(guard.use_count() == 1);
}

BOOST_AUTO_TEST_CASE(n55_a_callable_that_is_resubmitted_keeps_only_its_first_timeout) {
    std::vector<std::weak_ptr<jtimer::netty::Timeout>> timeouts;
    const auto run = [&](const Handle& timeout) {
        if (timeouts.size() < 4)
            timeouts.push_back(timeout->timer()->newTimeout(timeout->task(), 0));
    };
    timeouts.push_back(owned->newTimeout(run, 0));
    const auto kept = [&] {
        std::string all;
        for (const auto& timeout : timeouts) all += timeout.expired() ? '-' : '+';
        return all;
    };
    clock->advance(100);
    BOOST_TEST(kept() == "++");
    clock->advance(100);
    BOOST_TEST(kept() == "+-+");
    clock->advance(200);
    BOOST_TEST(kept() == "----");
}

BOOST_AUTO_TEST_CASE(n55_a_callable_that_captured_its_timeout_goes_when_it_lets_go_of_it) {
    const auto guard = std::make_shared<int>();
    for (const bool cancels : {false, true}) {
        const auto own = std::make_shared<Handle>();
        *own = owned->newTimeout([own, guard] { own->reset(); }, 0);
        if (cancels) {
            (*own)->cancel();
            own->reset();
        }
        clock->advance(100);
        BOOST_TEST(own.use_count() == 1);
        BOOST_TEST(guard.use_count() == 1);
    }
}

BOOST_AUTO_TEST_CASE(n55_a_handle_keeps_what_its_callable_captured) {
    const auto guard = std::make_shared<int>();
    Handle ran = owned->newTimeout([guard] {}, 0), cancelled = owned->newTimeout([guard] {}, 1h);
    cancelled->cancel();
    clock->advance(100);
    owned.reset();
    BOOST_TEST(guard.use_count() == 3);
    ran.reset();
    cancelled.reset();
    BOOST_TEST(guard.use_count() == 1);
}

BOOST_AUTO_TEST_CASE(n55_n58_what_a_task_captured_is_destroyed_with_no_lock_held) {
    std::string destroyed;
    const auto useTimer = [&](const std::string& name) {
        return std::make_shared<Guard>([&, name] {
            // Would wait for ever, if a lock were held here.
            boost::thread([&] {
                destroyed += name + std::to_string(owned->pendingTimeouts());
            }).join();
        });
    };
    owned->newTimeout([guard = useTimer("ran")] {}, 0);
    clock->advance(100);
    BOOST_TEST(destroyed == "ran0");
    owned->newTimeout([guard = useTimer(" cancelled")] {}, 1h)->cancel();
    clock->advance(100);
    owned->newTimeout([guard = useTimer(" stopped")] {}, 1h);
    owned->stop().clear();
    BOOST_CHECK_THROW(owned->newTimeout([guard = useTimer(" refused")] {}, 0),
                      jtimer::IllegalStateException);
    BOOST_TEST(destroyed == "ran0 cancelled0 stopped0 refused0");
}

BOOST_AUTO_TEST_CASE(n58_no_lock_is_held_while_the_users_code_runs) {
    std::string calls;
    const auto useTimer = [&](const std::string& name) {
        boost::thread([&] {
            owned->start();
            owned->newTimeout([] {}, 24h)->cancel();
            calls += name + (owned->pendingTimeouts() > 0 ? " " : "? ");
        }).join();
    };
    auto options = test::wheelOn(clock);
    options.uncaughtExceptionHandler = [&](const std::string&, const std::exception_ptr&) {
        useTimer("handler");
    };
    options.taskExecutor = [&](const std::function<void()>& run) {
        useTimer("executor");
        run();
    };
    owned = std::make_shared<HashedWheelTimer>(options);
    owned->newTimeout(
        [&] {
            useTimer("run");
            throw 1;
        },
        0);
    owned
        ->newTimeout(std::make_shared<test::WheelTask>(
                         [](const Handle&) {}, [&](const Handle&) { useTimer("cancelled"); }),
                     0)
        ->cancel();
    clock->advance(100);
    BOOST_TEST(calls == "executor run handler cancelled ");
}

BOOST_AUTO_TEST_CASE(n59_what_was_written_before_is_visible_in_run_and_in_cancelled) {
    // Without happens-before, ThreadSanitizer reports these plain variables.
    int forRun = 0, forCancelled = 0, runs = 0, calls = 0;
    const auto given = std::make_shared<test::WheelTask>(
        [&](const Handle&) {
            BOOST_TEST(forRun == runs + 1);
            ++runs;
        },
        [&](const Handle&) {
            BOOST_TEST(forCancelled == calls + 1);
            ++calls;
        });
    for (int i = 1; i <= 100; ++i) {
        const Handle victim = owned->newTimeout(given, 1h);
        forRun = i;
        owned->newTimeout(given, 0);
        forCancelled = i;
        victim->cancel();
        clock->advance(100);
    }
    BOOST_TEST(runs == 100);
    BOOST_TEST(calls == 100);
}

// The destructor.

BOOST_AUTO_TEST_CASE(n56_the_destructor_cancels_what_is_pending_with_its_calls) {
    const Handle first = owned->newTimeout(task("a"), 0);
    const Handle second = owned->newTimeout(task("b"), 1h);
    second->cancel();
    owned.reset();
    BOOST_TEST(log.take() == "-b@0 -a@0");
    BOOST_TEST(first->isCancelled());
    clock->advance(1h);
    BOOST_TEST(log.take() == "");
}

BOOST_AUTO_TEST_CASE(n56_a_timer_that_was_not_started_or_was_stopped_is_just_destroyed) {
    owned.reset();
    HashedWheelTimer stopped(test::wheelOn(clock));
    stopped.newTimeout(task("a"), 0);
    stopped.stop();
    BOOST_TEST(log.take() == "-a@0");
}

BOOST_AUTO_TEST_CASE(n56_the_destructor_waits_for_the_running_task_which_may_use_the_timer) {
    test::Gate running;
    std::atomic<bool> ended{false};
    HashedWheelTimer& timer = *owned;
    const Handle other = timer.newTimeout(task("other"), 1h);
    timer.newTimeout(
        [&] {
            running.open();
            test::awaitStop(timer);
            BOOST_TEST(timer.name() == "test");
            BOOST_TEST(timer.pendingTimeouts() == 1);
            BOOST_TEST(other->timer() == &timer);
            BOOST_TEST(other->cancel());
            BOOST_CHECK_THROW(timer.newTimeout([] {}, 0), jtimer::IllegalStateException);
            ended = true;
        },
        0);
    boost::thread mover([&] { clock->advance(100); });
    running.wait();
    owned.reset();
    BOOST_TEST(ended);
    mover.join();
    BOOST_TEST(log.take() == "-other@100");
}

BOOST_AUTO_TEST_CASE(n56_after_a_run_that_destroys_the_timer_no_further_run_begins) {
    owned->newTimeout(
        [this] {
            log.write("run");
            owned.reset();  // the last reference
            log.write("destroyed");
        },
        0);
    const Handle same = owned->newTimeout(task("same"), 0);
    const Handle later = owned->newTimeout(task("later"), 100);
    clock->advance(100);
    BOOST_TEST(log.take() == "run@100 destroyed@100 -same@100 -later@100");
    BOOST_TEST(same->isCancelled());
    BOOST_TEST(later->timer() == nullptr);
    BOOST_TEST(!clock->advanceToNext());
    clock->check();
}

BOOST_AUTO_TEST_CASE(n56_a_tasks_destructor_on_the_worker_may_destroy_the_timer) {
    owned->newTimeout(
        [guard = std::make_shared<Guard>([this] { owned.reset(); }), this] { log.write("run"); },
        0);
    const Handle same = owned->newTimeout(task("same"), 0);
    clock->advance(100);
    BOOST_TEST(log.take() == "run@100 -same@100");
}

BOOST_AUTO_TEST_CASE(n56_a_cancelled_call_on_the_worker_may_destroy_the_timer) {
    const Handle first =
        owned->newTimeout(std::make_shared<test::WheelTask>([](const Handle&) {},
                                                            [this](const Handle&) {
                                                                log.write("-first");
                                                                owned.reset();
                                                            }),
                          1h);
    const Handle second = owned->newTimeout(task("second"), 1h);
    const Handle third = owned->newTimeout(task("third"), 100);
    first->cancel();
    second->cancel();
    clock->advance(1000);
    BOOST_TEST(log.take() == "-first@100 -second@100 -third@100");
}

BOOST_AUTO_TEST_CASE(n56_a_run_on_an_inline_executor_may_destroy_the_timer) {
    auto options = test::wheelOn(clock);
    options.taskExecutor = [](const std::function<void()>& run) { run(); };
    owned = std::make_shared<HashedWheelTimer>(options);
    owned->newTimeout([this] { owned.reset(); }, 0);
    const Handle same = owned->newTimeout(task("same"), 0);
    clock->advance(100);
    BOOST_TEST(log.take() == "-same@100");
}

BOOST_AUTO_TEST_CASE(n56_a_run_may_destroy_the_timer_while_its_newTimeout_is_returning) {
    for (int round = 0; round < 50; ++round) {
        auto timer = std::make_shared<HashedWheelTimer>(test::wheelOn(clock));
        HashedWheelTimer& raw = *timer;
        test::Gate late;
        raw.newTimeout([] {}, std::chrono::nanoseconds::max());
        raw.newTimeout(
            [&] {
                clock->advance(50'000 * 100);  // so it handles tick after tick, without waiting
                late.open();
            },
            0);
        boost::thread mover([this] { clock->advance(100); });
        late.wait();
        std::atomic<bool> destroyed{false};
        raw.newTimeout(
            [&destroyed, last = std::move(timer)]() mutable {
                last.reset();
                destroyed = true;
            },
            -1);
        mover.join();
        clock->advance(100);  // if it had caught up before
        BOOST_TEST(destroyed);
    }
}

BOOST_AUTO_TEST_CASE(n56_the_destructor_of_another_timer_on_the_worker_waits_as_usual) {
    auto other = std::make_unique<HashedWheelTimer>(test::wheelOn(clock));
    other->newTimeout(task("other"), 1h);
    owned->newTimeout(
        [&] {
            other.reset();
            log.write("a");
        },
        0);
    clock->advance(100);
    BOOST_TEST(log.take() == "-other@100 a@100");
}

BOOST_AUTO_TEST_CASE(n56_a_task_that_owns_its_timer_does_not_keep_it_from_its_end) {
    std::weak_ptr<HashedWheelTimer> weak = owned;
    owned->newTimeout([self = owned] {}, 0);
    owned.reset();
    BOOST_TEST(!weak.expired());
    clock->advance(100);
    clock->advance(100);
    BOOST_TEST(weak.expired());
}

BOOST_AUTO_TEST_CASE(a_task_that_ends_its_thread_ends_the_timer_and_nothing_is_lost) {
    test::needThreadExit();
    const Handle before = owned->newTimeout([] { ::pthread_exit(nullptr); }, 0);
    owned->newTimeout(task("same"), 0);
    owned->newTimeout(task("later"), 1h);
    clock->advance(100);
    BOOST_TEST(log.take() == "-same@100 -later@100");
    BOOST_TEST(before->isExpired());
    BOOST_TEST(owned->pendingTimeouts() == 0);
    BOOST_TEST(owned->stop().empty());
    BOOST_CHECK_THROW(owned->start(), jtimer::IllegalStateException);
}

CHILD_PROCESS(forks) {
    const auto clock = std::make_shared<jtimer::ManualClock>();
    auto timer = std::make_unique<HashedWheelTimer>(test::wheelOn(clock, 8, 1));
    timer->newTimeout([] { test::print("cancelled is not called in the child\n"); }, 1h);
    // A sanitizer's allocator stays locked in the child if the worker is just allocating.
    clock->waitUntilIdle();
    const int exitCode = test::inForkedChild([&]() -> int {
        timer.reset();
        std::exit(EXIT_SUCCESS);
    });
    test::print(exitCode == 0 ? "child ended\n" : "child failed\n");
}

BOOST_AUTO_TEST_CASE(a_forked_child_can_destroy_the_timer_of_its_parent) {
    test::needFork();
    const auto result = test::runChild("forks");
    BOOST_TEST(result.out == "child ended\n");
    BOOST_TEST(result.exitCode == 0);
}

BOOST_AUTO_TEST_SUITE_END()
