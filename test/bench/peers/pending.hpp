// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "peer.hpp"

#include <cstdlib>

// What pending tasks cost while they wait: W6 and W7. Taking them down is no part of it.

namespace peers {

/// W6: the resident memory that a pending task takes.
template <class Adapter>
void measureMemory(const Setup& setup) {
    const auto delays = makeDelays(setup.count(), "random");
    std::vector<typename Adapter::Handle> handles(delays.size());
    Adapter timer;
    handles[0] = timer.schedule(delays[0], doNothing, nullptr);
    const std::int64_t before = residentBytes();
    for (std::size_t i = 1; i < delays.size(); ++i)
        handles[i] = timer.schedule(delays[i], doNothing, nullptr);
    const double bytes = perItem(residentBytes() - before, delays.size() - 1);
    report(setup, "W6", "task_bytes", bytes);
    if constexpr (Adapter::kSleeps)
        report(setup, "W6", "sleep_bytes", bytes + static_cast<double>(Adapter::kHandleBytes));
    std::cout.flush();
    std::_Exit(0);
}

/// W7: how often a timer wakes up that has nothing to do for an hour.
template <class Adapter>
void measureIdleness(const Setup& setup) {
    const auto delays = makeDelays(setup.count(), "random");
    std::vector<typename Adapter::Handle> handles(delays.size());
    Adapter timer;
    for (std::size_t i = 0; i < delays.size(); ++i)
        handles[i] = timer.schedule(delays[i], doNothing, nullptr);
    const auto sleeps = [] {
        return Adapter::kThreaded ? sleepsOfOtherThreads() : sleepsOfThisThread();
    };
    const std::int64_t seconds = setup.seconds(5, 1);
    timer.letPass(kSecond);
    const std::int64_t before = sleeps();
    timer.letPass(seconds * kSecond);
    // A loop sleeps, once, in letPass() itself.
    const std::int64_t own = Adapter::kThreaded ? 0 : 1;
    const std::int64_t wakeups = std::max<std::int64_t>(sleeps() - before - own, 0);
    report(setup, "W7", "wakeups_per_s",
           static_cast<double>(wakeups) / static_cast<double>(seconds));
    std::cout.flush();
    std::_Exit(0);
}

}  // namespace peers
