// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "measure.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

// What each C++ peer gives, and what the workloads have in common. A peer is a program
// PEER WORKLOAD MODE SIZE [--quick] that plays one workload and prints its figures as lines
// "workload parameter figure value", separated by tabs. Its main() is runPeer<Adapter>()
// (workload.hpp), and the Adapter has:
//
//     static std::string version();
//     static constexpr bool kThreaded;  // a thread of its own, and calls from any thread
//     static constexpr bool kCancels;   // has cancel()
//     static constexpr bool kPurges;    // cancel() leaves the task behind, purge() sweeps them out
//     static constexpr bool kResets;    // has reset(), which starts a task anew
//     static constexpr bool kSleeps;    // its tasks are sleeps: it has kHandleBytes and extend()
//     static constexpr std::size_t kHandleBytes;  // of what a user keeps of a sleep
//     using Handle = ...;               // can be default-constructed and moved
//     Handle schedule(std::int64_t delay, Function, void* argument);    // nanoseconds
//     Handle scheduleAt(std::int64_t time, Function, void* argument);   // when now() is `time`
//     void cancel(Handle&);
//     std::int64_t purge();             // how many it has removed
//     void reset(Handle&, std::int64_t delay);  // if kResets
//     void extend(Handle&, std::int64_t time);  // if kSleeps: to a later time than so far
//     void scheduleAtFixedRate(std::int64_t delay, std::int64_t period, Function, void* argument);
//     void waitUntilDone();             // until done() says so: a loop runs here
//     void letPass(std::int64_t time);  // a loop runs meanwhile
//
// Each handle is destroyed before its timer.

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

/// `when` is "cold", "warm" or, where there is one figure for both, nothing.
inline void report(const Setup& setup, const char* workload, const std::string& when,
                   const std::string& figure, double value) {
    std::cout << workload << '\t' << setup.mode << ' ' << setup.size << (when.empty() ? "" : " ")
              << when << '\t' << figure << '\t' << value << '\n';
}

inline void report(const Setup& setup, const char* workload, const char* figure, double value) {
    report(setup, workload, "", figure, value);
}

/// Wall and CPU time for each of the items.
inline void report(const Setup& setup, const char* workload, const std::string& when,
                   const std::string& what, const Stopwatch& time, double items) {
    report(setup, workload, when, what + "_ns", static_cast<double>(time.wall()) / items);
    report(setup, workload, when, what + "_cpu_ns", static_cast<double>(time.cpu()) / items);
}

inline double perItem(std::int64_t time, std::size_t items) {
    return static_cast<double>(time) / static_cast<double>(std::max<std::size_t>(items, 1));
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

/// For adapters of peers that have a thread.
struct Threaded {
    static constexpr bool kThreaded = true;
    static constexpr bool kCancels = true;
    static constexpr bool kPurges = false;
    static constexpr bool kResets = false;
    static constexpr bool kSleeps = false;
    static std::int64_t purge() { return 0; }
    static void waitUntilDone() {
        while (!done()) sleepFor(2 * kMillisecond);
    }
    static void letPass(std::int64_t time) { sleepFor(time); }
};

/// For adapters of event loops: no thread and no lock.
struct Loop {
    static constexpr bool kThreaded = false;
    static constexpr bool kCancels = true;
    static constexpr bool kPurges = false;
    static constexpr bool kResets = true;
    static constexpr bool kSleeps = false;
    static std::int64_t purge() { return 0; }
};

}  // namespace peers
