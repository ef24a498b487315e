// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "support/counter.hpp"
#include "support/manual_timer.hpp"
#include "support/race.hpp"
#include "support/test.hpp"

using namespace std::chrono_literals;
using jtimer::IllegalStateException;
using jtimer::Timer;
using jtimer::TimerTask;

// Each of these races one pair of calls some thousand times on the wall clock and then counts. A
// failure may need several runs to show, a success is never an accident.

namespace {

/// A task that counts its runs, whoever else looks.
class Counted : public TimerTask {
  public:
    void run() override { ++runs; }
    std::atomic<int> runs{0};
};

std::vector<std::shared_ptr<Counted>> countedTasks(int n) {
    std::vector<std::shared_ptr<Counted>> tasks(static_cast<std::size_t>(n));
    for (auto& task : tasks) task = std::make_shared<Counted>();
    return tasks;
}

/// \returns whether `timer` took the task; checks by `odd` that the refusal has the text `text`
template <class Task>
bool accepts(Timer& timer, const Task& task, const std::string& text, std::atomic<int>& odd) {
    try {
        timer.schedule(task, 0);
        return true;
    } catch (const IllegalStateException& e) {
        if (e.what() != text) ++odd;
        return false;
    }
}

}  // namespace

BOOST_AUTO_TEST_CASE(j35_of_two_timers_that_are_given_the_same_task_at_once_exactly_one_takes_it) {
    constexpr int rounds = 3000;
    const auto tasks = countedTasks(rounds);
    std::atomic<int> accepted{0}, odd{0};
    {
        Timer first("first"), second("second");
        const auto scheduleOn = [&](Timer& timer) {
            return [&](int round) {
                const auto& task = tasks[static_cast<std::size_t>(round)];
                if (accepts(timer, task, "Task already scheduled or cancelled", odd)) ++accepted;
            };
        };
        test::race(rounds, {scheduleOn(first), scheduleOn(second)});
    }
    BOOST_TEST(accepted == rounds);
    BOOST_TEST(odd == 0);
    for (const auto& task : tasks) BOOST_REQUIRE(task->runs == 1);
}

BOOST_AUTO_TEST_CASE(j47_a_one_shot_runs_or_is_cancelled_and_never_both) {
    constexpr std::size_t batches = 3000, batch = 50;
    Timer timer("raced");
    test::Jitter jitter(47);
    for (std::size_t b = 0; b < batches; ++b) {
        const auto tasks = countedTasks(batch);
        std::atomic<bool> queued{false}, over{false};
        timer.schedule(
            [&] {
                for (std::size_t i = 0; i < batch; ++i) {
                    timer.schedule(tasks[i], jtimer::Date(std::chrono::milliseconds(i)));
                }
                timer.schedule([&] { over = true; }, jtimer::Date(1s));
                queued = true;
            },
            0);
        while (!queued) boost::this_thread::yield();
        // The thread runs them from the first on, and this cancels them from the last on: they
        // meet.
        std::vector<int> prevented(batch);
        jitter();
        for (std::size_t i = batch; i-- > 0;) prevented[i] = tasks[i]->cancel();
        while (!over) boost::this_thread::yield();
        for (std::size_t i = 0; i < batch; ++i) BOOST_REQUIRE(tasks[i]->runs + prevented[i] == 1);
    }
}

BOOST_AUTO_TEST_CASE(j47_of_several_threads_that_cancel_a_one_shot_at_most_one_has_prevented_it) {
    constexpr int rounds = 3000;
    std::shared_ptr<Counted> task;
    std::atomic<int> prevented{0};
    std::vector<std::shared_ptr<Counted>> all;
    std::vector<int> preventedBy;
    {
        test::ManualTimer manual;
        const auto schedule = [&] {
            all.push_back(task = std::make_shared<Counted>());
            manual.timer.schedule(task, 1);
            manual.clock->waitUntilIdle();
        };
        const auto cancel = [&](int) { prevented += task->cancel(); };
        const auto fire = [&](int) { manual.clock->advance(1); };
        schedule();
        test::race(rounds, {cancel, cancel, fire}, [&](int) {
            preventedBy.push_back(prevented.exchange(0));
            schedule();
        });
    }
    for (std::size_t i = 0; i < rounds; ++i) BOOST_REQUIRE(all[i]->runs + preventedBy[i] == 1);
}

BOOST_AUTO_TEST_CASE(
    j48_of_a_repeating_task_at_most_one_more_run_begins_after_a_cancel_from_outside) {
    constexpr int rounds = 2000;
    const auto tasks = countedTasks(rounds);
    std::vector<int> runsAtCancel;
    {
        Timer timer("raced");
        test::Jitter jitter(48);
        for (const auto& task : tasks) {
            timer.schedule(task, 0, 1us);
            jitter();
            BOOST_REQUIRE(task->cancel());
            runsAtCancel.push_back(task->runs);
        }
    }
    for (std::size_t i = 0; i < rounds; ++i) BOOST_REQUIRE(tasks[i]->runs - runsAtCancel[i] <= 1);
}

