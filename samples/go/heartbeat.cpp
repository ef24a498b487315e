// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
//
// A watchdog that each heartbeat resets: it barks when there has been no heartbeat for 100 ms. The
// clock is manual, so the sample takes no time and prints the same on each run.

#include <jtimer/go/timers.hpp>

#include <chrono>
#include <iostream>
#include <memory>

int main() {
    using namespace std::chrono_literals;

    const auto clock = std::make_shared<jtimer::ManualClock>();
    jtimer::go::TimersOptions options;
    options.clock = clock;
    jtimer::go::Timers timers(options);

    const auto start = timers.now();
    const auto millis = [start](jtimer::Date time) {
        return std::chrono::duration_cast<std::chrono::milliseconds>(time - start).count();
    };

    auto watchdog = timers.afterFunc(
        100ms, [&] { std::cout << "no beat since 100 ms, at " << millis(timers.now()) << '\n'; });

    // It has a thread of its own, as any function: three beats, a pause, and another beat.
    timers.afterFunc(0, [&] {
        for (const auto pause : {50ms, 50ms, 80ms, 300ms}) {
            timers.sleep(pause);
            const bool inTime = watchdog.reset(100ms);
            std::cout << "beat at " << millis(timers.now()) << (inTime ? "" : ", late") << '\n';
        }
        watchdog.stop();
    });

    clock->advance(1s);
}
