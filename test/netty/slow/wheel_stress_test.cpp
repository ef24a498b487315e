// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "netty/stress.hpp"

#include <chrono>
#include <ctime>

using namespace std::chrono_literals;

BOOST_AUTO_TEST_CASE(n64_n66_every_timeout_is_run_cancelled_or_returned) {
    for (unsigned seed = 1; seed <= 10; ++seed) test::stressWheel(seed, 100'000, false);
}

BOOST_AUTO_TEST_CASE(n64_n66_every_timeout_is_accounted_for_when_stop_races_with_newTimeout) {
    for (unsigned seed = 1; seed <= 1000; ++seed) test::stressWheel(seed, 1000, true);
}

BOOST_AUTO_TEST_CASE(n69_an_idle_timer_uses_no_cpu) {
    jtimer::netty::HashedWheelTimer timer(
        test::wheelOn(std::make_shared<jtimer::SteadyClock>(), 512, 1));
    timer.start();
    const auto cpu = [] {
        std::timespec time{};
        ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
        return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
    };
    boost::this_thread::sleep_for(boost::chrono::milliseconds(100));
    const auto before = cpu();
    boost::this_thread::sleep_for(boost::chrono::seconds(3));  // 3000 ticks, some 20 ms if walked
    BOOST_TEST((cpu() - before < 2ms));
}

BOOST_AUTO_TEST_CASE(n23_n30_on_a_real_clock_no_timeout_is_early) {
    const auto clock = std::make_shared<jtimer::SteadyClock>();
    jtimer::netty::HashedWheelTimer timer(test::wheelOn(clock, 512, 1));
    std::minstd_rand random(1);
    std::atomic<int> runs{0}, early{0};
    constexpr int count = 20'000;
    for (int i = 0; i < count; ++i) {
        const std::chrono::microseconds delay(random() % 300'000);
        const std::int64_t due = clock->nanos() + std::chrono::nanoseconds(delay).count();
        timer.newTimeout(
            [&, due] {
                early += clock->nanos() < due ? 1 : 0;
                ++runs;
            },
            delay);
    }
    while (runs < count) boost::this_thread::sleep_for(boost::chrono::milliseconds(1));
    BOOST_TEST(early == 0);
}
