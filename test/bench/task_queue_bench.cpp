// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "jdk/queue_sweep.hpp"
#include "jdk/task_queue.hpp"
#include "jdk/tasks_to_destroy.hpp"

#include "bench/measure.hpp"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <memory>
#include <random>
#include <vector>

// What the heap costs by itself, without a thread or a lock, against the number of tasks in it.

namespace {

using bench::Stretch;
using jtimer::detail::TaskQueue;

struct Task final : jtimer::TimerTask {
    void run() override {}
};

using Tasks = std::vector<std::shared_ptr<Task>>;

std::int64_t randomTime(std::mt19937_64& random) {
    return static_cast<std::int64_t>(random() % 3'600'000'000'000);  // spread over an hour
}

void makeTasks(Tasks& tasks, std::size_t count) {
    while (tasks.size() < count) tasks.push_back(std::make_shared<Task>());
}

/// Made once and then shared by most benchmarks: ten million take longer to make than to measure.
Tasks& sharedTasks() {
    static Tasks tasks;
    return tasks;
}

/// As many queues of state.range(0) tasks as it takes for the time of a batch to be long beside
/// what the clock can tell.
class Queues {
  public:
    explicit Queues(const benchmark::State& state, Tasks& tasks = sharedTasks())
        : tasks_(tasks), size_(static_cast<std::size_t>(state.range(0))),
          queues_(std::max<std::size_t>(1, 10'000 / size_)), times_(total()) {
        for (auto& time : times_) time = randomTime(random_);
        makeTasks(tasks_, total());
    }
    ~Queues() { clear(); }
    Queues(const Queues&) = delete;
    Queues& operator=(const Queues&) = delete;

    std::size_t total() const { return size_ * queues_.size(); }
    std::int64_t calls() const { return static_cast<std::int64_t>(total()); }

    void fill() {
        std::size_t next = 0;
        for (auto& queue : queues_) {
            for (std::size_t i = 0; i < size_; ++i, ++next) {
                queue.reserveOne();
                queue.add(tasks_[next], times_[next]);
            }
        }
    }
    /// With new queues, so that the growth of the array is part of filling them.
    void clear() {
        const std::size_t count = queues_.size();
        for (auto& queue : queues_) queue.clear();
        queues_ = std::vector<TaskQueue>(count);
    }

    std::vector<TaskQueue>& all() { return queues_; }
    std::mt19937_64& random() { return random_; }

  private:
    Tasks& tasks_;
    const std::size_t size_;
    std::vector<TaskQueue> queues_;
    std::vector<std::int64_t> times_;
    std::mt19937_64 random_{42};
};

const auto kNothing = [] {};

/// From empty to full, growth included.
void queueAdd(benchmark::State& state) {
    Queues queues(state);
    const auto batch = [&](Stretch& stretch) {
        stretch.start();
        queues.fill();
        stretch.stop();
    };
    bench::measure(state, queues.calls(), kNothing, batch, [&] { queues.clear(); });
}

/// From full to empty.
void queueRemoveMin(benchmark::State& state) {
    Queues queues(state);
    const auto batch = [&](Stretch& stretch) {
        stretch.start();
        for (auto& queue : queues.all()) {
            while (!queue.empty()) benchmark::DoNotOptimize(queue.removeMin());
        }
        stretch.stop();
    };
    bench::measure(
        state, queues.calls(), [&] { queues.fill(); }, batch, kNothing);
}

/// To a random place, as tasks of many periods go.
void queueRescheduleMin(benchmark::State& state) {
    Queues queues(state);
    queues.fill();
    constexpr std::int64_t calls = 100'000;
    std::vector<std::int64_t> spans(calls);
    for (auto& span : spans) span = randomTime(queues.random());
    const auto batch = [&](Stretch& stretch) {
        TaskQueue& queue = queues.all().front();
        stretch.start();
        for (const std::int64_t span : spans) queue.rescheduleMin(queue.getMinTime() + span);
        stretch.stop();
    };
    bench::measure(state, calls, kNothing, batch, kNothing);
}

/// As TimerThread::purge does it, with state.range(1) per cent of the tasks cancelled; by the tasks
/// that were in the queue. Does not destroy them: here they are held by others too.
void queuePurge(benchmark::State& state) {
    Tasks tasks;
    Queues queues(state, tasks);
    const auto percent = static_cast<std::uint64_t>(state.range(1));
    for (const auto& task : tasks) {
        if (queues.random()() % 100 < percent) task->cancel();
    }
    const auto batch = [&](Stretch& stretch) {
        stretch.start();
        for (auto& queue : queues.all()) {
            jtimer::detail::QueueSweep sweep;
            jtimer::detail::TasksToDestroy taken;
            sweep.begin(queue);
            while (sweep.isUnderWay()) {
                sweep.takeBatch(queue, taken);
                taken.destroyAll();
            }
        }
        stretch.stop();
    };
    bench::measure(
        state, queues.calls(), [&] { queues.fill(); }, batch, [&] { queues.clear(); });
}

void sizes(benchmark::internal::Benchmark* benchmark) {
    benchmark->RangeMultiplier(10)->Range(10, 10'000'000)->UseManualTime();
}

void sizesAndShares(benchmark::internal::Benchmark* benchmark) {
    benchmark->ArgNames({"", "cancelled%"})->UseManualTime();
    for (const int percent : {10, 100}) {
        for (int size = 10; size <= 10'000'000; size *= 10) benchmark->Args({size, percent});
    }
}

}  // namespace

BENCHMARK(queueAdd)->Apply(sizes);
BENCHMARK(queueRemoveMin)->Apply(sizes);
BENCHMARK(queueRescheduleMin)->Apply(sizes);
BENCHMARK(queuePurge)->Apply(sizesAndShares);
