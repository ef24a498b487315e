// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "netty/timeout_access.hpp"

namespace jtimer::netty::detail {

/// For speed only: called in the walk through a slot, before the timeout ahead of `next` runs. If
/// `next` is due too, has the processor load its task meanwhile. A task that is submitted again and
/// again, as periodic ones are, was last used a period ago and is no longer in the cache; without
/// this, loading it takes half of the time of a run. The timeouts themselves were allocated one
/// after another, so the processor loads them ahead on its own.
inline void prefetchTaskIfDue(const Timeout* next, Tick tick) noexcept {
    if (next != nullptr && TimeoutAccess::dueIfInit(*next, tick + 1) <= tick)
        TimeoutAccess::prefetchTask(*next);
}

}  // namespace jtimer::netty::detail
