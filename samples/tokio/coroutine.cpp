// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
//
// Coroutines of C++20 that sleep, tick and give up waiting. Two of them share one thread. The time
// is virtual, so the program ends at once; the coroutines need not know that.

#include <jtimer/manual_clock.hpp>
#include <jtimer/tokio/await.hpp>
#include <jtimer/tokio/completion.hpp>
#include <jtimer/tokio/timeout.hpp>

#include <iostream>

#if defined(__cpp_impl_coroutine)

using namespace std::chrono_literals;
using namespace jtimer::tokio;

Task serve(TimeDriver& driver, Completion<std::string> request) {
    Interval interval = driver.interval(100ms);
    for (int i = 0; i < 3; ++i) {
        const jtimer::Date scheduled = co_await interval;
        std::cout << "tick at " << (scheduled - driver.start()) / 1ms << " ms\n";
    }
    co_await driver.sleep(50ms);
    request.set("hello");
}

Task receive(TimeDriver& driver, Completion<std::string> request) {
    try {
        std::cout << co_await timeout(driver, 120ms, request) << '\n';
    } catch (const Elapsed& e) {
        std::cout << e.what() << '\n';
    }
    std::cout << co_await until(driver, request) << " at " << (driver.now() - driver.start()) / 1ms
              << " ms\n";
}

int main() {
    TimeDriverOptions options;
    options.clock = std::make_shared<jtimer::ManualClock>();
    options.polled = true;
    TimeDriver driver(options);
    const Completion<std::string> request;
    serve(driver, request);
    receive(driver, request);
    driver.advance(1s);  // instead of an event loop
}

#else

int main() {
    std::cout << "needs coroutines\n";
    return 77;
}

#endif
