// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "measure.hpp"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

// The workloads, told once for all C++ peers; TimerPeers.java tells the same. A peer is a program
// PEER WORKLOAD MODE SIZE [--quick] that plays one of them and prints its figures as lines
// "workload parameter metric value", separated by tabs. It gives main() an Adapter:
//
//     static std::string version();
//     static constexpr bool kThreaded;  // a thread of its own, and calls from any thread
//     static constexpr bool kCancels;   // has cancel()
//     static constexpr bool kPurges;    // cancel() leaves the task behind, purge() sweeps them
//     using Handle = ...;               // can be default-constructed and moved
//     Handle schedule(std::int64_t delay, Function, void* argument);  // nanoseconds
//     Handle scheduleAt(std::int64_t time, Function, void* argument);   // when now() is `time`
//     void cancel(Handle&);
//     std::int64_t purge();             // how many it has removed
//     void scheduleAtFixedRate(std::int64_t delay, std::int64_t period, Function, void* argument);
//     void waitUntilDone();             // until done() says so: a loop runs here
//     void letPass(std::int64_t time);  // a loop runs meanwhile

namespace peers {

using Function = void (*)(void*);

struct Setup {
    std::string workload;
    std::string mode;
    std::string size;  // as it was written: "1e6"
    bool quick = false;

