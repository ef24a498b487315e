// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "support/child_process.hpp"
#include "support/manual_wheel.hpp"
#include "support/system_threads.hpp"
#include "support/throws.hpp"

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

using namespace std::chrono_literals;
using jtimer::IllegalArgumentException;
using jtimer::netty::HashedWheelTimer;
using jtimer::netty::HashedWheelTimerOptions;

namespace {

static_assert(!std::is_copy_constructible_v<HashedWheelTimer>);
static_assert(!std::is_move_constructible_v<HashedWheelTimer>);
static_assert(!std::is_convertible_v<HashedWheelTimerOptions, HashedWheelTimer>);
static_assert(!std::is_default_constructible_v<jtimer::netty::Timeout>);
static_assert(!std::is_copy_constructible_v<jtimer::netty::Timeout>);
static_assert(std::is_same_v<decltype(HashedWheelTimerOptions::name), std::optional<std::string>>);

void construct(jtimer::TimeSpan tickDuration, int ticksPerWheel) {
    HashedWheelTimerOptions options;
    options.name = "test";
    options.tickDuration = tickDuration;
    options.ticksPerWheel = ticksPerWheel;
    HashedWheelTimer timer(options);
}

constexpr auto kForever = std::chrono::nanoseconds::max();

}  // namespace

BOOST_AUTO_TEST_CASE(n1_a_constructor_starts_no_thread) {
    const auto before = test::numberOfThreads();
    const HashedWheelTimer timer;
    BOOST_TEST(test::numberOfThreads() == before);
}

BOOST_AUTO_TEST_CASE(n1_a_manual_clock_can_be_moved_beside_a_timer_that_is_not_started) {
    const auto clock = std::make_shared<jtimer::ManualClock>(test::kStart);
    const HashedWheelTimer timer(test::wheelOn(clock));
    clock->advance(24h);
    BOOST_TEST(!clock->advanceToNext());
}

BOOST_AUTO_TEST_CASE(a_timer_tells_its_clock_at_any_time) {
    const auto clock = std::make_shared<jtimer::ManualClock>(test::kStart);
    HashedWheelTimer timer(test::wheelOn(clock));
    BOOST_TEST(timer.clock() == clock);
    timer.start();
    BOOST_TEST((timer.clock()->now() == test::kStart));
    timer.stop();
    BOOST_TEST(timer.clock() == clock);
    const HashedWheelTimer byDefault;
    BOOST_TEST((dynamic_cast<jtimer::SteadyClock*>(byDefault.clock().get()) != nullptr));
}

BOOST_AUTO_TEST_CASE(n2_the_defaults_are_ticks_of_100_ms_512_slots_and_no_limit) {
    const HashedWheelTimerOptions options;
    BOOST_TEST(!options.name);
    BOOST_TEST(!options.clock);
    BOOST_TEST(options.tickDuration.value().millis == 100);
    BOOST_TEST(options.tickDuration.value().nanos == 0);
    BOOST_TEST(options.ticksPerWheel == 512);
    BOOST_TEST(options.maxPendingTimeouts == 0);
    BOOST_TEST(!options.taskExecutor);
    BOOST_TEST(!options.uncaughtExceptionHandler);
}

BOOST_AUTO_TEST_CASE(n3_a_tick_duration_of_0_or_less_is_refused_with_its_milliseconds) {
    const auto refused = [](jtimer::TimeSpan span, const std::string& shown) {
        CHECK_THROWS(construct(span, 8), IllegalArgumentException,
                     "tickDuration : " + shown + " (expected: > 0)");
    };
    refused(0, "0");
    refused(-1, "-1");
    refused(-1ns, "-1");
    refused(-1'000'000ns, "-1");
    refused(-1'000'001ns, "-2");
    refused(std::numeric_limits<std::int64_t>::min(), "-9223372036854775808");
}

BOOST_AUTO_TEST_CASE(n4_a_number_of_ticks_of_0_or_less_or_above_2_to_the_30_is_refused) {
    CHECK_THROWS(construct(100, 0), IllegalArgumentException, "ticksPerWheel : 0 (expected: > 0)");
    CHECK_THROWS(construct(100, -7), IllegalArgumentException,
                 "ticksPerWheel : -7 (expected: > 0)");
    CHECK_THROWS(construct(100, 1073741825), IllegalArgumentException,
                 "ticksPerWheel may not be greater than 2^30: 1073741825");
    CHECK_THROWS(construct(100, std::numeric_limits<int>::max()), IllegalArgumentException,
                 "ticksPerWheel may not be greater than 2^30: 2147483647");
}

