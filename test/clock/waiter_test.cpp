// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
//
// How a thread waits on each clock, and what decides whether it is woken: see Monitor, WaitPolicy.
#include "clock/waiter.hpp"
#include "support/test.hpp"

#include <jtimer/clock.hpp>

using jtimer::detail::kLongAgo;
using jtimer::detail::kNever;
using jtimer::detail::Lock;
using jtimer::detail::Mutex;
using jtimer::detail::Nanos;
using jtimer::detail::Waiter;

namespace {

class UsersClock final : public jtimer::WallClock {
  public:
    std::int64_t nanos() const override { return 5; }
};

/// What a waiter says about its clock.
struct Says {
    bool canBeSetForward, wakesLate, isReachedExact;
    Nanos settlingTime;
};

template <class ClockType>
void checkWaiter(const ClockType& clock, const Says& says, bool knowsTime) {
    const std::shared_ptr<Waiter> waiter = jtimer::detail::makeWaiter(clock);
    BOOST_TEST(waiter->canBeSetForward() == says.canBeSetForward);
    BOOST_TEST(waiter->wakesLate() == says.wakesLate);
    BOOST_TEST(waiter->isReachedExact() == says.isReachedExact);
    BOOST_TEST(waiter->settlingTime() == says.settlingTime);
    if (knowsTime) {
        const Nanos before = clock.nanos();
        const Nanos reached = waiter->reached();
        BOOST_TEST(reached <= clock.nanos());
        BOOST_TEST(reached > before - 1'000'000'000);  // a tick of the kernel takes 10 ms at most
    } else {
        BOOST_TEST(waiter->reached() == kLongAgo);
    }
}

constexpr Nanos kMin = std::numeric_limits<Nanos>::min();
constexpr Nanos kMilli = 1'000'000;

/// Waits until `deadline`, and is notified. \returns whether the wait lasted until then
bool waitsForNotification(const jtimer::Clock& clock, Nanos deadline, Nanos now) {
    const std::shared_ptr<Waiter> waiter = jtimer::detail::makeWaiter(clock);
    Mutex monitor;
    bool begun = false, notified = false, ended = true;
    boost::thread thread([&] {
        Lock lock(monitor);
        waiter->begin();
        begun = true;
        waiter->waitUntil(lock, deadline, now);
        ended = notified;
    });
    for (Lock lock(monitor);; lock.lock()) {
        if (begun) {
            notified = true;
            lock.unlock();
            break;
        }
        lock.unlock();
        boost::this_thread::yield();
    }
    waiter->notify();
    thread.join();
    waiter->end();
    return ended;
}

}  // namespace

BOOST_AUTO_TEST_CASE(what_each_clock_says_about_a_wait) {
#if defined(__linux__)
    constexpr bool knowsTime = true;
    checkWaiter(jtimer::BoottimeClock(), Says{false, true, false, kMilli}, false);
#else
    constexpr bool knowsTime = false;
#endif
    checkWaiter(jtimer::WallClock(), Says{true, true, false, kMilli}, knowsTime);
    checkWaiter(jtimer::SteadyClock(), Says{false, true, false, kMilli}, knowsTime);
    checkWaiter(UsersClock(), Says{true, false, false, kMilli}, false);
    const jtimer::ManualClock manual(jtimer::Date(std::chrono::microseconds(7)));
    checkWaiter(manual, Says{false, false, true, 0}, true);
}

BOOST_AUTO_TEST_CASE(
    a_wait_for_the_end_of_time_ends_when_it_is_notified_even_if_it_begins_far_below_0) {
    const auto check = [](const jtimer::Clock& clock) {
        for (int round = 0; round < 20; ++round) {
            for (const Nanos now : {Nanos{0}, kMin})
                BOOST_TEST(waitsForNotification(clock, kNever - 1, now));
        }
    };
    check(jtimer::WallClock());
    check(jtimer::SteadyClock());
    check(UsersClock());
#if defined(__linux__)
    check(jtimer::BoottimeClock());
#endif
}
