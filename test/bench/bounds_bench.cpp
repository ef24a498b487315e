// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "bench/measure.hpp"
#include "sync/mutex.hpp"

#include <jtimer/clock.hpp>

#include <benchmark/benchmark.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <random>
#include <stdexcept>
#include <sys/mman.h>
#include <utility>
#include <vector>

// What bounds a timer of this shape: bare structures that do the same work with no timer around
// them. doc/internals/tried.md compares with them.

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
/// 96 bytes, takes the monitor, and counts the caller's reference. The memory was used before, and
/// lies in the order in which it is taken, or is malloc's, as is that of a task of a callable.
void addTimeouts(benchmark::State& state, bool fromMalloc) {
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
    const std::unique_ptr<Node[]> nodes(fromMalloc ? nullptr : new Node[kMillion]);
    std::unique_ptr<Node> last;  // so that malloc keeps what is below it
    std::vector<Handle> handles(kMillion);
    const auto batch = [&](Stretch& stretch) {
        stretch.start();
        for (std::size_t i = 0; i < kMillion; ++i) {
            Node& node = fromMalloc ? *new Node : *::new (&nodes[i]) Node;
            node.time = clock.nanos();
            node.references.fetch_add(1, std::memory_order_relaxed);
            monitor.lock();
            node.older = std::exchange(newest, &node);
            monitor.unlock();
            handles[i] = {&node, &node};
        }
        stretch.stop();
    };
    const auto tidy = [&] {
        if (!fromMalloc) return;
        if (last == nullptr) last = std::make_unique<Node>();
        for (const Handle& handle : handles) delete handle.timeout;
    };
    bench::measure(state, kMillion, kNothing, batch, tidy);
}

/// As much as a run of one of a million timeouts that are due at once cannot do without, where the
/// caller keeps the handles: the walk through their slot, which lies in the order of the addresses;
/// the call; and, unless `atomics` is false, which no timer can do, three locked operations. These
/// decide between the run and a cancel(), end the run for who waits for it, and drop the reference
/// of the timer.
template <bool atomics>
void runTimeouts(benchmark::State& state) {
    struct Node {
        std::atomic<int> references{2};
        std::atomic<std::uint64_t> word{0};
        Node* next = nullptr;
        void (*call)(void*) = [](void* count) { ++*static_cast<std::int64_t*>(count); };
        void* argument = nullptr;
        std::int64_t rest[7] = {};
    };
    static_assert(sizeof(Node) == 96);
    constexpr std::uint64_t due = 4;
    constexpr std::uint64_t expired = 1;
    constexpr std::uint64_t ended = 2;
    const auto add = [](auto& word, auto change) {
        if constexpr (atomics) return word.fetch_add(change, std::memory_order_acq_rel);
        const auto before = word.load(std::memory_order_relaxed);
        word.store(before + change, std::memory_order_relaxed);
        return before;
    };
    const std::unique_ptr<Node[]> nodes(new Node[kMillion]);
    std::int64_t count = 0;
    const auto prepare = [&] {
        for (std::size_t i = 0; i < kMillion; ++i) {
            nodes[i].references = 2;
            nodes[i].word = due;
            nodes[i].argument = &count;
            nodes[i].next = i + 1 < kMillion ? &nodes[i + 1] : nullptr;
        }
    };
    const auto batch = [&](Stretch& stretch) {
        stretch.start();
        for (Node* node = nodes.get(); node != nullptr; node = node->next) {
            if (node->word.load(std::memory_order_relaxed) > due) continue;
            add(node->word, expired);
            node->call(node->argument);
            add(node->word, ended);
            if (add(node->references, -1) == 1) ++count;
        }
        stretch.stop();
    };
    bench::measure(state, kMillion, prepare, batch, kNothing);
}

/// As much as the start of a timer and its stop cannot do without, if its memory is malloc's: it
/// reads the clock, takes memory for a cell and a callable of two words, writes it, takes the lock
/// of a heap for the start; that of the cell and that of the heap for the stop; drops a reference
/// and gives the memory back. With `atomics` false, the same without locks and references.
template <bool atomics>
void startAndStop(benchmark::State& state) {
    struct Cell {
        std::atomic<int> references{1};
        jtimer::detail::Mutex mutex;
        std::uint32_t index = 0;
        std::int64_t time = 0;
        std::int64_t rest[7] = {};
    };
    static_assert(sizeof(Cell) == 80);
    const jtimer::SteadyClock clock;
    jtimer::detail::Mutex heap;
    std::uint32_t size = 0;
    const auto locked = [](jtimer::detail::Mutex& mutex, const auto& change) {
        if (atomics) mutex.lock();
        change();
        if (atomics) mutex.unlock();
    };
    for (auto _ : state) {
        auto* const cell = new Cell;
        benchmark::DoNotOptimize(cell);
        cell->time = clock.nanos();
        locked(heap, [&] { cell->index = ++size; });
        locked(cell->mutex, [&] { locked(heap, [&] { size = cell->index - 1; }); });
        if (!atomics || cell->references.fetch_sub(1, std::memory_order_acq_rel) == 1) delete cell;
    }
}

}  // namespace

BENCHMARK_CAPTURE(lookAtStates, alone, false, kMillion)->UseManualTime();
BENCHMARK_CAPTURE(lookAtStates, thenDrop, true, kMillion)->UseManualTime();
BENCHMARK_CAPTURE(lookAtStates, dropInBatches, true, 16)->UseManualTime();
BENCHMARK_CAPTURE(stopCells, onUsualPages, false)->Arg(100'000)->Arg(kMillion)->UseManualTime();
BENCHMARK_CAPTURE(stopCells, onHugePages, true)->Arg(100'000)->Arg(kMillion)->UseManualTime();
BENCHMARK_CAPTURE(addTimeouts, inOrder, false)->UseManualTime();
BENCHMARK_CAPTURE(addTimeouts, fromMalloc, true)->UseManualTime();
BENCHMARK_TEMPLATE(runTimeouts, true)->UseManualTime();
BENCHMARK_TEMPLATE(runTimeouts, false)->UseManualTime();
BENCHMARK_TEMPLATE(startAndStop, true);
BENCHMARK_TEMPLATE(startAndStop, false);
