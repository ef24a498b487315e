// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

namespace jtimer::netty::detail {

/// Counts the timers of the process that are neither stopped nor destroyed, each of which needs a
/// thread. The first time that there are more than 64, prints a warning to std::cerr.
void instanceMade();
void instanceEnded() noexcept;

}  // namespace jtimer::netty::detail