    std::size_t count() const { return static_cast<std::size_t>(std::stod(size)); }
    std::size_t scaled(std::size_t full) const { return quick ? full / 100 : full; }
    std::int64_t seconds(int full, int quickly) const { return quick ? quickly : full; }
};

inline void report(const Setup& setup, const char* workload, const char* metric, double value) {
    std::cout << workload << '\t' << setup.mode << ' ' << setup.size << '\t' << metric << '\t'
              << value << '\n';
}

/// What the tasks themselves count and note, on the timer's thread.
struct Counters {
    std::atomic<std::int64_t> runs{0};
    std::int64_t target = 0;
    std::int64_t first = 0;
    std::int64_t last = 0;
    std::atomic<bool> done{false};
    std::function<void()> onDone;  // a loop stops itself here
};

inline Counters& counters() {
    static Counters all;
    return all;
}

inline void expectRuns(std::size_t target) {
    counters().runs = 0;
    counters().target = static_cast<std::int64_t>(target);
    counters().done = false;
}

inline bool done() { return counters().done; }

inline void doNothing(void*) {}

inline void count(void*) {
    // One thread writes: no atomic addition, which costs more than some of the timers.
    auto& runs = counters().runs;
    runs.store(runs.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
}

inline void countToTarget(void*) {
    count(nullptr);
    Counters& all = counters();
    const std::int64_t runs = all.runs.load(std::memory_order_relaxed);
    if (runs == 1) all.first = now();
    if (runs != all.target) return;
    all.last = now();
    all.done = true;
    if (all.onDone) all.onDone();
}

inline void blockUntil(void* time) { sleepFor(*static_cast<std::int64_t*>(time) - now()); }

struct Lateness {
    std::int64_t due = 0;
    std::int64_t late = 0;
};

inline void noteLateness(void* lateness) {
    auto& mine = *static_cast<Lateness*>(lateness);
    mine.late = now() - mine.due;
    countToTarget(nullptr);
}

inline double perItem(std::int64_t time, std::size_t items) {
    return static_cast<double>(time) / static_cast<double>(std::max<std::size_t>(items, 1));
}

/// For adapters of peers that have a thread.
struct Threaded {
    static constexpr bool kThreaded = true;
    static constexpr bool kCancels = true;
    static constexpr bool kPurges = false;
    static std::int64_t purge() { return 0; }
    static void waitUntilDone() {
        while (!done()) sleepFor(2 * kMillisecond);
    }
    static void letPass(std::int64_t time) { sleepFor(time); }
};

/// W1, scheduling, and W2, cancelling and purging what W1 has scheduled.
template <class Adapter>
class ScheduleAndCancel {
  public:
    explicit ScheduleAndCancel(const Setup& setup)
        : setup_(setup), delays_(makeDelays(setup.count(), setup.mode)),
          order_(makeOrder(setup.count())), handles_(setup.count()) {}

    void run() {
        const std::size_t size = delays_.size();
        if (size <= 10'000) {
            for (int i = 0; i < 20; ++i) round(size);
            startMeasuring();
            for (int i = 0; i < kRounds; ++i) round(size);
        } else {
            for (int i = 0; i < 2; ++i) round(std::min<std::size_t>(size / 2, 50'000));
            startMeasuring();
            auto last = round(size);
            // To take millions of tasks down is no part of this, and would take longer than it.
            static_cast<void>(last.release());
        }
        const double rounds = size <= 10'000 ? kRounds : 1;
        report(setup_, "W1", "schedule_ns", schedule_ / rounds);
        if (Adapter::kCancels) report(setup_, "W2", "cancel_ns", cancel_ / rounds);
        if (!Adapter::kPurges) return;
        // The timer's thread may have met some of them before, at the head of its queue.
        if (purged_ < rounds * static_cast<double>(size) / 2)
            throw std::runtime_error("purged only " + std::to_string(purged_));
        report(setup_, "W2", "purge_ns", purge_ / purged_);
    }

  private:
    static constexpr int kRounds = 100;

    void startMeasuring() { schedule_ = cancel_ = purge_ = purged_ = 0; }

    std::unique_ptr<Adapter> round(std::size_t size) {
        using Handle = typename Adapter::Handle;
        for (Handle& handle : handles_) handle = Handle();
        auto timer = std::make_unique<Adapter>();
        if (Adapter::kThreaded) sleepFor(5 * kMillisecond);  // until its thread waits
        std::int64_t begin = now();
        for (std::size_t i = 0; i < size; ++i)
            handles_[i] = timer->schedule(delays_[i], doNothing, nullptr);
        schedule_ += perItem(now() - begin, size);
        if constexpr (Adapter::kCancels) {
            begin = now();
            for (const std::uint32_t i : order_)
                if (i < size) timer->cancel(handles_[i]);
            cancel_ += perItem(now() - begin, size);
        }
        if constexpr (Adapter::kPurges) {
            begin = now();
            const std::int64_t removed = timer->purge();
            purge_ += static_cast<double>(now() - begin);
            purged_ += static_cast<double>(removed);
        }
        return timer;
    }

    const Setup& setup_;
    std::vector<std::int64_t> delays_;
    std::vector<std::uint32_t> order_;
    std::vector<typename Adapter::Handle> handles_;
    double schedule_ = 0;
    double cancel_ = 0;
    double purge_ = 0;
    double purged_ = 0;
};

/// W3: time-outs that never come. MODE is the number of producers, and whether they purge.
template <class Adapter>
class Producers {
  public:
    explicit Producers(const Setup& setup)
        : setup_(setup), producers_(std::stoul(setup.mode)),
          purges_(setup.mode.find("purge") != std::string::npos) {}

    void run() {
        const auto delays = makeDelays(setup_.count(), "random");
        for (const std::int64_t delay : delays)
            pending_.push_back(timer_.schedule(delay, doNothing, nullptr));
        produce(99, setup_.scaled(20'000));
        // Of a sweep through 1e7 tasks ten are enough.
        const std::size_t pairs = setup_.scaled(setup_.count() >= 10'000'000 ? 100'000 : 1'000'000);
        const std::size_t share = pairs / producers_;
        std::atomic<bool> go{false};
        std::vector<std::thread> others;
        for (std::size_t i = 1; i < producers_; ++i)
            others.emplace_back([&, i] {
                while (!go) std::this_thread::yield();
                produce(i + 1, share);
            });
        const std::int64_t begin = now();
        go = true;
        produce(1, share);
        for (std::thread& other : others) other.join();
        report(setup_, "W3", "pair_ns", perItem(now() - begin, share * producers_));
    }

  private:
    void produce(std::uint64_t seed, std::size_t pairs) {
        constexpr std::size_t kDelays = 4096;
        const auto delays = makeDelays(kDelays, "random", seed);
        for (std::size_t i = 0; i < pairs; ++i) {
            auto handle = timer_.schedule(delays[i % kDelays], doNothing, nullptr);
            timer_.cancel(handle);
            if (purges_ && i % 10'000 == 9'999) timer_.purge();
        }
    }

    const Setup& setup_;
    std::size_t producers_;
    bool purges_;
    Adapter timer_;
    std::vector<typename Adapter::Handle> pending_;
};

/// W4: SIZE tasks that are all due; MODE says how that has come.
template <class Adapter>
class Burst {
  public:
    explicit Burst(const Setup& setup) : setup_(setup), handles_(setup.count() + 1) {}

    void run() {
        std::int64_t lead = setup_.quick ? kSecond / 2 : 5 * kSecond / 2;
        while (!fillAndFire(lead)) lead *= 2;
        const Counters& all = counters();
        report(setup_, "W4", "task_ns", perItem(all.last - all.first, setup_.count() - 1));
    }

  private:
    // False: the work began before everything was scheduled, so it was not this that was measured.
    bool fillAndFire(std::int64_t lead) {
        const bool backlog = setup_.mode == "backlog";
        const std::size_t size = setup_.count();
        expectRuns(size);
        Random random(42);
        // Left behind: its tasks are what it may hold on to when it is destroyed.
        auto& timer = *new Adapter;
        const std::int64_t due = now() + lead;
        std::int64_t released = backlog ? due + kSecond + 20 * kMillisecond : due;
        if (backlog)
            handles_[size] = timer.scheduleAt(due - 50 * kMillisecond, blockUntil, &released);
        for (std::size_t i = 0; i < size; ++i) {
            const std::int64_t after = backlog ? random.below(kSecond) : 0;
            handles_[i] = timer.scheduleAt(due + after, countToTarget, nullptr);
        }
        const bool inTime = now() < released;
        timer.waitUntilDone();
        return inTime;
    }

    const Setup& setup_;
    std::vector<typename Adapter::Handle> handles_;
};

/// W5: how late SIZE tasks are that are due one by one, at random whole milliseconds.
template <class Adapter>
void measureLateness(const Setup& setup) {
    const std::size_t size = setup.count();
    const std::int64_t seconds = setup.seconds(10, 1);
    std::vector<typename Adapter::Handle> handles(size);
    std::vector<Lateness> all(size);
    Random random(42);
    expectRuns(size);
    Adapter timer;
    sleepFor(20 * kMillisecond);
    for (std::size_t i = 0; i < size; ++i) {
        const std::int64_t delay = kSecond + random.below(seconds * 1000) * kMillisecond;
        all[i].due = now() + delay;
        handles[i] = timer.schedule(delay, noteLateness, &all[i]);
    }
    timer.waitUntilDone();
    std::sort(all.begin(), all.end(),
              [](const Lateness& a, const Lateness& b) { return a.late < b.late; });
    report(setup, "W5", "p50_us", static_cast<double>(all[size / 2].late) / 1e3);
    report(setup, "W5", "p99_us", static_cast<double>(all[size * 99 / 100].late) / 1e3);
}

/// W6: the resident memory that a pending task takes.
template <class Adapter>
void measureMemory(const Setup& setup) {
    const auto delays = makeDelays(setup.count(), "random");
    std::vector<typename Adapter::Handle> handles(delays.size());
    Adapter timer;
    handles[0] = timer.schedule(delays[0], doNothing, nullptr);
    const std::int64_t before = residentBytes();
    for (std::size_t i = 1; i < delays.size(); ++i)
        handles[i] = timer.schedule(delays[i], doNothing, nullptr);
    report(setup, "W6", "task_bytes", perItem(residentBytes() - before, delays.size() - 1));
    std::cout.flush();
    std::_Exit(0);  // here and below: taking the tasks down is no part of this
}

/// W7: how often a timer wakes up that has nothing to do for an hour.
template <class Adapter>
void measureIdleness(const Setup& setup) {
    const auto delays = makeDelays(setup.count(), "random");
    std::vector<typename Adapter::Handle> handles(delays.size());
    Adapter timer;
    for (std::size_t i = 0; i < delays.size(); ++i)
        handles[i] = timer.schedule(delays[i], doNothing, nullptr);
    const auto sleeps = [] {
        return Adapter::kThreaded ? sleepsOfOtherThreads() : sleepsOfThisThread();
    };
    const std::int64_t seconds = setup.seconds(5, 1);
    timer.letPass(kSecond);
    const std::int64_t before = sleeps();
    timer.letPass(seconds * kSecond);
    // A loop sleeps, once, in letPass() itself.
    const std::int64_t own = Adapter::kThreaded ? 0 : 1;
    const std::int64_t wakeups = std::max<std::int64_t>(sleeps() - before - own, 0);
    report(setup, "W7", "wakeups_per_s",
           static_cast<double>(wakeups) / static_cast<double>(seconds));
    std::cout.flush();
    std::_Exit(0);
}

/// W8: SIZE tasks at a fixed rate of 10 ms.
template <class Adapter>
void measureFixedRate(const Setup& setup) {
    Random random(42);
    Adapter timer;
    for (std::size_t i = 0; i < setup.count(); ++i)
        timer.scheduleAtFixedRate((10 + random.below(10)) * kMillisecond, 10 * kMillisecond, count,
                                  nullptr);
    timer.letPass(kSecond / 2);
    const std::int64_t runsBefore = counters().runs;
    const std::int64_t begin = now();
    const std::int64_t cpuBefore = cpuTime();
    timer.letPass(setup.seconds(3, 1) * kSecond);
    const std::int64_t runs = counters().runs - runsBefore;
    const auto time = static_cast<double>(now() - begin);
    report(setup, "W8", "firing_cpu_ns",
           perItem(cpuTime() - cpuBefore, static_cast<std::size_t>(runs)));
    report(setup, "W8", "firings_per_s", static_cast<double>(runs) * 1e9 / time);
    std::cout.flush();
    std::_Exit(0);
}

template <class Adapter>
void play(const Setup& setup) {
    if (setup.workload == "W1") return ScheduleAndCancel<Adapter>(setup).run();
    if (setup.workload == "W4") return Burst<Adapter>(setup).run();
    if (setup.workload == "W5") return measureLateness<Adapter>(setup);
    if (setup.workload == "W6") return measureMemory<Adapter>(setup);
    if (setup.workload == "W7") return measureIdleness<Adapter>(setup);
    if (setup.workload == "W8") return measureFixedRate<Adapter>(setup);
    if constexpr (Adapter::kCancels) {
        if (setup.workload == "W3") {
            // Not destroyed either.
            static_cast<void>((new Producers<Adapter>(setup))->run());
            return;
        }
    }
    throw std::runtime_error("no such workload: " + setup.workload);
}

template <class Adapter>
int runPeer(int argc, char** argv) {
    if (argc == 2 && std::strcmp(argv[1], "--version") == 0) {
        std::cout << Adapter::version() << '\n';
        return 0;
    }
    const bool quick = argc == 5 && std::strcmp(argv[4], "--quick") == 0;
    if (argc != 4 && !quick) {
        std::cerr << "Usage: " << argv[0] << " --version | WORKLOAD MODE SIZE [--quick]\n";
        return 2;
    }
    const Setup setup{argv[1], argv[2], argv[3], quick};
    try {
        play<Adapter>(setup);
    } catch (const std::exception& e) {
        std::cerr << argv[0] << ": " << e.what() << '\n';
        return 1;
    }
    std::cout.flush();
    std::_Exit(0);
}

}  // namespace peers
