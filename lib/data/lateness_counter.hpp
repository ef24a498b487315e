// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <jtimer/detail/saturating.hpp>
#include <jtimer/stats.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace jtimer::detail {

/// A LatenessHistogram that one thread writes with no lock held, while others read it. It costs
/// what a plain one does: the writer stores, and nothing is added atomically. Relaxed, because the
/// numbers stand for nothing but themselves.
class LatenessCounter {
  public:
    /// For the one thread that writes. A negative lateness counts as 0.
    void add(Nanos lateness) noexcept {
        lateness = std::max(lateness, Nanos{0});
        addOne(counts_[LatenessHistogram::bucketOf(lateness)]);
        if (lateness > max_.load(std::memory_order_relaxed))
            max_.store(lateness, std::memory_order_relaxed);
    }

    LatenessHistogram read() const noexcept {
        LatenessHistogram histogram;
        for (std::size_t i = 0; i < counts_.size(); ++i)
            histogram.counts_[i] = counts_[i].load(std::memory_order_relaxed);
        histogram.max_ = max_.load(std::memory_order_relaxed);
        return histogram;
    }

  private:
    static void addOne(std::atomic<std::uint64_t>& count) noexcept {
        count.store(count.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    }

    std::array<std::atomic<std::uint64_t>, LatenessHistogram::kBuckets> counts_{};
    std::atomic<Nanos> max_{0};
};

}  // namespace jtimer::detail
