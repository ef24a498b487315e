// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include <jtimer/tokio/await.hpp>

#include "tokio/sleep_access.hpp"

namespace jtimer::tokio::detail {

Sleep& sleepOf(Interval& interval) noexcept { return SleepAccess::sleepOf(interval); }

}  // namespace jtimer::tokio::detail
