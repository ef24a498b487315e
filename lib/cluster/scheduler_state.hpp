// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "cluster/connected_thread.hpp"
#include "cluster/counters.hpp"
#include "cluster/dispatcher.hpp"
#include "cluster/end_writer.hpp"
#include "cluster/listener.hpp"
#include "cluster/node.hpp"
#include "cluster/run_state.hpp"
#include "cluster/slow_line.hpp"
#include "cluster/store_pool.hpp"

#include <jtimer/cluster/options.hpp>
#include <jtimer/time.hpp>
#include <jtimer/timer.hpp>

#include <boost/thread/mutex.hpp>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace jtimer::cluster::detail {

/// The handlers by name.
using Registry = std::map<std::string, Registered>;

struct SchedulerState;

/// The parts of a started node, which know each other by it. When its destructor begins, the
/// dispatcher has drained or was never started, so no run and no end is left.
struct Engine {
    explicit Engine(SchedulerState& scheduler);
    ~Engine();
    Engine(const Engine&) = delete;
    Engine& operator=(const Engine&) = delete;

    void start();
    bool stop(std::optional<TimeSpan> wait);  ///< as Scheduler::stop

    const Options& options;
    const Registry& registry;
    Counters& counters;
    StorePool& stores;                           ///< of the Scheduler's callers
    const std::shared_ptr<jtimer::Clock> clock;  ///< of all local waits and of the lease
    Outage outage;
    SlowLine slowLine;
    std::unique_ptr<Timer> timer;  ///< of all local waits
    Node node;
    EndWriter ends;
    Dispatcher dispatcher;
    std::optional<Listener> listener;  ///< at Options::notifyConninfo
};

/// What a Scheduler consists of: the connections of its callers, and once started an Engine.
struct SchedulerState {
    enum class Phase { New, Starting, Started, Stopped };

    /// \param givenOptions with a name
    explicit SchedulerState(Options givenOptions)
        : options(std::move(givenOptions)), stores(options) {}

    std::shared_ptr<Engine> startedEngine();  ///< or null
    bool stop(std::optional<TimeSpan> wait);

    /// What is due in this time has been written: if a poll would find it late, this node looks for
    /// it at once, and others are notified.
    void written(Micros dueIn);

    const Options options;
    Counters counters;
    StorePool stores;
    Registry registry;  ///< under the mutex until start(), then not changed

    boost::mutex mutex;  ///< guards the next two; nothing is called with it held
    Phase phase = Phase::New;
    std::shared_ptr<Engine> engine;  ///< once started, until the destructor
};

}  // namespace jtimer::cluster::detail
