// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "task_queue.hpp"

#include "support/manual_timer.hpp"

#include <benchmark/benchmark.h>

#include <random>
#include <vector>

// What the heap costs by itself, without a thread or a lock, against the number of tasks in it.

namespace {

constexpr std::int64_t kSpan = 3'600'000'000'000;  // times are spread over an hour

std::int64_t randomTime(std::mt19937_64& random) {
    return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(kSpan));
}

std::vector<std::shared_ptr<jtimer::TimerTask>> makeTasks(benchmark::State& state) {
    std::vector<std::shared_ptr<jtimer::TimerTask>> tasks(static_cast<std::size_t>(state.range(0)));
    for (auto& task : tasks) task = test::makeTask();
    return tasks;
}

void fill(jtimer::TaskQueue& queue, const std::vector<std::shared_ptr<jtimer::TimerTask>>& tasks) {
    std::mt19937_64 random(42);
    for (const auto& task : tasks) {
        queue.reserveOne();
        queue.add(task, randomTime(random));
    }
}

void addAll(benchmark::State& state) {
    const auto tasks = makeTasks(state);
    for (auto _ : state) {
        jtimer::TaskQueue queue;
        fill(queue, tasks);
        state.PauseTiming();
        queue.clear();
        state.ResumeTiming();
    }
    state.SetItemsProcessed(state.iterations() * state.range(0));
}

void removeAllInOrder(benchmark::State& state) {
    const auto tasks = makeTasks(state);
    for (auto _ : state) {
        state.PauseTiming();
        jtimer::TaskQueue queue;
        fill(queue, tasks);
        state.ResumeTiming();
        while (!queue.empty()) benchmark::DoNotOptimize(queue.removeMin());
    }
    state.SetItemsProcessed(state.iterations() * state.range(0));
}

void rescheduleMin(benchmark::State& state) {
    const auto tasks = makeTasks(state);
    jtimer::TaskQueue queue;
    fill(queue, tasks);
    std::mt19937_64 random(7);
    for (auto _ : state) queue.rescheduleMin(queue.getMinTime() + randomTime(random));
    state.SetItemsProcessed(state.iterations());
    queue.clear();
}

}  // namespace

BENCHMARK(addAll)->RangeMultiplier(10)->Range(10, 1'000'000);
BENCHMARK(removeAllInOrder)->RangeMultiplier(10)->Range(10, 1'000'000);
BENCHMARK(rescheduleMin)->RangeMultiplier(10)->Range(10, 1'000'000);
