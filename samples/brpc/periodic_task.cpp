// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
//
// Periodic tasks on a timer that has only one-shots, as brpc's PeriodicTaskManager makes them: each
// run returns the time of the next one. Between two runs the timer owns the task. It destroys a
// task that has ended, or that is left when the timer ends, so none leaks.
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
    /// \returns when to run again, or nothing if the task has ended
    virtual std::optional<jtimer::Date> onTriggeringTask() = 0;
};

void startTaskAt(TimerThread& timer, std::unique_ptr<PeriodicTask> task, jtimer::Date when) {
    // A callable may be move-only. If the timer has ended, the task is destroyed here.
    timer.schedule(
        [&timer, task = std::move(task)]() mutable {
            if (const auto next = task->onTriggeringTask())
                startTaskAt(timer, std::move(task), *next);
        },
        when);
}

/// Checks a server less and less often, until it is alive again.
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
