// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "support/counter.hpp"
#include "support/gate.hpp"
#include "support/manual_timer.hpp"
#include "support/race.hpp"
#include "support/test.hpp"

using jtimer::Ties;
using jtimer::Timer;
using jtimer::TimerOptions;
using jtimer::TimerTask;
using test::at;

namespace {

struct Fixture : test::LoggedClock {
    Timer timer{options()};

    TimerOptions options() const {
        auto options = test::onClock(clock);
        options.removeOnCancel = true;
        return options;
    }
    TimerOptions fifo() const {
        auto options = test::onClock(clock);
        options.ties = Ties::Fifo;
        return options;
    }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(remove_on_cancel, Fixture)

BOOST_AUTO_TEST_CASE(a_cancelled_task_leaves_the_queue_and_its_captures_are_destroyed_in_cancel) {
    const auto captured = std::make_shared<int>();
    const auto once = timer.schedule([captured] {}, 3'600'000);
    const auto rate = timer.scheduleAtFixedRate([captured] {}, 3'600'000, 1);
    const auto named = jtimer::makeTask([captured] {});
    named->setName("named");
    timer.schedule(named, 10);
    BOOST_TEST(captured.use_count() == 4);
    for (const auto& task : {once, rate, named}) {
        BOOST_TEST(task->cancel());
        BOOST_TEST(!task->cancel());
        BOOST_TEST(task->isCancelled());
        task->run();  // does nothing any more
    }
    BOOST_TEST(captured.use_count() == 1);
    BOOST_TEST(named->name() == "named");
    BOOST_TEST(timer.purge() == 0);
    BOOST_TEST(timer.stats().pending == 0U);
    BOOST_TEST(timer.stats().cancelled == 3U);
    BOOST_TEST(once.use_count() == 1);
}

BOOST_AUTO_TEST_CASE(a_task_of_a_users_class_leaves_the_queue_and_is_whole) {
    const auto task = test::makeTask(log.entry("a"));
    timer.schedule(task, 10);
    BOOST_TEST(task->cancel());
    BOOST_TEST(task.use_count() == 1);
    task->run();
    BOOST_TEST(log.take() == "a@0");
}

BOOST_AUTO_TEST_CASE(the_other_tasks_run_as_if_the_cancelled_one_had_never_been_there) {
    std::vector<std::shared_ptr<TimerTask>> tasks;
    std::mt19937 random(7);
    std::string expected;
    std::vector<int> times(200);
    for (int i = 0; i < 200; ++i) times[static_cast<std::size_t>(i)] = i + 1;
    std::shuffle(times.begin(), times.end(), random);
    for (const int time : times) {
        tasks.push_back(timer.schedule(log.entry(std::to_string(time)), time));
    }
    std::vector<int> left;
    for (std::size_t i = 0; i < tasks.size(); ++i) {
        if (random() % 3 == 0) {
            tasks[i]->cancel();
        } else {
            left.push_back(times[i]);
        }
    }
    std::sort(left.begin(), left.end());
    for (const int time : left) {
        expected +=
            (expected.empty() ? "" : " ") + std::to_string(time) + '@' + std::to_string(time);
    }
    BOOST_TEST(timer.stats().pending == left.size());
    clock->advance(200);
    BOOST_TEST(log.take() == expected);
}

BOOST_AUTO_TEST_CASE(what_a_running_task_captured_is_destroyed_after_its_run_by_the_timers_thread) {
    for (const bool inside : {true, false}) {
        test::Gate running, released;
        std::atomic<bool> gone{false}, tooEarly{false};
        const auto sentinel = [&] {
            return std::shared_ptr<void>(nullptr, [&](void*) { gone = true; });
        };
        Timer own(options());
        const auto task = own.schedule(
            [&, sentinel = sentinel()](TimerTask& self) {
                if (inside) self.cancel();
                running.open();
                released.wait();
                tooEarly = gone.load();
            },
            0, 10);
        running.wait();
        if (!inside) BOOST_TEST(task->cancel());
        BOOST_TEST(own.stats().pending == 0U);
        released.open();
        task->cancelAndWait();
        BOOST_TEST(gone.load());
        BOOST_TEST(!tooEarly.load());
    }
}

BOOST_AUTO_TEST_CASE(a_task_that_throws_and_is_cancelled_for_it_loses_its_captures) {
    auto options = this->options();
    options.onException = jtimer::OnException::CancelTask;
    options.uncaughtExceptionHandler = [](const std::string&, const std::exception_ptr&) {};
    Timer failing(options);
    const auto captured = std::make_shared<int>();
    const auto task = failing.schedule([captured] { throw 1; }, 10, 10);
    clock->advance(10);
    BOOST_TEST(captured.use_count() == 1);
    BOOST_TEST(failing.stats().pending == 0U);
    BOOST_TEST(failing.stats().cancelled == 1U);
}

BOOST_AUTO_TEST_CASE(the_destructor_returns_when_the_last_task_is_cancelled) {
    auto options = this->options();
    options.daemon = false;
    auto closing = std::make_unique<Timer>(options);
    const auto task = closing->schedule([] {}, 1000, 1000);
    boost::thread destructor([&] { closing.reset(); });
    clock->waitUntilIdle();
    BOOST_TEST(task->cancel());
    destructor.join();
    BOOST_TEST((clock->now() == at(0)));
}

BOOST_AUTO_TEST_CASE(max_pending_counts_what_has_not_been_cancelled) {
    auto options = this->options();
    options.maxPending = 1;
    Timer limited(options);
    for (int i = 0; i < 100; ++i) limited.schedule([] {}, 1000)->cancel();
    const auto task = limited.schedule([] {}, 1000);
    BOOST_CHECK_THROW(limited.schedule([] {}, 1000), jtimer::RejectedExecutionException);
}

BOOST_AUTO_TEST_CASE(a_task_cancelled_after_its_timer_answers_as_usual) {
    const auto captured = std::make_shared<int>();
    auto task = timer.schedule([captured] {}, 10), second = timer.schedule([captured] {}, 20);
    timer.cancel();
    BOOST_TEST(task->cancel());
    BOOST_TEST(!task->cancel());
    BOOST_TEST(task.use_count() == 1);
    task.reset();
    second.reset();
    BOOST_TEST(captured.use_count() == 1);
}

BOOST_AUTO_TEST_CASE(memory_does_not_grow_over_pairs_of_schedule_and_cancel) {
    for (int i = 0; i < 100'000; ++i) {
        timer.schedule([] {}, 3'600'000)->cancel();
        if (timer.stats().pending != 0) BOOST_FAIL("still pending");
    }
    BOOST_TEST(timer.stats().cancelled == 100'000U);
}

BOOST_AUTO_TEST_CASE(with_fifo_equal_times_run_in_the_order_of_their_arrival) {
    for (const bool removes : {false, true}) {
        auto options = fifo();
        options.removeOnCancel = removes;
        Timer inOrder(options);
        const auto time = clock->now() + std::chrono::milliseconds(100);
        std::vector<std::shared_ptr<TimerTask>> tasks;
        std::string ran, expected;
        for (char c = 'a'; c <= 'z'; ++c) {
            tasks.push_back(inOrder.schedule([&ran, c] { ran += c; }, time));
        }
        for (std::size_t i = 0; i < tasks.size(); ++i) {
            if (i % 3 == 1) {
                tasks[i]->cancel();
            } else {
                expected += static_cast<char>('a' + i);
            }
        }
        inOrder.purge();
        clock->advance(100);
        BOOST_TEST(ran == expected);
    }
}

BOOST_AUTO_TEST_CASE(with_fifo_a_repeating_task_arrives_anew_with_each_run) {
    Timer inOrder(fifo());
    std::string ran;
    inOrder.scheduleAtFixedRate([&] { ran += 'r'; }, at(10), 10);
    inOrder.schedule([&] { ran += 'a'; }, at(20));
    inOrder.schedule([&] { ran += 'b'; }, at(10));
    clock->advance(20);
    BOOST_TEST(ran == "rbar");
}

BOOST_AUTO_TEST_SUITE_END()

// Whoever takes a cancelled task out of the queue, nothing is lost, freed twice or used after.
BOOST_AUTO_TEST_CASE(cancel_races_with_runs_purges_and_the_end_of_the_timer) {
    TimerOptions options;
    options.daemon = true;
    options.removeOnCancel = true;
    constexpr int rounds = 600;
    std::atomic<int> alive{0}, ran{0};
    std::atomic<std::uint64_t> cancelled{0};
    std::uint64_t wrong = 0, scheduled = 0;
    auto timer = std::make_unique<Timer>(options);
    std::vector<std::shared_ptr<TimerTask>> tasks;
    const auto prepare = [&] {
        tasks.clear();
        for (int i = 0; i < 12; ++i) {
            ++alive;
            const std::shared_ptr<void> sentinel(nullptr, [&alive](void*) { --alive; });
            const auto run = [&ran, sentinel] { ++ran; };
            const int delay = i % 3 == 0 ? 0 : 3'600'000;
            tasks.push_back(i % 2 == 0 ? timer->schedule(run, delay)
                                       : timer->scheduleAtFixedRate(run, delay, 1));
        }
        scheduled += 12;
    };
    prepare();
    const auto cancel = [&](int) {
        for (const auto& task : tasks) cancelled += task->cancel();
    };
    const auto cancelBackwards = [&](int) {
        for (auto task = tasks.rbegin(); task != tasks.rend(); ++task)
            cancelled += (*task)->cancel();
    };
    const auto purge = [&](int round) {
        timer->purge();
        if (round % 8 == 7) timer->shutdownNow();
        if (round % 8 == 3) timer->cancel();
    };
    test::race(rounds, {cancel, cancelBackwards, purge}, [&](int round) {
        if (round % 4 == 3) {
            timer->cancel();
            timer = std::make_unique<Timer>(options);
        } else {
            for (const auto& task : tasks) task->cancelAndWait();
            wrong += timer->stats().pending;
        }
        prepare();
    });
    timer.reset();
    tasks.clear();
    BOOST_TEST(wrong == 0U);
    BOOST_TEST(alive == 0);
}

// The thread finds cancelled tasks that their cancel() has not come for yet, and ends; so cancel()
// finds no timer any more. It is ThreadSanitizer that sees whether it sees what the thread did.
BOOST_AUTO_TEST_CASE(cancel_races_with_the_thread_that_drops_the_tasks_and_ends) {
    TimerOptions options;
    options.daemon = true;
    options.removeOnCancel = true;
    constexpr int rounds = 300, tasksEach = 40;
    std::unique_ptr<Timer> timer;
    std::vector<std::shared_ptr<TimerTask>> tasks;
    test::Counter destroyed;
    const auto prepare = [&] {
        timer = std::make_unique<Timer>(options);
        for (int i = 0; i < tasksEach; ++i) {
            const std::shared_ptr<void> sentinel(nullptr, [&destroyed](void*) { destroyed.up(); });
            tasks.push_back(timer->schedule([sentinel] {}, std::chrono::microseconds(200 + i)));
        }
    };
    prepare();
    const auto cancel = [&](int) {
        for (const auto& task : tasks) task->cancel();
    };
    const auto end = [&](int) {
        timer->detach();
        timer.reset();
    };
    test::race(rounds, {cancel, end}, [&](int) {
        tasks.clear();
        prepare();
    });
    tasks.clear();
    timer.reset();
    BOOST_TEST(destroyed.reaches((rounds + 1) * tasksEach));
}
