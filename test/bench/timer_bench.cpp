// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "bench/clocks.hpp"
#include "bench/measure.hpp"
#include "support/counter.hpp"
#include "support/manual_timer.hpp"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

// What a call costs its caller, and a run the timer's thread, with state.range(0) tasks pending.
// Beside the time of a call: its `allocs`, its readings of the `clock`; and, of a separate run that
// is not timed, how often it `notifies` the timer's thread and `wakes` it.

namespace {

using bench::Stretch;
using jtimer::Timer;
using jtimer::TimerTask;
using std::chrono::hours;
using std::chrono::microseconds;
using Tasks = std::vector<std::shared_ptr<TimerTask>>;

struct Nothing final : TimerTask {
    void run() override {}
};

/// Microseconds of one random hour.
microseconds randomTime() {
    static std::mt19937_64 random(42);
    return microseconds(random() % 3'600'000'000);
}

/// The times of calls are an hour or two ahead.
microseconds delay() { return hours(1) + randomTime(); }

template <class AnyClock>
struct Pending {
    explicit Pending(std::int64_t size) {
        // The head: what is scheduled later wakes no thread.
        timer.schedule([] {}, std::chrono::minutes(59));
        for (std::int64_t i = 1; i < size; ++i) timer.schedule([] {}, delay());
    }
    const std::shared_ptr<AnyClock> clock = std::make_shared<AnyClock>();
    Timer timer{test::onClock(clock)};
};
using PendingTimer = Pending<bench::JumpingClock>;

/// Few enough to leave the number of pending tasks nearly as it is, but enough to be timed.
std::int64_t batchOf(const benchmark::State& state) {
    return std::clamp<std::int64_t>(state.range(0) / 10, 20, 20'000);
}

/// Has `call(timer)` make calls, each of which finds the timer's thread asleep: so what is counted
/// is the most that a call may cause.
template <class Call>
void note(benchmark::State& state, const Call& call) {
    constexpr std::int64_t calls = 1000;
    Pending<bench::NotingClock> pending(100);
    const auto before = pending.clock->count();
    auto after = before;
    for (std::int64_t i = 0; i < calls; ++i) {
        call(pending.timer);
        after = pending.clock->count();
    }
    const auto perCall = [](std::int64_t n) { return static_cast<double>(n) / double{calls}; };
    state.counters["notifies"] = perCall(after.notifications - before.notifications);
    state.counters["wakes"] = perCall(after.wakeUps - before.wakeUps);
}

void discard(Timer& timer, Tasks& tasks) {
    for (const auto& task : tasks) task->cancel();
    tasks.clear();
    timer.purge();
}

// Schedule.

/// Everything that some overload takes.
struct Arguments {
    std::shared_ptr<TimerTask> task = std::make_shared<Nothing>();
    microseconds delay = ::delay();
    int millis = static_cast<int>(delay.count() / 1000);
    jtimer::Date date = std::chrono::system_clock::now() + delay;
};
using Call = std::shared_ptr<TimerTask> (*)(Timer&, const Arguments&);

void schedule(benchmark::State& state, Call call) {
    PendingTimer pending(state.range(0));
    const std::int64_t calls = batchOf(state);
    std::vector<Arguments> arguments;
    Tasks made;
    made.reserve(static_cast<std::size_t>(calls));
    const auto prepare = [&] {
        arguments.clear();
        for (std::int64_t i = 0; i < calls; ++i) arguments.emplace_back();
    };
    const auto batch = [&](Stretch& stretch) {
        stretch.start();
        for (const auto& each : arguments) made.push_back(call(pending.timer, each));
        stretch.stop();
    };
    bench::measure(state, calls, prepare, batch, [&] { discard(pending.timer, made); });
    note(state, [&](Timer& timer) { call(timer, Arguments()); });
}

enum class Take { Task, Callable };
enum class Repeat { Once, FixedDelay, FixedRate };
enum class Form { Millis, Duration, Date };

template <Take take, Repeat repeat, Form form>
std::shared_ptr<TimerTask> callOverload(Timer& timer, const Arguments& arguments) {
    const auto with = [&](const auto& task, auto when, auto period) {
        if constexpr (repeat == Repeat::Once) {
            return timer.schedule(task, when);
        } else if constexpr (repeat == Repeat::FixedDelay) {
            return timer.schedule(task, when, period);
        } else {
            return timer.scheduleAtFixedRate(task, when, period);
        }
    };
    const auto at = [&](const auto& task) {
        if constexpr (form == Form::Millis) return with(task, arguments.millis, 1000);
        if constexpr (form == Form::Duration) return with(task, arguments.delay, hours(1));
        if constexpr (form == Form::Date) return with(task, arguments.date, 1000);
    };
    if constexpr (take == Take::Task) {
        return at(arguments.task);
    } else {
        return at([] {});
    }
}

void sizes(benchmark::internal::Benchmark* benchmark) {
    benchmark->RangeMultiplier(100)->Range(100, 1'000'000)->UseManualTime();
}

/// The usual way to say when at every size, the others at one.
template <Take take, Repeat repeat>
void registerOverloads(const std::string& name) {
    const auto add = [&](const char* form, Call call) {
        const std::string full = "schedule/" + name + form;
        return benchmark::RegisterBenchmark(full.c_str(), schedule, call);
    };
    add("/millis", callOverload<take, repeat, Form::Millis>)->Apply(sizes)->MinTime(0.2);
    for (const auto& [form, call] :
         {std::pair("/duration", Call{callOverload<take, repeat, Form::Duration>}),
          std::pair("/date", Call{callOverload<take, repeat, Form::Date>})}) {
        add(form, call)->Arg(10'000)->UseManualTime()->MinTime(0.2);
    }
}

const bool registered = [] {
    registerOverloads<Take::Callable, Repeat::Once>("callable/once");
    registerOverloads<Take::Task, Repeat::Once>("task/once");
    registerOverloads<Take::Callable, Repeat::FixedDelay>("callable/fixedDelay");
    registerOverloads<Take::Task, Repeat::FixedDelay>("task/fixedDelay");
    registerOverloads<Take::Callable, Repeat::FixedRate>("callable/fixedRate");
    registerOverloads<Take::Task, Repeat::FixedRate>("task/fixedRate");
    return true;
}();

/// Each task is the new first one, and wakes the thread if it sleeps.
void scheduleNewMinimum(benchmark::State& state) {
    PendingTimer pending(state.range(0));
    constexpr std::int64_t calls = 1000;
    constexpr microseconds latest = hours(1) - std::chrono::minutes(2);
    microseconds earlier = latest;
    Tasks made;
    made.reserve(calls);
    const auto call = [&](Timer& timer) {
        return timer.schedule([] {}, earlier -= std::chrono::milliseconds(10));
    };
    const auto batch = [&](Stretch& stretch) {
        stretch.start();
        for (std::int64_t i = 0; i < calls; ++i) made.push_back(call(pending.timer));
        stretch.stop();
    };
    const auto tidy = [&] {
        discard(pending.timer, made);
        earlier = latest;
    };
    bench::measure(
        state, calls, [] {}, batch, tidy);
    note(state, call);
}

// Cancel, purge.

void scheduleMany(Timer& timer, std::int64_t count, Tasks& made) {
    for (std::int64_t i = 0; i < count; ++i) made.push_back(timer.schedule([] {}, delay()));
}

void cancelTask(benchmark::State& state) {
    PendingTimer pending(state.range(0));
    Tasks tasks;
    const auto batch = [&](Stretch& stretch) {
        stretch.start();
        for (const auto& task : tasks) benchmark::DoNotOptimize(task->cancel());
        stretch.stop();
    };
    const std::int64_t calls = batchOf(state);
    bench::measure(
        state, calls, [&] { scheduleMany(pending.timer, calls, tasks); }, batch,
        [&] { discard(pending.timer, tasks); });
    note(state, [](Timer& timer) { timer.schedule([] {}, delay())->cancel(); });
}

/// With state.range(1) per cent of the tasks cancelled; by the tasks that were in the queue. The
/// cancelled ones are destroyed in it.
void purge(benchmark::State& state) {
    const std::int64_t size = state.range(0);
    const std::int64_t cancelled = size * state.range(1) / 100;
    PendingTimer pending(size - cancelled);
    const auto prepare = [&] {
        Tasks tasks;
        scheduleMany(pending.timer, cancelled, tasks);
        for (const auto& task : tasks) task->cancel();
    };
    const auto batch = [&](Stretch& stretch) {
        stretch.start();
        benchmark::DoNotOptimize(pending.timer.purge());
        stretch.stop();
    };
    bench::measure(state, size, prepare, batch, [] {});
}

// Fire.

/// Times, on the timer's thread, the cycles from inside one run to inside the run that is `cycles`
/// later. Shared by all tasks; touched by the timer's thread alone, while the benchmark waits for
/// `done`.
struct Runs {
    explicit Runs(std::int64_t cycleCount) : cycles(cycleCount) {}

    void up() {
        if (left < 0) return;
        if (left == cycles) stretch->start();
        if (left-- != 0) return;
        stretch->stop();
        done.up();
    }

    const std::int64_t cycles;
    std::int64_t left = -1;  ///< negative: nothing is timed
    Stretch* stretch = nullptr;
    test::Counter done;
    int batches = 0;
};

/// Makes due at once whatever is due in the next `span`: during a task, so that the thread does not
/// wait before it has run it all.
void fireAll(PendingTimer& pending, Runs& runs, hours span, Stretch& stretch) {
    runs.stretch = &stretch;
    pending.timer.schedule(
        [&runs, &pending, span] {
            pending.clock->jump(span);
            runs.left = runs.cycles;
        },
        0);
    if (!runs.done.reaches(++runs.batches)) throw std::runtime_error("the runs do not come");
}

/// state.range(0) others are pending, and due at a time that no batch gets to: still within the 292
/// years after 1970 that nanoseconds can say.
void fireOnce(benchmark::State& state) {
    Runs runs(std::max<std::int64_t>(100, state.range(0) / 10));
    PendingTimer pending(0);
    for (std::int64_t i = 0; i < state.range(0); ++i) {
        pending.timer.schedule([] {}, hours(2'000'000) + randomTime());
    }
    const auto prepare = [&] {
        for (std::int64_t i = 0; i <= runs.cycles; ++i) {
            pending.timer.schedule([&runs] { runs.up(); }, delay());
        }
    };
    const auto batch = [&](Stretch& stretch) { fireAll(pending, runs, hours(3), stretch); };
    bench::measure(state, runs.cycles, prepare, batch, [] {});
}

/// Each of state.range(0) repeating tasks is due about once in a batch.
void fireRepeating(benchmark::State& state, bool fixedRate) {
    Runs runs(state.range(0) - 1);
    PendingTimer pending(0);
    for (std::int64_t i = 0; i < state.range(0); ++i) {
        const auto run = [&runs] { runs.up(); };
        if (fixedRate) {
            pending.timer.scheduleAtFixedRate(run, hours(1) + randomTime(), hours(3));
        } else {
            pending.timer.schedule(run, hours(1) + randomTime(), hours(3));
        }
    }
    const auto batch = [&](Stretch& stretch) { fireAll(pending, runs, hours(3), stretch); };
    bench::measure(
        state, runs.cycles, [] {}, batch, [] {});
}

void sizesAndShares(benchmark::internal::Benchmark* benchmark) {
    benchmark->ArgNames({"", "cancelled%"})->UseManualTime();
    for (const int percent : {10, 100}) {
        for (const int size : {100, 10'000, 1'000'000}) benchmark->Args({size, percent});
    }
}

}  // namespace

BENCHMARK(scheduleNewMinimum)->Arg(100)->UseManualTime();
BENCHMARK(cancelTask)->Apply(sizes)->MinTime(0.05);
BENCHMARK(purge)->Apply(sizesAndShares);
BENCHMARK(fireOnce)->Apply(sizes)->MinTime(0.2);
BENCHMARK_CAPTURE(fireRepeating, fixedDelay, false)->Apply(sizes)->MinTime(0.2);
BENCHMARK_CAPTURE(fireRepeating, fixedRate, true)->Apply(sizes)->MinTime(0.2);
