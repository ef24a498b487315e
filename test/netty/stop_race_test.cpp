// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "netty/origin.hpp"
#include "support/manual_wheel.hpp"
#include "support/race.hpp"
#include "support/test.hpp"

using namespace std::chrono_literals;
using jtimer::IllegalStateException;
using jtimer::netty::HashedWheelTimer;
using jtimer::netty::detail::TimeoutAccess;
using test::Handle;
using test::ManualWheel;

BOOST_FIXTURE_TEST_SUITE(stop_race, ManualWheel)

BOOST_AUTO_TEST_CASE(
    n59_what_was_written_before_a_cancel_that_races_with_stop_is_visible_in_cancelled) {
    // Without happens-before, ThreadSanitizer reports this plain variable.
    for (const bool isLinked : {false, true}) {
        ManualWheel wheel;
        int written = 0, seen = 0;
        const Handle slow = wheel.timer.newTimeout(
            std::make_shared<test::WheelTask>([](const Handle&) {},
                                              [&](const Handle&) { seen = written; }),
            1h);
        wheel.advanceTo(100);
        std::atomic<bool> isCancelled{false};
        boost::thread canceller([&] {
            written = 1;
            TimeoutAccess::cancel(*slow);
            if (isLinked) TimeoutAccess::setLink(*slow, nullptr);
            isCancelled.store(true, std::memory_order_relaxed);
        });
        while (!isCancelled.load(std::memory_order_relaxed)) boost::this_thread::yield();
        BOOST_TEST(wheel.timer.stop().empty());
        canceller.join();
        BOOST_TEST(seen == 1);
        TimeoutAccess::origin(*slow)->push(*slow);
    }
}

BOOST_AUTO_TEST_CASE(n64_each_of_run_and_cancelled_once_when_cancel_races_with_stop) {
    constexpr int perRound = 8;
    std::vector<Handle> handles;
    std::atomic<int> runs{0}, calls{0}, cancelled{0}, returned{0};
    const auto given = std::make_shared<test::WheelTask>([&](const Handle&) { ++runs; },
                                                         [&](const Handle&) { ++calls; });
    std::optional<HashedWheelTimer> raced;  // destroyed before what its timeouts use
    const auto arm = [&] {
        runs = calls = cancelled = returned = 0;
        raced.emplace(test::wheelOn(clock));
        handles.clear();
        for (int i = 0; i < perRound; ++i) handles.push_back(raced->newTimeout(given, i * 30));
    };
    const auto cancelAll = [&](int) {
        for (const Handle& handle : handles) cancelled += handle->cancel() ? 1 : 0;
    };
    arm();
    test::race(300,
               {[&](int) { returned = static_cast<int>(raced->stop().size()); },
                [&](int) { clock->advance(100); }, cancelAll},
               [&](int) {
                   BOOST_TEST(runs + cancelled + returned == perRound);
                   BOOST_TEST(calls == cancelled + returned);
                   BOOST_TEST(raced->pendingTimeouts() == 0);
                   arm();
               });
}

BOOST_AUTO_TEST_CASE(n66_newTimeout_racing_stop_throws_or_runs_or_is_returned) {
    constexpr int perRound = 8;
    std::optional<HashedWheelTimer> raced;
    std::atomic<int> runs{0}, accepted{0}, returned{0};
    const auto arm = [&] {
        runs = accepted = returned = 0;
        raced.emplace(test::wheelOn(clock));
        raced->start();
    };
    const auto addSome = [&](int) {
        for (int i = 0; i < perRound; ++i) {
            try {
                raced->newTimeout([&] { ++runs; }, -100);
                ++accepted;
            } catch (const IllegalStateException& e) {
                BOOST_TEST(e.what() == std::string("cannot be started once stopped"));
            }
        }
    };
    arm();
    test::race(300,
               {addSome, [&](int) { returned = static_cast<int>(raced->stop().size()); },
                [&](int) { clock->advance(100); }},
               [&](int) {
                   BOOST_TEST(runs + returned == accepted);
                   BOOST_TEST(raced->pendingTimeouts() == 0);
                   arm();
               });
}

// For ThreadSanitizer: that the timer has been started, the stopping thread learns by a relaxed
// atomic, which orders nothing.
BOOST_AUTO_TEST_CASE(n66_the_first_newTimeout_and_stop_may_be_called_by_two_threads) {
    HashedWheelTimer fresh(test::wheelOn(clock));
    std::atomic<bool> added{false};
    boost::thread other([&] {
        fresh.newTimeout([] {}, 1h);
        added.store(true, std::memory_order_relaxed);
    });
    while (!added.load(std::memory_order_relaxed)) boost::this_thread::yield();
    BOOST_TEST(fresh.stop().size() == 1U);
    other.join();
}

BOOST_AUTO_TEST_SUITE_END()
