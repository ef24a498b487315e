// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "jdk/task_queue_model.hpp"

#include "jdk/queue_sweep.hpp"
#include "support/choices.hpp"
#include "support/test.hpp"

using jtimer::TimerTask;
using jtimer::detail::TaskQueue;

using Queue = test::NumberedQueue;
using ReferenceQueue = test::ReferenceTaskQueue;

BOOST_AUTO_TEST_CASE(an_empty_queue_has_no_tasks_and_holds_no_memory_to_check) {
    TaskQueue queue;
    BOOST_TEST(queue.empty());
    BOOST_TEST(queue.size() == 0U);
    queue.check();
    queue.heapify();
    queue.clear();
    queue.check();
}

BOOST_AUTO_TEST_CASE(j88_tasks_come_out_in_the_order_of_their_times) {
    Queue q;
    for (const int time : {30, 10, 60, 20, 50, 40}) q.add(time, time);
    q.queue.check();
    BOOST_TEST(q.drain() == std::vector<int>({10, 20, 30, 40, 50, 60}),
               boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(j90_n_tasks_of_one_time_come_out_as_1_n_and_down_to_2) {
    for (int n = 1; n <= 16; ++n) {
        Queue q;
        std::vector<int> expected{1};
        for (int i = 1; i <= n; ++i) q.add(i, 7);
        for (int i = n; i >= 2; --i) expected.push_back(i);
        BOOST_TEST(q.drain() == expected, boost::test_tools::per_element());
    }
}

BOOST_AUTO_TEST_CASE(j92_repeating_tasks_of_one_time_and_period_take_turns_as_on_the_jdk) {
    const std::map<int, std::vector<int>> fourRounds{
        {2, {1, 2, 2, 1, 1, 2, 2, 1}},
        {3, {1, 2, 3, 3, 1, 2, 2, 3, 1, 1, 2, 3}},
        {4, {1, 2, 4, 3, 3, 2, 1, 4, 4, 2, 3, 1, 1, 2, 4, 3}},
        {5, {1, 2, 4, 5, 3, 3, 4, 1, 2, 5, 5, 1, 3, 4, 2, 2, 3, 5, 1, 4}},
        {10, {1, 2, 4, 8, 9, 5, 10, 3,  6, 7, 7, 5, 4, 1, 2, 9, 8, 6, 10, 3,
              3, 9, 4, 7, 5, 2, 1,  10, 8, 6, 6, 2, 4, 3, 9, 5, 7, 8, 1,  10}}};
    for (const auto& [n, expected] : fourRounds) {
        Queue q;
        for (int i = 1; i <= n; ++i) q.add(i, 0);
        std::vector<int> order;
        for (int firing = 0; firing < 4 * n; ++firing) {
            order.push_back(q.numbers.at(&q.queue.getMin()));
            q.queue.rescheduleMin(q.queue.getMinTime() + 100);
            q.queue.check();
        }
        BOOST_TEST(order == expected, boost::test_tools::per_element());
    }
}

BOOST_AUTO_TEST_CASE(the_second_time_is_the_least_of_all_others) {
    Queue q;
    BOOST_TEST(q.queue.getSecondTime() == jtimer::detail::kNever);
    q.add(1, 30);
    BOOST_TEST(q.queue.getSecondTime() == jtimer::detail::kNever);
    q.add(2, 50);
    BOOST_TEST(q.queue.getSecondTime() == 50);
    q.add(3, 40);
    BOOST_TEST(q.queue.getSecondTime() == 40);
    q.add(4, 35);
    BOOST_TEST(q.queue.getSecondTime() == 35);
    q.add(5, 30);
    BOOST_TEST(q.queue.getSecondTime() == 30);
}

BOOST_AUTO_TEST_CASE(j98_the_queue_grows_far_beyond_its_first_128_slots) {
    Queue q;
    std::vector<int> expected;
    for (int i = 0; i < 1000; ++i) {
        q.add((i * 613) % 1000, (i * 613) % 1000);
        expected.push_back(i);
    }
    q.queue.check();
    BOOST_TEST(q.drain() == expected, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(quick_remove_puts_the_last_task_into_the_gap_and_heapify_mends_the_order) {
    Queue q;
    for (int i = 1; i <= 7; ++i) q.add(i, i);
    BOOST_TEST(q.numbers.at(q.queue.quickRemove(2).get()) == 2);
    BOOST_TEST(q.numbers.at(&q.queue.get(2)) == 7);
    BOOST_CHECK_THROW(q.queue.check(), std::logic_error);
    q.queue.heapify();
    q.queue.check();
    BOOST_TEST(q.drain() == std::vector<int>({1, 3, 4, 5, 6, 7}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(j94_100_000_random_moves_agree_with_the_jdks_algorithm_entry_by_entry) {
    test::Choices choices(20261121);
    test::TaskQueueModel model;
    for (int step = 0; step < 100'000; ++step) model.step(choices);
}

BOOST_AUTO_TEST_CASE(j78_a_sweep_in_batches_agrees_with_the_jdks_purge) {
    constexpr std::size_t size = 400;
    std::mt19937 random(20261123);
    const std::vector<std::size_t> gaps{0, 1, 7, 8, 9, 40, 1000};
    for (const std::size_t length : {std::size_t{1}, std::size_t{7}, size}) {
        for (const std::size_t gap : gaps) {
            Queue q;
            ReferenceQueue reference;
            for (std::size_t i = 1; i <= size; ++i) {
                const std::int64_t time = random() % 50;
                q.add(static_cast<int>(i), time);
                reference.heap.add({time, static_cast<int>(i)});
            }
            // In the order of the array, from its end: so many cancelled tasks, then a gap.
            std::size_t cancelled = 0;
            for (std::size_t i = size; i >= 1; --i) {
                if ((size - i) % (length + gap) >= length) continue;
                q.queue.get(i).cancel();
                reference.heap.quickRemove(i);
                ++cancelled;
            }
            reference.heap.heapify();

            jtimer::detail::QueueSweep sweep;
            jtimer::detail::TasksToDestroy batch;
            std::vector<std::size_t> batches;
            sweep.begin(q.queue);
            while (sweep.isUnderWay()) {
                batches.push_back(sweep.takeBatch(q.queue, batch));
                batch.destroyAll();
            }
            for (std::size_t i = 0; i + 1 < batches.size(); ++i) BOOST_TEST(batches[i] == 16U);
            BOOST_TEST(sweep.count() == cancelled);
            q.queue.check();
            BOOST_REQUIRE(q.queue.size() == reference.heap.size());
            for (std::size_t i = 1; i <= reference.heap.size(); ++i) {
                BOOST_REQUIRE(q.numbers.at(&q.queue.get(i)) == reference.heap.entries[i].number);
            }
        }
    }
}

BOOST_AUTO_TEST_CASE(j140_the_queue_holds_one_reference_to_each_task_until_it_gives_it_back) {
    Queue q;
    std::vector<std::weak_ptr<TimerTask>> tasks;
    for (int i = 1; i <= 4; ++i) tasks.push_back(q.add(i, i));
    for (const auto& task : tasks) BOOST_TEST(task.use_count() == 1);

    q.queue.removeMin();
    BOOST_TEST(tasks[0].expired());
    q.queue.rescheduleMin(10);
    BOOST_TEST(tasks[1].use_count() == 1);
    q.queue.quickRemove(1);
    BOOST_TEST(tasks[2].expired());
    q.queue.clear();
    BOOST_TEST(tasks[1].expired());
    BOOST_TEST(tasks[3].expired());
    BOOST_TEST(q.queue.empty());
}

BOOST_AUTO_TEST_CASE(a_queue_that_was_moved_from_is_empty_and_can_be_used) {
    Queue q;
    const auto first = q.add(1, 1);
    const TaskQueue moved = std::move(q.queue);
    BOOST_TEST(moved.size() == 1U);
    BOOST_TEST(q.queue.empty());
    q.queue.check();
    q.add(2, 2);
    q.queue.check();
    BOOST_TEST(&moved.getMin() == first.get());
}
