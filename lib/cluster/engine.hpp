// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "cluster/dispatcher.hpp"
#include "cluster/end_writer.hpp"
#include "cluster/environment.hpp"
#include "cluster/listener.hpp"
#include "cluster/node.hpp"
#include "cluster/run_end_hook.hpp"
#include "cluster/store_pool.hpp"

#include <jtimer/time.hpp>

#include <optional>

namespace jtimer::cluster::detail {

/// The parts of a started node, and the one place that connects them. When its destructor begins,
/// the dispatcher has drained or was never started, so no run and no end is left.
struct Engine {
    /// \param options with a name
    /// \param stores of the Scheduler's callers; all four outlive this object
    Engine(const Options& options, const Registry& registry, Counters& counters, StorePool& stores);
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
    std::optional<Listener> listener;  ///< at Options::notifyConninfo
};

}  // namespace jtimer::cluster::detail
