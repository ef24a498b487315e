// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <jtimer/detail/saturating.hpp>

namespace jtimer::detail {

/// What the system's clocks show: the time of day, and a time that nobody can set. For any thread.
///
/// Each reading is the system's own, so it has what the system promises: a steady time is not less
/// than one that was read before it, by this or another thread, and a time that the system slows
/// down or speeds up is followed at once. No reading is a cancellation point.
///
/// Refused: to extrapolate from the processor's cycle counter between two ticks of the kernel. It
/// runs ahead of a clock that is being slowed down. And a counter that is read in order, after the
/// loads before it, costs a call of `schedule` within 3 to 8% as much as the system's reading; what
/// is fast is the reading out of order, by which time goes back between threads.
Nanos wallNanos() noexcept;
Nanos steadyNanos() noexcept;

#if defined(__linux__)
/// The same as steadyNanos(), and the time that the computer has slept.
Nanos boottimeNanos() noexcept;

/// What the first two showed at the last tick of the kernel, for an eighth of the cost.
///
/// What it proves: when somebody sets the clock, the coarse one is set in the same step. So at any
/// moment it is at or behind the exact clock, by some milliseconds, and what it has reached, the
/// exact clock has reached.
Nanos coarseWallNanos() noexcept;
Nanos coarseSteadyNanos() noexcept;
#endif

}  // namespace jtimer::detail
