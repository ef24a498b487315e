// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
//
// How to test code that uses a timer: pass the Timer to the code, and let the test's Timer have a
// ManualClock. A minute then takes no time, every check is exact, and a busy machine makes no
// difference.

#include <jtimer/clock.hpp>
#include <jtimer/timer.hpp>

#include <chrono>
#include <functional>
#include <iostream>
#include <memory>
#include <utility>

using namespace std::chrono_literals;

/// The code under test: raises an alarm when feed() has not been called for `limit`.
class Watchdog {
  public:
    Watchdog(jtimer::Timer& timer, std::chrono::seconds limit, std::function<void()> alarm)
        : timer_(timer), limit_(limit), alarm_(std::move(alarm)) {}

    void feed() {
        if (pending_) pending_->cancel();
        pending_ = timer_.schedule(alarm_, limit_);
    }

  private:
    jtimer::Timer& timer_;
    const std::chrono::seconds limit_;
    const std::function<void()> alarm_;
    std::shared_ptr<jtimer::TimerTask> pending_;
};

int failures = 0;

void check(bool condition, const char* what) {
    std::cout << (condition ? "ok      " : "FAILED  ") << what << '\n';
    if (!condition) ++failures;
}

int main() {
    const auto clock = std::make_shared<jtimer::ManualClock>();
    jtimer::TimerOptions options;
    options.clock = clock;
    jtimer::Timer timer(options);
    int alarms = 0;
    Watchdog dog(timer, 30s, [&alarms] { ++alarms; });

    for (int i = 0; i < 10; ++i, clock->advance(29s)) dog.feed();
    check(alarms == 0, "a dog that is fed in time is silent for 290 seconds");
    clock->advance(999ms);
    check(alarms == 0, "and silent still one millisecond before the limit");
    clock->advance(1ms);
    check(alarms == 1, "at the limit it raises the alarm");
    clock->advance(24h);
    check(alarms == 1, "and that once only");
    return failures;
}
