// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "support/manual_timer.hpp"
#include "support/race.hpp"
#include "support/test.hpp"
#include "support/throws.hpp"

using jtimer::RejectedExecutionException;
using jtimer::Timer;
using jtimer::TimerTask;

namespace {

constexpr const char* kFull =
    "Number of pending tasks (2) is greater than or equal to maximum allowed pending tasks (2)";

struct Fixture {
    const std::shared_ptr<jtimer::ManualClock> clock =
        std::make_shared<jtimer::ManualClock>(test::kStart);
    Timer timer{options(2)};

    jtimer::TimerOptions options(std::size_t maxPending) const {
        auto options = test::onClock(clock);
        options.maxPending = maxPending;
        return options;
    }
    void expectRoomFor(int tasks) {
        for (int i = 0; i < tasks; ++i) timer.schedule([] {}, 1000);
        CHECK_THROWS(timer.schedule([] {}, 1000), RejectedExecutionException, kFull);
    }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(max_pending, Fixture)

BOOST_AUTO_TEST_CASE(one_task_too_many_is_rejected_and_nothing_has_changed) {
    expectRoomFor(2);
    const auto task = test::makeTask();
    CHECK_THROWS(timer.schedule(task, 1000), RejectedExecutionException, kFull);
    CHECK_THROWS(timer.schedule(task, 1000, 1), RejectedExecutionException, kFull);
    CHECK_THROWS(timer.scheduleAtFixedRate(task, 1000, 1), RejectedExecutionException, kFull);
    CHECK_THROWS(timer.scheduleAtFixedRate(task, 0, 1, jtimer::MissedRuns::Skip),
                 RejectedExecutionException, kFull);
    BOOST_TEST(!task->isScheduled());
    BOOST_TEST(task.use_count() == 1);
    clock->advance(1000);
    timer.schedule(task, 1000);
    BOOST_TEST(task->isScheduled());
}

BOOST_AUTO_TEST_CASE(a_one_shot_gives_its_place_back_when_its_run_begins) {
    timer.schedule([this] { expectRoomFor(2); }, 10);
    clock->advance(10);
    CHECK_THROWS(timer.schedule([] {}, 0), RejectedExecutionException, kFull);
}

BOOST_AUTO_TEST_CASE(a_repeating_task_holds_its_place_while_it_runs) {
    timer.schedule(
        [this, n = 0]() mutable {
            if (++n == 1) expectRoomFor(1);
        },
        10, 10);
    clock->advance(20);
    CHECK_THROWS(timer.schedule([] {}, 0), RejectedExecutionException, kFull);
}

BOOST_AUTO_TEST_CASE(a_cancelled_task_holds_its_place_until_it_leaves_the_queue) {
    timer.schedule([] {}, 10);
    timer.schedule([] {}, 20)->cancel();
    CHECK_THROWS(timer.schedule([] {}, 0), RejectedExecutionException, kFull);
    BOOST_TEST(timer.purge() == 1);
    expectRoomFor(1);
}

BOOST_AUTO_TEST_CASE(the_limit_is_looked_at_after_timer_and_task_and_before_the_tasks_state) {
    const auto used = timer.schedule([] {}, 1000);
    timer.schedule([] {}, 1000);
    CHECK_THROWS(timer.schedule([] {}, -1), jtimer::IllegalArgumentException, "Negative delay.");
    CHECK_THROWS(timer.schedule(nullptr, 0), jtimer::NullPointerException, "task cannot be null");
    CHECK_THROWS(timer.schedule(used, 0), RejectedExecutionException, kFull);
    timer.cancel();
    CHECK_THROWS(timer.schedule([] {}, 0), jtimer::IllegalStateException,
                 "Timer already cancelled.");
}

BOOST_AUTO_TEST_CASE(by_default_there_is_no_limit) {
    Timer unlimited(options(0));
    for (int i = 0; i < 10'000; ++i) unlimited.schedule([] {}, 1000);
    BOOST_TEST(jtimer::TimerOptions().maxPending == 0U);
}

BOOST_AUTO_TEST_CASE(threads_that_race_for_the_last_places_get_just_these) {
    constexpr std::size_t limit = 8;
    constexpr int rounds = 1000, attempts = 3;
    Timer racing(options(limit));
    std::vector<std::shared_ptr<TimerTask>> accepted[3];
    std::atomic<int> rejected{0};
    int wrong = 0;
    const auto producer = [&](std::size_t index) {
        return [&, index](int) {
            for (int i = 0; i < attempts; ++i) {
                try {
                    accepted[index].push_back(racing.schedule([] {}, 1000));
                } catch (const RejectedExecutionException&) {
                    ++rejected;
                }
            }
        };
    };
    test::race(rounds, {producer(0), producer(1), producer(2)}, [&](int) {
        std::size_t count = 0;
        for (auto& tasks : accepted) {
            count += tasks.size();
            for (const auto& task : tasks) task->cancel();
            tasks.clear();
        }
        racing.purge();
        wrong += count != limit || rejected.exchange(0) != 1;
    });
    BOOST_TEST(wrong == 0);
}

BOOST_AUTO_TEST_SUITE_END()
