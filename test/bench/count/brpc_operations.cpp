// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "operations.hpp"

#include <jtimer/brpc/timer_thread.hpp>
#include <jtimer/manual_clock.hpp>

#include <memory>
#include <stdexcept>
#include <vector>

// The operations of jtimer::brpc::TimerThread.

namespace count {

namespace {

using jtimer::brpc::TaskId;
using jtimer::brpc::TimerThread;

void doNothing(void*) {}
void countRun(void* runs) { static_cast<Runs*>(runs)->up(); }

class Stage {
  public:
    explicit Stage(std::size_t pending) : size(pending), calls(callsFor(pending)) {
        jtimer::brpc::TimerThreadOptions options;
        options.clock = clock;
        if (timer.start(options) != 0) throw std::runtime_error("start");
        // The nearest: what is scheduled later wakes no thread.
        timer.schedule(doNothing, nullptr, clock->now() + std::chrono::milliseconds(1));
        ids.reserve(size);
    }

    jtimer::Date time() { return clock->now() + delays_.next(); }
    void fill(std::size_t count) {
        for (std::size_t i = 0; i < count; ++i)
            ids.push_back(timer.schedule(doNothing, nullptr, time()));
    }
    std::vector<jtimer::Date> times() {
        std::vector<jtimer::Date> result(calls);
        for (auto& each : result) each = time();
        return result;
    }
    /// Makes as many free slots as there are calls. When it returns, the thread sleeps, with all
    /// that is pending in its heap.
    void settle() {
        ids.clear();
        fill(calls);
        for (const TaskId id : ids) timer.unschedule(id);
        ids.clear();
        timer.schedule(doNothing, nullptr, clock->now());
        clock->waitUntilIdle();
    }

    const std::size_t size, calls;  ///< tasks pending; calls that are counted
    const std::shared_ptr<jtimer::ManualClock> clock = std::make_shared<jtimer::ManualClock>();
    TimerThread timer;
    std::vector<TaskId> ids;

  private:
    RandomDelays delays_;
};

void schedule(Stage& stage) {
    stage.fill(stage.size);
    stage.settle();
    const auto times = stage.times();
    countBegin();
    for (const auto& time : times) stage.timer.schedule(doNothing, nullptr, time);
    countEnd();
}

void scheduleCallable(Stage& stage) {
    stage.fill(stage.size);
    stage.settle();
    const auto times = stage.times();
    const auto owned = std::make_shared<int>(0);
    countBegin();
    for (const auto& time : times) stage.timer.schedule([owned] {}, time);
    countEnd();
}

void unschedule(Stage& stage) {
    stage.fill(stage.size);
    stage.settle();
    stage.fill(stage.calls);
    countBegin();
    for (const TaskId id : stage.ids) stage.timer.unschedule(id);
    countEnd();
}

/// With `size` tasks that are not due yet: all others become due at once, during a task.
void fireOnce(Stage& stage) {
    Runs runs(stage.calls);
    const auto later = stage.clock->now() + hours(5);
    for (std::size_t i = 0; i < stage.size; ++i)
        stage.timer.schedule(doNothing, nullptr, later + std::chrono::microseconds(i));
    for (std::size_t i = 0; i <= stage.calls; ++i)
        stage.timer.schedule(countRun, &runs, stage.time());
    stage.settle();
    stage.timer.schedule([&stage] { stage.clock->advance(hours(3)); }, stage.clock->now());
    stage.clock->waitUntilIdle();
    if (!runs.complete()) throw std::logic_error("too few runs");
}

}  // namespace

const std::vector<Operation>& brpcOperations() {
    static const std::vector<Operation> all{
        {"brpc-schedule", onStage<Stage, schedule>},
        {"brpc-schedule-callable", onStage<Stage, scheduleCallable>},
        {"brpc-unschedule", onStage<Stage, unschedule>},
        {"brpc-fire-once", onStage<Stage, fireOnce>},
    };
    return all;
}

}  // namespace count
