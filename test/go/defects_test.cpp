// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
//
// The defects that Go's timers had before 1.23, and some after it, as things that ours do not do.
// On real time: these are races.
#include "support/counter.hpp"
#include "support/manual_timers.hpp"
#include "support/race.hpp"
#include "support/test.hpp"

using namespace std::chrono_literals;
using jtimer::go::Channel;
using jtimer::go::Timer;
using jtimer::go::Timers;
using test::millis;

namespace {

struct RealTimers {
    Timers timers;
};

/// Keeps every processor busy while it exists.
class BusyThreads {
  public:
    explicit BusyThreads(unsigned count) {
        for (unsigned i = 0; i < count; ++i) {
            threads_.create_thread([this] {
                while (!stop_.load(std::memory_order_relaxed)) {
                }
            });
        }
    }
    ~BusyThreads() {
        stop_ = true;
        threads_.join_all();
    }

  private:
    std::atomic<bool> stop_{false};
    boost::thread_group threads_;
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(go_defects, RealTimers)

BOOST_AUTO_TEST_CASE(u1_no_value_of_an_earlier_start_is_received_after_stop_or_reset) {
    Timer timer = timers.newTimer(0);
    std::minstd_rand random(1);
    for (int i = 0; i < 20000; ++i) {
        // On the very edge of its time.
        timer.reset(std::chrono::nanoseconds(random() % 20000));
        if (i % 2 == 0) {
            timer.stop();
        } else {
            timer.reset(1h);
        }
        BOOST_REQUIRE(!timer.C().tryReceive());
    }
}

BOOST_AUTO_TEST_CASE(u2_with_nobody_receiving_stop_says_true_whenever_it_comes) {
    Timer timer = timers.newTimer(0);
    std::minstd_rand random(2);
    for (int i = 0; i < 20000; ++i) {
        timer.reset(std::chrono::nanoseconds(random() % 10000));
        BOOST_REQUIRE(timer.stop());
        BOOST_REQUIRE(!timer.stop());
    }
}

BOOST_AUTO_TEST_CASE(u3_threads_that_poll_and_reset_one_timer_lose_and_double_nothing) {
    Timer timer = timers.newTimer(1ns);
    std::atomic<std::int64_t> starts{1};
    std::atomic<std::int64_t> ends{0};
    boost::thread_group threads;
    for (int t = 0; t < 8; ++t) {
        threads.create_thread([&] {
            for (int i = 0; i < 2000; ++i) {
                if (timer.C().tryReceive()) ++ends;
                ++starts;
                if (timer.reset(1ns)) ++ends;
            }
        });
    }
    threads.join_all();
    if (timer.stop()) ++ends;
    BOOST_TEST(ends == starts);
}

BOOST_AUTO_TEST_CASE(u4_after_a_stop_that_said_true_reset_says_false) {
    // A busy poller: it pops these all the time.
    std::vector<Channel> others;
    for (int i = 0; i < 100; ++i) others.push_back(timers.tick(1us));
    Timer channel = timers.newTimer(0);
    std::atomic<std::int64_t> runs{0};
    Timer function = timers.afterFunc(1h, [&] { ++runs; });
    std::minstd_rand random(4);
    std::int64_t expected = 0;
    for (int i = 0; i < 5000; ++i) {
        for (Timer* const timer : {&channel, &function}) {
            timer->reset(std::chrono::nanoseconds(random() % 10000));
            others[static_cast<std::size_t>(i) % others.size()].tryReceive();
            const bool stopped = timer->stop();
            if (timer == &function && !stopped) ++expected;
            BOOST_REQUIRE(!timer->reset(1h));
            BOOST_REQUIRE(timer->stop());
        }
    }
    while (runs < expected) boost::this_thread::yield();
    BOOST_TEST(runs == expected);
}

BOOST_AUTO_TEST_CASE(u5_no_timer_that_is_moved_to_earlier_again_and_again_is_lost) {
    std::vector<Timer> all;
    for (int i = 0; i < 1000; ++i) all.push_back(timers.newTimer(1h));
    for (int d = 1000; d > 0; d -= 100) {
        for (Timer& timer : all) BOOST_REQUIRE(timer.reset(std::chrono::seconds(d)));
    }
    for (Timer& timer : all) BOOST_REQUIRE(timer.reset(1ms));
    for (Timer& timer : all) {
        const auto value = timer.C().receiveFor(20s);
        BOOST_REQUIRE(value.has_value());
    }
    BOOST_TEST(timers.stats().pending == 0U);
}

BOOST_AUTO_TEST_CASE(u5_of_many_zero_timers_none_is_lost) {
    constexpr int perThread = 5000;
    std::vector<boost::thread> threads;
    std::atomic<int> received{0};
    for (int t = 0; t < 4; ++t) {
        threads.emplace_back([&] {
            for (int i = 0; i < perThread; ++i) {
                const Timer timer = timers.newTimer(0);
                if (i % 2 == 0 ? timer.C().tryReceive().has_value()
                               : timer.C().receiveFor(20s).has_value()) {
                    ++received;
                }
            }
        });
    }
    for (auto& thread : threads) thread.join();
    BOOST_TEST(received == 4 * perThread);
}

BOOST_AUTO_TEST_CASE(u6_no_call_waits_for_the_poller) {
    // It is held up inside a function, between popping it and being able to go on.
    test::ManualTimers t(test::goInline(nullptr));
    Timer other = t.timers.newTimer(10);
    Timer own;
    int calls = 0;
    own = t.timers.afterFunc(10, [&] {
        t.clock->advance(10);
        boost::thread([&] {
            BOOST_TEST(!own.stop());
            BOOST_TEST(!own.reset(100));
            BOOST_TEST(own.stop());
            BOOST_TEST(other.reset(0));
            BOOST_TEST(other.C().tryReceive().has_value());
            BOOST_TEST((t.timers.newTimer(0).C().receive() == t.timers.now()));
            t.timers.check();
            ++calls;
        }).join();
    });
    t.clock->advance(10);
    BOOST_TEST(calls == 1);
}

BOOST_AUTO_TEST_CASE(u7_a_function_runs_although_busy_threads_hold_every_processor) {
    const BusyThreads busy(2 * std::max(1U, boost::thread::hardware_concurrency()));
    test::Counter ran;
    for (int i = 1; i <= 20; ++i) {
        timers.afterFunc(1us, [&ran] { ran.up(); });
        BOOST_REQUIRE(ran.reaches(i));
    }
}

BOOST_AUTO_TEST_CASE(u8_one_handle_in_eight_threads_corrupts_nothing) {
    Timer timer = timers.newTimer(1us);
    auto ticker = timers.newTicker(1us);
    std::vector<test::Racer> racers;
    for (int t = 0; t < 8; ++t) {
        racers.push_back([&, t](int round) {
            switch ((t + round) % 4) {
            case 0:
                timer.reset(std::chrono::microseconds(round % 5));
                break;
            case 1:
                timer.stop();
                break;
            case 2:
                ticker.reset(std::chrono::microseconds(1 + round % 5));
                break;
            default:
                timer.C().tryReceive();
                ticker.C().tryReceive();
            }
        });
    }
    test::race(300, racers, [&](int) { timers.check(); });
    timer.stop();
    ticker.stop();
    BOOST_TEST(timers.stats().pending == 0U);
}

BOOST_AUTO_TEST_CASE(u9_abandoned_channels_leave_nothing_pending) {
    for (int i = 0; i < 200000; ++i) static_cast<void>(timers.after(5s));
    BOOST_TEST(timers.stats().pending == 0U);
}

BOOST_AUTO_TEST_SUITE_END()
