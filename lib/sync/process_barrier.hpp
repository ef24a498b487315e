// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

namespace jtimer::detail {

/// A full memory barrier on all processors that run threads of this process, which the system
/// executes for the calling thread: membarrier on Linux, FlushProcessWriteBuffers on Windows.

/// To be called once, before the first barrier. \returns whether there is such a barrier
bool prepareProcessBarrier() noexcept;

/// \returns false if the kernel now refuses the barrier that it granted earlier: the process has
///   entered a sandbox
bool executeProcessBarrier() noexcept;

}  // namespace jtimer::detail