/// The limit of N6, as the message shows it, tells the number of slots.
BOOST_AUTO_TEST_CASE(n5_n6_the_slots_are_rounded_up_to_a_power_of_two_and_limit_the_tick) {
    const auto limit = [](int ticks, std::int64_t slots) {
        const std::int64_t nanos = std::numeric_limits<std::int64_t>::max() / slots;
        const std::string millis = std::to_string(nanos / 1'000'000);
        CHECK_THROWS(construct(std::chrono::nanoseconds(nanos), ticks), IllegalArgumentException,
                     "tickDuration: " + millis + " (expected: 0 < tickDuration in nanos < " +
                         std::to_string(nanos) + ')');
        if (ticks < 1000) construct(std::chrono::nanoseconds(nanos - 1), ticks);
    };
    limit(1, 1);
    limit(2, 2);
    limit(3, 4);
    limit(500, 512);
    limit(512, 512);
    limit(513, 1024);
    limit(1 << 30, 1 << 30);
}

BOOST_AUTO_TEST_CASE(n6_a_tick_beyond_64_bits_of_nanoseconds_shows_its_milliseconds) {
    CHECK_THROWS(construct(std::numeric_limits<std::int64_t>::max(), 1), IllegalArgumentException,
                 "tickDuration: 9223372036854775807 (expected: 0 < tickDuration in nanos < "
                 "9223372036854775807)");
}

BOOST_AUTO_TEST_CASE(n7_the_first_check_that_fails_decides) {
    CHECK_THROWS(construct(0, 0), IllegalArgumentException, "tickDuration : 0 (expected: > 0)");
    CHECK_THROWS(construct(kForever, -1), IllegalArgumentException,
                 "ticksPerWheel : -1 (expected: > 0)");
    CHECK_THROWS(construct(kForever, 1 << 30), IllegalArgumentException,
                 "tickDuration: 9223372036854 (expected: 0 < tickDuration in nanos < 8589934591)");
}

