// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "interleave/engine/locks.hpp"

#include <cstddef>
#include <limits>

namespace jtimer::detail {

/// In place of lib/thread/thread_number.hpp: counts from 0 in each execution.
template <class>
std::size_t numberOfThisThread() noexcept {
    return explore::numberOfThisThread();
}

/// The engine does not count them: as if there had been many.
template <class>
std::size_t numberedThreads() noexcept {
    return std::numeric_limits<std::size_t>::max();
}

}  // namespace jtimer::detail
