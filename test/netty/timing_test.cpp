// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "support/gate.hpp"
#include "support/manual_wheel.hpp"
#include "support/scripted_clock.hpp"
#include "support/test.hpp"

using namespace std::chrono_literals;
using jtimer::netty::HashedWheelTimer;
using std::chrono::nanoseconds;
using test::ManualWheel;

BOOST_FIXTURE_TEST_SUITE(timing, ManualWheel)

BOOST_AUTO_TEST_CASE(n22_what_is_added_at_the_start_runs_at_the_end_of_its_tick) {
    for (const int delay : {0, 1, 99, 100, 101, 199, 250}) add(std::to_string(delay), delay);
    advanceTo(1000);
    BOOST_TEST(log.take() == "0@100 1@100 99@100 100@200 101@200 199@200 250@300");
}

BOOST_AUTO_TEST_CASE(n22_what_is_added_in_the_middle_of_a_tick_counts_from_there) {
    advanceTo(150);
    add("49", 49);
    add("50", 50);
    add("0", 0);
    advanceTo(1000);
    BOOST_TEST(log.take() == "49@200 0@200 50@300");
}

BOOST_AUTO_TEST_CASE(n23_a_timeout_is_never_early_and_at_most_one_tick_late) {
    struct Added {
        std::int64_t due;
        std::int64_t ran = -1;
    };
    constexpr std::int64_t tick = 7'000'003;
    std::mt19937_64 random(23);
    const auto below = [&](std::int64_t n) {
        return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(n));
    };
    for (const int slots : {1, 2, 4, 512}) {
        HashedWheelTimer odd(test::wheelOn(clock, slots, nanoseconds(tick)));
        odd.start();
        const std::int64_t begin = clock->nanos();
        std::vector<Added> all(300);
        for (Added& added : all) {
            const std::int64_t delay = below(20) == 0 ? tick * below(50) : below(tick * 50);
            if (below(3) == 0) clock->advance(nanoseconds(below(2) == 0 ? tick : below(tick)));
            added.due = clock->nanos() + delay;
            odd.newTimeout([&added, this] { added.ran = clock->nanos(); }, nanoseconds(delay));
        }
        clock->advance(nanoseconds(tick * 60));
        for (const Added& added : all) {
            const std::int64_t tickOfDue = (added.due - begin) / tick;
            BOOST_TEST(added.ran == begin + (tickOfDue + 1) * tick);
            BOOST_TEST(added.ran > added.due);
            BOOST_TEST(added.ran <= added.due + tick);
        }
    }
}

BOOST_AUTO_TEST_CASE(n24_a_timeout_whose_tick_is_over_runs_in_the_next_tick_that_is_handled) {
    at(0, [this] {
        clock->advance(450);  // now it is 550, in tick 5; tick 1 is handled next
        add("over", -1000);
        add("old", -300);
        add("present", 0);
        add("ahead", 100);
    });
    advanceTo(550);
    BOOST_TEST(log.take() == "over@550 old@550");
    advanceTo(1000);
    BOOST_TEST(log.take() == "present@600 ahead@700");
}

BOOST_AUTO_TEST_CASE(n25_at_the_boundary_of_two_ticks_the_one_that_ends_is_over) {
    for (const int slots : {1, 8}) {
        ManualWheel wheel(slots);
        wheel.add("alive", 1h);
        wheel.advanceTo(300);
        wheel.add("-1", -1);
        wheel.add("0", 0);
        wheel.add("99", 99);
        wheel.add("100", 100);
        wheel.advanceTo(1000);
        BOOST_TEST(wheel.log.take() == "-1@400 0@400 99@400 100@500");
    }
}

BOOST_AUTO_TEST_CASE(n26_inside_a_run_the_present_tick_is_the_next_one) {
    at(200, [this] {  // runs at 300
        add("0", 0);
        add("99", 99);
        add("100", 100);
    });
    advanceTo(1000);
    BOOST_TEST(log.take() == "0@400 99@400 100@500");
}

BOOST_AUTO_TEST_CASE(n27_n72_whole_revolutions_are_neither_early_nor_a_revolution_late) {
    for (const int slots : {1, 2, 4, 8, 64, 512}) {
        ManualWheel wheel(slots);
        const std::int64_t w = slots;
        std::string expected;
        for (const std::int64_t ticks : {w - 1, w, w + 1, 2 * w, 3 * w + 1}) {
            const auto name = std::to_string(ticks);
            wheel.add(name, ticks * 100 + 50);
            expected +=
                (expected.empty() ? "" : " ") + name + '@' + std::to_string((ticks + 1) * 100);
        }
        wheel.advanceTo((3 * w + 3) * 100);
        BOOST_TEST(wheel.log.take() == expected);
    }
}

