// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "support/counts.hpp"
#include "support/manual_timers.hpp"
#include "support/race.hpp"
#include "support/test.hpp"

using namespace std::chrono_literals;
using jtimer::go::Channel;
using jtimer::go::Timers;
using test::counts;

BOOST_FIXTURE_TEST_SUITE(go_stats, test::ManualTimers)

BOOST_AUTO_TEST_CASE(timers_are_pending_until_they_fire_or_are_stopped) {
    BOOST_TEST(counts(timers.stats()) == "pending 0 executed 0 cancelled 0 failed 0 latest 0");
    const auto unread = timers.newTimer(10);
    auto stopped = timers.newTimer(10), stoppedFunction = timers.afterFunc(10, [] {});
    timers.afterFunc(10, [] {});
    { const Channel dropped = timers.after(10); }
    BOOST_TEST(counts(timers.stats()) == "pending 4 executed 0 cancelled 1 failed 0 latest 0");
    BOOST_TEST(stopped.stop());
    BOOST_TEST(stoppedFunction.stop());
    BOOST_TEST(!stopped.stop());
    BOOST_TEST(counts(timers.stats()) == "pending 2 executed 0 cancelled 3 failed 0 latest 0");
    clock->advance(10);
    BOOST_TEST(counts(timers.stats()) == "pending 0 executed 2 cancelled 3 failed 0 latest 0");
    BOOST_TEST(unread.C().tryReceive().has_value());
    BOOST_TEST(counts(timers.stats()) == "pending 0 executed 2 cancelled 3 failed 0 latest 0");
}

BOOST_AUTO_TEST_CASE(a_reset_counts_as_nothing) {
    auto timer = timers.newTimer(10), function = timers.afterFunc(10, [] {});
    for (int i = 0; i < 3; ++i) {
        timer.reset(20);
        function.reset(20);
    }
    BOOST_TEST(counts(timers.stats()) == "pending 2 executed 0 cancelled 0 failed 0 latest 0");
    clock->advance(20);
    BOOST_TEST(timer.reset(20));  // unread
    BOOST_TEST(!function.reset(20));
    clock->advance(20);
    BOOST_TEST(counts(timers.stats()) == "pending 0 executed 4 cancelled 0 failed 0 latest 0");
}

BOOST_AUTO_TEST_CASE(a_value_counts_once_whether_the_poller_or_a_receiver_fires_it) {
    const Channel immediate = timers.after(0), ticks = timers.tick(10);
    BOOST_TEST(immediate.tryReceive().has_value());
    clock->advance(25);  // the tick of 10 is unread, that of 20 was dropped
    BOOST_TEST(counts(timers.stats()) == "pending 0 executed 2 cancelled 0 failed 0 latest 0");
    BOOST_TEST(test::millis(ticks.tryReceive()) == 10);
    BOOST_TEST(counts(timers.stats()) == "pending 1 executed 2 cancelled 0 failed 0 latest 0");
    clock->advance(5);
    BOOST_TEST(test::millis(ticks.tryReceive()) == 30);
    BOOST_TEST(counts(timers.stats()) == "pending 1 executed 3 cancelled 0 failed 0 latest 0");
}

BOOST_AUTO_TEST_CASE(a_value_that_ends_a_blocked_call_counts_once) {
    const Channel ticks = timers.tick(10);
    inFunctionThread([&] {
        for (int i = 0; i < 3; ++i) ticks.receive();
        timers.after(10).receive();
        timers.after(10).receiveFor(1h);
    });
    clock->advance(50);
    // The function, three ticks and two values; and the tick of 40, unread.
    BOOST_TEST(counts(timers.stats()) == "pending 0 executed 7 cancelled 0 failed 0 latest 0");
}

BOOST_AUTO_TEST_CASE(sleeps_and_time_outs_are_only_pending) {
    inFunctionThread([&] {
        timers.sleep(10);
        timers.newTimer(1h).C().receiveFor(10);
    });
    BOOST_TEST(counts(timers.stats()) == "pending 1 executed 1 cancelled 0 failed 0 latest 0");
    clock->advance(10);
    BOOST_TEST(counts(timers.stats()) == "pending 2 executed 1 cancelled 0 failed 0 latest 0");
    clock->advance(10);
    BOOST_TEST(counts(timers.stats()) == "pending 0 executed 1 cancelled 1 failed 0 latest 0");
}

BOOST_AUTO_TEST_CASE(functions_and_executors_that_throw_have_failed) {
    auto options = test::goInline(clock);
    options.uncaughtExceptionHandler = [](const std::string&, const std::exception_ptr&) {};
    Timers inlined(options);
    inlined.afterFunc(10, [this] {
        clock->advance(5);
        throw 1;
    });
    inlined.afterFunc(12, [] {});
    clock->advance(12);
    clock->waitUntilIdle();
    BOOST_TEST(counts(inlined.stats()) == "pending 0 executed 2 cancelled 0 failed 1 latest 3000");

    options.executor = [](const std::function<void()>&) { throw 2; };
    Timers refusing(options);
    refusing.afterFunc(0, [] {});
    clock->waitUntilIdle();
    BOOST_TEST(counts(refusing.stats()) == "pending 0 executed 1 cancelled 0 failed 1 latest 0");
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_CASE(go_stats_may_be_read_while_the_timers_work) {
    jtimer::go::TimersOptions options;
    options.shards = 2;
    Timers timers(options);
    std::atomic<std::uint64_t> fired{0};
    const auto producer = [&](int) {
        auto timer = timers.newTimer(0);
        fired += timer.C().tryReceive().has_value();
        auto stopped = timers.newTimer(1h);
        stopped.stop();
        timers.afterFunc(0, [&] { ++fired; });
    };
    const auto reader = [&](int) { static_cast<void>(timers.stats()); };
    test::race(200, {producer, producer, reader});
    while (fired < 800) boost::this_thread::yield();
    const auto end = timers.stats();
    BOOST_TEST(end.pending == 0U);
    BOOST_TEST(end.executed == 800U);
    BOOST_TEST(end.cancelled == 400U);
}
