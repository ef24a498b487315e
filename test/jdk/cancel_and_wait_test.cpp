// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "support/abilities.hpp"
#include "support/counter.hpp"
#include "support/forked_child.hpp"
#include "support/gate.hpp"
#include "support/long_run.hpp"
#include "support/manual_timer.hpp"
#include "support/race.hpp"
#include "support/test.hpp"

#include <jtimer/jdk/scoped_task.hpp>

#include <cstdlib>
#include <pthread.h>

using jtimer::ScopedTask;
using jtimer::Timer;
using jtimer::TimerTask;
using test::Gate;

namespace {

struct Fixture : test::ManualTimer {
    test::Log log{clock};
    Gate running, released;
    std::atomic<bool> over{false};

    /// Begins a run that lasts until `released` is opened.
    std::shared_ptr<TimerTask> startRun(bool repeats, bool throws = false) {
        const auto task = jtimer::makeTask([this, throws] {
            running.open();
            released.wait();
            test::yieldForAWhile();
            over = true;
            if (throws) throw 1;
        });
        repeats ? timer.schedule(task, 0, 10) : timer.schedule(task, 0);
        running.wait();
        return task;
    }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(cancel_and_wait, Fixture)

BOOST_AUTO_TEST_CASE(c12_cancelAndWait_returns_when_the_run_is_over_and_answers_like_cancel) {
    for (const bool repeats : {true, false}) {
        Fixture fixture;
        const auto task = fixture.startRun(repeats);
        boost::thread releaser([&] {
            while (!task->isCancelled()) boost::this_thread::yield();
            fixture.released.open();
        });
        BOOST_TEST(task->cancelAndWait() == repeats);
        BOOST_TEST(fixture.over.load());
        BOOST_TEST(!task->cancelAndWait());
        releaser.join();
        fixture.over = false;
        fixture.clock->advance(100);
        BOOST_TEST(!fixture.over.load());
    }
}

BOOST_AUTO_TEST_CASE(c12_without_a_run_in_progress_cancelAndWait_is_cancel) {
    const auto never = jtimer::makeTask([] {});
    BOOST_TEST(!never->cancelAndWait());
    const auto pending = timer.schedule(log.entry("a"), 10);
    BOOST_TEST(pending->cancelAndWait());
    const auto rate = timer.scheduleAtFixedRate(log.entry("b"), 10, 10);
    clock->advance(20);
    BOOST_TEST(rate->cancelAndWait());
    clock->advance(20);
    BOOST_TEST(log.take() == "b@10 b@20");
    const auto once = timer.schedule([] {}, 0);
    clock->waitUntilIdle();
    BOOST_TEST(!once->cancelAndWait());
}

BOOST_AUTO_TEST_CASE(c12_cancelAndWait_does_not_wait_for_a_run_of_another_task) {
    const auto task = startRun(true);
    Timer second(test::onClock(clock));
    const auto here = timer.schedule([] {}, 10), there = second.schedule([] {}, 10);
    BOOST_TEST(here->cancelAndWait());
    BOOST_TEST(there->cancelAndWait());
    BOOST_TEST(!over.load());
    released.open();
    task->cancelAndWait();
}

BOOST_AUTO_TEST_CASE(c12_inside_the_tasks_own_run_cancelAndWait_returns_at_once) {
    int runs = 0;
    timer.schedule([&](TimerTask& self) { runs += self.cancelAndWait() ? 1 : 100; }, 10, 10);
    timer.schedule([&](TimerTask& self) { runs += self.cancelAndWait() ? 100 : 1; }, 10);
    clock->advance(100);
    BOOST_TEST(runs == 2);
}

BOOST_AUTO_TEST_CASE(c12_a_run_that_ends_by_an_exception_is_over_when_that_has_been_reported) {
    for (const auto policy : {jtimer::OnException::StopTimer, jtimer::OnException::ContinueTask}) {
        Gate gateRunning, gateReleased;
        std::atomic<bool> reported{false};
        auto options = test::onClock(clock);
        options.onException = policy;
        options.taskExceptionHandler = [&](const jtimer::TaskException&) {
            test::yieldForAWhile();
            reported = true;
        };
        Timer failing(options);
        const auto task =
            failing.schedule([&] { gateRunning.open(), gateReleased.wait(), throw 1; }, 0, 5);
        gateRunning.wait();
        boost::thread releaser([&] {
            while (!task->isCancelled()) boost::this_thread::yield();
            gateReleased.open();
        });
        BOOST_TEST(task->cancelAndWait());
        BOOST_TEST(reported.load());
        releaser.join();
    }
}

BOOST_AUTO_TEST_CASE(c12_cancelAndWait_calls_an_overridden_cancel_and_cancels_where_that_does_not) {
    struct Stubborn : TimerTask {
        int cancels = 0;
        void run() override {}
        bool cancel() override { return ++cancels, true; }
    };
    const auto task = std::make_shared<Stubborn>();
    timer.schedule(task, 10, 10);
    BOOST_TEST(task->cancelAndWait());
    BOOST_TEST(task->cancels == 1);
    BOOST_TEST(task->isCancelled());
}

BOOST_AUTO_TEST_CASE(c12_a_timer_that_is_destroyed_meanwhile_or_detached_is_waited_for) {
    auto second = std::make_unique<Timer>("second", true);
    const auto task = jtimer::makeTask([this] {
        running.open();
        released.wait();
        over = true;
    });
    second->schedule(task, 0);
    running.wait();
    second->detach();
    second.reset();
    boost::thread releaser([&] {
        while (!task->isCancelled()) boost::this_thread::yield();
        released.open();
    });
    task->cancelAndWait();
    BOOST_TEST(over.load());
    releaser.join();
}

BOOST_AUTO_TEST_CASE(c12_a_scoped_task_makes_it_safe_to_capture_this) {
    class Poller {
      public:
        Poller(Timer& timer, std::atomic<int>& late) : late_(late) {
            task_ = ScopedTask(timer.scheduleAtFixedRate([this] { poll(); }, 0, 1));
        }
        ~Poller() { task_ = ScopedTask(), alive_ = false; }

      private:
        void poll() {
            boost::this_thread::yield();
            late_ += !alive_;
        }
        std::atomic<int>& late_;
        std::atomic<bool> alive_{true};
        ScopedTask task_;
    };
    Timer real("real", true);
    std::atomic<int> late{0};
    for (int i = 0; i < 300; ++i) {
        Poller poller(real, late);
        if (i % 4 != 0) boost::this_thread::yield();
    }
    BOOST_TEST(late == 0);
}

BOOST_AUTO_TEST_CASE(c12_a_scoped_task_is_moved_and_ends_what_it_loses) {
    static_assert(!std::is_copy_constructible_v<ScopedTask>);
    static_assert(std::is_nothrow_move_constructible_v<ScopedTask>);
    const auto a = timer.schedule([] {}, 10), b = timer.schedule([] {}, 10);
    {
        ScopedTask first(a), second(b);
        ScopedTask moved(std::move(first));
        BOOST_TEST(moved.task() == a);
        BOOST_TEST(first.task() == nullptr);
        BOOST_TEST(!a->isCancelled());
        const bool atOnce = (moved = std::move(second), a->isCancelled());
        BOOST_TEST(atOnce);
        BOOST_TEST(!b->isCancelled());
        auto& itself = moved;
        moved = std::move(itself);
        BOOST_TEST(moved.task() == b);
        BOOST_TEST(!b->isCancelled());
    }
    BOOST_TEST(b->isCancelled());
    const ScopedTask none;
    BOOST_TEST(none.task() == nullptr);
}

BOOST_AUTO_TEST_CASE(c12_an_interrupted_thread_waits_all_the_same) {
    test::needInterruption();
    const auto task = startRun(true);
    std::atomic<bool> returned{false};
    boost::thread waiting([&] {
        task->cancelAndWait();
        returned = over.load();
    });
    waiting.interrupt();
    while (!task->isCancelled()) boost::this_thread::yield();
    released.open();
    waiting.join();
    BOOST_TEST(returned);
}

BOOST_AUTO_TEST_SUITE_END()

// A task that has never run is nobody's to wait for, even if it lies where another one has just
// been destroyed whose run is not quite over.

namespace {

/// A task that lies where the one before it lay, if that is gone.
class PlacedTask final : public TimerTask {
  public:
    explicit PlacedTask(std::function<void()> function) : function_(std::move(function)) {}
    ~PlacedTask() override { isThere = false; }
    void run() override { function_(); }

