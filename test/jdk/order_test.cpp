// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "support/manual_timer.hpp"
#include "support/test.hpp"

#include <numeric>

using namespace std::chrono_literals;
using test::at;
using Order = std::vector<int>;

namespace {

struct Fixture : test::ManualTimer {
    Order order;

    auto entry(int number) {
        return [this, number] { order.push_back(number); };
    }
    Order take() { return std::exchange(order, {}); }
};

/// The order in which 1, 2, ..., n run that are scheduled in this order for the same time (J90).
Order tied(int n) {
    Order expected{1};
    for (int i = n; i >= 2; --i) expected.push_back(i);
    return expected;
}

/// J92, as the JDK prints it: four rounds of n repeating tasks with the same first time and period.
const std::map<int, std::string> kFourRounds{
    {2, "1 2 | 2 1 | 1 2 | 2 1"},
    {3, "1 2 3 | 3 1 2 | 2 3 1 | 1 2 3"},
    {4, "1 2 4 3 | 3 2 1 4 | 4 2 3 1 | 1 2 4 3"},
    {5, "1 2 4 5 3 | 3 4 1 2 5 | 5 1 3 4 2 | 2 3 5 1 4"},
    {6, "1 2 4 5 3 6 | 6 4 1 2 3 5 | 5 1 6 4 3 2 | 2 6 5 1 3 4"},
    {7, "1 2 4 5 3 6 7 | 7 4 1 2 6 5 3 | 3 1 7 4 5 2 6 | 6 7 3 1 2 4 5"},
    {8, "1 2 4 8 5 3 6 7 | 7 8 2 1 4 6 5 3 | 3 1 8 7 2 5 4 6 | 6 7 1 3 8 4 2 5"},
    {9, "1 2 4 8 9 5 3 6 7 | 7 9 4 1 2 8 6 5 3 | 3 2 4 7 9 1 5 8 6 | 6 9 4 3 2 7 8 1 5"},
    {10, "1 2 4 8 9 5 10 3 6 7 | 7 5 4 1 2 9 8 6 10 3 | 3 9 4 7 5 2 1 10 8 6 | "
         "6 2 4 3 9 5 7 8 1 10"}};

/// Runs `n` tasks that `schedule(timer, task)` schedules with a period of 100, for four rounds.
template <class ScheduleOne>
std::string fourRounds(int n, const ScheduleOne& schedule) {
    Fixture f;
    for (int i = 1; i <= n; ++i) schedule(f.timer, f.entry(i));
    std::string rounds;
    for (int round = 0; round < 4; ++round) {
        f.clock->advance(100);
        if (round > 0) rounds += " |";
        for (const int number : f.take()) rounds += ' ' + std::to_string(number);
    }
    return rounds.substr(1);
}

Order numbersIn(const std::string& rounds) {
    Order numbers;
    std::istringstream words(rounds);
    for (std::string word; words >> word;) {
        if (word != "|") numbers.push_back(std::stoi(word));
    }
    return numbers;
}

}  // namespace

BOOST_FIXTURE_TEST_SUITE(order, Fixture)

