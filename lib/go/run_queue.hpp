// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "go/function_cell.hpp"

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
    void push(Run run) noexcept;
    /// The queue must not be empty.
    Run pop() noexcept;

  private:
    void append(FunctionCell& cell) noexcept;

    FunctionCell* first_ = nullptr;
    FunctionCell* last_ = nullptr;
};

}  // namespace jtimer::go::detail
