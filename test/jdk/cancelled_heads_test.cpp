// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "support/gate.hpp"
#include "support/manual_timer.hpp"
#include "support/test.hpp"

using test::at;
using test::Gate;

// Cancelled tasks at the head of the queue leave it a few at a time: no schedule, purge or cancel
// waits for all of them, and no task that is due waits for their destruction.

namespace {

/// How many leave the queue in one hold of the monitor, at the most.
constexpr int kBatch = 32;

/// Calls a function when it is destroyed.
class Watched final : public jtimer::TimerTask {
  public:
    explicit Watched(std::function<void()> destroyed) : destroyed_(std::move(destroyed)) {}
    ~Watched() override { destroyed_(); }
    void run() override {}

  private:
    const std::function<void()> destroyed_;
};

struct Heads : test::ManualTimer {
    /// Schedules `count` tasks for the same time, and cancels them.
    template <class Time>
    void addCancelled(int count, Time time, const std::function<void()>& destroyed) {
        for (int i = 0; i < count; ++i) {
            auto task = std::make_shared<Watched>(destroyed);
            timer.schedule(task, time);
            task->cancel();
        }
    }

    /// Keeps the thread of `busy` in a task meanwhile: else it takes out each head as soon as that
    /// is cancelled.
    template <class Action>
    void whileBusy(jtimer::Timer& busy, const Action& action) {
        busy.schedule(
            [this] {
                running_.open();
                ready_.wait();
            },
            0);
        running_.wait();
        action();
        ready_.open();
    }

  private:
    Gate running_, ready_;
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(cancelled_heads, Heads)

BOOST_AUTO_TEST_CASE(j67_cancelled_heads_leave_the_queue_and_are_destroyed_a_few_at_a_time) {
    Gate entered, released;
    int destroyed = 0;
    whileBusy(timer, [&] {
        addCancelled(1000, 60'000, [&] {
            if (++destroyed != 1) return;
            entered.open();
            released.wait();
        });
    });
    entered.wait();
    BOOST_TEST(timer.purge() == 1000 - kBatch);
    released.open();
    clock->waitUntilIdle();
    BOOST_TEST(destroyed == 1000);
}

BOOST_AUTO_TEST_CASE(
    j67_a_task_that_becomes_due_runs_before_the_next_cancelled_heads_are_destroyed) {
    int destroyed = 0;
    int destroyedBefore = -1;
    whileBusy(timer, [&] {
        addCancelled(1000, 60'000, [&] {
            if (++destroyed == 1) timer.schedule([&] { destroyedBefore = destroyed; }, 0);
        });
    });
    clock->waitUntilIdle();
    BOOST_TEST(destroyedBefore == kBatch);
    BOOST_TEST(destroyed == 1000);
}

BOOST_AUTO_TEST_CASE(j67_a_due_task_behind_cancelled_heads_runs_before_they_are_destroyed) {
    int destroyed = 0;
    int destroyedBefore = -1;
    timer.schedule([this] { clock->advance(100); }, 10);
    addCancelled(1000, at(20), [&] { ++destroyed; });
    timer.schedule([&] { destroyedBefore = destroyed; }, at(21));
    clock->advance(10);
    BOOST_TEST(destroyedBefore == 0);
    BOOST_TEST(destroyed == 1000);
}

BOOST_AUTO_TEST_CASE(j67_cancelled_heads_are_destroyed_though_the_thread_is_never_idle) {
    int destroyed = 0;
    std::vector<int> destroyedBefore;
    timer.schedule([this] { clock->advance(100); }, 10);
    addCancelled(100, at(20), [&] { ++destroyed; });
    for (int i = 0; i < 5; ++i) {
        timer.schedule([&] { destroyedBefore.push_back(destroyed); }, at(21 + i));
    }
    clock->advance(10);
    BOOST_TEST(destroyedBefore == (std::vector<int>{0, kBatch, 2 * kBatch, 3 * kBatch, 100}),
               boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(j67_the_destructors_of_cancelled_heads_may_destroy_the_timer) {
    auto owned = std::make_unique<jtimer::Timer>(test::onClock(clock));
    Gate destroyed;
    whileBusy(*owned, [&] {
        for (int i = 0; i < 100; ++i) {
            auto task = std::make_shared<Watched>([&] {
                if (owned == nullptr) return;
                owned.reset();
                destroyed.open();
            });
            owned->schedule(task, 60'000);
            task->cancel();
        }
    });
    destroyed.wait();
    clock->waitUntilIdle();
    BOOST_TEST(!clock->advanceToNext());
}

BOOST_AUTO_TEST_SUITE_END()
