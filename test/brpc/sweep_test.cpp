// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "brpc/manual_thread.hpp"
#include "support/test.hpp"

using jtimer::brpc::TaskId;
using jtimer::brpc::TimerThread;
using jtimer::brpc::TimerThreadOptions;
using test::at;
using test::doNothing;
using test::ManualThread;

namespace {

TimerThreadOptions sweepingFrom(std::size_t sweepMinSize) {
    TimerThreadOptions options;
    options.sweepMinSize = sweepMinSize;
    return options;
}

TimerThreadOptions cappedAt(jtimer::TimeSpan maxWakeupInterval) {
    TimerThreadOptions options;
    options.maxWakeupInterval = maxWakeupInterval;
    return options;
}

std::vector<TaskId> scheduleFar(TimerThread& timer, int count, std::int64_t from) {
    std::vector<TaskId> ids;
    for (int i = 0; i < count; ++i)
        ids.push_back(timer.schedule(doNothing, nullptr, ManualThread::far(from + i)));
    return ids;
}

int unscheduleAll(TimerThread& timer, const std::vector<TaskId>& ids) {
    int removed = 0;
    for (const TaskId id : ids) removed += timer.unschedule(id) == 0 ? 1 : 0;
    return removed;
}

}  // namespace

BOOST_AUTO_TEST_CASE(b41_the_heap_holds_one_batch_of_removed_tasks_and_not_twenty) {
    ManualThread thread(sweepingFrom(512));
    for (int batch = 0; batch < 20; ++batch) {
        const auto ids = scheduleFar(thread.timer, 2000, batch * 2000);
        thread.pull();
        BOOST_TEST(thread.timer.stats().heapSize == 2000U);
        BOOST_TEST(unscheduleAll(thread.timer, ids) == 2000);
    }
    BOOST_TEST(thread.timer.stats().slots == 2000U);
    BOOST_TEST(thread.timer.stats().unscheduled == 40'000U);
}

BOOST_AUTO_TEST_CASE(b39_b40_below_the_least_size_removed_tasks_wait_for_the_top) {
    ManualThread thread;
    const TaskId first = thread.timer.schedule(doNothing, nullptr, ManualThread::far());
    const auto ids = scheduleFar(thread.timer, 1000, 1);
    thread.pull();
    BOOST_TEST(unscheduleAll(thread.timer, ids) == 1000);
    thread.pull();
    BOOST_TEST(thread.timer.stats().heapSize == 1001U);
    BOOST_TEST(thread.timer.stats().slots == 1001U);
    thread.timer.unschedule(first);
    thread.pull();
    BOOST_TEST(thread.timer.stats().heapSize == 0U);
    BOOST_TEST(thread.timer.stats().slots == 0U);
}

BOOST_AUTO_TEST_CASE(b40_what_is_not_removed_survives_the_sweeps_and_runs_in_order) {
    ManualThread thread(sweepingFrom(16));
    std::vector<std::int64_t> ran;
    std::vector<TaskId> removed;
    for (std::int64_t i = 0; i < 1000; ++i) {
        const std::int64_t millis = i * 7919 % 1000 + 1;
        const TaskId id =
            thread.timer.schedule([&ran, millis] { ran.push_back(millis); }, at(millis));
        if (millis % 3 == 0) removed.push_back(id);
        if (i % 100 == 99) {
            BOOST_TEST(unscheduleAll(thread.timer, removed) == static_cast<int>(removed.size()));
            removed.clear();
            thread.pull();
        }
    }
    thread.clock->advance(1000);
    std::vector<std::int64_t> expected;
    for (std::int64_t millis = 1; millis <= 1000; ++millis) {
        if (millis % 3 != 0) expected.push_back(millis);
    }
    BOOST_TEST(ran == expected, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(b48_with_a_cap_later_tasks_come_to_the_heap_without_a_signal) {
    ManualThread thread(cappedAt(50));
    thread.timer.schedule(doNothing, nullptr, ManualThread::far());
    thread.clock->waitUntilIdle();
    const auto before = thread.timer.stats();
    BOOST_TEST(before.heapSize == 1U);
    scheduleFar(thread.timer, 2000, 1);
    thread.clock->advance(49);
    BOOST_TEST(thread.timer.stats().heapSize == 1U);
    thread.clock->advance(1);
    BOOST_TEST(thread.timer.stats().heapSize == 2001U);
    BOOST_TEST(thread.timer.stats().signals == before.signals);
    BOOST_TEST(thread.timer.stats().wakeUps == before.wakeUps + 1);
}

BOOST_AUTO_TEST_CASE(b47_no_sleep_for_a_time_lasts_longer_than_the_cap) {
    ManualThread thread(cappedAt(std::chrono::milliseconds(10)));
    thread.timer.schedule(thread.log.entry("due"), at(25));
    thread.clock->waitUntilIdle();
    const auto before = thread.timer.stats().wakeUps;
    thread.clock->advance(24);
    BOOST_TEST(thread.timer.stats().wakeUps == before + 2);
    thread.clock->advance(1);
    BOOST_TEST(thread.timer.stats().wakeUps == before + 3);
    BOOST_TEST(thread.log.take() == "due@25");
}

BOOST_AUTO_TEST_CASE(b47_a_round_at_the_cap_recycles_what_was_removed) {
    TimerThreadOptions options = cappedAt(10);
    options.sweepMinSize = 100;
    ManualThread thread(options);
    thread.timer.schedule(doNothing, nullptr, ManualThread::far());
    thread.clock->waitUntilIdle();
    const auto ids = scheduleFar(thread.timer, 2000, 1);
    BOOST_TEST(unscheduleAll(thread.timer, ids) == 2000);
    BOOST_TEST(thread.timer.stats().slots == 2001U);
    thread.clock->advance(10);
    BOOST_TEST(thread.timer.stats().slots == 1U);
}

BOOST_AUTO_TEST_CASE(b47_signals_are_not_affected_by_a_cap) {
    ManualThread thread(cappedAt(10));
    thread.timer.schedule(doNothing, nullptr, ManualThread::far());
    thread.clock->waitUntilIdle();
    thread.timer.schedule(thread.log.entry("sooner"), at(1000));
    thread.clock->waitUntilIdle();  // a thread that is awake is signalled for whatever comes
    BOOST_TEST(thread.timer.stats().signals == 2U);
    thread.timer.schedule(thread.log.entry("later"), at(1001));
    BOOST_TEST(thread.timer.stats().signals == 2U);
    thread.clock->advance(2000);
    BOOST_TEST(thread.log.take() == "sooner@1000 later@1001");
}

BOOST_AUTO_TEST_CASE(b47_the_longest_cap_is_none) {
    ManualThread thread(cappedAt(std::chrono::nanoseconds::max()));
    thread.timer.schedule(thread.log.entry("a"), at(1000));
    thread.clock->waitUntilIdle();
    const auto before = thread.timer.stats().wakeUps;
    thread.clock->advance(1000);
    BOOST_TEST(thread.log.take() == "a@1000");
    BOOST_TEST(thread.timer.stats().wakeUps == before + 1);
}

BOOST_AUTO_TEST_CASE(b47_with_nothing_but_never_in_the_heap_there_is_no_cap) {
    ManualThread thread(cappedAt(10));
    thread.clock->advance(1000);
    BOOST_TEST(thread.timer.stats().wakeUps == 0U);
    thread.timer.schedule(doNothing, nullptr, jtimer::Date::max());
    thread.pull();
    BOOST_TEST(thread.timer.stats().heapSize == 1U);
    const auto before = thread.timer.stats().wakeUps;
    thread.clock->advance(1000);
    BOOST_TEST(thread.timer.stats().wakeUps == before);
    BOOST_TEST(!thread.clock->advanceToNext());
}