BOOST_AUTO_TEST_CASE(n27_whole_revolutions_added_in_the_middle_of_one_are_exact) {
    for (const int slots : {1, 2, 4, 8}) {
        for (int offset = 0; offset < 2 * slots; ++offset) {
            ManualWheel wheel(slots);
            wheel.advanceTo(offset * 100 + 30);
            for (int ticks = 0; ticks <= 4 * slots; ++ticks)
                wheel.add(std::to_string(ticks), ticks * 100);
            std::string expected;
            for (int ticks = 0; ticks <= 4 * slots; ++ticks) {
                expected += (ticks == 0 ? "" : " ") + std::to_string(ticks) + '@' +
                            std::to_string((offset + ticks + 1) * 100);
            }
            wheel.advanceTo((offset + 5 * slots + 1) * 100);
            BOOST_TEST(wheel.log.take() == expected);
        }
    }
}

BOOST_AUTO_TEST_CASE(n28_timeouts_of_one_tick_run_in_the_order_in_which_they_were_added) {
    add("149", 149);
    add("101", 101);
    advanceTo(50);
    add("later", 55);
    at(0, [this] { add("inside", 10); });  // runs at 100, so it is added last
    advanceTo(1000);
    BOOST_TEST(log.take() == "149@200 101@200 later@200 inside@200");
}

BOOST_AUTO_TEST_CASE(n28_what_arrives_late_comes_after_those_that_are_there) {
    add("there", 120);
    at(0, [this] {
        clock->advance(150);  // now it is 250; tick 1 is next, and over
        add("late", -100);
        add("later", -200);
    });
    advanceTo(1000);
    BOOST_TEST(log.take() == "there@250 late@250 later@250");
}

BOOST_AUTO_TEST_CASE(n28_the_order_of_a_tick_holds_across_a_run_that_waits_for_another_thread) {
    test::Gate running, added;
    at(0, [&] {
        add("1", 10);
        running.open();
        added.wait();
        add("3", 10);
    });
    boost::thread other([&] {
        running.wait();
        add("2", 10);
        added.open();
    });
    advanceTo(1000);
    other.join();
    BOOST_TEST(log.take() == "1@200 2@200 3@200");
}

BOOST_AUTO_TEST_CASE(n28_of_several_threads_each_ones_own_order_holds) {
    static constexpr int perThread = 2000;
    std::vector<int> order;
    boost::thread_group threads;
    for (int thread = 0; thread < 4; ++thread) {
        threads.create_thread([&, thread] {
            for (int i = 0; i < perThread; ++i)
                timer.newTimeout([&order, thread, i] { order.push_back(thread * perThread + i); },
                                 i % 3 == 0 ? 90 : 10);
        });
    }
    threads.join_all();
    advanceTo(100);
    BOOST_TEST(order.size() == 4U * perThread);
    for (int thread = 0; thread < 4; ++thread) {
        std::vector<int> mine;
        for (const int entry : order)
            if (entry / perThread == thread) mine.push_back(entry);
        BOOST_TEST(mine.size() == perThread);
        BOOST_TEST(std::is_sorted(mine.begin(), mine.end()));
    }
}

BOOST_AUTO_TEST_CASE(n29_all_runs_are_on_one_thread_one_at_a_time) {
    boost::thread::id worker;
    std::atomic<int> inside{0};
    int runs = 0;
    for (int i = 0; i < 50; ++i) {
        at(i * 10, [&] {
            BOOST_TEST(inside.fetch_add(1) == 0);
            if (runs++ == 0) worker = boost::this_thread::get_id();
            BOOST_TEST((worker == boost::this_thread::get_id()));
            inside.fetch_sub(1);
        });
    }
    advanceTo(1000);
    BOOST_TEST(runs == 50);
    BOOST_TEST((worker != boost::this_thread::get_id()));
}

BOOST_AUTO_TEST_CASE(n29_two_timers_are_independent) {
    test::Gate release, ran;
    const auto wall = std::make_shared<jtimer::SteadyClock>();
    HashedWheelTimer blocked(test::wheelOn(wall, 8, 1ms)), other(test::wheelOn(wall, 8, 1ms));
    blocked.newTimeout([&] { release.wait(); }, 0);
    other.newTimeout([&] { ran.open(); }, 0);
    ran.wait();  // for ever, if the one blocked the other
    release.open();
}

BOOST_AUTO_TEST_CASE(n30_the_worker_waits_for_the_end_of_the_tick_to_the_nanosecond) {
    constexpr std::int64_t tick = 1'234'567;
    const auto scripted = std::make_shared<test::ScriptedClock>();
    const std::int64_t begin = scripted->time;
    HashedWheelTimer odd(test::wheelOn(scripted, 8, nanoseconds(tick)));
    odd.newTimeout([] {}, 1h);
    std::size_t wait = 1;
    if (scripted->awaitWait(wait) == jtimer::detail::kNever) ++wait;  // before it was added
    for (std::int64_t k = 0; k < 5; ++k, ++wait) {
        BOOST_TEST(scripted->awaitWait(wait) == begin + (k + 1) * tick);
        scripted->time = begin + (k + 1) * tick;
        scripted->endWait();
    }
    // A wait that ends early is no reason to begin.
    BOOST_TEST(scripted->awaitWait(wait) == begin + 6 * tick);
    scripted->time = begin + 6 * tick - 1;
    scripted->endWait();
    BOOST_TEST(scripted->awaitWait(wait + 1) == begin + 6 * tick);
}

BOOST_AUTO_TEST_SUITE_END()
