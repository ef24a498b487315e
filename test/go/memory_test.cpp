// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
//
// Running out of memory: this program's operator new fails when a case says so.
// A program of its own, for it replaces operator new.
#include "support/failing_new.hpp"
#include "support/manual_timers.hpp"
#include "support/test.hpp"

using namespace std::chrono_literals;
using jtimer::go::Channel;
using jtimer::go::Timer;
using jtimer::go::Timers;

BOOST_AUTO_TEST_SUITE(go_memory)

BOOST_AUTO_TEST_CASE(g31_a_call_that_any_of_its_allocations_fails_has_changed_nothing) {
    Timers timers(test::goOnClock(std::make_shared<jtimer::SteadyClock>()));
    const Timer far = timers.newTimer(1h);
    const Timer farther = timers.newTimer(2h);
    const std::vector<Channel> channels{far.C(), farther.C()};
    const std::vector<std::function<void()>> waits{
        [&] { timers.sleep(1ms); },
        [&] { channels[0].receiveFor(1ms); },
        [&] { jtimer::go::select(channels, 1ms); },
    };
    const std::vector<std::function<void()>> starts{
        [&] { static_cast<void>(timers.newTimer(1h)); },
        [&] { timers.afterFunc(1h, [] {}).stop(); },
        [&] { static_cast<void>(timers.newTicker(1h)); },
    };
    const auto checkEach = [&](const auto& calls, std::size_t pending) {
        for (const auto& call : calls) {
            const auto isAsBefore = [&] {
                timers.check();
                BOOST_TEST(timers.stats().pending == pending);
            };
            BOOST_TEST(test::countBadAllocs(isAsBefore, call) > 0);
            isAsBefore();
        }
    };
    checkEach(waits, 2);
    checkEach(starts, 2);
    // With one of these numbers of timers, a wait with a time-out finds the heap full.
    std::vector<Timer> others;
    while (others.size() < 62) {
        others.push_back(timers.newTimer(3h));
        if (others.size() > 50) checkEach(waits, 2 + others.size());
    }
    BOOST_TEST(timers.after(1ms).receiveFor(20s).has_value());
}

BOOST_AUTO_TEST_SUITE_END()
