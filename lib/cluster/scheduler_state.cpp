// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "cluster/scheduler_state.hpp"

#include "cluster/micros.hpp"

#include <jtimer/exceptions.hpp>
#include <jtimer/timer_options.hpp>

#include <boost/thread/exceptions.hpp>
#include <boost/thread/lock_guard.hpp>

#include <algorithm>
#include <cstdint>
#include <system_error>

namespace jtimer::cluster::detail {

namespace {

using Lock = boost::lock_guard<boost::mutex>;

/// How long stop() waits for the node's row to disappear if it waits for the runs without a limit.
constexpr Micros kRowPatience = 5'000'000;

TimerOptions timerOptions(const std::string& name, std::shared_ptr<jtimer::Clock> clock) {
    TimerOptions options;
    options.name = name;
    options.daemon = true;
    options.removeOnCancel = true;
    options.clock = std::move(clock);
    return options;
}

}  // namespace

Engine::Engine(SchedulerState& scheduler)
    : options(scheduler.options), registry(scheduler.registry), counters(scheduler.counters),
      stores(scheduler.stores), clock(localClock()), outage(*options.name),
      slowLine(*options.name, toMicros(options.operationTimeout)),
      timer(std::make_unique<Timer>(timerOptions(*options.name, clock))), node(*this), ends(*this),
      dispatcher(*this) {
    if (!options.notifyConninfo.empty() && options.notifications)
        listener.emplace(*this, options.notifyConninfo, true);
}

void Engine::start() {
    try {
        dispatcher.connect();
        ends.connect();
        ends.start();
        if (listener.has_value()) listener->start();
        node.start();
        dispatcher.start();
    } catch (const boost::thread_resource_error& e) {
        throw std::system_error(e.code().value(), std::generic_category(),
                                "cannot start a thread of the Scheduler");
    }
}

/// First all threads end, as they set alarms of the timer; then the timer, as its tasks call the
/// parts.
Engine::~Engine() {
    if (listener.has_value()) {
        listener->end();
        listener->join();
    }
    node.end();
    node.join();
    ends.end();
    ends.join();
    dispatcher.join();
    timer.reset();
}

bool Engine::stop(std::optional<TimeSpan> wait) {
    dispatcher.stop();
    const std::int64_t begin = clock->nanos();
    const Micros limit =
        wait.has_value() ? std::clamp<Micros>(toMicros(*wait), 0, kLongestWait) : kLongestWait;
    if (!dispatcher.waitUntilDrained(limit)) return false;
    // Every run is over, which is what counts; the node's row only disappears earlier for this.
    const Micros elapsed = (clock->nanos() - begin) / 1000;
    node.waitUntilEnded(wait.has_value() ? std::max<Micros>(0, limit - elapsed) : kRowPatience);
    return true;
}

std::shared_ptr<Engine> SchedulerState::startedEngine() {
    const Lock lock(mutex);
    return engine;
}

bool SchedulerState::stop(std::optional<TimeSpan> wait) {
    std::shared_ptr<Engine> started;
    {
        const Lock lock(mutex);
        if (phase == Phase::Starting)
            throw IllegalStateException("The scheduler is being started.");
        if (engine != nullptr && engine->dispatcher.isInHandler())
            throw IllegalStateException("A handler cannot wait for its own end.");
        phase = Phase::Stopped;
        started = engine;
    }
    return started == nullptr || started->stop(wait);
}

void SchedulerState::written(Micros dueIn) {
    if (dueIn > toMicros(options.pollInterval)) return;
    if (const auto started = startedEngine()) started->dispatcher.lookForTasks();
    stores.notifyNodes();
}

}  // namespace jtimer::cluster::detail
