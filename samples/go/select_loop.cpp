// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
//
// Waits for a ticker and a deadline, whichever comes first, as in Go:
//
//     for {
//         select {
//         case t := <-ticker.C: fmt.Println("tick at", ...)
//         case <-deadline:      return
//         }
//     }
//
// The clock is manual, so the sample takes no time and prints the same on each run.

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
        const auto ticker = timers.newTicker(100ms);
        const auto deadline = timers.after(450ms);
        for (;;) {
            const auto [index, value] = jtimer::go::select({ticker.C(), deadline});
            const auto at = std::chrono::duration_cast<std::chrono::milliseconds>(value - start);
            if (index == 1) {
                std::cout << "deadline at " << at.count() << '\n';
                return;
            }
            std::cout << "tick at " << at.count() << '\n';
            // More than two periods: the tick at 300 waits, and the one at 400 is dropped.
            if (at == 200ms) timers.sleep(230ms);
        }
    });

    clock->advance(1s);
}
