// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "bench/tally.hpp"

#include <benchmark/benchmark.h>

#include <chrono>

namespace bench {

/// Time and Tally of one thread from start() to stop(), which it calls around a batch of calls.
/// Google Benchmark's own PauseTiming() costs as much as some of these calls, hence UseManualTime()
/// and one Stretch for a whole batch.
class Stretch {
  public:
    void start() {
        before_ = tally;
        begin_ = std::chrono::steady_clock::now();
    }
    void stop() {
        const auto end = std::chrono::steady_clock::now();
        sum_ = sum_ + (tally - before_);
        seconds_ = std::chrono::duration<double>(end - begin_).count();
    }

    /// Of the last batch.
    double seconds() const { return seconds_; }
    /// Of all batches.
    const Tally& sum() const { return sum_; }

  private:
    std::chrono::steady_clock::time_point begin_;
    double seconds_ = 0;
    Tally before_{0, 0};
    Tally sum_{0, 0};
};

/// Times batches of `calls` calls: `prepare` comes before each, `batch` starts and stops the
/// Stretch that it is given, `tidy` comes after. The figures are those of one call.
template <class Prepare, class Batch, class Tidy>
void measure(benchmark::State& state, std::int64_t calls, const Prepare& prepare,
             const Batch& batch, const Tidy& tidy) {
    Stretch stretch;
    while (state.KeepRunningBatch(calls)) {
        prepare();
        batch(stretch);
        state.SetIterationTime(stretch.seconds());
        tidy();
    }
    const auto made = static_cast<double>(state.iterations());
    state.counters["allocs"] = static_cast<double>(stretch.sum().allocations) / made;
    state.counters["clock"] = static_cast<double>(stretch.sum().readings) / made;
}

}  // namespace bench
