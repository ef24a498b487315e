// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include <jtimer/timer.hpp>
#include <jtimer/version.hpp>

#include <chrono>
#include <cstdio>
#include <memory>

int main() {
    const auto clock = std::make_shared<jtimer::ManualClock>();
    jtimer::Timer timer("day", true, clock);
    int runs = 0;
    timer.scheduleAtFixedRate([&] { ++runs; }, 0, 1000);
    clock->advance(std::chrono::hours(24));
    std::printf("%d runs with jtimer %s\n", runs, JTIMER_VERSION);
    return runs == 86401 ? 0 : 1;
}
