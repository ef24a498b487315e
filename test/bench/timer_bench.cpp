// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include <jtimer/timer.hpp>

#include <benchmark/benchmark.h>

#include <memory>
#include <random>
#include <vector>

// What a call costs its caller, with this many tasks pending an hour or two ahead.

namespace {

struct Nothing : jtimer::TimerTask {
    void run() override {}
};

class Delays {
  public:
    int operator()() { return 3'600'000 + static_cast<int>(random_() % 3'600'000); }

  private:
    std::mt19937 random_{42};
};

struct PendingTimer {
    explicit PendingTimer(benchmark::State& state) {
        timer.schedule([] {}, 3'599'999);  // the head: nothing scheduled later wakes the thread
        for (std::int64_t i = 1; i < state.range(0); ++i) timer.schedule([] {}, delay());
    }
    jtimer::Timer timer{true};
    Delays delay;
};

void scheduleAndCancelCallable(benchmark::State& state) {
    PendingTimer pending(state);
    int sincePurge = 0;
    for (auto _ : state) {
        pending.timer.schedule([] {}, pending.delay())->cancel();
        if (++sincePurge == 10'000) sincePurge = 0, pending.timer.purge();
    }
    state.SetItemsProcessed(state.iterations());
}

void scheduleAndCancelTask(benchmark::State& state) {
    PendingTimer pending(state);
    int sincePurge = 0;
    for (auto _ : state) {
        const auto task = std::make_shared<Nothing>();
        pending.timer.schedule(task, pending.delay());
        task->cancel();
        if (++sincePurge == 10'000) sincePurge = 0, pending.timer.purge();
    }
    state.SetItemsProcessed(state.iterations());
}

/// Each task is the new first one, and wakes the thread if it sleeps.
void scheduleNewMinimum(benchmark::State& state) {
    PendingTimer pending(state);
    std::chrono::microseconds delay = std::chrono::hours(1) - std::chrono::minutes(1);
    for (auto _ : state) pending.timer.schedule([] {}, delay -= std::chrono::microseconds(1));
    state.SetItemsProcessed(state.iterations());
}

/// Tasks that are all due: from the first to the last run, by task.
void fire(benchmark::State& state) {
    for (auto _ : state) {
        state.PauseTiming();
        auto clock = std::make_shared<jtimer::ManualClock>();
        jtimer::TimerOptions options;
        options.clock = clock;
        jtimer::Timer timer(options);
        std::int64_t runs = 0;
        Delays delay;
        for (std::int64_t i = 0; i < state.range(0); ++i)
            timer.schedule([&runs] { ++runs; }, delay());
        timer.schedule([&] { clock->advance(std::chrono::hours(2)); }, 1);  // makes all due at once
        state.ResumeTiming();
        clock->advance(1);
        if (runs != state.range(0)) state.SkipWithError("not every task has run");
    }
    state.SetItemsProcessed(state.iterations() * state.range(0));
}

}  // namespace

BENCHMARK(scheduleAndCancelCallable)->RangeMultiplier(100)->Range(100, 1'000'000);
BENCHMARK(scheduleAndCancelTask)->RangeMultiplier(100)->Range(100, 1'000'000);
BENCHMARK(scheduleNewMinimum)->Arg(100)->Iterations(1'000'000);
BENCHMARK(fire)->RangeMultiplier(100)->Range(100, 1'000'000)->UseRealTime();
