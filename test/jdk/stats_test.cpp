// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "jdk/run_meter.hpp"
#include "support/gate.hpp"
#include "support/manual_timer.hpp"
#include "support/race.hpp"
#include "support/test.hpp"
#include "support/throws.hpp"

using jtimer::LatenessHistogram;
using jtimer::Timer;
using jtimer::TimerStats;
using jtimer::detail::RunMeter;
using std::chrono::nanoseconds;
using namespace std::chrono_literals;

namespace {

struct Fixture : test::ManualTimer {
    /// Every number but wakeUps and the times.
    static std::string counts(const TimerStats& s) {
        std::ostringstream out;
        out << "pending " << s.pending << " scheduled " << s.scheduled << " executed " << s.executed
            << " cancelled " << s.cancelled << " discarded " << s.discarded << " failed "
            << s.failed << " missed " << s.missed;
        return out.str();
    }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(stats, Fixture)

BOOST_AUTO_TEST_CASE(every_task_is_accounted_for) {
    BOOST_TEST(counts(timer.stats()) ==
               "pending 0 scheduled 0 executed 0 cancelled 0 discarded 0 failed 0 missed 0");
    timer.schedule([] {}, 10);
    const auto rate = timer.scheduleAtFixedRate([] {}, 10, 10);
    const auto head = timer.schedule([] {}, 15), late = timer.schedule([] {}, 1000);
    timer.schedule([] {}, 2000);
    BOOST_TEST(counts(timer.stats()) ==
               "pending 5 scheduled 5 executed 0 cancelled 0 discarded 0 failed 0 missed 0");
    head->cancel();
    late->cancel();
    clock->advance(30);
    BOOST_TEST(counts(timer.stats()) ==
               "pending 3 scheduled 5 executed 4 cancelled 1 discarded 0 failed 0 missed 0");
    timer.purge();
    BOOST_TEST(counts(timer.stats()) ==
               "pending 2 scheduled 5 executed 4 cancelled 2 discarded 0 failed 0 missed 0");
    timer.cancel();
    BOOST_TEST(counts(timer.stats()) ==
               "pending 0 scheduled 5 executed 4 cancelled 2 discarded 2 failed 0 missed 0");
}

BOOST_AUTO_TEST_CASE(a_refused_task_is_not_counted) {
    BOOST_CHECK_THROW(timer.schedule([] {}, -1), jtimer::IllegalArgumentException);
    BOOST_CHECK_THROW(timer.schedule(nullptr, 1), jtimer::NullPointerException);
    timer.cancel();
    BOOST_CHECK_THROW(timer.schedule([] {}, 1), jtimer::IllegalStateException);
    BOOST_TEST(timer.stats().scheduled == 0U);
}

BOOST_AUTO_TEST_CASE(runs_that_failed_and_runs_that_were_missed_are_counted) {
    auto options = test::silentOnDeath(clock, true);
    options.onException = jtimer::OnException::ContinueTask;
    Timer failing(options);
    failing.schedule(
        [n = 0]() mutable {
            if (++n <= 2) throw n;
        },
        10, 10);
    clock->advance(40);
    BOOST_TEST(counts(failing.stats()) ==
               "pending 1 scheduled 1 executed 4 cancelled 0 discarded 0 failed 2 missed 0");

    options.onException = jtimer::OnException::StopTimer;
    Timer dying(options);
    dying.schedule([] { throw 1; }, 10);
    dying.schedule([] {}, 20);
    BOOST_TEST((clock->advance(10), dying.awaitTermination(1h)));
    BOOST_TEST(counts(dying.stats()) ==
               "pending 0 scheduled 2 executed 1 cancelled 0 discarded 1 failed 1 missed 0");

    for (const auto missed : {jtimer::MissedRuns::Skip, jtimer::MissedRuns::Once}) {
        Timer late(test::onClock(clock));
        const auto start = clock->now();
        late.scheduleAtFixedRate(
            [&, n = 0]() mutable {
                if (++n == 1) clock->advance(250);
            },
            start, 100, missed);
        clock->advanceTo(start + 300ms);
        BOOST_TEST(late.stats().missed == (missed == jtimer::MissedRuns::Skip ? 2U : 1U));
        BOOST_TEST(late.stats().executed == (missed == jtimer::MissedRuns::Skip ? 2U : 3U));
    }
}

BOOST_AUTO_TEST_CASE(lateness_and_busy_are_exact_on_a_manual_clock) {
    timer.schedule([this] { clock->advance(5); }, 10);
    timer.schedule([this] { clock->advance(3); }, 12);
    timer.schedule([] {}, 100);
    clock->advance(100);
    const TimerStats stats = timer.stats();
    BOOST_TEST(stats.lateness.count() == 3U);
    BOOST_TEST((stats.lateness.max() == 3ms));
    BOOST_TEST((stats.lateness.percentile(50) == 1us));
    BOOST_TEST((stats.busy == 8ms));
}

BOOST_AUTO_TEST_CASE(busy_includes_the_run_in_progress) {
    test::Gate running, released;
    const auto start = clock->now();
    timer.schedule(
        [&] {
            clock->advance(7);
            running.open();
            released.wait();
        },
        start);
    running.wait();
    BOOST_TEST((timer.stats().busy == 7ms));
    released.open();
    clock->waitUntilIdle();
    BOOST_TEST((timer.stats().busy == 7ms));
}

BOOST_AUTO_TEST_CASE(a_timer_that_an_exception_has_ended_was_busy_until_then) {
    Timer mortal(test::silentOnDeath(clock, true));
    mortal.schedule(
        [this] {
            clock->advance(5);
            throw 1;
        },
        10);
    clock->advance(10);
    clock->advance(100);
    BOOST_TEST((mortal.stats().busy == 5ms));
}

BOOST_AUTO_TEST_CASE(an_idle_timer_is_not_busy_and_its_waits_are_counted) {
    clock->waitUntilIdle();
    const std::uint64_t before = timer.stats().wakeUps;
    clock->advance(1000);
    BOOST_TEST((timer.stats().busy == 0ns));
    BOOST_TEST(timer.stats().wakeUps == before);
    timer.schedule([] {}, 10);
    clock->advance(10);
    BOOST_TEST(timer.stats().wakeUps == before + 2);  // for the new head, and when that was due
}

BOOST_AUTO_TEST_CASE(the_table_can_be_read_by_people) {
    timer.schedule([this] { clock->advance(5); }, 10);
    timer.scheduleAtFixedRate([] {}, 12, 100);
    clock->advance(50);
    TimerStats stats = timer.stats();
    stats.wakeUps = 3;
    std::ostringstream out;
    out << std::hex << stats;
    BOOST_TEST(out.str() == "pending                        1\n"
                            "scheduled                      2\n"
                            "executed                       2\n"
                            "cancelled                      0\n"
                            "discarded                      0\n"
                            "failed                         0\n"
                            "missed                         0\n"
                            "wake-ups                       3\n"
                            "busy                    5.000 ms\n"
                            "lateness p50            1.000 us\n"
                            "lateness p90            3.000 ms\n"
                            "lateness p99            3.000 ms\n"
                            "lateness p99.9          3.000 ms\n"
                            "lateness max            3.000 ms\n");
    stats.busy = 999ns;
    out.str({});
    out << stats;
    BOOST_TEST(out.str().find("\nbusy                      999 ns\n") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(the_numbers_add_up_at_any_time_whatever_races) {
    Timer racing("racing", true);
    std::atomic<std::uint64_t> accepted{0};
    std::atomic<int> wrong{0};
    const auto producer = [&](int round) {
        for (int i = 0; i < 5; ++i) {
            const auto task = racing.schedule([] {}, i == 0 ? 0 : 1000);
            ++accepted;
            if (i % 2 == 1) task->cancel();
        }
        if (round % 16 == 0) racing.purge();
    };
    const auto reader = [&](int) {
        const std::uint64_t least = accepted;
        const TimerStats stats = racing.stats();
        wrong += stats.scheduled < least || stats.executed + stats.cancelled > stats.scheduled;
    };
    test::race(1000, {producer, producer, reader});
    BOOST_TEST(racing.stats().scheduled == accepted.load());
    racing.cancel();
    BOOST_TEST(racing.awaitTermination(1h));
    const TimerStats end = racing.stats();
    BOOST_TEST(end.pending == 0U);
    BOOST_TEST(end.executed + end.cancelled + end.discarded == accepted.load());
    BOOST_TEST(wrong == 0);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_CASE(a_lateness_lies_in_the_power_of_two_above_it) {
    const auto bound = [](nanoseconds lateness) {
        LatenessHistogram histogram;
        histogram.add(lateness);
        histogram.add(100h);  // so that max() bounds nothing
        return histogram.percentile(50);
    };
    BOOST_TEST((bound(0ns) == 1us));
    BOOST_TEST((bound(999ns) == 1us));
    BOOST_TEST((bound(1000ns) == 2us));
    BOOST_TEST((bound(1999ns) == 2us));
    BOOST_TEST((bound(2us) == 4us));
    BOOST_TEST((bound(1ms) == 1024us));
    BOOST_TEST((bound(1h) == 4294967296us));
    BOOST_TEST((bound(4294967295us) == 4294967296us));
    BOOST_TEST((bound(4294967296us) == 8589934592us));
    LatenessHistogram greatest;
    greatest.add(nanoseconds::max());
    BOOST_TEST((greatest.percentile(50) == nanoseconds::max()));
}

BOOST_AUTO_TEST_CASE(a_percentile_is_the_bound_of_the_run_with_that_rank_and_at_most_the_maximum) {
    LatenessHistogram histogram;
    BOOST_TEST((histogram.percentile(50) == 0ns));
    for (int i = 0; i < 998; ++i) histogram.add(500ns);
    histogram.add(3us);
    histogram.add(70us);
    BOOST_TEST(histogram.count() == 1000U);
    BOOST_TEST((histogram.percentile(0) == 1us));
    BOOST_TEST((histogram.percentile(99) == 1us));
    BOOST_TEST((histogram.percentile(99.8) == 1us));
    BOOST_TEST((histogram.percentile(99.9) == 4us));
    BOOST_TEST((histogram.percentile(99.91) == 70us));
    BOOST_TEST((histogram.percentile(100) == 70us));
    for (const double wrong : {-0.1, 100.1, std::numeric_limits<double>::quiet_NaN()}) {
        CHECK_THROWS(histogram.percentile(wrong), jtimer::IllegalArgumentException,
                     "A percentile must be from 0 to 100.");
    }
}

BOOST_AUTO_TEST_CASE(readings_grow_rare_while_runs_are_short_and_frequent_while_they_are_not) {
    RunMeter meter;
    const auto runsUntilReading = [&meter](jtimer::detail::Nanos at) {
        int runs = 1;
        while (!meter.wantsReading(0)) ++runs;
        meter.noteReading(at);
        return runs;
    };
    BOOST_TEST(runsUntilReading(100) == 1);
    BOOST_TEST(runsUntilReading(200) == 1);
    BOOST_TEST(runsUntilReading(300) == 2);
    BOOST_TEST(runsUntilReading(400) == 4);
    BOOST_TEST(runsUntilReading(2500) == 8);
    BOOST_TEST(runsUntilReading(2600) == 8);
    BOOST_TEST(runsUntilReading(2700) == 16);
    BOOST_TEST(runsUntilReading(2800) == 32);
    BOOST_TEST(runsUntilReading(2900) == 64);
    BOOST_TEST(runsUntilReading(9000) == 64);
    BOOST_TEST(runsUntilReading(9100) == 1);
    BOOST_TEST(meter.wantsReading(9101));  // the cheap reading is ahead of the last exact one
}
