// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
//
// A wheel has only one-shots, so a periodic task submits itself again, as in Netty. With a constant
// delay, each round also takes the rest of the tick in which the last one ended. With a delay to a
// point in time inside of the right tick, the rounds keep their times.
#include <jtimer/manual_clock.hpp>
#include <jtimer/netty/hashed_wheel_timer.hpp>

#include <chrono>
#include <cstdio>
#include <memory>
#include <string>

using namespace std::chrono_literals;
using jtimer::netty::HashedWheelTimer;
using Handle = std::shared_ptr<jtimer::netty::Timeout>;

int main() {
    const auto clock = std::make_shared<jtimer::ManualClock>();
    jtimer::netty::HashedWheelTimerOptions options;
    options.clock = clock;
    options.tickDuration = 100ms;
    HashedWheelTimer timer(options);

    std::string constant = "every 250 ms after the last:", grid = "on a grid of 250 ms:";
    const auto note = [&](std::string& line) {
        line += ' ' + std::to_string(clock->nanos() / 1'000'000);
    };

    timer.newTimeout(
        [&](const Handle& timeout) {
            note(constant);
            timeout->timer()->newTimeout(timeout->task(), 250ms);
        },
        250ms);

    jtimer::Date next = clock->now() + 250ms;
    timer.newTimeout(
        [&](const Handle& timeout) {
            note(grid);
            next += 250ms;
            timeout->timer()->newTimeout(timeout->task(), next - clock->now());
        },
        250ms);

    clock->advance(2s);
    timer.stop();
    std::printf("%s\n%s\n", constant.c_str(), grid.c_str());
}
