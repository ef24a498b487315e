// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "support/manual_wheel.hpp"
#include "support/race.hpp"
#include "support/scripted_clock.hpp"
#include "support/test.hpp"
#include "support/throws.hpp"

using namespace std::chrono_literals;
using jtimer::IllegalStateException;
using jtimer::RejectedExecutionException;
using jtimer::detail::kNever;
using jtimer::netty::HashedWheelTimer;
using test::Handle;
using test::ManualWheel;

namespace {

struct Fixture : ManualWheel {
    HashedWheelTimer limited{limitedTo(2)};

    jtimer::netty::HashedWheelTimerOptions limitedTo(std::int64_t limit) const {
        auto options = test::wheelOn(clock);
        options.maxPendingTimeouts = limit;
        return options;
    }
    bool refuses() {
        try {
            limited.newTimeout([] {}, 1h);
            return false;
        } catch (const RejectedExecutionException&) {
            return true;
        }
    }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(pending, Fixture)

BOOST_AUTO_TEST_CASE(n49_what_was_accepted_is_counted_until_it_runs) {
    BOOST_TEST(timer.pendingTimeouts() == 0);
    add("a", 0);
    add("b", 100);
    add("c", 1h);
    BOOST_TEST(timer.pendingTimeouts() == 3);
    advanceTo(99);
    BOOST_TEST(timer.pendingTimeouts() == 3);
    advanceTo(100);
    BOOST_TEST(timer.pendingTimeouts() == 2);
    advanceTo(200);
    BOOST_TEST(timer.pendingTimeouts() == 1);
}

BOOST_AUTO_TEST_CASE(n49_cancel_alone_does_not_change_the_count) {
    const Handle a = add("a", 1h);
    add("b", 1h);
    a->cancel();
    BOOST_TEST(timer.pendingTimeouts() == 2);
    advanceTo(99);
    BOOST_TEST(timer.pendingTimeouts() == 2);
    advanceTo(100);
    BOOST_TEST(timer.pendingTimeouts() == 1);
}

BOOST_AUTO_TEST_CASE(n49_the_count_drops_before_run_and_cancelled_begin) {
    std::vector<std::int64_t> seen;
    const auto note = [&](const Handle&) { seen.push_back(timer.pendingTimeouts()); };
    const auto given = std::make_shared<test::WheelTask>(note, note);
    for (int i = 0; i < 2; ++i) timer.newTimeout(given, 0);
    for (int i = 0; i < 2; ++i) timer.newTimeout(given, 0)->cancel();
    advanceTo(100);
    const std::vector<std::int64_t> expected{3, 2, 1, 0};
    BOOST_TEST(seen == expected, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(n49_with_an_executor_the_count_drops_at_the_hand_over) {
    std::vector<std::function<void()>> queued;
    auto options = test::wheelOn(clock);
    options.taskExecutor = [&](std::function<void()> run) { queued.push_back(std::move(run)); };
    HashedWheelTimer other(options);
    other.newTimeout([] {}, 0);
    advanceTo(100);
    BOOST_TEST(queued.size() == 1U);
    BOOST_TEST(other.pendingTimeouts() == 0);
}

BOOST_AUTO_TEST_CASE(n50_a_run_makes_room) {
    limited.newTimeout([] {}, 0);
    BOOST_TEST(!refuses());
    BOOST_TEST(refuses());
    advanceTo(99);
    BOOST_TEST(refuses());
    advanceTo(100);
    BOOST_TEST(!refuses());
    BOOST_TEST(refuses());
}

BOOST_AUTO_TEST_CASE(n50_a_processed_cancellation_makes_room) {
    const Handle a = limited.newTimeout([] {}, 1h);
    BOOST_TEST(!refuses());
    a->cancel();
    BOOST_TEST(refuses());  // not processed yet
    advanceTo(100);
    BOOST_TEST(!refuses());
    BOOST_TEST(refuses());
}

BOOST_AUTO_TEST_CASE(n50_there_is_room_inside_the_run_and_the_cancelled_call_that_make_it) {
    int accepted = 0;
    const auto addOne = [&](const Handle&) { accepted += refuses() ? 0 : 1; };
    const auto given = std::make_shared<test::WheelTask>(addOne, addOne);
    limited.newTimeout(given, 0);
    limited.newTimeout(given, 1h)->cancel();
    advanceTo(100);
    BOOST_TEST(accepted == 2);
    BOOST_TEST(refuses());
}

BOOST_AUTO_TEST_CASE(n50_threads_that_race_for_the_last_place_do_not_exceed_the_limit) {
    HashedWheelTimer full(limitedTo(5));
    std::atomic<int> accepted{0};
    const auto addSome = [&](int) {
        for (int i = 0; i < 3; ++i) {
            try {
                full.newTimeout([] {}, 0);
                ++accepted;
            } catch (const RejectedExecutionException&) {
            }
        }
    };
    test::race(200, {addSome, addSome}, [&](int) {
        BOOST_TEST(accepted.exchange(0) == 5);
        BOOST_TEST(full.pendingTimeouts() == 5);
        clock->advance(100);
    });
}

// What the original gets wrong.

BOOST_AUTO_TEST_CASE(n65_a_newTimeout_that_throws_is_not_counted) {
    limited.newTimeout([] {}, 1h);
    BOOST_CHECK_THROW(limited.newTimeout(nullptr, 0), jtimer::NullPointerException);
    BOOST_TEST(limited.pendingTimeouts() == 1);
    BOOST_TEST(!refuses());
    BOOST_TEST(refuses());
    BOOST_TEST(limited.pendingTimeouts() == 2);
}

BOOST_AUTO_TEST_CASE(n65_no_other_thread_sees_a_newTimeout_that_throws_counted) {
    limited.newTimeout([] {}, 1h);
    limited.newTimeout([] {}, 1h);
    std::atomic<int> accepted{0}, miscounted{0};
    const auto add = [&](int) { accepted += refuses() ? 0 : 1; };
    const auto look = [&](int) {
        for (int i = 0; i < 20; ++i) miscounted += limited.pendingTimeouts() == 2 ? 0 : 1;
    };
    test::race(200, {add, look});
    BOOST_TEST(accepted == 0);
    BOOST_TEST(miscounted == 0);
}

BOOST_AUTO_TEST_CASE(n65_newTimeout_on_a_stopped_timer_with_a_limit_always_throws_the_same) {
    HashedWheelTimer one(limitedTo(1));
    one.newTimeout([] {}, 1h);
    one.stop();
    for (int i = 0; i < 5; ++i) {
        CHECK_THROWS(one.newTimeout([] {}, 0), IllegalStateException,
                     "cannot be started once stopped");
        BOOST_TEST(one.pendingTimeouts() == 0);
    }
}

BOOST_AUTO_TEST_CASE(n67_a_timeout_cancelled_within_its_own_tick_counts_down_once) {
    Handle victim, behind;
    at(0, [&] {
        BOOST_TEST(victim->cancel());
        BOOST_TEST(behind->cancel());
    });
    victim = add("victim", 0);
    behind = add("behind", 8 * 100);  // of the slot that is being walked
    advanceTo(100);
    BOOST_TEST(timer.pendingTimeouts() == 0);
    add("a", 0);
    BOOST_TEST(timer.pendingTimeouts() == 1);
    advanceTo(2000);
    BOOST_TEST(timer.pendingTimeouts() == 0);
}

BOOST_AUTO_TEST_CASE(n68_a_burst_of_any_size_runs_in_its_own_tick) {
    constexpr int burst = 110'000;  // Netty moves at most 100,000 to the wheel in a tick
    int runs = 0;
    for (int i = 0; i < burst; ++i) timer.newTimeout([&] { ++runs; }, i % 100);
    advanceTo(99);
    BOOST_TEST(runs == 0);
    advanceTo(100);
    BOOST_TEST(runs == burst);
}

// It adds as many as have run: however fast it is, no tick lasts longer than the one before.
BOOST_AUTO_TEST_CASE(n68_a_thread_that_adds_in_a_loop_does_not_hold_the_worker_up) {
    std::atomic<bool> over{false};
    std::atomic<int> waiting{0};
    boost::thread adder([&] {
        while (!over) {
            if (waiting < 1000) {
                ++waiting;
                timer.newTimeout([&] { --waiting; }, -1);
            }
        }
    });
    for (int tick = 1; tick <= 50; ++tick) advanceTo(tick * 100);  // for ever, if it did
    add("a", 0);
    advanceTo(5100);
    BOOST_TEST(log.take() == "a@5100");
    over = true;
    adder.join();
}

BOOST_AUTO_TEST_CASE(n69_an_empty_wheel_waits_without_a_deadline) {
    const auto scripted = std::make_shared<test::ScriptedClock>();
    const std::int64_t begin = scripted->time;
    HashedWheelTimer other(test::wheelOn(scripted));
    other.start();
    BOOST_TEST(scripted->awaitWait(1) == kNever);
    const Handle first = other.newTimeout([] {}, 0), second = other.newTimeout([] {}, 1h);
    BOOST_TEST(scripted->notifications() == 1);
    BOOST_TEST(scripted->awaitWait(2) == begin + 100'000'000);
    second->cancel();
    scripted->time = begin + 100'000'000;
    scripted->endWait();
    BOOST_TEST(scripted->awaitWait(3) == kNever);
    BOOST_TEST(first->isExpired());
    BOOST_TEST(scripted->notifications() == 1);
}

BOOST_AUTO_TEST_CASE(n69_after_an_idle_hour_every_delay_is_what_it_was) {
    const auto runs = [](std::int64_t idle) {
        ManualWheel wheel;
        const std::int64_t begin = idle / 100 * 100;
        // Without "alive" the wheel is empty; with it, the worker ticks on.
        std::string withTicks, without;
        for (std::string* const result : {&withTicks, &without}) {
            ManualWheel fresh;
            if (result == &withTicks) fresh.add("alive", 24h);
            fresh.advanceTo(idle);
            for (const int delay : {-5000, -1, 0, 40, 60, 100, 900})
                fresh.add(std::to_string(delay), delay);
            fresh.advanceTo(begin + 2000);
            *result = fresh.log.take();
        }
        BOOST_TEST(withTicks == without);
        return without;
    };
    BOOST_TEST(runs(3'600'050) == "-5000@3600100 -1@3600100 0@3600100 40@3600100 60@3600200 "
                                  "100@3600200 900@3601000");
    BOOST_TEST(runs(3'600'000) == "-5000@3600100 -1@3600100 0@3600100 40@3600100 60@3600100 "
                                  "100@3600200 900@3601000");
    BOOST_TEST(runs(3'600'099) == "-5000@3600100 -1@3600100 0@3600100 40@3600200 60@3600200 "
                                  "100@3600200 900@3601000");
}

BOOST_AUTO_TEST_CASE(n69_an_idle_timer_lets_its_clock_jump) {
    add("a", 0);
    BOOST_TEST(clock->advanceToNext());
    BOOST_TEST(log.take() == "a@100");
    BOOST_TEST(!clock->advanceToNext());  // nobody waits for a time
    clock->advance(24h * 365 * 100);      // three billion ticks of a worker that walked them
    add("b", 0)->cancel();
    BOOST_TEST(clock->advanceToNext());
    BOOST_TEST(!clock->advanceToNext());
}

BOOST_AUTO_TEST_SUITE_END()
