// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include <jtimer/tokio/await.hpp>

#include "tokio/sleep_access.hpp"

namespace jtimer::tokio::detail {

Sleep& sleepOf(Interval& interval) noexcept { return SleepAccess::sleepOf(interval); }

void stopPolling(Sleep& sleep) noexcept { SleepAccess::takeWaker(sleep); }

}  // namespace jtimer::tokio::detail
