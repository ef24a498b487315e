// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "go/run_queue.hpp"

#include <utility>

namespace jtimer::go::detail {

void RunQueue::append(FunctionCell& cell) noexcept {
    cell.nextQueued_ = nullptr;
    (first_ == nullptr ? first_ : last_->nextQueued_) = &cell;
    last_ = &cell;
}

void RunQueue::push(Run run) noexcept {
    FunctionCell& cell = *std::exchange(run.cell_, nullptr);
    if (cell.queuedRuns_++ == 0) append(cell);
}

Run RunQueue::pop() noexcept {
    FunctionCell& cell = *first_;
    first_ = cell.nextQueued_;
    if (--cell.queuedRuns_ != 0) append(cell);
    Run run;
    run.cell_ = &cell;
    return run;
}

}  // namespace jtimer::go::detail
