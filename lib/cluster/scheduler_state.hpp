// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "cluster/counters.hpp"
#include "cluster/engine.hpp"
#include "cluster/micros.hpp"
#include "cluster/registry.hpp"
#include "cluster/store_pool.hpp"

#include <jtimer/cluster/options.hpp>
#include <jtimer/time.hpp>

#include <boost/thread/mutex.hpp>

#include <memory>
#include <optional>
#include <utility>

namespace jtimer::cluster::detail {

/// What a Scheduler consists of: the connections of its callers, and once started an Engine.
struct SchedulerState {
    enum class Phase { New, Starting, Started, Stopped };

    /// \param givenOptions with a name
    explicit SchedulerState(Options givenOptions)
        : options(std::move(givenOptions)), stores(options) {}

    std::shared_ptr<Engine> startedEngine();  ///< or null
    bool stop(std::optional<TimeSpan> wait);

    /// A task that is due in this time has been written: if a poll would find it late, this node
    /// looks for it at once, and others are notified.
    void announce(Micros dueIn);

    /// A pause of more than a task has been written, or deleted: all nodes read them.
    void announcePauses();

    const Options options;
    Counters counters;
    StorePool stores;
    Registry registry;  ///< under the mutex until start(), then not changed

    boost::mutex mutex;  ///< guards the next two; nothing is called with it held
    Phase phase = Phase::New;
    std::shared_ptr<Engine> engine;  ///< once started, until the destructor
};

}  // namespace jtimer::cluster::detail
