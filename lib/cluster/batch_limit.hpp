// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "cluster/micros.hpp"

#include <algorithm>
#include <cstddef>

namespace jtimer::cluster::detail {

/// How much one statement may move (tasks, ends, bytes), so that it passes within
/// Options::operationTimeout over a line of any speed. Halved by each time-out, and doubled by what
/// passes in less than half of the time. Only by that: a statement that moves little says nothing
/// about one that moves more. Not thread-safe.
class BatchLimit {
  public:
    BatchLimit(std::size_t greatest, Micros timeout) noexcept
        : greatest_(greatest), timeout_(timeout), limit_(greatest) {}

    std::size_t get() const noexcept { return limit_; }  ///< at least 1

    /// A statement that moved `size` took `elapsed`.
    void passed(std::size_t size, Micros elapsed) noexcept {
        if (elapsed < timeout_ / 2) limit_ = std::max(limit_, std::min(2 * size, greatest_));
    }

    /// A statement that was to move `size` timed out. With nothing to move, the size was not why.
    void timedOut(std::size_t size) noexcept {
        if (size > 0) limit_ = std::max<std::size_t>(1, std::min(limit_, size / 2));
    }

  private:
    const std::size_t greatest_;
    const Micros timeout_;
    std::size_t limit_;
};

}  // namespace jtimer::cluster::detail
