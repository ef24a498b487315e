// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "cluster/alarm.hpp"
#include "cluster/counters.hpp"
#include "cluster/outage.hpp"
#include "cluster/registry.hpp"
#include "cluster/slow_line.hpp"

#include <jtimer/clock.hpp>
#include <jtimer/cluster/history.hpp>
#include <jtimer/cluster/options.hpp>
#include <jtimer/timer.hpp>

#include <atomic>
#include <memory>

namespace jtimer::cluster::detail {

/// What the parts of a started node share. They do not know each other: what one needs of another
/// is in its Calls, which Engine connects.
struct Environment {
    /// \param givenOptions with a name; it, the registry and the counters outlive this object
    /// \param givenClock tests have a ManualClock
    Environment(const Options& givenOptions, const Registry& givenRegistry, Counters& givenCounters,
                std::shared_ptr<jtimer::Clock> givenClock = localClock());

    const Options& options;
    const Registry& registry;
    Counters& counters;
    const std::shared_ptr<jtimer::Clock> clock;  ///< of all local waits and of the lease
    std::unique_ptr<Timer> timer;  ///< of all local waits; ends before the parts, which it calls
    Outage outage;
    SlowLine slowLine;
    /// Which past runs are kept, as the node has last read. An end is written with what this was,
    /// which no other value depends on.
    std::atomic<History> history{History::Off};
};

}  // namespace jtimer::cluster::detail