BOOST_AUTO_TEST_CASE(j59_at_most_one_run_begins_after_a_timer_is_cancelled_and_none_after_its_end) {
    test::Jitter jitter(59);
    for (int round = 0; round < 500; ++round) {
        const auto once = countedTasks(20);
        const auto repeating = std::make_shared<Counted>();
        const auto runs = [&] {
            int sum = repeating->runs;
            for (const auto& task : once) sum += task->runs;
            return sum;
        };
        auto timer = std::make_unique<Timer>("raced");
        for (const auto& task : once) timer->schedule(task, 0);
        timer->schedule(repeating, 0, 1us);
        jitter();
        timer->cancel();
        const int atCancel = runs();
        timer.reset();
        const int atEnd = runs();
        BOOST_REQUIRE(atEnd - atCancel <= 1);
        boost::this_thread::yield();
        BOOST_REQUIRE(runs() == atEnd);
    }
}

BOOST_AUTO_TEST_CASE(j62_schedule_racing_cancel_succeeds_or_is_refused_and_the_thread_always_ends) {
    constexpr int rounds = 700;
    std::optional<Timer> timer;
    std::atomic<int> odd{0};
    std::vector<std::weak_ptr<TimerTask>> queued;
    const auto scheduleSome = [&](int) {
        for (int i = 0; i < 5; ++i) {
            const auto task = std::make_shared<Counted>();
            const bool taken = accepts(*timer, task, "Timer already cancelled.", odd);
            if (!taken && task->runs != 0) ++odd;
            queued.push_back(task);
        }
    };
    const auto cancel = [&](int) { timer->cancel(); };
    const auto nextTimer = [&](int) {
        timer.reset();  // returns, though it is not a daemon
        for (const auto& task : queued) odd += !task.expired();
        queued.clear();
        timer.emplace("raced");
    };
    nextTimer(0);
    test::race(rounds, {scheduleSome, cancel}, nextTimer);
    timer->cancel();
    BOOST_TEST(odd == 0);
}

BOOST_AUTO_TEST_CASE(j77_what_tasks_and_threads_purge_at_once_adds_up_to_what_was_cancelled) {
    constexpr int rounds = 3000;
    std::atomic<int> cancelled{0}, purged{0};
    {
        Timer timer("purged", true);
        // It purges, and is always the head: so no cancelled task gets there and is dropped (J67).
        timer.schedule([&] { purged += timer.purge(); }, 0, 100us);
        const auto cancelOne = [&](int round) {
            const auto task = timer.schedule([] {}, 1h + std::chrono::milliseconds(round % 17));
            timer.schedule([] {}, 2h);
            cancelled += task->cancel();
        };
        const auto purge = [&](int) { purged += timer.purge(); };
        test::race(rounds, {cancelOne, cancelOne, purge});
        purged += timer.purge();
    }
    BOOST_TEST(cancelled == 2 * rounds);
    BOOST_TEST(purged == cancelled);
}

BOOST_AUTO_TEST_CASE(j77_what_is_purged_adds_up_when_other_calls_interrupt_the_purges) {
    constexpr int rounds = 300, each = 100;
    std::atomic<int> cancelled{0}, purged{0}, destroyed{0};
    {
        Timer timer("purged", true);
        timer.schedule([] {}, 0, 100us);  // always the head, see above
        const auto cancelMany = [&](int) {
            for (int i = 0; i < each; ++i) {
                std::shared_ptr<void> sentinel(nullptr, [&](void*) { ++destroyed; });
                cancelled += timer.schedule([sentinel] {}, 1h + i * 1us)->cancel();
            }
        };
        const auto purge = [&](int) { purged += timer.purge(); };
        const auto afterRound = [&](int) {
            purged += timer.purge();
            BOOST_REQUIRE(purged == cancelled);
            BOOST_REQUIRE(destroyed == cancelled);
        };
        test::race(rounds, {cancelMany, cancelMany, purge, purge}, afterRound);
    }
    BOOST_TEST(cancelled == 2 * rounds * each);
}

BOOST_AUTO_TEST_CASE(j141_of_16000_one_shots_from_8_threads_none_is_lost_and_none_runs_twice) {
    constexpr std::size_t threads = 8, perThread = 2000;
    std::vector<std::vector<std::shared_ptr<Counted>>> tasks;
    for (std::size_t t = 0; t < threads; ++t) tasks.push_back(countedTasks(perThread));
    {
        Timer timer("shared");
        boost::thread_group group;
        for (std::size_t t = 0; t < threads; ++t) {
            group.create_thread([&, t] {
                for (std::size_t i = 0; i < perThread; ++i) {
                    timer.schedule(tasks[t][i], std::chrono::microseconds(i * 7 % 1000));
                }
            });
        }
        group.join_all();
    }
    int runs = 0, twice = 0;
    for (const auto& ofThread : tasks) {
        for (const auto& task : ofThread) {
            runs += task->runs;
            twice += task->runs > 1;
        }
    }
    BOOST_TEST(runs == 16000);
    BOOST_TEST(twice == 0);
}

