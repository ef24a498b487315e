// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

namespace jtimer::detail {

/// In place of lib/sync/pause.hpp: takes no time. A thread that spins is set aside at its loads.
inline void pauseShortly() noexcept {}

}  // namespace jtimer::detail
