// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
//
// A worker that ticks until it is told to shut down, and a request with a time limit that ends with
// the worker's context. The clock is manual, so the sample takes no time and prints the same on
// each run.

#include <jtimer/go/context.hpp>
#include <jtimer/go/event.hpp>
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
    const jtimer::go::Event shutdown;

    timers.afterFunc(0, [&timers, shutdown] {
        const auto ticker = timers.newTicker(100ms);
        while (jtimer::go::select({ticker.C(), shutdown}).index == 0) std::cout << "tick\n";
        std::cout << "the worker ends\n";
    });
    clock->advance(250ms);
    shutdown.set();
    clock->waitUntilIdle();

    const auto [server, stop] = jtimer::go::withCancel(jtimer::go::background(timers));
    const auto slow = jtimer::go::withTimeout(server, 2s);
    const auto slower = jtimer::go::withTimeout(server, 5s);
    clock->advance(3s);
    stop();
    std::cout << slow.context.err().message() << '\n' << slower.context.err().message() << '\n';
}
