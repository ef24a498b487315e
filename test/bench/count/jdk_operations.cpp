// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "operations.hpp"

#include "support/manual_timer.hpp"

#include <memory>
#include <stdexcept>
#include <vector>

// The operations of jtimer::Timer.

namespace count {

namespace {

using jtimer::TimerTask;
using Tasks = std::vector<std::shared_ptr<TimerTask>>;

struct Nothing final : TimerTask {
    void run() override {}
};

class Stage {
  public:
    explicit Stage(std::size_t pending) : size(pending), calls(callsFor(pending)) {
        manual.timer.schedule([] {}, 1);  // the head: what is scheduled later wakes no thread
        handles.reserve(size);
    }

    nanoseconds delay(int from = 1) { return delays_.next(from); }
    std::vector<nanoseconds> delays() { return delays_.next(calls); }

    void fill() {
        for (std::size_t i = 0; i < size; ++i) manual.timer.schedule([] {}, delay());
    }

    /// Schedules `count` tasks more and cancels them.
    void addCancelled(std::size_t count) {
        handles.clear();
        for (std::size_t i = 0; i < count; ++i) {
            handles.push_back(manual.timer.schedule([] {}, delay()));
        }
        for (const auto& handle : handles) handle->cancel();
        handles.clear();
    }

    /// When it returns, the timer's thread has let go of the monitor, and takes it no more before
    /// the time moves.
    void settle() {
        manual.clock->waitUntilIdle();
        manual.timer.purge();
    }

    /// What is due in the next `span` becomes due at once, during a task, and runs: no wait comes
    /// between one run and the next.
    void makeDue(hours span) {
        manual.timer.schedule([this, span] { manual.clock->advance(span); }, 0);
        manual.clock->waitUntilIdle();
    }

    const std::size_t size, calls;  ///< tasks pending; calls that are counted
    test::ManualTimer manual;
    Tasks handles;

  private:
    RandomDelays delays_;
};

/// Counts `call(delay)`, for as many delays as there are calls.
template <class Call>
void countSchedule(Stage& stage, const Call& call) {
    stage.fill();
    stage.addCancelled(stage.calls);
    stage.settle();
    const auto delays = stage.delays();
    countBegin();
    for (const auto& delay : delays) call(delay);
    countEnd();
}

void scheduleCallable(Stage& stage) {
    auto& timer = stage.manual.timer;
    countSchedule(stage, [&](nanoseconds delay) { timer.schedule([] {}, delay); });
}

void scheduleTask(Stage& stage) {
    auto& timer = stage.manual.timer;
    Tasks tasks(stage.calls);
    for (auto& task : tasks) task = std::make_shared<Nothing>();
    auto next = tasks.begin();
    countSchedule(stage, [&](nanoseconds delay) { timer.schedule(*next++, delay); });
}

void scheduleFixedRate(Stage& stage) {
    auto& timer = stage.manual.timer;
    countSchedule(stage, [&](nanoseconds delay) { timer.scheduleAtFixedRate([] {}, delay, 1000); });
}

void cancel(Stage& stage) {
    stage.fill();
    for (const auto& delay : stage.delays()) {
        stage.handles.push_back(stage.manual.timer.schedule([] {}, delay));
    }
    countBegin();
    for (const auto& handle : stage.handles) handle->cancel();
    countEnd();
}

/// One purge that finds `cancelled` of the tasks to be taken out, and destroys them.
void countPurge(Stage& stage, std::size_t cancelled) {
    stage.settle();
    for (std::size_t i = 0; i < stage.size; ++i) {
        // Spread evenly over the queue, whose order is random.
        if (i * cancelled / stage.size != (i + 1) * cancelled / stage.size) {
            stage.handles.push_back(stage.manual.timer.schedule([] {}, stage.delay()));
        } else {
            stage.manual.timer.schedule([] {}, stage.delay());
        }
    }
    for (const auto& handle : stage.handles) handle->cancel();
    stage.handles.clear();
    countBegin();
    const int purged = stage.manual.timer.purge();
    countEnd();
    if (static_cast<std::size_t>(purged) != cancelled) throw std::logic_error("purge");
}

void purgeTenth(Stage& stage) { countPurge(stage, stage.size / 10); }
void purgeAll(Stage& stage) { countPurge(stage, stage.size); }

/// With `size` tasks that are not due yet.
void fireOnce(Stage& stage) {
    Runs runs(stage.calls);
    for (std::size_t i = 0; i < stage.size; ++i) {
        stage.manual.timer.schedule([] {}, stage.delay(5));
    }
    for (std::size_t i = 0; i <= stage.calls; ++i) {
        stage.manual.timer.schedule([&runs] { runs.up(); }, stage.delay());
    }
    stage.settle();
    stage.makeDue(hours(3));
    if (!runs.complete()) throw std::logic_error("too few runs");
    stage.manual.timer.cancel();
}

/// Each of `size` repeating tasks is due once.
void fireFixedRate(Stage& stage) {
    Runs runs(stage.calls);
    for (std::size_t i = 0; i < stage.size; ++i) {
        stage.manual.timer.scheduleAtFixedRate([&runs] { runs.up(); }, stage.delay(), hours(5));
    }
    stage.settle();
    stage.makeDue(hours(3));
    if (!runs.complete()) throw std::logic_error("too few runs");
    stage.manual.timer.cancel();
}

}  // namespace

const std::vector<Operation>& jdkOperations() {
    static const std::vector<Operation> all{
        {"schedule-callable", onStage<Stage, scheduleCallable>},
        {"schedule-task", onStage<Stage, scheduleTask>},
        {"schedule-fixed-rate", onStage<Stage, scheduleFixedRate>},
        {"cancel", onStage<Stage, cancel>},
        {"fire-once", onStage<Stage, fireOnce>},
        {"fire-fixed-rate", onStage<Stage, fireFixedRate>},
        {"purge-tenth", onStage<Stage, purgeTenth>, oneCall},
        {"purge-all", onStage<Stage, purgeAll>, oneCall},
    };
    return all;
}

}  // namespace count