    static void* operator new(std::size_t) {
        isThere = true;
        return memory;
    }
    static void operator delete(void*) {}

    static inline bool isThere = false;

  private:
    alignas(std::max_align_t) static inline unsigned char memory[256];

    const std::function<void()> function_;
};
static_assert(sizeof(PlacedTask) <= 256);

/// Waits for a task that has not run, at the address of one that is gone. \returns whether that
/// ended; true also if the one that was there still is
bool waitAtSameAddress() {
    if (PlacedTask::isThere) return true;
    const auto returned = std::make_shared<test::Counter>();
    boost::thread waiting([returned] {
        const std::shared_ptr<TimerTask> task(new PlacedTask([] {}));
        task->cancelAndWait();
        returned->up();
    });
    if (!returned->reaches(1)) return false;
    waiting.join();
    return true;
}

std::shared_ptr<TimerTask> placed(std::function<void()> run) {
    return std::shared_ptr<TimerTask>(new PlacedTask(std::move(run)));
}

/// A callable that waits at that address when it is destroyed.
auto waitsWhenDestroyed(bool& answer) {
    std::shared_ptr<void> captured(nullptr, [&answer](void*) { answer = waitAtSameAddress(); });
    return [captured = std::move(captured)] {};
}

}  // namespace

BOOST_AUTO_TEST_SUITE(at_the_address_of_a_destroyed_task)

BOOST_AUTO_TEST_CASE(c12_cancelAndWait_does_not_wait_for_the_report_of_an_exception) {
    using jtimer::OnException;
    for (const auto policy :
         {OnException::StopTimer, OnException::CancelTask, OnException::ContinueTask}) {
        for (const bool repeats : {false, true}) {
            test::LoggedClock on;
            bool returned = false;
            auto options = test::onClock(on.clock);
            options.onException = policy;
            options.uncaughtExceptionHandler = [&](const std::string&, const std::exception_ptr&) {
                returned = waitAtSameAddress();
            };
            Timer failing(options);
            if (repeats) {
                failing.schedule(placed([] { throw 1; }), 10, 10);
            } else {
                failing.schedule(placed([] { throw 1; }), 10);
            }
            on.clock->advance(10);
            BOOST_TEST(returned);
        }
    }
}

BOOST_AUTO_TEST_CASE(c12_cancelAndWait_does_not_wait_for_the_destructor_of_an_exception) {
    using jtimer::OnException;
    for (const auto policy : {OnException::StopTimer, OnException::ContinueTask}) {
        test::LoggedClock on;
        bool wasThere = false, returned = false;
        auto options = test::onClock(on.clock);
        options.onException = policy;
        options.taskExceptionHandler = [&](const jtimer::TaskException&) {
            wasThere = PlacedTask::isThere;  // until the report is over
        };
        Timer failing(options);
        failing.schedule(placed([&] {
                             throw std::shared_ptr<void>(
                                 nullptr, [&](void*) { returned = waitAtSameAddress(); });
                         }),
                         10);
        on.clock->advance(10);
        BOOST_TEST(wasThere);
        BOOST_TEST(returned);
    }
}

BOOST_AUTO_TEST_CASE(c12_cancelAndWait_does_not_wait_for_the_destructors_of_other_tasks) {
    test::LoggedClock on;
    bool atTheEnd = false, ofCancelled = false;
    {
        Timer timer(test::silentOnDeath(on.clock, true));
        timer.schedule(waitsWhenDestroyed(atTheEnd), 20);
        timer.schedule(placed([] { throw 1; }), 10);
        on.clock->advance(10);
        BOOST_TEST(atTheEnd);
    }
    {
        Timer timer(test::onClock(on.clock));
        auto cancelled = timer.schedule(waitsWhenDestroyed(ofCancelled), 5);
        on.clock->waitUntilIdle();  // a new head that is cancelled before is dropped at once (J69)
        cancelled->cancel();
        cancelled.reset();
        timer.schedule(placed([] {}), 10);
        // One notification and one look at the queue, with both due.
        timer.schedule([clock = on.clock] { clock->advance(10); }, 1);
        on.clock->advance(20);
        BOOST_TEST(ofCancelled);
    }
}

BOOST_AUTO_TEST_CASE(c12_nor_for_those_that_a_thread_which_exits_leaves_to_another) {
    test::needThreadExit();
    test::LoggedClock on;
    bool ofUnwound = false, ofUnwoundReport = false;
    {
        Timer timer(test::onClock(on.clock));
        timer.schedule(waitsWhenDestroyed(ofUnwound), 20);
        timer.schedule(placed([] { pthread_exit(nullptr); }), 10);
        on.clock->advance(10);
        BOOST_TEST(ofUnwound);
    }
    {
        auto options = test::onClock(on.clock);
        options.onException = jtimer::OnException::ContinueTask;
        options.taskExceptionHandler = [](const jtimer::TaskException&) { pthread_exit(nullptr); };
        Timer timer(options);
        timer.schedule(waitsWhenDestroyed(ofUnwoundReport), 20);
        timer.schedule(placed([] { throw 1; }), 10);
        on.clock->advance(10);
        BOOST_TEST(ofUnwoundReport);
    }
}

BOOST_AUTO_TEST_SUITE_END()

// No run is in progress after it and none begins, whoever else cancels, ends or makes timers.
BOOST_AUTO_TEST_CASE(c12_after_cancelAndWait_no_run_is_in_progress_whatever_races) {
    struct Shared {
        std::atomic<bool> over{false};
        std::atomic<int> late{0};
    };
    constexpr int rounds = 1500;
    int late = 0;
    auto timer = std::make_unique<Timer>("racing", true);
    auto shared = std::make_shared<Shared>();
    std::shared_ptr<TimerTask> task;
    const auto prepare = [&](int round) {
        shared = std::make_shared<Shared>();
        const auto run = [shared = shared] {
            shared->late += shared->over;
            boost::this_thread::yield();
            shared->late += shared->over;
        };
        task = round % 3 == 0 ? timer->schedule(run, 0) : timer->scheduleAtFixedRate(run, 0, 1);
    };
    prepare(0);
    const auto wait = [&](int) {
        task->cancelAndWait();
        shared->over = true;
    };
    const auto cancel = [&](int) { task->cancel(); };
    const auto other = [](int) { const Timer made("other", true); };
    test::race(rounds, {wait, cancel, other}, [&](int round) {
        late += shared->late;
        if (round % 50 == 0) timer = std::make_unique<Timer>("racing", true);
        prepare(round + 1);
    });
    timer.reset();
    BOOST_TEST(late == 0);
}

BOOST_AUTO_TEST_CASE(c11_a_forked_child_waits_for_no_timer_of_its_parent) {
    test::needFork();
    Gate running, released;
    Timer timer("parent", true);
    const auto task = timer.schedule([&] { running.open(), released.wait(); }, 0);
    running.wait();
    BOOST_TEST(test::inForkedChild([&] { return task->cancelAndWait() ? 1 : 0; }) == 0);
    released.open();
}
