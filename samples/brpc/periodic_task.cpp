// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
//
// Periodic tasks on a timer that knows one-shots only, as brpc's PeriodicTaskManager does it: each
// run says when the next one is. The timer owns the task between two runs, so a task that has
// ended, or that the end of the timer catches, is destroyed, and none leaks.
#include <jtimer/brpc/timer_thread.hpp>
#include <jtimer/manual_clock.hpp>

#include <chrono>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <utility>

using namespace std::chrono_literals;
using jtimer::brpc::TimerThread;

class PeriodicTask {
  public:
    virtual ~PeriodicTask() = default;
    /// \returns when to run again; nothing: the task is over
    virtual std::optional<jtimer::Date> onTriggeringTask() = 0;
};

void startTaskAt(TimerThread& timer, std::unique_ptr<PeriodicTask> task, jtimer::Date when) {
    // Move-only callables are fine. If the timer is over, the task is destroyed here.
    timer.schedule(
        [&timer, task = std::move(task)]() mutable {
            if (const auto next = task->onTriggeringTask())
                startTaskAt(timer, std::move(task), *next);
        },
        when);
}

/// Checks a server, more and more rarely, until it is alive again.
class HealthCheck final : public PeriodicTask {
  public:
    HealthCheck(std::string server, int failures, std::shared_ptr<jtimer::Clock> clock)
        : server_(std::move(server)), failuresLeft_(failures), clock_(std::move(clock)) {}
    ~HealthCheck() override { std::cout << server_ << ": no more checks\n"; }

    std::optional<jtimer::Date> onTriggeringTask() override {
        const bool isAlive = failuresLeft_-- == 0;
        std::cout << server_ << (isAlive ? " is alive\n" : " does not answer\n");
        if (isAlive) return std::nullopt;
        return clock_->now() + std::exchange(pause_, 2 * pause_);
    }

  private:
    const std::string server_;
    int failuresLeft_;
    std::chrono::seconds pause_{1};
    const std::shared_ptr<jtimer::Clock> clock_;
};

int main() {
    const auto clock = std::make_shared<jtimer::ManualClock>();
    jtimer::brpc::TimerThreadOptions options;
    options.clock = clock;
    TimerThread timer;
    if (timer.start(options) != 0) return 1;
    startTaskAt(timer, std::make_unique<HealthCheck>("10.0.0.1", 3, clock), clock->now() + 1s);
    startTaskAt(timer, std::make_unique<HealthCheck>("10.0.0.2", 100, clock),
                clock->now() + 1500ms);
    clock->advance(10s);
    timer.stopAndJoin();
    std::cout << "the timer has stopped\n";
    timer.takePending();
}
