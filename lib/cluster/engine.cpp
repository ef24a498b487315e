// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "cluster/engine.hpp"

#include "cluster/micros.hpp"

#include <boost/thread/exceptions.hpp>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <system_error>
#include <utility>

namespace jtimer::cluster::detail {

namespace {

/// How long stop() waits for the node's row to disappear if it waits for the runs without a limit.
constexpr Micros kRowPatience = 5'000'000;

// The picture in doc/internals/design.md. No call is made before start(), when all parts are there.

Node::Calls callsOfNode(Engine& engine) {
    Node::Calls calls;
    calls.lookForTasks = [&engine] { engine.dispatcher.lookForTasks(); };
    calls.releaseLostClaims = [&engine] { engine.dispatcher.releaseLostClaims(); };
    calls.readPauses = [&engine] { engine.dispatcher.readPauses(); };
    calls.pruneHistory = [&engine] { engine.historyPruner.prune(); };
    return calls;
}

Listener::Calls callsOfListener(Engine& engine) {
    Listener::Calls calls;
    calls.lookForTasks = [&engine] { engine.dispatcher.lookForTasks(); };
    calls.renewNow = [&engine] { engine.node.renewNow(); };
    return calls;
}

EndWriter::Calls callsOfEndWriter(Engine& engine, StorePool& stores) {
    EndWriter::Calls calls;
    calls.lookForTasks = [&engine] { engine.dispatcher.lookForTasks(); };
    calls.notifyNodes = [&stores] { stores.notifyNodes(); };
    calls.endWritten = [&engine](Token token) { engine.dispatcher.endWritten(token); };
    calls.report = [&engine](const std::string& failure) { engine.dispatcher.report(failure); };
    calls.tell = [&engine](RunEnd end) { engine.runEndHook.tell(std::move(end)); };
    return calls;
}

Dispatcher::Calls callsOfDispatcher(Engine& engine) {
    Dispatcher::Calls calls;
    calls.lease = [&engine] { return engine.node.lease(); };
    calls.renewNow = [&engine] { engine.node.renewNow(); };
    calls.drained = [&engine] { engine.node.stop(); };
    calls.runEnded = [&engine](PendingEnd end) { engine.endWriter.add(std::move(end)); };
    calls.cannotWriteEnds = [&engine] { return engine.endWriter.isFailing(); };
    calls.tell = [&engine](RunEnd end) { engine.runEndHook.tell(std::move(end)); };
    return calls;
}

}  // namespace

Engine::Engine(const Options& options, const Registry& registry, Counters& counters,
               StorePool& stores, std::shared_ptr<jtimer::Clock> clock)
    : environment(options, registry, counters, std::move(clock)), runEndHook(environment),
      node(environment, callsOfNode(*this)),
      endWriter(environment, callsOfEndWriter(*this, stores)),
      dispatcher(environment, callsOfDispatcher(*this)), historyPruner(environment) {
    if (!options.notifyConninfo.empty() && options.notifications)
        listener.emplace(environment, callsOfListener(*this), options.notifyConninfo, true);
}

void Engine::start() {
    try {
        dispatcher.connect();
        endWriter.connect();
        runEndHook.start();
        endWriter.start();
        historyPruner.start();
        if (listener.has_value()) listener->start();
        node.start();
        dispatcher.start();
    } catch (const boost::thread_resource_error& e) {
        throw std::system_error(e.code().value(), std::generic_category(),
                                "cannot start a thread of the Scheduler");
    }
}

/// First all threads end, as they set alarms of the timer; then the timer, as its tasks call the
/// parts. The hook, which the others call, comes last, with its destructor.
Engine::~Engine() {
    if (listener.has_value()) {
        listener->stop();
        listener->join();
    }
    node.stop();
    node.join();
    historyPruner.stop();
    historyPruner.join();
    endWriter.stop();
    endWriter.join();
    dispatcher.join();
    environment.timer.reset();
}

bool Engine::stop(std::optional<TimeSpan> wait) {
    dispatcher.stop();
    historyPruner.stop();
    const std::int64_t begin = environment.clock->nanos();
    const Micros limit =
        wait.has_value() ? std::clamp<Micros>(toMicros(*wait), 0, kLongestWait) : kLongestWait;
    if (!dispatcher.waitUntilDrained(limit)) return false;
    // Every run is over, which is what counts. For the rest, only as long as there is time: the
    // node's row disappears earlier, and what onRunEnd has captured may be destroyed.
    const auto left = [&] {
        return std::max<Micros>(0, limit - (environment.clock->nanos() - begin) / 1000);
    };
    node.waitUntilStopped(wait.has_value() ? left() : kRowPatience);
    runEndHook.waitUntilTold(left());
    return true;
}

}  // namespace jtimer::cluster::detail
