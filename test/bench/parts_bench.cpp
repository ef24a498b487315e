// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "bench/measure.hpp"
#include "sync/mutex.hpp"

#include <jtimer/clock.hpp>

#include <benchmark/benchmark.h>
#include <boost/chrono/duration.hpp>
#include <boost/thread/condition_variable.hpp>
#include <boost/thread/mutex.hpp>
#include <boost/thread/thread.hpp>

#include <cstddef>
#include <ctime>
#include <stdexcept>
#include <sys/mman.h>

// The parts of a call by themselves. doc/internals/tried.md has their figures.

namespace {

using bench::Stretch;

/// A reading of the clock that the JDK's semantics ask for, one for each delay.
void readClock(benchmark::State& state) {
    const jtimer::WallClock clock;
    for (auto _ : state) benchmark::DoNotOptimize(clock.nanos());
}

/// A monitor that nobody else wants, taken and left.
template <class Monitor>
void takeMonitor(benchmark::State& state) {
    Monitor monitor;
    // A process that has ever had two threads: with one, the system's mutex does without atomics.
    boost::thread([] {}).join();
    for (auto _ : state) {
        monitor.lock();
        monitor.unlock();
    }
}

/// Memory that this process has not had before, by the 100 bytes of a pending callable: 84 of the
/// task, 16 of its entry in the heap.
void touchNewMemory(benchmark::State& state) {
    constexpr std::size_t count = 1'000'000;
    constexpr std::size_t each = 100;
    constexpr std::size_t bytes = count * each;
    void* memory = nullptr;
    const auto batch = [&](Stretch& stretch) {
        stretch.start();
        for (std::size_t i = 0; i < bytes; i += 64) static_cast<char*>(memory)[i] = 1;
        stretch.stop();
    };
    const auto prepare = [&] {
        memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (memory == MAP_FAILED) throw std::runtime_error("no memory");
    };
    bench::measure(state, count, prepare, batch, [&] { munmap(memory, bytes); });
}

/// The CPU time of one wake-up: a wait of 50 us that ends by itself.
template <class Wait>
void measureWakeUp(benchmark::State& state, const Wait& wait) {
    const std::clock_t begin = std::clock();
    for (auto _ : state) wait();
    const double cpu = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
    state.counters["cpu_us"] = 1e6 * cpu / static_cast<double>(state.iterations());
}

/// As a timer waits, which may be notified.
void wakeUpInMonitor(benchmark::State& state) {
    const boost::this_thread::disable_interruption uninterrupted;  // as on the timer's thread
    boost::mutex monitor;
    boost::condition_variable condition;
    boost::unique_lock<boost::mutex> lock(monitor);
    measureWakeUp(state, [&] { condition.wait_for(lock, boost::chrono::microseconds(50)); });
}

/// The shortest way to wait.
void wakeUpFromSleep(benchmark::State& state) {
    measureWakeUp(state, [] {
        const timespec span{0, 50'000};
        ::nanosleep(&span, nullptr);
    });
}

}  // namespace

BENCHMARK(readClock);
BENCHMARK_TEMPLATE(takeMonitor, boost::mutex);
BENCHMARK_TEMPLATE(takeMonitor, jtimer::detail::Mutex);
BENCHMARK(touchNewMemory)->UseManualTime();
BENCHMARK(wakeUpInMonitor);
BENCHMARK(wakeUpFromSleep);
