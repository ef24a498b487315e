// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
//
// At most one request each 200 ms. After a pause one request goes at once, and no more: a ticker
// keeps only one of the ticks that nobody has received. The clock is manual, so the sample takes no
// time and prints the same on each run.

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

    timers.afterFunc(0, [&timers] {
        const auto start = timers.now();
        const auto limiter = timers.tick(200ms);
        const auto request = [&](int number) {
            limiter.receive();
            const auto at = timers.now() - start;
            std::cout << "request " << number << " at "
                      << std::chrono::duration_cast<std::chrono::milliseconds>(at).count() << '\n';
        };
        for (int number = 1; number <= 3; ++number) request(number);
        timers.sleep(1s);
        for (int number = 4; number <= 6; ++number) request(number);
    });

    clock->advance(10s);
}
