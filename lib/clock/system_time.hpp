// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <jtimer/detail/saturating.hpp>

namespace jtimer::detail {

/// What the system's clocks show: the time of day, and a time that nobody can set. For any thread.
/// See CycleClock for how they are read, where they are.
Nanos wallNanos() noexcept;
Nanos steadyNanos() noexcept;

#if defined(__linux__)
/// The same as steadyNanos(), and the time that the computer has slept.
Nanos boottimeNanos() noexcept;

/// What the first two showed at the last tick of the kernel, for a quarter of the cost.
///
/// What it proves: when somebody sets the clock, the coarse one is set in the same step. So at any
/// moment it is at or behind the exact clock, by some milliseconds, and what it has reached, the
/// exact clock has reached.
Nanos coarseWallNanos() noexcept;
Nanos coarseSteadyNanos() noexcept;
#endif

}  // namespace jtimer::detail
