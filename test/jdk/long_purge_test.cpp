// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "support/abilities.hpp"
#include "support/forked_child.hpp"
#include "support/gate.hpp"
#include "support/manual_timer.hpp"
#include "support/test.hpp"

using namespace std::chrono_literals;
using jtimer::TimerTask;

namespace {

/// A purge of 120 tasks of 160, all due at the same time, which takes several batches. Each of the
/// 120 calls `atEnd` with its place in the order of destruction, from 1, when it is destroyed.
struct LongPurge {
    static constexpr int kTasks = 160, kCancelled = 120, kInTheMiddle = 50;

    const std::shared_ptr<jtimer::ManualClock> clock =
        std::make_shared<jtimer::ManualClock>(test::kStart);
    std::string ran;
    std::unique_ptr<jtimer::Timer> timer;
    std::function<void(int)> atEnd = [](int) {};
    int destroyed = 0;

    void entry(const std::string& name, std::int64_t delay) {
        timer->schedule([this, name] { ran += name + ' '; }, delay);
    }

    int purge(jtimer::Ties ties = jtimer::Ties::Jdk) {
        auto options = test::onClock(clock);
        options.ties = ties;
        timer = std::make_unique<jtimer::Timer>(options);
        destroyed = 0;
        std::vector<std::shared_ptr<TimerTask>> cancelled;
        for (int i = 0; i < kTasks; ++i) {
            if (i % 4 == 0) {
                entry(std::to_string(i), 10);
                continue;
            }
            std::shared_ptr<void> sentinel(nullptr, [this](void*) { atEnd(++destroyed); });
            cancelled.push_back(timer->schedule([sentinel = std::move(sentinel)] {}, 10));
        }
        clock->waitUntilIdle();
        for (const auto& task : cancelled) task->cancel();
        cancelled.clear();
        return timer->purge();
    }

    std::string run() {
        clock->advance(10);
        return std::exchange(ran, {});
    }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(long_purge, LongPurge)

BOOST_AUTO_TEST_CASE(j78_calls_during_a_purge_find_and_leave_the_queue_as_on_the_jdk) {
    for (const jtimer::Ties ties : {jtimer::Ties::Jdk, jtimer::Ties::Fifo}) {
        atEnd = [](int) {};
        BOOST_TEST(purge(ties) == kCancelled);
        BOOST_TEST(destroyed == kCancelled);
        entry("new", 10);
        const std::string undisturbed = run();

        std::vector<std::uint64_t> seen;
        atEnd = [&](int number) {
            if (number != kInTheMiddle) return;
            entry("new", 10);
            seen = {timer->stats().pending, timer->stats().cancelled,
                    static_cast<std::uint64_t>(timer->purge())};
        };
        BOOST_TEST(purge(ties) == kCancelled);
        BOOST_TEST(destroyed == kCancelled);
        BOOST_TEST(seen == std::vector<std::uint64_t>({kTasks - kCancelled + 1, kCancelled, 0}),
                   boost::test_tools::per_element());
        BOOST_TEST(run() == undisturbed);
    }
}

BOOST_AUTO_TEST_CASE(a_purge_whose_destructors_take_long_keeps_no_other_thread_waiting) {
    test::Gate reached, used;
    atEnd = [&](int number) {
        if (number != kInTheMiddle) return;
        reached.open();
        used.wait();
    };
    int purged = 0;
    boost::thread purging([&] { purged = purge(); });
    reached.wait();
    BOOST_TEST(timer->purge() == 0);
    entry("urgent", 5);
    clock->advance(5);
    BOOST_TEST(ran == "urgent ");
    BOOST_TEST(destroyed == kInTheMiddle);
    used.open();
    purging.join();
    BOOST_TEST(purged == kCancelled);
    BOOST_TEST(destroyed == kCancelled);
}

BOOST_AUTO_TEST_CASE(a_thread_that_wakes_up_during_a_purge_runs_what_is_due) {
    std::string inTheMiddle;
    atEnd = [&](int number) {
        if (number == kInTheMiddle) inTheMiddle = run();
    };
    BOOST_TEST(purge() == kCancelled);
    BOOST_TEST(std::count(inTheMiddle.begin(), inTheMiddle.end(), ' ') == kTasks - kCancelled);
    BOOST_TEST(timer->stats().pending == 0U);
}

BOOST_AUTO_TEST_CASE(a_purge_during_a_purge_removes_what_was_cancelled_since) {
    int second = 0;
    atEnd = [&](int number) {
        if (number != kInTheMiddle) return;
        BOOST_TEST(timer->purge() == 0);
        for (int i = 0; i < 3; ++i) timer->schedule([] {}, 20)->cancel();
        second = timer->purge();
    };
    BOOST_TEST(purge() == kCancelled);
    BOOST_TEST(second == 3);
    BOOST_TEST(timer->stats().cancelled == kCancelled + 3U);
}

BOOST_AUTO_TEST_CASE(c11_a_child_that_is_forked_during_a_purge_can_cancel_and_destroy_the_timer) {
    test::needFork();
    constexpr int restOfTheBatch = 14;  // which the forking thread is about to destroy
    int destroyedInChild = 0;
    atEnd = [&](int number) {
        if (number != kInTheMiddle) return;
        destroyedInChild = test::inForkedChild([&] {
            timer->cancel();
            timer.reset();
            return destroyed;
        });
    };
    BOOST_TEST(purge() == kCancelled);
    BOOST_TEST(destroyedInChild == kCancelled - restOfTheBatch);
    BOOST_TEST(destroyed == kCancelled);
    BOOST_TEST(timer->stats().pending == static_cast<std::uint64_t>(kTasks - kCancelled));
}

BOOST_AUTO_TEST_CASE(a_timer_that_is_cancelled_or_destroyed_during_a_purge_has_been_purged) {
    for (const bool destroy : {false, true}) {
        atEnd = [&](int number) {
            if (number == kInTheMiddle) destroy ? timer.reset() : timer->cancel();
        };
        BOOST_TEST(purge() == kCancelled);
        BOOST_TEST(destroyed == kCancelled);
        BOOST_TEST(run() == "");
    }
}

BOOST_AUTO_TEST_SUITE_END()