BOOST_AUTO_TEST_CASE(j88_tasks_run_in_the_order_of_their_times_and_not_of_the_calls) {
    for (const int time : {10, 30, 60, 20, 50, 40}) timer.schedule(entry(time), time);
    clock->advance(60);
    BOOST_TEST(take() == Order({10, 20, 30, 40, 50, 60}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(j88_overdue_tasks_run_in_the_order_of_their_times) {
    for (const int time : {10, 30, 60, 20, 50, 40}) timer.schedule(entry(time), time);
    timer.schedule([this] { clock->advance(1000); }, 5);
    clock->advance(5);
    BOOST_TEST(now() == 1005);
    BOOST_TEST(take() == Order({10, 20, 30, 40, 50, 60}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(j89_j90_c8_one_shots_of_the_same_time_run_as_1_n_and_down_to_2) {
    for (int n = 1; n <= 16; ++n) {
        for (int i = 1; i <= n; ++i) timer.schedule(entry(i), 100);
        clock->advance(100);
        BOOST_TEST(take() == tied(n), boost::test_tools::per_element());
    }
}

BOOST_AUTO_TEST_CASE(j90_one_shots_of_the_same_past_time_run_as_1_n_and_down_to_2) {
    for (int n = 1; n <= 16; ++n) {
        timer.schedule(
            [&] {
                for (int i = 1; i <= n; ++i) timer.schedule(entry(i), at(-500));
            },
            0);
        clock->waitUntilIdle();
        BOOST_TEST(take() == tied(n), boost::test_tools::per_element());
    }
}

BOOST_AUTO_TEST_CASE(j91_delays_counted_from_the_same_moment_tie_as_dates_do) {
    clock->advance(7);
    for (int i = 1; i <= 10; ++i) {
        i % 2 == 0 ? timer.schedule(entry(i), 50) : timer.schedule(entry(i), at(57));
    }
    clock->advance(50);
    BOOST_TEST(take() == tied(10), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(c6_times_within_one_millisecond_are_no_ties) {
    for (int i = 1; i <= 9; ++i)
        timer.schedule(entry(i), 10ms + std::chrono::nanoseconds((i * 5) % 9));
    clock->advance(10ms + 3ns);
    BOOST_TEST(take() == Order({9, 2, 4, 6}), boost::test_tools::per_element());
    clock->advance(5ns);
    BOOST_TEST(take() == Order({8, 1, 3, 5, 7}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(j92_fixed_rate_tasks_of_the_same_time_take_turns_as_on_the_jdk) {
    for (const auto& [n, expected] : kFourRounds) {
        BOOST_TEST(fourRounds(n, [](auto& onTimer, auto task) {
                       onTimer.scheduleAtFixedRate(task, 100, 100);
                   }) == expected);
    }
}

BOOST_AUTO_TEST_CASE(j92_fixed_rate_tasks_take_turns_in_rounds_that_were_missed) {
    for (const auto& [n, expected] : kFourRounds) {
        Fixture f;
        const auto scheduleAll = [&f, count = n] {
            for (int i = 1; i <= count; ++i) f.timer.scheduleAtFixedRate(f.entry(i), at(-300), 100);
        };
        f.timer.schedule(scheduleAll, 0);
        f.clock->waitUntilIdle();
        BOOST_TEST(f.take() == numbersIn(expected), boost::test_tools::per_element());
    }
}

BOOST_AUTO_TEST_CASE(j93_fixed_delay_tasks_take_turns_while_the_time_stands_still_during_a_round) {
    for (const auto& [n, expected] : kFourRounds) {
        BOOST_TEST(fourRounds(n, [](auto& onTimer, auto task) {
                       onTimer.schedule(task, 100, 100);
                   }) == expected);
    }
}

BOOST_AUTO_TEST_CASE(j93_fixed_delay_tasks_that_take_time_keep_the_order_of_their_first_round) {
    for (int i = 1; i <= 5; ++i) {
        timer.schedule(
            [this, i] {
                order.push_back(i);
                clock->advance(1);
            },
            100, 100);
    }
    for (int round = 0; round < 3; ++round) {
        clock->advance(100);
        BOOST_TEST(take() == Order({1, 2, 4, 5, 3}), boost::test_tools::per_element());
    }
}

BOOST_AUTO_TEST_CASE(j98_1000_tasks_in_random_order_run_sorted_by_time) {
    Order expected(1000);
    std::iota(expected.begin(), expected.end(), 1);
    Order shuffled = expected;
    std::shuffle(shuffled.begin(), shuffled.end(), std::mt19937(98));
    for (const int time : shuffled) timer.schedule(entry(time), time);
    clock->advance(1000);
    BOOST_TEST(take() == expected, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(j99_a_task_scheduled_from_a_task_for_now_runs_after_it_and_not_inside) {
    timer.schedule(
        [this] {
            order.push_back(1);
            timer.schedule(entry(3), 0);
            timer.schedule(entry(4), 0, 1000);
            order.push_back(2);
        },
        10);
    clock->advance(10);
    BOOST_TEST(take() == Order({1, 2, 3, 4}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(j100_a_date_in_the_past_given_by_a_task_goes_before_what_is_due_already) {
    timer.schedule(
        [this] {
            clock->advance(100);
            timer.schedule(entry(1), at(5));
        },
        10);
    timer.schedule(entry(2), 20);
    timer.schedule(entry(3), 500);
    clock->advance(10);
    BOOST_TEST(take() == Order({1, 2}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(j101_100_one_shots_each_scheduled_by_the_one_before_all_run) {
    std::function<void(int)> nest = [&](int depth) {
        order.push_back(depth);
        if (depth < 100) timer.schedule([&nest, depth] { nest(depth + 1); }, 0);
    };
    timer.schedule([&nest] { nest(1); }, 0);
    clock->waitUntilIdle();
    Order expected(100);
    std::iota(expected.begin(), expected.end(), 1);
    BOOST_TEST(take() == expected, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(runs_that_schedule_the_next_for_a_time_in_the_past_let_no_later_task_run) {
    int left = 100;
    std::function<void()> again = [&] {
        if (order.empty() && --left > 0) timer.schedule([&] { again(); }, at(-1000));
    };
    timer.schedule(
        [&] {
            timer.schedule(entry(1), at(0));
            timer.schedule([&] { again(); }, at(-1000));
        },
        at(0));
    clock->waitUntilIdle();
    BOOST_TEST(left == 0);
    BOOST_TEST(take() == (Order{1}));
}

BOOST_AUTO_TEST_CASE(a_burst_lets_no_later_task_run_until_it_has_caught_up) {
    constexpr int missed = 1000;
    int runs = 0;
    int runsBefore = -1;
    timer.scheduleAtFixedRate(
        [&](jtimer::TimerTask& task) {
            if (++runs == 1) {
                timer.schedule([&] { runsBefore = runs; }, at(missed * 1000 + 1));
                clock->advance(missed * 1000 + 500);
            }
            if (runs > missed) task.cancel();
        },
        at(0), 1000);
    clock->advance(1);
    BOOST_TEST(runs == missed + 1);
    BOOST_TEST(runsBefore == missed + 1);
}

BOOST_AUTO_TEST_SUITE_END()
