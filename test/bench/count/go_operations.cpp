// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "operations.hpp"

#include "support/manual_timers.hpp"

#include <cstddef>
#include <vector>

// The operations of jtimer::go. All timers lie in one shard.

namespace count {

namespace {

using jtimer::go::Ticker;
using jtimer::go::Timer;

class GoStage {
  public:
    /// Timers with channels, which stay; and one that is due before all others, so that what is
    /// started later wakes no thread.
    explicit GoStage(std::size_t pending) : calls(callsFor(pending)) {
        for (std::size_t i = 0; i < pending; ++i)
            others_.push_back(manual.timers.newTimer(delay()));
        head_ = manual.timers.newTimer(1);
        timers.reserve(calls);
        // The heap's array and malloc's lists become as long as they get.
        addTimers();
        timers.clear();
        manual.clock->waitUntilIdle();
    }

    nanoseconds delay(int from = 2) { return delays_.next(from); }

    void addTimers() {
        for (std::size_t i = 0; i < calls; ++i) timers.push_back(manual.timers.newTimer(delay()));
    }

    /// Counts `call(timer, delay)` for each of the timers.
    template <class Call>
    void countEach(int from, Call&& call) {
        addTimers();
        std::vector<nanoseconds> delays(calls);
        for (auto& each : delays) each = delay(from);
        manual.clock->waitUntilIdle();
        countBegin();
        for (std::size_t i = 0; i < calls; ++i) call(timers[i], delays[i]);
        countEnd();
    }

    const std::size_t calls;
    test::ManualTimers manual;
    std::vector<Timer> timers;

  private:
    RandomDelays delays_;
    std::vector<Timer> others_;
    Timer head_;
};

void start(std::size_t pending) {
    GoStage stage(pending);
    auto& timers = stage.manual.timers;
    const auto nothing = [] {};
    std::vector<Timer> started(stage.calls);
    stage.countEach(2, [&, i = std::size_t{0}](Timer&, nanoseconds delay) mutable {
        started[i++] = timers.afterFunc(delay, nothing);
    });
}

void stop(std::size_t pending) {
    GoStage(pending).countEach(2, [](Timer& timer, nanoseconds) { timer.stop(); });
}

void resetToLater(std::size_t pending) {
    GoStage(pending).countEach(3, [](Timer& timer, nanoseconds delay) { timer.reset(delay); });
}

void resetToEarlier(std::size_t pending) {
    GoStage(pending).countEach(1, [](Timer& timer, nanoseconds delay) { timer.reset(delay); });
}

/// Of timers that are not due.
void tryReceive(std::size_t pending) {
    GoStage stage(pending);
    std::vector<jtimer::go::Channel> channels;
    stage.addTimers();
    for (const Timer& timer : stage.timers) channels.push_back(timer.C());
    countBegin();
    for (const auto& channel : channels) channel.tryReceive();
    countEnd();
}

/// Receives a tick that waits, which starts the next one.
void tick(std::size_t pending) {
    GoStage stage(pending);
    std::vector<jtimer::go::Channel> channels;
    for (std::size_t i = 0; i < stage.calls; ++i) {
        channels.push_back(stage.manual.timers.tick(std::chrono::milliseconds(10)));
    }
    stage.manual.clock->advance(10);
    const Timer head = stage.manual.timers.newTimer(1);
    stage.manual.clock->waitUntilIdle();
    countBegin();
    for (const auto& channel : channels) channel.tryReceive();
    countEnd();
}

}  // namespace

const std::vector<Operation>& goOperations() {
    static const std::vector<Operation> operations{
        {"go-start", start},
        {"go-stop", stop},
        {"go-reset-to-later", resetToLater},
        {"go-reset-to-earlier", resetToEarlier},
        {"go-try-receive", tryReceive},
        {"go-tick", tick},
    };
    return operations;
}

}  // namespace count
