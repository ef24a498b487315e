// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "go/function_cell.hpp"
#include "sync/assert.hpp"

#include <atomic>
#include <cstdint>

namespace jtimer::go::detail {

/// Runs that wait for a thread. The cells contain the links: adding a run allocates nothing and
/// cannot fail.
///
/// A cell that is handed over again while it waits stays where it is, and counts its runs. So its
/// second run comes after the first runs of the others, perhaps later than its turn; but runs of
/// one timer overlap anyway, as each runs on a thread of its own. The queue must be empty when it
/// is destroyed.
class RunQueue {
  public:
    bool empty() const noexcept { return first_ == nullptr; }

    void push(Run run) noexcept {
        FunctionCell& cell = *run.cell_.detach();
        std::atomic<std::uint32_t>& queued = cell.endedOrQueuedRuns_;
        const std::uint32_t before = queued.load(std::memory_order_relaxed);
        queued.store(before + 1, std::memory_order_relaxed);
        if (before == 0) append(cell);
    }

    /// The queue must not be empty.
    Run pop() noexcept {
        JTIMER_ASSERT(!empty());
        FunctionCell& cell = *first_;
        first_ = cell.nextQueued_;
        std::atomic<std::uint32_t>& queued = cell.endedOrQueuedRuns_;
        const std::uint32_t left = queued.load(std::memory_order_relaxed) - 1;
        queued.store(left, std::memory_order_relaxed);
        if (left != 0) append(cell);
        Run run;
        run.cell_.reset(&cell, false);
        return run;
    }

  private:
    void append(FunctionCell& cell) noexcept {
        cell.nextQueued_ = nullptr;
        (first_ == nullptr ? first_ : last_->nextQueued_) = &cell;
        last_ = &cell;
    }

    FunctionCell* first_ = nullptr;
    FunctionCell* last_ = nullptr;
};

}  // namespace jtimer::go::detail
