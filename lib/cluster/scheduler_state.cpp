// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "cluster/scheduler_state.hpp"

#include <jtimer/exceptions.hpp>

#include <boost/thread/lock_guard.hpp>

namespace jtimer::cluster::detail {

using Lock = boost::lock_guard<boost::mutex>;

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

void SchedulerState::announce(Micros dueIn) {
    if (dueIn > toMicros(options.pollInterval)) return;
    if (const auto started = startedEngine()) started->dispatcher.lookForTasks();
    stores.notifyNodes();
}

}  // namespace jtimer::cluster::detail