BOOST_AUTO_TEST_CASE(j142_while_a_task_runs_every_call_from_other_threads_returns_at_once) {
    test::Counter running, mayEnd;
    bool inTime = false;
    auto timer = std::make_unique<Timer>("busy");
    const auto busy = timer->schedule(
        [&] {
            running.up();
            inTime = mayEnd.reaches(1);
        },
        0, 1h);
    BOOST_TEST(running.reaches(1));
    const auto queued = timer->schedule([] {}, 0);
    timer->scheduleAtFixedRate([] {}, 5, 5);
    BOOST_TEST(queued->cancel());
    BOOST_TEST(timer->purge() == 1);
    BOOST_TEST(busy->scheduledExecutionTime() > 0);
    BOOST_TEST(busy->cancel());
    timer->cancel();
    BOOST_CHECK_THROW(timer->schedule([] {}, 0), IllegalStateException);
    mayEnd.up();
    timer.reset();
    BOOST_TEST(inTime);
}

BOOST_AUTO_TEST_CASE(j143_a_task_may_call_everything_of_every_timer_and_task_itself_included) {
    test::Counter done;
    Timer other("other", true);
    auto timer = std::make_shared<Timer>("own");
    const auto elsewhere = other.schedule([] {}, 1h);
    std::shared_ptr<TimerTask> self = test::makeTask([&] {
        const auto once = timer->schedule([] {}, 0);
        const auto delay = timer->schedule([] {}, 1h, 1h);
        timer->scheduleAtFixedRate([] {}, timer->name().size(), 1h);
        for (const auto& task : {self, once, delay, elsewhere}) {
            static_cast<void>(task->scheduledExecutionTime());
            task->cancel();
        }
        timer->purge();
        other.schedule([] {}, 0);
        other.purge();
        other.cancel();
        Timer third("third");
        third.schedule([] {}, 0);
        timer->cancel();
        timer.reset();
        done.up();
    });
    timer->schedule(self, 0, 1h);
    BOOST_TEST(done.reaches(1));
    BOOST_TEST(timer == nullptr);
}

BOOST_AUTO_TEST_CASE(
    j145_a_task_sees_what_was_written_before_its_schedule_and_by_the_run_before_it) {
    constexpr int rounds = 2000;
    int seenTooEarly = 0;
    long runs = 0;  // plain on purpose: under the thread sanitizer this case proves the ordering
    std::vector<int> written(rounds);
    {
        Timer timer("reader");
        for (std::size_t i = 0; i < rounds; ++i) {
            written[i] = 1;
            timer.schedule(
                [&, i] {
                    if (written[i] != 1) ++seenTooEarly;
                    ++runs;
                },
                0);
        }
    }
    BOOST_TEST(seenTooEarly == 0);
    BOOST_TEST(runs == rounds);
}

BOOST_AUTO_TEST_CASE(j147_100_timers_at_once_have_a_thread_each_and_all_work) {
    constexpr int timers = 100;
    boost::mutex mutex;
    std::set<boost::thread::id> threads;
    test::Counter arrived, mayGo;
    std::atomic<int> together{0};
    {
        std::vector<std::unique_ptr<Timer>> all;
        for (int i = 0; i < timers; ++i) {
            all.push_back(std::make_unique<Timer>("one of 100"));
            all.back()->schedule(
                [&] {
                    {
                        const boost::unique_lock<boost::mutex> lock(mutex);
                        threads.insert(boost::this_thread::get_id());
                    }
                    arrived.up();
                    together += mayGo.reaches(1);
                },
                0);
        }
        BOOST_TEST(arrived.reaches(timers));
        mayGo.up();
    }
    BOOST_TEST(together == timers);
    BOOST_TEST(threads.size() == static_cast<std::size_t>(timers));
}

BOOST_AUTO_TEST_CASE(c2_a_task_may_destroy_the_timer_while_the_call_that_queued_it_is_returning) {
    for (int round = 0; round < 2000; ++round) {
        test::Counter begun, gone;
        auto* const timer = new Timer(true);
        timer->schedule([&] { begun.up(); }, 0);
        BOOST_REQUIRE(begun.reaches(1));  // soon the thread waits, or is about to
        timer->schedule(
            [&gone, timer] {
                delete timer;
                gone.up();
            },
            0);
        BOOST_REQUIRE(gone.reaches(1));
    }
}