CHILD_PROCESS(makes_short_ticks) {
    construct(999'999ns, 8);
    construct(1ns, 8);
    construct(1ms, 8);
    const auto clock = std::make_shared<jtimer::ManualClock>(test::kStart);
    HashedWheelTimer timer(test::wheelOn(clock, 8, 1us));
    timer.newTimeout([&] { test::print(std::to_string(clock->nanos() % 1'000'000'000) + '\n'); },
                     1500us);
    clock->advance(1h);
}

BOOST_AUTO_TEST_CASE(n8_a_tick_below_1_ms_becomes_1_ms_and_stderr_says_so) {
    const auto child = test::runChild("makes_short_ticks");
    BOOST_TEST(child.out == "2000000\n");
    BOOST_TEST(child.err == "Configured tickDuration 999999 smaller than 1000000, using 1ms.\n"
                            "Configured tickDuration 1 smaller than 1000000, using 1ms.\n"
                            "Configured tickDuration 1000 smaller than 1000000, using 1ms.\n");
    BOOST_TEST(child.exitCode == 0);
}

BOOST_AUTO_TEST_CASE(n9_a_limit_of_0_or_less_is_none) {
    for (const std::int64_t none :
         {std::int64_t{0}, std::int64_t{-1}, std::numeric_limits<std::int64_t>::min()}) {
        HashedWheelTimerOptions options = test::wheelOn(std::make_shared<jtimer::ManualClock>());
        options.maxPendingTimeouts = none;
        HashedWheelTimer timer(options);
        for (int i = 0; i < 100; ++i) timer.newTimeout([] {}, 1h);
        BOOST_TEST(timer.pendingTimeouts() == 100);
    }
}

CHILD_PROCESS(makes_many_instances) {
    std::vector<std::unique_ptr<HashedWheelTimer>> timers;
    const auto fill = [&](std::size_t count) {
        while (timers.size() < count) timers.push_back(std::make_unique<HashedWheelTimer>());
    };
    fill(64);
    for (int i = 0; i < 10; ++i) {
        try {
            construct(0, 1);
        } catch (const IllegalArgumentException&) {
        }
    }
    timers.pop_back();  // one destroyed, one stopped, one stopped twice and then destroyed
    timers.back()->stop();
    timers[0]->stop();
    timers[0]->stop();
    timers[0].reset();
    const HashedWheelTimer first, second, third;
    test::print("64\n");
    const HashedWheelTimer oneTooMany;
    fill(100);
    timers.clear();
    fill(100);
}

BOOST_AUTO_TEST_CASE(n10_more_than_64_instances_are_reported_once) {
    const auto child = test::runChild("makes_many_instances");
    BOOST_TEST(child.err ==
               "You are creating too many HashedWheelTimer instances. HashedWheelTimer is a shared "
               "resource that must be reused across the process, so that only a few instances are "
               "created.\n");
    BOOST_TEST(child.out == "64\n");
    BOOST_TEST(child.exitCode == 0);
}

CHILD_PROCESS(makes_64_instances_at_a_time) {
    for (int i = 0; i < 100; ++i) HashedWheelTimer().stop();
    for (int i = 0; i < 100; ++i) const HashedWheelTimer destroyed;
    std::vector<std::unique_ptr<HashedWheelTimer>> timers;
    while (timers.size() < 64) timers.push_back(std::make_unique<HashedWheelTimer>());
}

BOOST_AUTO_TEST_CASE(n10_64_instances_at_a_time_are_not_reported) {
    const auto child = test::runChild("makes_64_instances_at_a_time");
    BOOST_TEST(child.err == "");
    BOOST_TEST(child.exitCode == 0);
}

BOOST_AUTO_TEST_CASE(options_with_two_names_may_have_one_value_only) {
    HashedWheelTimerOptions options;
    options.maxPending = 2;
    options.maxPendingTimeouts = 2;
    HashedWheelTimer{options};
    options.maxPendingTimeouts = -1;
    HashedWheelTimer{options};
    options.maxPendingTimeouts = 3;
    CHECK_THROWS(HashedWheelTimer{options}, IllegalArgumentException,
                 "maxPending: 2, but maxPendingTimeouts: 3");
    options.maxPending = 0;
    options.executor = options.taskExecutor = [](const std::function<void()>& run) { run(); };
    CHECK_THROWS(HashedWheelTimer{options}, IllegalArgumentException,
                 "executor and taskExecutor are the same option");
    options.maxPending = std::numeric_limits<std::size_t>::max();
    options.maxPendingTimeouts = std::numeric_limits<std::int64_t>::max();
    options.ticksPerWheel = 0;
    CHECK_THROWS(HashedWheelTimer{options}, IllegalArgumentException,
                 "ticksPerWheel : 0 (expected: > 0)");
    options.ticksPerWheel = 1;
    options.executor = nullptr;
    HashedWheelTimer{options};
}

BOOST_AUTO_TEST_CASE(max_pending_and_executor_may_have_the_names_that_all_timers_use) {
    const auto clock = std::make_shared<jtimer::ManualClock>(test::kStart);
    auto options = test::wheelOn(clock);
    std::vector<std::function<void()>> handedOver;
    options.maxPending = 1;
    options.executor = [&](std::function<void()> run) { handedOver.push_back(std::move(run)); };
    HashedWheelTimer timer(options);
    timer.newTimeout([] {}, 0);
    CHECK_THROWS(timer.newTimeout([] {}, 0), jtimer::RejectedExecutionException,
                 "Number of pending timeouts (2) is greater than or equal to maximum allowed "
                 "pending timeouts (1)");
    clock->advance(100);
    BOOST_TEST(handedOver.size() == 1U);
}

CHILD_PROCESS(prints_names) {
    const auto print = [](const HashedWheelTimer& timer) { test::print(timer.name() + '\n'); };
    print(HashedWheelTimer());
    print(HashedWheelTimer());
    HashedWheelTimerOptions options;
    options.name = "";
    print(HashedWheelTimer(options));
    options.name = "mine";
    print(HashedWheelTimer(options));
    try {
        options.name.reset();
        options.tickDuration = 0;
        HashedWheelTimer refused(options);
    } catch (const IllegalArgumentException&) {
    }
    print(HashedWheelTimer(HashedWheelTimerOptions{}));
}

BOOST_AUTO_TEST_CASE(the_default_names_count_the_unnamed_timers_of_the_process) {
    const auto child = test::runChild("prints_names");
    BOOST_TEST(child.out == "HashedWheel-0\nHashedWheel-1\n\nmine\nHashedWheel-2\n");
    BOOST_TEST(child.exitCode == 0);
}
