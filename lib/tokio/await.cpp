// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include <jtimer/tokio/await.hpp>

#include "tokio/driver.hpp"
#include "tokio/sleep_access.hpp"

namespace jtimer::tokio::detail {

Sleep& sleepOf(Interval& interval) noexcept { return SleepAccess::sleepOf(interval); }

void stopPolling(Sleep& sleep) noexcept {
    SleepEntry& entry = SleepAccess::entryOf(sleep);
    entry.driver->takeWaker(entry);
}

}  // namespace jtimer::tokio::detail
