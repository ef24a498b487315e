// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "cluster/alarm.hpp"
#include "cluster/dispatcher.hpp"
#include "cluster/end_writer.hpp"
#include "cluster/environment.hpp"
#include "cluster/history_pruner.hpp"
#include "cluster/listener.hpp"
#include "cluster/node.hpp"
#include "cluster/run_end_hook.hpp"
#include "cluster/store_pool.hpp"

#include <jtimer/clock.hpp>
#include <jtimer/time.hpp>

#include <memory>
#include <optional>

namespace jtimer::cluster::detail {

/// The parts of a started node, and the one place that connects them. When its destructor begins,
/// the dispatcher has drained or was never started, so no run and no end is left.
struct Engine {
    /// \param options with a name
    /// \param stores of the Scheduler's callers; the first four outlive this object
    /// \param clock see Environment
    Engine(const Options& options, const Registry& registry, Counters& counters, StorePool& stores,
           std::shared_ptr<jtimer::Clock> clock = localClock());
    ~Engine();
    Engine(const Engine&) = delete;
    Engine& operator=(const Engine&) = delete;

    void start();
    bool stop(std::optional<TimeSpan> wait);  ///< as Scheduler::stop

    Environment environment;
    RunEndHook runEndHook;
    Node node;
    EndWriter endWriter;
    Dispatcher dispatcher;
    HistoryPruner historyPruner;
    std::optional<Listener> listener;  ///< at Options::notifyConninfo
};

}  // namespace jtimer::cluster::detail
