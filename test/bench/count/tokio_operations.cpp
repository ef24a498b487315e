// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "operations.hpp"

#include <jtimer/manual_clock.hpp>
#include <jtimer/tokio/time_driver.hpp>

#include <memory>
#include <utility>
#include <vector>

// The operations of jtimer::tokio::TimeDriver, polled.

namespace count {

namespace {

using jtimer::Date;
using jtimer::ManualClock;
using jtimer::tokio::Sleep;
using jtimer::tokio::TimeDriver;
using jtimer::tokio::TimeDriverOptions;

constexpr std::size_t kPerTurn = 1000;

constexpr std::size_t turnsFor(std::size_t pending) { return pending / kPerTurn; }

class Stage {
  public:
    explicit Stage(std::size_t pending) : calls(callsFor(pending)) {
        pending_ = make(pending);
        for (Sleep& sleep : pending_) sleep.poll([] {});
    }

    /// So many in the hour after the next, not registered.
    std::vector<Sleep> make(std::size_t count) {
        std::vector<Sleep> sleeps;
        sleeps.reserve(count);
        for (const auto& delay : delays_.next(count)) sleeps.push_back(driver.sleep(delay));
        return sleeps;
    }

    const std::size_t calls;  ///< that are counted
    const std::shared_ptr<ManualClock> clock = std::make_shared<ManualClock>();
    TimeDriver driver{options()};

  private:
    TimeDriverOptions options() const {
        TimeDriverOptions options;
        options.clock = clock;
        options.polled = true;
        return options;
    }

    RandomDelays delays_;
    std::vector<Sleep> pending_;
};

void registerSleep(Stage& stage) {
    std::vector<Sleep> sleeps = stage.make(stage.calls);
    countBegin();
    for (Sleep& sleep : sleeps) sleep.poll([] {});
    countEnd();
}

void extendSleep(Stage& stage) {
    std::vector<Sleep> sleeps = stage.make(stage.calls);
    for (Sleep& sleep : sleeps) sleep.poll([] {});
    const Date later = stage.driver.now() + hours(4);
    countBegin();
    for (Sleep& sleep : sleeps) sleep.reset(later);
    countEnd();
}

void dropSleep(Stage& stage) {
    std::vector<Sleep> sleeps = stage.make(stage.calls);
    for (Sleep& sleep : sleeps) sleep.poll([] {});
    countBegin();
    sleeps.clear();
    countEnd();
}

void emptyTurn(Stage& stage) {
    stage.driver.turn();
    countBegin();
    for (std::size_t i = 0; i < stage.calls; ++i) stage.driver.turn();
    countEnd();
}

/// Turns that each fire 1000 with a waker, in one tick.
void fullTurn(Stage& stage) {
    std::vector<Sleep> sleeps;
    const std::size_t turns = turnsFor(stage.calls * 10);
    for (std::size_t turn = 1; turn <= turns; ++turn) {
        for (std::size_t i = 0; i < kPerTurn; ++i) {
            sleeps.push_back(stage.driver.sleep(static_cast<int>(turn)));
            sleeps.back().poll([] {});
        }
    }
    const Date start = stage.driver.start();
    countBegin();
    for (std::size_t turn = 1; turn <= turns; ++turn)
        stage.driver.turn(start + std::chrono::milliseconds(turn));
    countEnd();
}

}  // namespace

const std::vector<Operation>& tokioOperations() {
    static const std::vector<Operation> all{
        {"sleep-register", onStage<Stage, registerSleep>},
        {"sleep-extend", onStage<Stage, extendSleep>},
        {"sleep-drop", onStage<Stage, dropSleep>},
        {"turn-empty", onStage<Stage, emptyTurn>},
        {"turn-1000-due", onStage<Stage, fullTurn>, turnsFor},
    };
    return all;
}

}  // namespace count
