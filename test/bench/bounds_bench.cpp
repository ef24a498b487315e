// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "bench/measure.hpp"
#include "sync/mutex.hpp"

#include <jtimer/clock.hpp>

#include <benchmark/benchmark.h>
#include <boost/chrono/duration.hpp>
#include <boost/thread/condition_variable.hpp>
#include <boost/thread/mutex.hpp>
#include <boost/thread/thread.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <ctime>
#include <memory>
#include <new>
#include <random>
#include <stdexcept>
#include <sys/mman.h>
#include <utility>
#include <vector>

// What bounds a timer of this shape: its parts by themselves, and bare structures that do the same
// work with no timer around them. doc/internals/tried.md compares with them.

namespace {

using bench::Stretch;

constexpr std::size_t kMillion = 1'000'000;
constexpr auto kNothing = [] {};

/// As large as a pending callable with two captured words, and with the fields that a purge looks
/// at and writes to where that has them.
struct alignas(16) BareTask {
    std::byte table[8];
    std::atomic<int> references{2};
    std::byte more[12];
    std::int64_t ownReference = 1;
    std::byte between[16];
    std::atomic<std::int64_t> state{1};
    std::byte callable[24];
};
static_assert(sizeof(BareTask) == 80);

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
    constexpr std::size_t each = 100;
    constexpr std::size_t bytes = kMillion * each;
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
    bench::measure(state, kMillion, prepare, batch, [&] { munmap(memory, bytes); });
}

/// A million cancelled tasks that others hold too; in the order of their addresses, which no heap
/// keeps quite.
class Cancelled {
  public:
    Cancelled() : tasks_(new BareTask[kMillion]), order_(kMillion) {
        for (std::size_t i = 0; i < kMillion; ++i) order_[i] = &tasks_[i];
    }
    const std::vector<BareTask*>& order() const { return order_; }

  private:
    std::unique_ptr<BareTask[]> tasks_;
    std::vector<BareTask*> order_;
};

/// The work of a purge: it looks at each state and, unless it leaves the references to a garbage
/// collector, takes one from each count; of `each` tasks at a time, as if outside of the monitor.
void lookAtStates(benchmark::State& state, bool drops, std::size_t each) {
    const Cancelled cancelled;
    const std::vector<BareTask*>& order = cancelled.order();
    const auto batch = [&](Stretch& stretch) {
        std::int64_t sum = 0;
        stretch.start();
        for (std::size_t begin = 0; begin < order.size(); begin += each) {
            const std::size_t end = std::min(begin + each, order.size());
            for (std::size_t i = begin; i != end; ++i)
                sum += order[i]->state.load(std::memory_order_acquire);
            for (std::size_t i = begin; drops && i != end; ++i) {
                order[i]->ownReference = 0;
                order[i]->references.fetch_sub(1, std::memory_order_acq_rel);
            }
        }
        stretch.stop();
        benchmark::DoNotOptimize(sum);
    };
    bench::measure(state, kMillion, kNothing, batch, kNothing);
}

/// As much as a stop of one of many pending timers cannot do without, whatever the structure behind
/// them: it reads the handle, takes the lock in the timer's own memory, and notes there that it is
/// stopped. The timers are stopped in random order; each has 96 bytes, as malloc gives them for a
/// callable of two words, on pages of the usual size or on huge ones.
class Cells {
  public:
    Cells(std::size_t count, bool huge) : bytes_(count * sizeof(Cell)), cells_(count) {
        memory_ = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (memory_ == MAP_FAILED) throw std::runtime_error("no memory");
        madvise(memory_, bytes_, huge ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
        auto* const first = static_cast<Cell*>(memory_);
        for (std::size_t i = 0; i < count; ++i) cells_[i] = ::new (first + i) Cell;
        std::shuffle(cells_.begin(), cells_.end(), std::minstd_rand(7));
    }
    Cells(const Cells&) = delete;
    Cells& operator=(const Cells&) = delete;
    ~Cells() { munmap(memory_, bytes_); }

    void stopAll() const {
        for (Cell* const cell : cells_) {
            cell->mutex.lock();
            cell->state = 0;
            cell->mutex.unlock();
        }
    }

  private:
    struct alignas(32) Cell {
        std::byte before[16];
        jtimer::detail::Mutex mutex;
        std::uint8_t state = 1;
        std::byte after[70];
    };
    static_assert(sizeof(Cell) == 96);

    std::size_t bytes_;
    void* memory_ = nullptr;
    std::vector<Cell*> cells_;
};

void stopCells(benchmark::State& state, bool huge) {
    const auto count = static_cast<std::size_t>(state.range(0));
    const Cells cells(count, huge);
    const auto batch = [&](Stretch& stretch) {
        stretch.start();
        cells.stopAll();
        stretch.stop();
    };
    bench::measure(state, state.range(0), kNothing, batch, kNothing);
}

/// As much as a newTimeout() of a wheel cannot do without: it reads the clock, writes a timeout's
/// 96 bytes, takes the monitor, and counts the caller's reference. The memory was used before and
/// lies in the order in which it is taken.
void addTimeouts(benchmark::State& state) {
    struct Node {
        std::atomic<int> references{1};
        Node* older = nullptr;
        std::int64_t time = 0;
        std::int64_t rest[9] = {};
    };
    static_assert(sizeof(Node) == 96);
    struct Handle {
        Node* timeout = nullptr;
        Node* references = nullptr;
    };
    const jtimer::SteadyClock clock;
    jtimer::detail::Mutex monitor;
    Node* newest = nullptr;
    const std::unique_ptr<Node[]> nodes(new Node[kMillion]);
    std::vector<Handle> handles(kMillion);
    const auto batch = [&](Stretch& stretch) {
        stretch.start();
        for (std::size_t i = 0; i < kMillion; ++i) {
            Node& node = *::new (&nodes[i]) Node;
            node.time = clock.nanos();
            node.references.fetch_add(1, std::memory_order_relaxed);
            monitor.lock();
            node.older = std::exchange(newest, &node);
            monitor.unlock();
            handles[i] = {&node, &node};
        }
        stretch.stop();
    };
    bench::measure(state, kMillion, kNothing, batch, kNothing);
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
BENCHMARK_CAPTURE(lookAtStates, alone, false, kMillion)->UseManualTime();
BENCHMARK_CAPTURE(lookAtStates, thenDrop, true, kMillion)->UseManualTime();
BENCHMARK_CAPTURE(lookAtStates, dropInBatches, true, 16)->UseManualTime();
BENCHMARK_CAPTURE(stopCells, onUsualPages, false)->Arg(100'000)->Arg(kMillion)->UseManualTime();
BENCHMARK_CAPTURE(stopCells, onHugePages, true)->Arg(100'000)->Arg(kMillion)->UseManualTime();
BENCHMARK(addTimeouts)->UseManualTime();
BENCHMARK(wakeUpInMonitor);
BENCHMARK(wakeUpFromSleep);
