// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "brpc/manual_thread.hpp"
#include "support/abilities.hpp"
#include "support/counter.hpp"
#include "support/forked_child.hpp"
#include "support/gate.hpp"
#include "support/race.hpp"
#include "support/system_threads.hpp"
#include "support/test.hpp"
#include "support/throws.hpp"

using jtimer::Date;
using jtimer::IllegalStateException;
using jtimer::brpc::kInvalidTaskId;
using jtimer::brpc::PendingTask;
using jtimer::brpc::TaskId;
using jtimer::brpc::TimerThread;
using test::at;
using test::countUp;
using test::doNothing;
using test::ManualThread;

namespace {

/// Counts the callables that exist, in its copies.
class Counted {
  public:
    explicit Counted(std::atomic<int>& count) : count_(&count) { ++*count_; }
    Counted(const Counted& other) : count_(other.count_) { ++*count_; }
    Counted& operator=(const Counted&) = delete;
    ~Counted() { --*count_; }
    void operator()() const {}

  private:
    std::atomic<int>* count_;
};

/// The same, too large for a slot.
struct LargeCounted : Counted {
    using Counted::Counted;
    std::array<char, 100> ballast{};
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(left_tasks, ManualThread)

BOOST_AUTO_TEST_CASE(b54_after_the_end_unschedule_still_tells_what_has_run_and_what_has_not) {
    int runs = 0;
    const TaskId ran = timer.schedule(countUp, &runs, at(10));
    const TaskId left = timer.schedule(countUp, &runs, at(20));
    const TaskId inBucket = timer.schedule(countUp, &runs, at(30));
    clock->advance(10);
    timer.stopAndJoin();
    clock->advance(100);
    BOOST_TEST(timer.stats().pending == 2U);
    BOOST_TEST(timer.unschedule(ran) == -1);
    for (const TaskId id : {left, inBucket}) {
        BOOST_TEST(timer.unschedule(id) == 0);
        BOOST_TEST(timer.unschedule(id) == -1);
    }
    BOOST_TEST(runs == 1);
}

BOOST_AUTO_TEST_CASE(b55_take_pending_returns_what_is_left_in_order_of_time) {
    std::array<int, 4> args{};
    const TaskId third = timer.schedule(countUp, &args[3], at(30));
    const TaskId first = timer.schedule(countUp, &args[1], at(10));
    std::atomic<int> callables{0};
    const TaskId second = timer.schedule(Counted(callables), at(20));
    const TaskId removed = timer.schedule(countUp, &args[0], at(5));
    const TaskId never = timer.schedule(doNothing, nullptr, Date::max());
    timer.unschedule(removed);
    timer.stopAndJoin();
    BOOST_TEST(callables == 1);

    const std::vector<PendingTask> tasks = timer.takePending();
    BOOST_REQUIRE_EQUAL(tasks.size(), 4U);
    BOOST_TEST(tasks[0].id == first);
    BOOST_TEST((tasks[0].abstime == at(10)));
    BOOST_TEST((tasks[0].fn == countUp));
    BOOST_TEST(tasks[0].arg == &args[1]);
    BOOST_TEST(tasks[1].id == second);
    BOOST_TEST((tasks[1].abstime == at(20)));
    BOOST_TEST((tasks[1].fn == nullptr));
    BOOST_TEST(tasks[1].arg == nullptr);
    BOOST_TEST(callables == 0);
    BOOST_TEST(tasks[2].id == third);
    BOOST_TEST(tasks[2].arg == &args[3]);
    BOOST_TEST(tasks[3].id == never);
    BOOST_TEST((tasks[3].abstime == Date::max()));

    BOOST_TEST(timer.takePending().empty());
    for (const auto& task : tasks) BOOST_TEST(timer.unschedule(task.id) == -1);
    BOOST_TEST(timer.stats().unscheduled == 5U);
    BOOST_TEST(timer.stats().pending == 0U);
}

BOOST_AUTO_TEST_CASE(b55_while_the_thread_lives_take_pending_is_refused) {
    const char* const text = "TimerThread is running";
    CHECK_THROWS(timer.takePending(), IllegalStateException, text);
    timer.schedule(
        [&] {
            CHECK_THROWS(timer.takePending(), IllegalStateException, text);
            timer.stopAndJoin();
            CHECK_THROWS(timer.takePending(), IllegalStateException, text);
        },
        at(10));
    timer.schedule(doNothing, nullptr, at(20));
    clock->advance(10);
    timer.stopAndJoin();
    BOOST_TEST(timer.takePending().size() == 1U);
}

BOOST_AUTO_TEST_CASE(b55_before_start_there_is_nothing_to_take) {
    TimerThread fresh;
    BOOST_TEST(fresh.takePending().empty());
    fresh.stopAndJoin();
    BOOST_TEST(fresh.takePending().empty());
}

BOOST_AUTO_TEST_CASE(b55_of_take_pending_and_unschedule_exactly_one_gets_a_task) {
    std::optional<TimerThread> over;
    std::vector<TaskId> ids;
    const auto prepare = [&](int) {
        over.emplace();
        BOOST_REQUIRE_EQUAL(over->start(), 0);
        ids.clear();
        for (int i = 0; i < 100; ++i)
            ids.push_back(over->schedule(doNothing, nullptr, Date::max()));
        over->stopAndJoin();
    };
    std::size_t taken = 0;
    std::size_t alsoTaken = 0;
    std::size_t removed = 0;
    prepare(0);
    test::race(100,
               {[&](int) { taken = over->takePending().size(); },
                [&](int) { alsoTaken = over->takePending().size(); },
                [&](int) {
                    removed = 0;
                    for (auto id = ids.rbegin(); id != ids.rend(); ++id)
                        removed += over->unschedule(*id) == 0 ? 1U : 0U;
                }},
               [&](int round) {
                   BOOST_REQUIRE_EQUAL(taken + alsoTaken + removed, 100U);
                   prepare(round);
               });
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_CASE(b56_d6_the_destructor_destroys_every_callable_that_is_left) {
    std::atomic<int> callables{0};
    {
        ManualThread thread;
        std::vector<TaskId> ids;
        for (int i = 0; i < 100; ++i) {
            ids.push_back(thread.timer.schedule(Counted(callables), at(i)));
            ids.push_back(thread.timer.schedule(LargeCounted(callables), at(i)));
        }
        thread.clock->advance(49);
        BOOST_TEST(callables == 100);
        for (std::size_t i = 150; i < 200; ++i) BOOST_TEST(thread.timer.unschedule(ids[i]) == 0);
        BOOST_TEST(callables == 50);
    }
    BOOST_TEST(callables == 0);
}

BOOST_AUTO_TEST_CASE(b56_callables_that_the_destructor_destroys_may_call_the_timer) {
    TaskId id = kInvalidTaskId;
    TaskId scheduled = 1;
    int removed = 0;
    boost::thread::id destroyedOn;
    {
        ManualThread thread;
        TimerThread& timer = thread.timer;
        std::shared_ptr<void> last(nullptr, [&](void*) {
            removed = timer.unschedule(id);
            scheduled = timer.schedule(doNothing, nullptr, Date{});
            timer.stopAndJoin();
            destroyedOn = boost::this_thread::get_id();
        });
        id = timer.schedule([owned = std::move(last)] {}, ManualThread::far());
    }
    BOOST_TEST(removed == -1);
    BOOST_TEST(scheduled == kInvalidTaskId);
    BOOST_TEST(destroyedOn == boost::this_thread::get_id());
}

BOOST_AUTO_TEST_CASE(b57_a_timer_may_be_destroyed_inside_a_task) {
    std::atomic<int> callables{0};
    test::Gate ended;
    auto clock = std::make_shared<jtimer::ManualClock>(test::kStart);
    auto timer = std::make_unique<TimerThread>();
    jtimer::brpc::TimerThreadOptions options;
    options.clock = clock;
    BOOST_TEST(timer->start(options) == 0);
    test::Log log(clock);
    const auto threads = test::numberOfThreads();
    timer->schedule(Counted(callables), at(20));
    timer->schedule(LargeCounted(callables), Date::max());
    const Counted counted(callables);
    timer->schedule(
        [&, counted] {
            timer.reset();
            log.write("goes on");
        },
        at(10));
    clock->advance(10);
    clock->advance(100);
    BOOST_TEST(log.take() == "goes on@10");
    while (test::numberOfThreads() == threads) boost::this_thread::yield();
    BOOST_TEST(callables == 1);  // the one here
}

BOOST_AUTO_TEST_CASE(b57_a_task_may_destroy_the_timer_before_its_schedule_has_returned) {
    constexpr int rounds = 500;
    test::Counter destroyed;
    for (int round = 1; round <= rounds; ++round) {
        auto* const timer = new TimerThread;
        BOOST_REQUIRE_EQUAL(timer->start(), 0);
        timer->schedule(
            [timer, &destroyed] {
                delete timer;
                destroyed.up();
            },
            Date{});
        BOOST_REQUIRE(destroyed.reaches(round));
    }
}

BOOST_AUTO_TEST_CASE(b25_b57_a_removed_callable_may_own_the_timer) {
    auto timer = std::make_shared<TimerThread>();
    BOOST_TEST(timer->start() == 0);
    TimerThread& same = *timer;
    const std::weak_ptr<TimerThread> alive = timer;
    const TaskId id = same.schedule([owned = std::move(timer)] {}, Date::max());
    BOOST_TEST(same.unschedule(id) == 0);
    BOOST_TEST(alive.expired());
}

#if !defined(__SANITIZE_THREAD__)
BOOST_AUTO_TEST_CASE(c8_in_a_forked_child_stop_and_destructor_return_at_once) {
    test::needFork();
    auto thread = std::make_unique<ManualThread>();
    thread->timer.schedule(doNothing, nullptr, ManualThread::far());
    thread->clock->waitUntilIdle();
    const int exitCode = test::inForkedChild([&] {
        thread->timer.stopAndJoin();
        thread.reset();
        return 0;
    });
    BOOST_TEST(exitCode == 0);
}
#endif
