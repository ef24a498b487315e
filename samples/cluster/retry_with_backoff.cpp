// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
//
// A call to another company's server, which is down for 23 minutes. A failed attempt is repeated
// after 1, 2, 4 ... minutes, at most 10, each up to a quarter longer. After eight attempts
// the task is dead: it stays, with its last error, until somebody revives it. A TestClock lets the
// hours pass at once.
#include <jtimer/cluster/scheduler.hpp>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <stdexcept>

using namespace std::chrono_literals;
using namespace jtimer::cluster;

namespace {

std::atomic<bool> isDown{true};

void charge(Run& run) {
    std::printf("attempt %d to charge %s\n", run.attempt(), run.id().c_str());
    if (isDown) throw std::runtime_error("connection refused");
}

}  // namespace

int main() {
    Options options;
    options.schema = "retry_with_backoff";
    migrate(options, true);
    TestClock clock(options);

    Scheduler scheduler(options);
    TaskOptions retries;
    retries.maxAttempts = 8;
    retries.firstBackoff = 1min;
    retries.maxBackoff = 10min;
    scheduler.registerTask("charge", charge, retries);
    scheduler.start();

    scheduler.schedule("charge", "order 1", 0);
    for (int minute = 0; minute < 23; ++minute) clock.advance(1min);
    isDown = false;
    clock.advance(1h);

    std::puts("the server goes down for good");
    isDown = true;
    scheduler.schedule("charge", "order 2", 0);
    for (int minute = 0; minute < 120; ++minute) clock.advance(1min);
    const auto task = scheduler.find("charge", "order 2");
    std::printf("order 2 is %s: %s\n", task->state == State::Dead ? "dead" : "alive",
                task->lastError.c_str());

    isDown = false;
    scheduler.reschedule("charge", "order 2", 0);
    clock.advance(1s);
    std::printf("tasks left: %zu\n", scheduler.list().size());
}
