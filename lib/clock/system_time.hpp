// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <jtimer/detail/saturating.hpp>

namespace jtimer::detail {

/// The time of the system's clocks: the time of day, and a time that cannot be set. For any thread.
///
/// Each reading is the system's own, so it keeps the system's guarantees: a steady time is not less
/// than one that was read before it, by this or another thread, and when the system slows down or
/// speeds up a clock, readings follow at once. No reading is a cancellation point.
///
/// Rejected: extrapolating from the processor's cycle counter between two ticks of the kernel. It
/// runs ahead of a clock that is being slowed down. And with a counter that is read in order, after
/// the loads before it, a call of `schedule` costs the same as with the system's reading, to within
/// 3 to 8%; only reading out of order is fast, but then time goes back between threads.
Nanos wallNanos() noexcept;
Nanos steadyNanos() noexcept;

#if defined(__linux__) || defined(_WIN32)
/// Like steadyNanos(), plus the time for which the computer was suspended.
Nanos boottimeNanos() noexcept;
#endif

#if defined(__linux__)
/// The time of day and the steady time as of the last tick of the kernel, for an eighth of the
/// cost.
///
/// When the clock is set, the coarse one is set in the same step. So at any moment it equals the
/// exact clock or is some milliseconds behind it, and the exact clock has reached every time that
/// the coarse one shows.
Nanos coarseWallNanos() noexcept;
Nanos coarseSteadyNanos() noexcept;
#endif

}  // namespace jtimer::detail
