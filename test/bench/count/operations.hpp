// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <chrono>
#include <cstddef>
#include <random>
#include <vector>

// One operation of a timer, called on a timer with a given number of pending tasks. count.sh runs
// it under callgrind and takes the instructions between countBegin() and countEnd() of the one
// thread that calls both.
//
// Two runs must agree to the instruction. So the time is a ManualClock's, the random numbers are
// those that the standard prescribes, everything the calls need is made before, and the other
// thread sleeps: nothing that is counted takes a lock which that one could hold. A round before the
// counted one makes the queue's array and malloc's lists as long as they get.

/// Callgrind starts anew on entering the one, and writes down what it has on entering the other.
extern "C" {
void countBegin();
void countEnd();
}

namespace count {

using std::chrono::hours;
using std::chrono::nanoseconds;

/// How many calls most operations make, and count.
constexpr std::size_t callsFor(std::size_t pending) { return pending / 10; }

/// For an operation that makes a single call.
constexpr std::size_t oneCall(std::size_t) { return 1; }

struct Operation {
    const char* name;  ///< one word; no two timers share one
    void (*run)(std::size_t pending);
    std::size_t (*calls)(std::size_t pending) = callsFor;
};

/// Calls an operation on a stage that has so many pending tasks.
template <class Stage, void (*operation)(Stage&)>
void onStage(std::size_t pending) {
    Stage stage(pending);
    operation(stage);
}

// Each timer's operations, in a file of its own; main.cpp has the list of these functions.
const std::vector<Operation>& jdkOperations();
const std::vector<Operation>& nettyOperations();
const std::vector<Operation>& brpcOperations();
const std::vector<Operation>& tokioOperations();
const std::vector<Operation>& goOperations();

/// The same delays in each run.
class RandomDelays {
  public:
    /// A time in the hour that begins `from` hours ahead.
    nanoseconds next(int from = 1) {
        return hours(from) + nanoseconds(random_() % 3'600'000'000'000);
    }

    /// So many in the hour after the next.
    std::vector<nanoseconds> next(std::size_t count) {
        std::vector<nanoseconds> result(count);
        for (auto& each : result) each = next();
        return result;
    }

  private:
    std::mt19937_64 random_{42};
};

/// Counts, from the first run of the tasks that share it, `calls` cycles of the timer's thread:
/// each from inside one run to inside the next.
class Runs {
  public:
    explicit Runs(std::size_t calls) : last_(calls + 1) {}

    void up() {
        if (++count_ == 1) countBegin();
        if (count_ == last_) countEnd();
    }
    bool complete() const { return count_ >= last_; }

  private:
    const std::size_t last_;
    std::size_t count_ = 0;
};

}  // namespace count
