// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "operations.hpp"

#include "support/manual_wheel.hpp"

#include <memory>
#include <stdexcept>
#include <vector>

// The operations of jtimer::netty::HashedWheelTimer: 512 slots, ticks of 100 ms.

namespace count {

namespace {

using test::Handle;
using test::ManualWheel;

constexpr std::int64_t kTick = 100;
constexpr int kSlots = 512;
constexpr std::size_t kPerTick = 1000;

/// How many ticks hold all that is pending.
constexpr std::size_t ticksFor(std::size_t pending) { return pending / kPerTick; }

class Stage {
  public:
    explicit Stage(std::size_t pending) : size(pending), calls(callsFor(pending)) {}

    /// Puts `size` timeouts into the wheel, none of which comes to its time.
    void fill() {
        for (std::size_t i = 0; i < size; ++i) wheel.at(delays_.next(), [] {});
        settle();
    }

    /// When it returns, the worker has transferred what was new, has let go of the monitor, and
    /// takes it no more before the time moves.
    void settle() {
        wheel.clock->advance(kTick);
        static_cast<void>(wheel.timer.pendingTimeouts());
    }

    /// Counts `ticks` ticks of a worker that is late, and so does not wait in between.
    void countTicks(std::size_t ticks) {
        bool ended = false;
        const std::int64_t span = static_cast<std::int64_t>(ticks + 1) * kTick;
        wheel.at(span, [&ended] {
            countEnd();
            ended = true;
        });
        wheel.at(0, [this, span] {
            wheel.clock->advance(span + kTick);
            countBegin();
        });
        wheel.clock->advance(kTick);
        wheel.clock->waitUntilIdle();
        if (!ended) throw std::logic_error("too few ticks");
    }

    const std::size_t size, calls;  ///< timeouts pending; calls that are counted
    ManualWheel wheel{kSlots};

  private:
    RandomDelays delays_;
};

void newTimeout(Stage& stage) {
    stage.fill();
    for (std::size_t i = 0; i < stage.calls; ++i) stage.wheel.at(0, [] {});
    stage.settle();
    RandomDelays random;
    const auto delays = random.next(stage.calls);
    auto& timer = stage.wheel.timer;
    countBegin();
    for (const auto& delay : delays) timer.newTimeout([] {}, delay);
    countEnd();
}

void cancelTimeout(Stage& stage) {
    stage.fill();
    std::vector<Handle> handles;
    RandomDelays random;
    for (const auto& delay : random.next(stage.calls))
        handles.push_back(stage.wheel.at(delay, [] {}));
    stage.settle();
    countBegin();
    for (const Handle& handle : handles) handle->cancel();
    countEnd();
}

void emptyTick(Stage& stage) { stage.countTicks(stage.calls); }

/// Puts 1000 timeouts into the slot of each of the next ticks, to run `later`.
void fillTicks(Stage& stage, std::int64_t later) {
    for (std::size_t tick = 1; tick <= ticksFor(stage.size); ++tick) {
        const std::int64_t delay = static_cast<std::int64_t>(tick) * kTick + later;
        for (std::size_t i = 0; i < kPerTick; ++i) stage.wheel.at(delay, [] {});
    }
    stage.countTicks(ticksFor(stage.size));
}

void dueTick(Stage& stage) { fillTicks(stage, 0); }
void waitingTick(Stage& stage) { fillTicks(stage, std::int64_t{kSlots} * 10 * kTick); }

}  // namespace

const std::vector<Operation>& nettyOperations() {
    static const std::vector<Operation> all{
        {"new-timeout", onStage<Stage, newTimeout>},
        {"cancel-timeout", onStage<Stage, cancelTimeout>},
        {"tick-empty", onStage<Stage, emptyTick>},
        {"tick-1000-due", onStage<Stage, dueTick>, ticksFor},
        {"tick-1000-waiting", onStage<Stage, waitingTick>, ticksFor},
    };
    return all;
}

}  // namespace count
