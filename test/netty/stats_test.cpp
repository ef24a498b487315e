// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "support/counts.hpp"
#include "support/manual_wheel.hpp"
#include "support/race.hpp"
#include "support/test.hpp"

using namespace std::chrono_literals;
using jtimer::netty::HashedWheelTimer;
using test::counts;

namespace {

jtimer::netty::HashedWheelTimerOptions silentOn(std::shared_ptr<jtimer::Clock> clock) {
    auto options = test::wheelOn(std::move(clock));
    options.uncaughtExceptionHandler = [](const std::string&, const std::exception_ptr&) {};
    return options;
}

}  // namespace

BOOST_FIXTURE_TEST_SUITE(netty_stats, test::ManualWheel)

BOOST_AUTO_TEST_CASE(timeouts_are_pending_until_they_run_or_their_cancellation_is_processed) {
    BOOST_TEST(counts(timer.stats()) == "pending 0 executed 0 cancelled 0 failed 0 latest 0");
    add("a", 10);
    const auto cancelled = add("b", 150);
    add("c", 250);
    BOOST_TEST(counts(timer.stats()) == "pending 3 executed 0 cancelled 0 failed 0 latest 0");
    cancelled->cancel();
    BOOST_TEST(counts(timer.stats()) == "pending 3 executed 0 cancelled 0 failed 0 latest 0");
    advanceTo(100);
    BOOST_TEST(counts(timer.stats()) == "pending 1 executed 1 cancelled 1 failed 0 latest 0");
    BOOST_TEST(timer.stop().size() == 1U);
    BOOST_TEST(counts(timer.stats()) == "pending 0 executed 1 cancelled 2 failed 0 latest 0");
}

BOOST_AUTO_TEST_CASE(the_lateness_counts_from_the_end_of_the_tick) {
    at(0, [this] { clock->advance(7); });
    at(99, [] {});
    at(100, [this] { clock->advance(250); });  // until 450
    at(201, [] {});
    advanceTo(199);
    BOOST_TEST(counts(timer.stats()) == "pending 2 executed 2 cancelled 0 failed 0 latest 7000");
    advanceTo(500);
    BOOST_TEST(counts(timer.stats()) == "pending 0 executed 4 cancelled 0 failed 0 latest 150000");
}

BOOST_AUTO_TEST_CASE(a_deadline_that_had_passed_counts_from_the_end_of_its_tick) {
    advanceTo(150);
    at(-100, [] {});
    advanceTo(200);
    BOOST_TEST(counts(timer.stats()) == "pending 0 executed 1 cancelled 0 failed 0 latest 100000");
}

BOOST_AUTO_TEST_CASE(a_run_that_throws_has_failed_but_not_a_cancelled_call) {
    HashedWheelTimer failing(silentOn(clock));
    std::string running;
    failing.newTimeout(
        [&] {
            running = counts(failing.stats());
            throw 1;
        },
        0);
    failing
        .newTimeout(std::make_shared<test::WheelTask>([](const test::Handle&) {},
                                                      [](const test::Handle&) { throw 2; }),
                    0)
        ->cancel();
    clock->advance(100);
    BOOST_TEST(running == "pending 1 executed 1 cancelled 0 failed 0 latest 0");
    BOOST_TEST(counts(failing.stats()) == "pending 0 executed 1 cancelled 1 failed 1 latest 0");
}

BOOST_AUTO_TEST_CASE(with_an_executor_a_run_is_executed_when_it_is_handed_over) {
    auto options = silentOn(clock);
    std::vector<std::function<void()>> handedOver;
    options.executor = [&](std::function<void()> run) {
        if (!handedOver.empty()) throw 1;
        handedOver.push_back(std::move(run));
    };
    HashedWheelTimer executing(options);
    executing.newTimeout([] { throw 2; }, 0);
    executing.newTimeout([] {}, 0);
    clock->advance(100);
    BOOST_TEST(counts(executing.stats()) == "pending 0 executed 2 cancelled 0 failed 1 latest 0");
    handedOver.front()();
    BOOST_TEST(counts(executing.stats()) == "pending 0 executed 2 cancelled 0 failed 2 latest 0");
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_CASE(netty_stats_may_be_read_while_the_timer_works) {
    jtimer::netty::HashedWheelTimerOptions options;
    options.tickDuration = 1;
    HashedWheelTimer timer(options);
    std::atomic<int> wrong{0};
    const auto producer = [&](int round) {
        timer.newTimeout([] {}, 0);
        const auto later = timer.newTimeout([] {}, 1h);
        if (round % 2 == 0) later->cancel();
    };
    const auto reader = [&](int) {
        const auto stats = timer.stats();
        wrong += stats.pending + stats.executed + stats.cancelled > 1000;
    };
    test::race(300, {producer, reader});
    timer.stop();
    const auto end = timer.stats();
    BOOST_TEST(end.pending == 0U);
    BOOST_TEST(end.executed + end.cancelled == 600U);
    BOOST_TEST(wrong == 0);
}
