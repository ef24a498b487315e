// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
//
// What the original's own unit tests ask of it, on the manual clock.
#include "brpc/manual_thread.hpp"
#include "support/test.hpp"

using jtimer::brpc::kInvalidTaskId;
using jtimer::brpc::TaskId;
using jtimer::brpc::TimerThread;
using jtimer::brpc::TimerThreadOptions;
using test::at;
using test::doNothing;
using test::ManualThread;

BOOST_FIXTURE_TEST_CASE(tasks_run_at_their_times_and_unscheduled_ones_do_not, ManualThread) {
    timer.schedule(log.entry("1"), at(1000));
    const TaskId second = timer.schedule(log.entry("2"), at(2000));
    timer.schedule(log.entry("3"), at(2000));
    const TaskId fourth = timer.schedule(log.entry("4"), at(3000));
    clock->advance(500);
    BOOST_TEST(timer.unschedule(second) == 0);
    clock->advance(2000);
    BOOST_TEST(timer.unschedule(fourth) == 0);
    timer.schedule(log.entry("past"), at(0));
    clock->advance(5000);
    BOOST_TEST(log.take() == "1@1000 3@2000 past@2500");
    timer.stopAndJoin();
    BOOST_TEST(timer.schedule(log.entry("after the stop"), at(0)) == kInvalidTaskId);
}

BOOST_AUTO_TEST_CASE(a_task_is_scheduled_after_the_start_and_not_before) {
    TimerThread timer;
    BOOST_TEST(timer.schedule(doNothing, nullptr, at(0)) == kInvalidTaskId);
    const auto clock = std::make_shared<jtimer::ManualClock>(test::kStart);
    TimerThreadOptions options;
    options.clock = clock;
    BOOST_TEST(timer.start(&options) == 0);
    test::Log log(clock);
    const TaskId id = timer.schedule(log.entry("it"), at(10));
    BOOST_TEST(id != kInvalidTaskId);
    clock->advance(10);
    BOOST_TEST(log.take() == "it@10");
}

BOOST_FIXTURE_TEST_CASE(tasks_schedule_and_unschedule_inside_tasks, ManualThread) {
    // A task that schedules another one, one that removes another, and one that has run already.
    const TaskId early = timer.schedule(log.entry("early"), at(500));
    const TaskId removed = timer.schedule(log.entry("removed"), at(3000));
    TaskId self = kInvalidTaskId;
    std::vector<int> answers;
    self = timer.schedule(
        [&] {
            log.write("remover");
            answers = {timer.unschedule(early), timer.unschedule(removed), timer.unschedule(self)};
        },
        at(1000));
    timer.schedule(
        [&] {
            log.write("outer");
            timer.schedule(log.entry("inner"), at(2500));
            timer.schedule(log.entry("at once"), at(0));
        },
        at(2000));
    clock->advance(5000);
    BOOST_TEST(log.take() == "early@500 remover@1000 outer@2000 at once@2000 inner@2500");
    BOOST_TEST(answers == (std::vector<int>{-1, 0, 1}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(removed_tasks_do_not_pile_up_in_the_heap) {
    TimerThreadOptions options;
    options.sweepMinSize = 512;
    ManualThread thread(options);
    std::size_t most = 0;
    for (int batch = 0; batch < 20; ++batch) {
        std::vector<TaskId> ids;
        for (int i = 0; i < 2000; ++i)
            ids.push_back(thread.timer.schedule(doNothing, nullptr, ManualThread::far(batch)));
        thread.pull();
        most = std::max(most, thread.timer.stats().heapSize);
        for (const TaskId id : ids) thread.timer.unschedule(id);
    }
    BOOST_TEST(most < 10'000U);
}

BOOST_AUTO_TEST_CASE(a_cap_on_the_sleep_has_the_buckets_emptied_without_a_signal) {
    TimerThreadOptions options;
    options.maxWakeupInterval = 50;
    ManualThread thread(options);
    thread.timer.schedule(doNothing, nullptr, ManualThread::far());
    thread.clock->waitUntilIdle();
    for (int i = 0; i < 2000; ++i) thread.timer.schedule(doNothing, nullptr, ManualThread::far(1));
    BOOST_TEST(thread.timer.stats().heapSize == 1U);
    thread.clock->advance(50);
    BOOST_TEST(thread.timer.stats().heapSize == 2001U);
    BOOST_TEST(thread.timer.stats().signals == 1U);
}
