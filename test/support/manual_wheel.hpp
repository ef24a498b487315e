// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "support/manual_timer.hpp"

#include <jtimer/manual_clock.hpp>
#include <jtimer/netty/hashed_wheel_timer.hpp>

#include <boost/thread/thread.hpp>

#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace test {

using Handle = std::shared_ptr<jtimer::netty::Timeout>;

/// Ticks of 100 ms.
inline jtimer::netty::HashedWheelTimerOptions
wheelOn(std::shared_ptr<jtimer::Clock> clock, int ticksPerWheel = 8,
        jtimer::TimeSpan tickDuration = std::chrono::milliseconds(100)) {
    jtimer::netty::HashedWheelTimerOptions options;
    options.name = "test";
    options.clock = std::move(clock);
    options.tickDuration = tickDuration;
    options.ticksPerWheel = ticksPerWheel;
    return options;
}

/// Calls one function for run(), and one for cancelled().
class WheelTask : public jtimer::netty::TimerTask {
  public:
    using Function = std::function<void(const Handle&)>;

    explicit WheelTask(
        Function run, Function cancelled = [](const Handle&) {})
        : run_(std::move(run)), cancelled_(std::move(cancelled)) {}
    void run(const Handle& timeout) override { run_(timeout); }
    void cancelled(const Handle& timeout) override { cancelled_(timeout); }

  private:
    const Function run_, cancelled_;
};

/// A started timer on a manual clock of its own, and what happened when: in milliseconds from the
/// start, so `log.take() == "a@100 -b@200"` says that a ran at the end of the first tick, and
/// cancelled() was called for b at the end of the second.
struct ManualWheel {
    const std::shared_ptr<jtimer::ManualClock> clock =
        std::make_shared<jtimer::ManualClock>(kStart);
    Log log{clock};
    jtimer::netty::HashedWheelTimer timer;

    explicit ManualWheel(int ticksPerWheel = 8) : timer(wheelOn(clock, ticksPerWheel)) {
        timer.start();
    }

    /// A task that logs.
    std::shared_ptr<WheelTask> task(const std::string& name) {
        return std::make_shared<WheelTask>([this, name](const Handle&) { log.write(name); },
                                           [this, name](const Handle&) { log.write('-' + name); });
    }
    Handle add(const std::string& name, jtimer::TimeSpan delay) {
        return timer.newTimeout(task(name), delay);
    }
    /// Adds a timeout that runs `function`.
    Handle at(jtimer::TimeSpan delay, std::function<void()> function) {
        return timer.newTimeout(std::move(function), delay);
    }
    /// Milliseconds from the start.
    std::int64_t now() const { return clock->nanos() / 1'000'000 - kStartMillis; }
    void advanceTo(std::int64_t millis) { clock->advanceTo(test::at(millis)); }
};

/// Returns when another thread has called stop().
inline void awaitStop(jtimer::netty::HashedWheelTimer& timer) {
    try {
        for (;;) {
            timer.start();
            boost::this_thread::yield();
        }
    } catch (const jtimer::IllegalStateException&) {
    }
}

}  // namespace test
