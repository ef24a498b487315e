// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "go/run_queue.hpp"

#include <atomic>
#include <cstdint>

namespace jtimer::go::detail {

void RunQueue::append(FunctionCell& cell) noexcept {
    cell.nextQueued_ = nullptr;
    (first_ == nullptr ? first_ : last_->nextQueued_) = &cell;
    last_ = &cell;
}

void RunQueue::push(Run run) noexcept {
    FunctionCell& cell = *run.cell_.detach();
    std::atomic<std::uint32_t>& queued = cell.endedOrQueuedRuns_;
    const std::uint32_t before = queued.load(std::memory_order_relaxed);
    queued.store(before + 1, std::memory_order_relaxed);
    if (before == 0) append(cell);
}

Run RunQueue::pop() noexcept {
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

}  // namespace jtimer::go::detail
