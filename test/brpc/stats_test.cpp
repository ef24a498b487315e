// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "brpc/manual_thread.hpp"
#include "support/counts.hpp"
#include "support/race.hpp"
#include "support/test.hpp"

using jtimer::brpc::TimerThread;
using test::at;
using test::counts;

namespace {

jtimer::brpc::TimerThreadOptions silent() {
    jtimer::brpc::TimerThreadOptions options;
    options.uncaughtExceptionHandler = [](const std::string&, const std::exception_ptr&) {};
    return options;
}

struct Fixture : test::ManualThread {
    Fixture() : ManualThread(silent()) {}
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(brpc_stats, Fixture)

BOOST_AUTO_TEST_CASE(tasks_are_pending_until_they_run_or_are_unscheduled) {
    BOOST_TEST(counts(timer.stats()) == "pending 0 executed 0 cancelled 0 failed 0 latest 0");
    timer.schedule([this] { clock->advance(7); }, at(10));
    timer.schedule([] { throw 1; }, at(12));
    const auto removed = timer.schedule([] {}, at(20));
    timer.schedule([] {}, at(1000));
    BOOST_TEST(counts(timer.stats()) == "pending 4 executed 0 cancelled 0 failed 0 latest 0");
    BOOST_TEST(timer.unschedule(removed) == jtimer::brpc::kRemoved);
    BOOST_TEST(counts(timer.stats()) == "pending 3 executed 0 cancelled 1 failed 0 latest 0");
    clock->advance(10);
    BOOST_TEST(counts(timer.stats()) == "pending 1 executed 2 cancelled 1 failed 1 latest 5000");
    timer.stopAndJoin();
    BOOST_TEST(timer.takePending().size() == 1U);
    BOOST_TEST(counts(timer.stats()) == "pending 0 executed 2 cancelled 2 failed 1 latest 5000");
}

BOOST_AUTO_TEST_CASE(brpcs_own_words_count_the_same) {
    timer.schedule([] {}, at(0));
    timer.unschedule(timer.schedule([] {}, at(1000)));
    clock->waitUntilIdle();
    BOOST_TEST(timer.stats().triggered == timer.stats().executed);
    BOOST_TEST(timer.stats().unscheduled == timer.stats().cancelled);
    BOOST_TEST(timer.stats().scheduled == 2U);
}

BOOST_AUTO_TEST_CASE(a_task_counts_as_executed_and_failed_once_it_runs_and_has_thrown) {
    std::string running, reported;
    jtimer::brpc::TimerThreadOptions options;
    options.clock = clock;
    TimerThread other;
    options.uncaughtExceptionHandler = [&](const std::string&, const std::exception_ptr&) {
        reported = counts(other.stats());
    };
    BOOST_TEST(other.start(options) == 0);
    other.schedule(
        [&] {
            running = counts(other.stats());
            throw 1;
        },
        at(3));
    clock->advance(3);
    BOOST_TEST(running == "pending 0 executed 1 cancelled 0 failed 0 latest 0");
    BOOST_TEST(reported == "pending 0 executed 1 cancelled 0 failed 1 latest 0");
}

BOOST_AUTO_TEST_CASE(a_time_that_had_passed_counts_from_there) {
    timer.schedule([] {}, at(-4));
    clock->waitUntilIdle();
    BOOST_TEST(counts(timer.stats()) == "pending 0 executed 1 cancelled 0 failed 0 latest 4000");
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_CASE(brpc_stats_may_be_read_while_the_timer_works) {
    TimerThread timer;
    BOOST_TEST(timer.start() == 0);
    std::atomic<std::uint64_t> accepted{0};
    std::atomic<int> wrong{0};
    const auto producer = [&](int round) {
        const auto now = std::chrono::system_clock::now();
        timer.schedule([] {}, now);
        const auto later = timer.schedule([] {}, now + std::chrono::hours(1));
        if (round % 2 == 0) timer.unschedule(later);
        accepted += 2;
    };
    const auto reader = [&](int) {
        const auto stats = timer.stats();
        wrong += stats.executed != stats.lateness.count();
    };
    test::race(300, {producer, reader});
    timer.stopAndJoin();
    const auto end = timer.stats();
    BOOST_TEST(end.pending + end.executed + end.cancelled == accepted.load());
    BOOST_TEST(end.cancelled == 150U);
    BOOST_TEST(wrong == 0);
}
